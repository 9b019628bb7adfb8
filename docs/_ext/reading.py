"""What the documentation reads from the code: public names, signatures, docstrings and parameters; needs no Sphinx."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Name:
    """One public name of a module: what it is, how it is called, and what its docstring says."""

    name: str
    thing: Any
    kind: str  # "class", "function", "module" or "value"
    signature: str
    doc: str

    @property
    def sentence(self) -> str:
        """The first paragraph of the docstring."""
        return next((text for kind, text in blocks(self.doc) if kind == "prose"), "")


def load(where: str) -> Any:
    """The thing "package.module:Name" stands for, or the module itself when no name is given."""
    module, _, name = where.partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


def public_names(module: ModuleType) -> list[str]:
    """The names in `__all__`; else what a lazy package lists; else what the module itself defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    if "__getattr__" in vars(module):
        return [name for name in dir(module) if not name.startswith("_")]
    own = [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", "") == module.__name__
    ]
    return [name for name in own if not name.startswith("_")]


def read_names(module: ModuleType) -> Iterator[Name]:
    """Every public name of a module, in alphabetical order, classes before functions."""
    found = [_read(name, getattr(module, name)) for name in public_names(module)]
    order = {"class": 0, "function": 1, "module": 2, "value": 3}
    yield from sorted(found, key=lambda item: (order[item.kind], item.name.lower()))


def _read(name: str, thing: Any) -> Name:
    if inspect.ismodule(thing):
        return Name(name, thing, "module", name, own_doc(thing))
    if inspect.isclass(thing):
        return Name(name, thing, "class", name + signature(thing), own_doc(thing))
    if callable(thing) and hasattr(thing, "__code__"):
        return Name(name, thing, "function", name + signature(thing), own_doc(thing))
    return Name(name, thing, "value", name, "")


def own_doc(thing: Any) -> str:
    """The docstring somebody wrote for this thing: not an inherited one, and not the one dataclasses make up."""
    doc = vars(thing).get("__doc__") if inspect.isclass(thing) else getattr(thing, "__doc__", "")
    made_up = (
        inspect.isclass(thing)
        and dataclasses.is_dataclass(thing)
        and (doc or "").startswith(f"{thing.__name__}(")
    )
    return "" if made_up or not doc else inspect.cleandoc(doc)


def signature(thing: Any) -> str:
    """How it is called, with defaults and without the types, which the code shows."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    plain = [
        p.replace(annotation=inspect.Parameter.empty, default=_default(p))
        for p in found.parameters.values()
    ]
    return str(
        found.replace(
            parameters=[p for p in plain if p.name != "self"],
            return_annotation=inspect.Signature.empty,
        )
    )


class _Shown(str):
    """A default as it is written in a signature."""

    def __repr__(self) -> str:
        return str(self)


def _default(parameter: inspect.Parameter) -> Any:
    value = parameter.default
    if value is inspect.Parameter.empty or isinstance(
        value, (int, float, str, bool, tuple, type(None))
    ):
        return value
    return _Shown("...")


def methods_of(kind: type) -> Iterator[Name]:
    """The public methods and properties a class itself defines and describes."""
    for name, thing in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(thing, property) and thing.__doc__:
            yield Name(name, thing, "value", name, inspect.cleandoc(thing.__doc__))
        elif isinstance(thing, (staticmethod, classmethod)) or inspect.isfunction(thing):
            called = getattr(kind, name)
            if called.__doc__:
                yield Name(
                    name,
                    called,
                    "function",
                    name + signature(called),
                    inspect.cleandoc(called.__doc__),
                )


def parameters(kind: type) -> list[tuple[str, str, str, str]]:
    """Name, default, range and meaning of every declared parameter; none where the class declares none."""
    from coterie.core.params import Settings, params_of

    if not (
        inspect.isclass(kind) and issubclass(kind, Settings) and dataclasses.is_dataclass(kind)
    ):
        return []
    return [(info.name, repr(info.default), info.range, info.sentence) for info in params_of(kind)]


def takes_and_gives(kind: type) -> str:
    """ "Takes Table, gives Affinity." for an estimator, else nothing."""
    takes = getattr(kind, "takes", None)
    gives = getattr(kind, "gives", None)
    return f"Takes {takes.__name__}, gives {gives.__name__}." if takes and gives else ""


def blocks(doc: str) -> Iterator[tuple[str, str]]:
    """A docstring as ("prose" | "session" | "lines", text) blocks: paragraphs, doctests, indented lines."""
    for part in re.split(r"\n\s*\n", doc.strip()):
        if part.lstrip().startswith(">>>"):
            yield "session", inspect.cleandoc(part)
        elif all(line.startswith("    ") for line in part.splitlines()):
            yield "lines", inspect.cleandoc("\n" + part)
        elif part.strip():
            yield "prose", " ".join(line.strip() for line in part.splitlines())


def python_blocks(page: str) -> Iterator[tuple[int, str]]:
    """The fenced python blocks of a Markdown page with the line each begins at, in order."""
    for found in re.finditer(r"^```python *\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE):
        yield page.count("\n", 0, found.start(1)) + 1, found.group(1)
