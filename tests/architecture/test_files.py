"""Files say what is in them; nothing prints outside the command line; no path of some machine is written down."""

from __future__ import annotations

import ast
import functools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.pages import PACKAGES, ROOT

PYTHON = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
FOLDERS = ("src", "papers", "tests", "docs", "examples", "benchmarks", "tools", ".ci")
WRITTEN = {".py", ".md", ".toml", ".html", ".js", ".css", ".txt", ".json", ".cfg", ""}
MACHINE = re.compile(r"(?<![\w.<:/])/(?:home|root|Users|work|opt|mnt)/[\w.]+")


def _everything() -> list[Path]:
    found = [
        path
        for path in ROOT.glob("*.*")
        if path.suffix in {".md", ".toml", ".cff", ".txt", ".yaml"}
    ]
    found += [
        ROOT / name for name in ("Makefile", "LICENSE", ".gitignore", ".pre-commit-config.yaml")
    ]
    for folder in FOLDERS:
        found += [
            path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix in WRITTEN
        ]
    return [path for path in found if not {"__pycache__", "_build"} & set(path.parts)]


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="this is no clone"
)
def test_no_store_is_committed():
    command = ["git", "-C", str(ROOT), "ls-files"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    first = {line.partition("/")[0] for line in listed.splitlines()}
    assert not first & {"coterie_runs", ".demo", "build", "dist", ".venv"}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@functools.cache
def _trees() -> dict[str, ast.Module]:
    """Every file of both distributions, read once: its package and name -> what is in it."""
    return {
        path.relative_to(package.parent).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted(package.rglob("*.py"))
    }


def test_files_say_what_is_in_them():
    assert not [name for name, tree in _trees().items() if not ast.get_docstring(tree)], (
        "the first line does not say it"
    )
    assert not [path for path in PYTHON if path.stem in ("utils", "helpers", "misc", "common")]


def test_nothing_prints_outside_the_command_line():
    found = [
        f"{name}:{node.lineno}"
        for name, tree in _trees().items()
        if name.split("/")[1] != "cli"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not found


def test_no_assert_speaks_to_users():
    found = [
        f"{name}:{node.lineno}"
        for name, tree in _trees().items()
        if name != "coterie/testing.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        and not ast.unparse(node.test).startswith("isinstance(")  # those are for mypy
    ]
    assert not found, "raise one of coterie.core.errors instead"


def test_nothing_is_pickled():
    travels = {
        "coterie/run/cluster.py",
        "coterie/run/far.py",
    }  # work goes to the workers of one's own cluster
    for name, tree in _trees().items():
        imports = [
            node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        names = {alias.name for node in imports for alias in node.names}
        wrong = {"cPickle", "dill"} | (
            set() if name in travels | {"coterie/testing.py"} else {"pickle", "cloudpickle"}
        )
        assert not names & wrong, name


def test_no_machine_is_named():
    for path in _everything():
        found = MACHINE.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{_name(path)} names {found.group()}"
