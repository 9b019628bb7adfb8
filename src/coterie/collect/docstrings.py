"""Docstrings: the public functions and classes of one source file with their prose, parameters and 'See Also' names."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LEAST_LETTERS = 200

_PUBLIC = re.compile(r"^\s{0,8}(?:async )?(?:def|class) [^\W_]", re.MULTILINE)
_RULE = re.compile(r"[-=~^]{3,}\s*$")
_UNREAD = frozenset({"see also", "examples", "example", "references", "doctest"})
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_ROLE = re.compile(r":[a-z:]+:`~?([^`<]*)(?:<[^`]*>)?`")
_MARKUP = re.compile(r"^\s*(?:\.\. [\w:-]+.*|>>> .*|\.\.\. .*|:\w+:\s*$)|%\(\w+\)s|[`*]+|\[\d+\]_?")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Documented:
    """One function or class with a long docstring."""

    name: str
    doc: str
    parameters: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The first paragraph, as one line."""
        return " ".join(self.doc.split("\n\n", 1)[0].split())

    @property
    def see_also(self) -> tuple[str, ...]:
        """Names listed under 'See Also', without the path before them and the sentence after them."""
        listed = [
            line for title, part in _sections(self.doc) if title == "see also" for line in part
        ]
        names = [name.rstrip(".").rsplit(".", 1)[-1] for line in listed for name in _names_of(line)]
        return tuple(dict.fromkeys(name for name in names if name))

    def prose(self, package: str) -> str:
        """The sentences: no code, no references, no markup, and neither the own name nor paths in the package."""
        read = [
            line for title, part in _sections(self.doc) if title not in _UNREAD for line in part
        ]
        text = "\n".join(_MARKUP.sub("", _ROLE.sub(r"\1", line)) for line in read)
        text = re.sub(
            rf"\b{re.escape(package)}(?:\.\w+)*\b|\b{re.escape(self.name)}\b",
            " ",
            text,
            flags=re.IGNORECASE,
        )
        return re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", text)).strip()


def documented(source: str) -> list[Documented]:
    """What a source file documents; nothing for a file that this Python cannot parse."""
    if not at_most_documented(source):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: dict[str, Documented] = {}
    for node in _definitions(tree.body):
        doc = ast.get_docstring(node, clean=False)
        if not doc or node.name.startswith("_") or node.name in found:
            continue
        doc = inspect.cleandoc(doc)
        if len(doc) >= LEAST_LETTERS:
            found[node.name] = Documented(node.name, doc, _parameters(node))
    return list(found.values())


def at_most_documented(source: str) -> int:
    """A bound on what a source file can document, without parsing it: parsing is the costly thing."""
    long = sum(
        len(piece) >= LEAST_LETTERS for mark in ('"""', "'''") for piece in source.split(mark)[1:-1]
    )
    return min(long, len(_PUBLIC.findall(source))) if long else 0


def _definitions(body: Sequence[ast.stmt]) -> Iterator[Definition]:
    """Functions and classes of the module, also those under an 'if' or a 'try'."""
    for node in body:
        if isinstance(node, Definition):
            yield node
        elif isinstance(node, ast.If):
            yield from _definitions([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from _definitions(
                [*node.body, *(s for h in node.handlers for s in h.body), *node.orelse]
            )


def _parameters(node: Definition) -> tuple[str, ...]:
    """Names in the signature; of a class, those of its constructor."""
    if isinstance(node, ast.ClassDef):
        makers = [
            n
            for n in node.body
            if isinstance(n, ast.FunctionDef) and n.name in ("__init__", "__new__")
        ]
        return _parameters(makers[0]) if makers else ()
    all_of = node.args
    given = [*all_of.posonlyargs, *all_of.args, *all_of.kwonlyargs]
    given += [a for a in (all_of.vararg, all_of.kwarg) if a is not None]
    names = [
        a.arg
        for a in given
        if a.arg not in ("self", "cls", "args", "kwargs") and not a.arg.startswith("_")
    ]
    return tuple(dict.fromkeys(names))


def _sections(doc: str) -> list[tuple[str, list[str]]]:
    """The sections of a docstring by their underlined titles; the first has no title."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    lines = doc.split("\n")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.strip() and not line[:1].isspace() and _RULE.match(after) and not _RULE.match(line):
            sections.append((line.strip().lower(), []))
        elif not _RULE.match(line):
            sections[-1][1].append(line)
    return sections


def _names_of(line: str) -> list[str]:
    """The names before the colon of a line that is not indented; none where the line is a sentence."""
    if line[:1].isspace():
        return []
    listed = re.sub(r":\w+:|[`~]", "", line).split(":")[0]
    return [name for part in listed.split(",") if _NAME.fullmatch(name := part.strip())]
