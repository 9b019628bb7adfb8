"""Compiled helpers: where sums may be taken in any order, there is one copy of them, or a test that their copies agree."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import coterie

KERNELS = Path(coterie.__file__).parent / "_kernels"
MEASURED = {
    "dirichlet._explained",
    "hmm_training._total",
}  # called as they are; tests/parts/test_compiled_twice.py compares them
EXACT = {"hmm_training._most"}  # the largest of some numbers is the same in any order


@dataclass(frozen=True)
class Compiled:
    """A compiled function: whether it is inlined, whether sums in it may be reordered, and the names it calls."""

    inlined: bool
    loose: bool
    calls: frozenset[str]


def compiled() -> dict[str, Compiled]:
    """Every compiled function by module.name."""
    found = {}
    trees = {
        path.stem: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(KERNELS.glob("*.py"))
    }
    for module, tree in trees.items():
        borrowed = _borrowed(tree)
        for node in tree.body:
            given = _given(node)
            if isinstance(node, ast.FunctionDef) and given is not None:
                heads = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
                named = {head.id for head in heads if isinstance(head, ast.Name)}
                calls = frozenset(borrowed.get(name, f"{module}.{name}") for name in named)
                loose = "reassoc" in _flags(given.get("fastmath"), trees, module)
                found[f"{module}.{node.name}"] = Compiled("inline" in given, loose, calls)
    return found


def _given(node: ast.stmt) -> dict[str, ast.expr] | None:
    """What njit was given for this function; None where it is not compiled."""
    for mark in getattr(node, "decorator_list", []):
        if (
            isinstance(mark, ast.Call)
            and isinstance(mark.func, ast.Name)
            and mark.func.id == "njit"
        ):
            return {word.arg: word.value for word in mark.keywords if word.arg}
    return None


def _borrowed(tree: ast.Module) -> dict[str, str]:
    """Names from other modules of compiled loops, as module.name."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("coterie._kernels."):
            home = (node.module or "").rsplit(".", 1)[1]
            found |= {one.asname or one.name: f"{home}.{one.name}" for one in node.names}
    return found


def _flags(value: ast.expr | None, trees: dict[str, ast.Module], module: str) -> str:
    """The flags as they are written, where they are given by name, too."""
    if not isinstance(value, ast.Name):
        return ast.unparse(value) if value is not None else ""
    home, name = _borrowed(trees[module]).get(value.id, f"{module}.{value.id}").split(".")
    return next(
        ast.unparse(node.value)
        for node in trees[home].body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )


def test_helpers_that_sum_loosely_are_inlined():
    every = compiled()
    loose = {name for name, one in every.items() if one.loose}
    assert {
        "aspects.by_documents",
        "covariances.squared",
        "emissions.own_densities",
    } <= loose  # flags by name are found
    helpers = {name for one in every.values() for name in one.calls if name in loose}
    assert helpers
    copies = {name for name in helpers if not every[name].inlined}
    # LLVM optimises a helper by itself, and once more inside its caller; which copy is called depends on what was in the cache
    assert copies == MEASURED | EXACT
