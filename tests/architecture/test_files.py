"""Files stay short and say what is in them; nothing prints outside the command line; no path of some machine is written down."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.pages import ROOT, SOURCE

PYTHON = sorted(SOURCE.rglob("*.py"))
FOLDERS = ("src", "tests", "docs", "examples", "benchmarks", "tools", ".ci")
WRITTEN = {".py", ".md", ".toml", ".html", ".js", ".css", ".txt", ".json", ".cfg", ""}
MACHINE = re.compile(r"(?<![\w.<:/])/(?:home|root|Users|work|opt|mnt)/[\w.]+")
LONGEST = 400


def _everything() -> list[Path]:
    found = [ROOT / name for name in ("README.md", "Makefile", "pyproject.toml", ".gitignore")]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix in WRITTEN]
    return [path for path in found if not {"__pycache__", "_build"} & set(path.parts)]


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="this is no clone")
def test_only_what_belongs_here_is_committed():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True, timeout=60).stdout
    first = {line.partition("/")[0] for line in listed.splitlines()}
    assert first <= {*FOLDERS, "README.md", "Makefile", "pyproject.toml", ".gitignore"}, "a store or a trial was committed"


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PYTHON, ids=_name)
def test_file_is_short_and_says_what_is_in_it(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert ast.get_docstring(ast.parse(text)), "the first line does not say what is in the file"
    assert path.stem not in ("utils", "helpers", "misc", "common")


@pytest.mark.parametrize("path", [path for path in PYTHON if "cli" not in path.parts], ids=_name)
def test_nothing_prints_outside_the_command_line(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        called = node.func if isinstance(node, ast.Call) else None
        assert not (isinstance(called, ast.Name) and called.id == "print"), f"line {getattr(node, 'lineno', 0)} prints"


@pytest.mark.parametrize("path", [path for path in PYTHON if path.name != "testing.py"], ids=_name)
def test_no_assert_speaks_to_users(path):
    found = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Assert)]
    lines = [node.lineno for node in found if not ast.unparse(node.test).startswith("isinstance(")]  # those are for mypy
    assert not lines, f"assert in line {lines[0]}: raise one of coterie.core.errors instead"


@pytest.mark.parametrize("path", PYTHON, ids=_name)
def test_nothing_is_pickled(path):
    if path.name == "testing.py":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    travels = {"pickle", "cloudpickle"} if path.name in ("cluster.py", "far.py") and path.parent.name == "run" else set()
    assert not names & ({"pickle", "cPickle", "dill", "cloudpickle"} - travels)  # work goes to the workers of one's own cluster


def test_no_machine_is_named():
    for path in _everything():
        found = MACHINE.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{_name(path)} names {found.group()}"
