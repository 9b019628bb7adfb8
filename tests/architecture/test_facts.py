"""Facts and sentences are apart: nothing reads our own sentences, and the library knows no options of commands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.pages import SOURCE

FILES = sorted(SOURCE.rglob("*.py"))
ABOVE = {"cli", "web"}  # they may speak of options
COMMANDS = {  # they write commands, or look at what the command line is installed with
    "run/stored.py",
    "run/steering.py",
    "run/flaws.py",
    "run/doctor_install.py",
    "run/doctor_machine.py",
    "run/doctor_store.py",
}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?![\w-]*:)")
READERS = {"match", "search", "sub", "findall", "finditer", "fullmatch", "split"}
PARTS = {"partition", "rpartition", "removeprefix", "removesuffix", "startswith", "endswith"}
SENTENCES = {"error", "sentence", "sentences", "note", "notes", "said", "caution", "problem"}
HIDES = {  # they take places of this machine out of any text; or read the sentences of members
    "web/desk.py",
    "web/places.py",
    "collect/tokens.py",
}
MODALITIES = {"Text", "TaggedText", "Table", "Ragged", "Pictures", "SeenViews"}
ERRORS = {"CoterieError", "DataError", "ParameterError", "StoreError"}


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def written(tree: ast.AST) -> Iterator[ast.Constant]:
    """The words in the code, without docstrings."""
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        words = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if words and id(node) not in documented:
            yield node


def options_in(tree: ast.AST) -> list[int]:
    """Lines with an option of a command in a sentence; styles have names that look alike, and a colon after them."""
    return [
        node.lineno
        for node in written(tree)
        if OPTION.search(node.value) and "var(--" not in node.value and " " in node.value
    ]


def is_sentence(node: ast.expr) -> bool:
    """Whether this is a sentence of ours: `str(error)`, `note`, `found.caution` ..."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        return bool(node.args) and is_sentence(node.args[0])
    if isinstance(node, ast.Attribute):
        return node.attr in SENTENCES
    return isinstance(node, ast.Name) and node.id in SENTENCES


def readings_in(tree: ast.AST) -> list[int]:
    """Lines in which a sentence is taken apart or searched."""
    caught = {
        handler.name: ast.unparse(handler.type)
        for handler in ast.walk(tree)
        if isinstance(handler, ast.ExceptHandler) and handler.name and handler.type
    }
    ours = {name for name, kind in caught.items() if any(one in kind for one in ERRORS)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            looked_at = node.args if node.func.attr in READERS else []
            looked_at = [*looked_at, node.func.value] if node.func.attr in PARTS else looked_at
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            literal = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            looked_at = node.comparators if literal else []
        else:
            continue
        for one in looked_at:
            names = {inner.id for inner in ast.walk(one) if isinstance(inner, ast.Name)}
            foreign = "error" in names and "error" not in ours
            if is_sentence(one) and not foreign:
                found.append(node.lineno)
    return found


def modalities_in(tree: ast.AST) -> list[int]:
    """Lines that ask what class the data of a modality is of."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and MODALITIES & {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
    ]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_library_message_names_an_option_of_a_command(path):
    name = name_of(path)
    if name.split("/")[0] in ABOVE or name in COMMANDS:
        return
    assert not options_in(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_reads_our_own_sentences(path):
    if name_of(path) in HIDES:
        return
    assert not readings_in(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if name_of(path).split("/")[0] in ("workflows", "run")],
    ids=name_of,
)
def test_no_branch_on_the_class_of_a_modality(path):
    assert not modalities_in(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("look", "code"),
    [
        (options_in, "raise DataError('Name it with --truth.')"),
        (options_in, "raise DataError(f'{name}: ask for groups with --k to see them.')"),
        (readings_in, "found = re.search('k must', sentence)"),
        (readings_in, "if 'left out' in note:\n    pass"),
        (readings_in, "kept = not note.endswith('not kept.')"),
        (
            readings_in,
            "try:\n    a()\nexcept CoterieError as error:\n    b = 'any of' in str(error)",
        ),
        (modalities_in, "long = isinstance(view, (Text, Links))"),
    ],
)
def test_the_look_finds(look, code):
    assert look(ast.parse(code))


@pytest.mark.parametrize(
    ("look", "code"),
    [
        (options_in, "STYLE = 'a { color: var(--ink); }'"),
        (readings_in, "try:\n    a()\nexcept OSError as error:\n    b = 'locked' in str(error)"),
        (modalities_in, "new = isinstance(source, Collection)"),
    ],
)
def test_the_look_lets_pass(look, code):
    assert not look(ast.parse(code))
