"""Left may import right, never back; kernels are written in the one form that is loaded from numba's cache."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.pages import PACKAGES, ROOT, SOURCE

OPTIONAL = {"pandas", "polars", "umap", "dtaidistance", "playwright"}


def test_layers_are_kept():
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "0 broken" in done.stdout


def _top_level(tree: ast.Module) -> set[str]:
    """Packages imported when the file is, leaving out what only a type checker sees."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_optional_libraries_are_imported_where_they_are_needed():
    for path in (path for package in PACKAGES for path in sorted(package.rglob("*.py"))):
        assert not _top_level(ast.parse(path.read_text(encoding="utf-8"))) & OPTIONAL, (
            path.relative_to(ROOT)
        )


def _decorators(path: Path) -> list[tuple[str, ast.expr]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [
        (function.name, decorator)
        for function in functions
        for decorator in function.decorator_list
    ]


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "_kernels").glob("[a-z]*.py")), ids=lambda path: path.stem
)
def test_kernels_are_cached_and_free_of_the_lock(path):
    for name, decorator in _decorators(path):
        words = {word.arg: ast.unparse(word.value) for word in getattr(decorator, "keywords", [])}
        if ast.unparse(decorator).startswith(("njit", "numba.njit")):
            assert words.get("cache") == "True", f"{name}: not kept in numba's disk cache"
            assert words.get("nogil") == "True", f"{name}: holds the lock"
            assert "parallel" not in words, f"{name}: threads come from the driver"
