"""Fitted estimators as plain values for the store, and back: nothing is pickled, and only names of coterie are ever loaded."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie.core.errors import StoreError
from coterie.run.packing import is_record

_ROOT = "coterie."
_ROOMS = (
    "core",
    "parts",
    "models",
    "represent",
    "compare",
    "organize",
    "workflows",
    "pipeline",
)  # where parts of a model come from
_OBJECT = "~object"
_NAME = "~name"
_PARTIAL = "~partial"
_SAME = "~same"


def freeze(thing: Any) -> Any:
    """The thing with every object, function and partial of coterie replaced by its name and its state.

    A tuple met again (the rows and the columns of an affinity) is written once.
    """
    return _freeze(thing, {})


def thaw(tree: Any) -> Any:
    """The thing again."""
    return _thaw(tree, [])


def _freeze(thing: Any, seen: dict[int, int]) -> Any:
    if isinstance(thing, dict):
        return {key: _freeze(value, seen) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_freeze(item, seen) for item in thing]
    if isinstance(thing, tuple):
        if id(thing) in seen:
            return {_SAME: seen[id(thing)]}
        found = tuple(_freeze(item, seen) for item in thing)
        seen[id(thing)] = len(seen)
        return found
    if isinstance(thing, functools.partial):
        return {_PARTIAL: [_freeze(thing.func, seen), list(thing.args), dict(thing.keywords)]}
    if isinstance(thing, (type, types.FunctionType)):
        return {_NAME: _name(thing)}
    if _plain(thing):
        return thing
    return {
        _OBJECT: _name(type(thing)),
        "state": {name: _freeze(getattr(thing, name), seen) for name in _fields(thing)},
    }


def _thaw(tree: Any, seen: list[Any]) -> Any:
    if isinstance(tree, list):
        return [_thaw(item, seen) for item in tree]
    if isinstance(tree, tuple):
        seen.append(tuple(_thaw(item, seen) for item in tree))
        return seen[-1]
    if not isinstance(tree, dict):
        return tree
    if _SAME in tree:
        return seen[tree[_SAME]]
    if _NAME in tree:
        return _load(tree[_NAME])
    if _PARTIAL in tree:
        function, args, words = tree[_PARTIAL]
        return functools.partial(_thaw(function, seen), *args, **words)
    if _OBJECT not in tree:
        return {key: _thaw(value, seen) for key, value in tree.items()}
    kind = _load(tree[_OBJECT])
    if not isinstance(kind, type):
        raise StoreError(
            f"The stored model takes {tree[_OBJECT].replace(':', '.')} for a class; it is not loaded."
        )
    thing: Any = object.__new__(kind)
    for name, value in tree["state"].items():
        object.__setattr__(thing, name, _thaw(value, seen))
    for part in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        if (
            part.name not in tree["state"] and part.default is not dataclasses.MISSING
        ):  # not stored, or younger than the run
            object.__setattr__(thing, part.name, part.default)
    return thing


def _plain(thing: Any) -> bool:
    """Whether the store keeps it as it is."""
    kept = (bool, int, float, str, bytes, set, frozenset, range, np.generic, np.ndarray, Mapping)
    return thing is None or isinstance(thing, kept) or is_record(thing) or hasattr(thing, "tocsr")


def _fields(thing: Any) -> list[str]:
    slots = [
        name
        for kind in type(thing).__mro__
        for name in getattr(kind, "__slots__", ())
        if not name.startswith("__")
    ]
    names = dict.fromkeys([*slots, *getattr(thing, "__dict__", {})])
    return [name for name in names if name not in getattr(thing, "transient", ())]


def _name(thing: Any) -> str:
    name = f"{thing.__module__}:{thing.__qualname__}"
    if not name.startswith(_ROOT) or "<" in name:
        raise StoreError(
            f"A model that holds {name.replace(':', '.')} cannot be stored; only coterie's own parts can."
        )
    return name


def _load(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(_ROOT):
        raise StoreError(
            f"The stored model names {module}, which is not a part of coterie; it is not loaded."
        )
    try:
        known = module.split(".")[1] in _ROOMS
        found = (
            functools.reduce(getattr, path.split("."), importlib.import_module(module))
            if known
            else None
        )
        if isinstance(found, (type, types.FunctionType)) and _name(found) == name:
            return found
        raise StoreError(
            f"The stored model names {name.replace(':', '.')}, which is no part of a model; it is not loaded."
        )
    except (ImportError, AttributeError):
        raise StoreError(
            f"The stored model needs {name.replace(':', '.')}, which this version of coterie does not have."
        ) from None
