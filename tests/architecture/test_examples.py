"""The python blocks of every page, the examples and the doctests run, each page in a folder of its own."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import signal
import sys
import types
from collections.abc import Iterator

import pytest

from tests.architecture.pages import DOCS, EXAMPLES, PACKAGES, given, lay_out, pages, reading

SECONDS = 90  # far above what any page needs; an endless one ends here
WITH_CODE = [
    page for page in pages() if list(reading.python_blocks(page.read_text(encoding="utf-8")))
]
MODULES = {  # all files but those that run when they are imported
    ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted(package.rglob("*.py"))
    if path.stem != "__main__"
}


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """End what takes longer than this, where the system has alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TimeoutError(f"longer than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder of its own to work in, and a module of its own to run in, so that classes of a page can be pickled."""
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("coterie_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return tmp_path, module


def run_in(module: types.ModuleType, code: str, where: str) -> None:
    exec(compile(code, where, "exec", dont_inherit=True), vars(module))


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(DOCS)))
def test_blocks_of_a_page_run(page, desk):
    folder, module = desk
    text = page.read_text(encoding="utf-8")
    lay_out(folder, text)
    vars(module).update(given(page))
    with limited(SECONDS):
        for line, block in reading.python_blocks(text):
            run_in(module, "\n" * (line - 1) + block, str(page))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example_runs(path, desk, capsys):
    _, module = desk
    with limited(SECONDS):
        run_in(module, path.read_text(encoding="utf-8"), str(path))
        module.main()
    assert capsys.readouterr().out.strip(), "the example says nothing"


def test_there_are_examples():
    assert {path.stem for path in EXAMPLES.glob("*.py")} >= {
        "explore_a_table",
        "compare_and_organize",
        "own_comparer",
    }


def _on_a_card(name: str) -> bool:
    return name.startswith("coterie.parts.gpu.") and name.endswith("_kernel")


def test_every_module_can_be_imported():
    for name in MODULES:
        if not _on_a_card(name):
            importlib.import_module(name)


@pytest.mark.parametrize(
    "name", [name for name, path in MODULES.items() if ">>> " in path.read_text(encoding="utf-8")]
)
def test_doctests_run(name, desk):
    if _on_a_card(name):
        pytest.importorskip("triton")
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), name)
    assert found, "its examples are in no docstring"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    with limited(SECONDS):
        for test in found:
            runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_blocks_are_found_with_their_lines():
    page = "# A\n\n```python\nx = 1\n```\n\n```\nnot this\n```\n\n```python\ny = x\nz = y\n```\n"
    assert list(reading.python_blocks(page)) == [(4, "x = 1\n"), (12, "y = x\nz = y\n")]
