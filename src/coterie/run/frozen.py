"""Fitted estimators as plain JSON and arrays, and back: nothing is pickled, and only names of coterie are ever loaded."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie.core.errors import StoreError

_ROOT = "coterie."


def freeze(thing: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """A tree of JSON values and the arrays it points to."""
    arrays: dict[str, np.ndarray] = {}
    return _pack(thing, arrays), arrays


def thaw(tree: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The thing again."""
    return _unpack(tree, arrays)


def _pack(thing: Any, arrays: dict[str, np.ndarray]) -> Any:
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return thing
    if isinstance(thing, np.generic):
        return thing.item()
    if isinstance(thing, np.ndarray):
        return _pack_array(thing, arrays)
    if hasattr(thing, "tocsr"):
        matrix = thing.tocsr()
        parts = [_pack_array(part, arrays) for part in (matrix.data, matrix.indices, matrix.indptr)]
        return {"~": "csr", "parts": parts, "shape": list(matrix.shape)}
    if isinstance(thing, (list, tuple, set, frozenset)):
        rows = sorted(thing) if isinstance(thing, (set, frozenset)) else thing
        return {"~": type(thing).__name__, "items": [_pack(item, arrays) for item in rows]}
    if isinstance(thing, Mapping):
        return {"~": "dict", "items": [[_pack(key, arrays), _pack(value, arrays)] for key, value in thing.items()]}
    if isinstance(thing, functools.partial):
        return {"~": "partial", "items": [_pack(part, arrays) for part in (thing.func, list(thing.args), thing.keywords)]}
    if isinstance(thing, (type, types.FunctionType)):
        return {"~": "name", "of": _name(thing)}
    state = {field: getattr(thing, field) for field in _fields(thing)}
    return {"~": "object", "of": _name(type(thing)), "state": {name: _pack(value, arrays) for name, value in state.items()}}


def _pack_array(array: np.ndarray, arrays: dict[str, np.ndarray]) -> Any:
    if array.dtype.kind == "O":
        return {"~": "objects", "items": [_pack(item, arrays) for item in array.ravel().tolist()], "shape": list(array.shape)}
    key = f"a{len(arrays)}"
    arrays[key] = np.asarray(array)
    return {"~": "array", "key": key}


def _fields(thing: Any) -> list[str]:
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return list(dict.fromkeys([*[name for name in slots if not name.startswith("__")], *getattr(thing, "__dict__", {})]))


def _name(thing: Any) -> str:
    name = f"{thing.__module__}:{thing.__qualname__}"
    if not name.startswith(_ROOT) or "<" in name:
        raise StoreError(f"A model that holds {name.replace(':', '.')} cannot be stored; only coterie's own parts can.")
    return name


def _unpack(tree: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if not isinstance(tree, dict):
        return tree
    mark = tree["~"]
    if mark == "array":
        return arrays[tree["key"]]
    if mark == "csr":
        import scipy.sparse as sp

        data, indices, indptr = (_unpack(part, arrays) for part in tree["parts"])
        return sp.csr_array((data, indices, indptr), shape=tuple(tree["shape"]))
    if mark == "name":
        return _load(tree["of"])
    if mark == "object":
        return _revive(_load(tree["of"]), {name: _unpack(value, arrays) for name, value in tree["state"].items()})
    items = tree["items"]
    if mark == "dict":
        return {_unpack(key, arrays): _unpack(value, arrays) for key, value in items}
    if mark == "partial":
        function, args, words = (_unpack(item, arrays) for item in items)
        return functools.partial(function, *args, **words)
    if mark == "objects":
        found = np.empty(int(np.prod(tree["shape"])), dtype=object)
        found[:] = [_unpack(item, arrays) for item in items]
        return found.reshape(tree["shape"])
    kinds: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
    return kinds[mark](_unpack(item, arrays) for item in items)


def _load(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(_ROOT):
        raise StoreError(f"The stored model names {module}, which is not a part of coterie; it is not loaded.")
    try:
        return functools.reduce(getattr, path.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        raise StoreError(f"The stored model needs {name.replace(':', '.')}, which this version of coterie does not have.") from None


def _revive(kind: type, state: Mapping[str, Any]) -> Any:
    thing = object.__new__(kind)
    for name, value in state.items():
        object.__setattr__(thing, name, value)
    return thing
