"""`tools/graph` counts what is there and sees every import cycle; the code itself has none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.pages import ROOT


def run_graph(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "graph"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def read_graph(root: Path) -> dict[str, Any]:
    made = run_graph("--root", str(root), "--json")
    assert made.returncode == 0, made.stderr
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A package in which `one` and `two` import each other, `two` inside a function."""
    return write(
        tmp_path,
        {
            "src/toy/__init__.py": '"""A toy."""\n',
            "src/toy/one.py": '"""One."""\n\nfrom toy import two\n\nVALUE = 1\n\n\ndef go():\n    """Go."""\n    return two.go()\n',
            "src/toy/two.py": "def go():\n    from toy.one import VALUE\n\n    return VALUE\n",
            "src/toy/typed.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from toy.user import use\n",
            "src/toy/user.py": "from toy.typed import TYPE_CHECKING\nfrom toy.deep import piece\n\n\ndef use():\n    return piece\n",
            "src/toy/deep/__init__.py": "",
            "src/toy/deep/piece.py": "import toy.one\n",
            "papers/src/toy_papers/__init__.py": "from toy.user import use\n",
            "papers/src/toy_papers/two.py": "class _Hidden:\n    pass\n\n\nclass Shown:\n    pass\n",
        },
    )


def list_cycles(found: dict[str, Any]) -> list[list[str]]:
    return [cycle["modules"] for cycle in found["cycles"]]


def test_a_cycle_inside_a_function_is_found(toy):
    found = read_graph(toy)
    assert list_cycles(found) == [["toy.one", "toy.two"]]
    assert found["cycles"][0]["imports"] == [
        {"from": "toy.one", "to": "toy.two", "line": 3},
        {"from": "toy.two", "to": "toy.one", "line": 2},
    ]


def test_product_and_papers_are_counted_apart(toy):
    totals = read_graph(toy)["totals"]
    # VALUE, go and its return; go and its return; the if; use and its return
    assert totals["product"] == {"packages": 2, "files": 7, "statements": 8}
    assert totals["papers"] == {"packages": 1, "files": 2, "statements": 4}


def test_lonely_modules_and_names_used_twice_are_listed(toy):
    found = read_graph(toy)
    lonely = [{"module": "toy.deep.piece", "importer": "toy.user"}]
    assert found["single_importer_elsewhere"] == lonely
    assert found["public_names"] == 3
    assert found["public_names_defined_twice"] == {"go": ["toy.one", "toy.two"]}


def test_a_name_is_followed_through_the_package_that_hands_it_on(tmp_path):
    lazy = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from toy.made import Made as Made\n"
    root = write(
        tmp_path,
        {
            "src/toy/__init__.py": lazy,
            "src/toy/made.py": "import toy.used\n\n\nclass Made:\n    pass\n",
            "src/toy/used.py": "def use():\n    from toy import Made\n\n    return Made\n",
        },
    )
    assert list_cycles(read_graph(root)) == [["toy.made", "toy.used"]]


def test_check_fails_on_a_cycle_and_on_nothing_else(toy):
    made = run_graph("--root", str(toy), "--check")
    assert made.returncode == 1
    assert "toy.two:2 imports toy.one" in made.stdout
    assert run_graph("--root", str(toy), "--check", "--known", "toy.user").returncode == 1
    assert run_graph("--root", str(toy), "--check", "--known", "toy.one").returncode == 0
    (toy / "src/toy/two.py").write_text("def go():\n    return 1\n", encoding="utf-8")
    assert run_graph("--root", str(toy), "--check").returncode == 0


def test_an_empty_folder_is_refused(tmp_path):
    made = run_graph("--root", str(tmp_path), "--check")
    assert made.returncode == 2
    assert "no Python file" in made.stderr


def test_the_code_has_no_import_cycles():
    found = read_graph(ROOT)
    assert found["totals"]["product"]["files"] > 0
    assert list_cycles(found) == []
