"""Values as a JSON tree and plain arrays, and back again exactly; nothing is ever pickled.

What JSON has is kept as it is. Everything else is an object with the key `$`: arrays, tuples, sparse matrices and the like
by a tag of this file, and objects, classes and functions by their id in the registry (run/storable.py). An object that
occurs twice is written once: its first place gets a number `as`, and the others say `same`.
"""

from __future__ import annotations

import functools
import math
import re
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.errors import DataError, StoreError
from coterie.core.params import kind_of
from coterie.core.workplace import roomy
from coterie.core.written import Written
from coterie.run.storable import (
    Registry,
    build,
    fields_to_store,
    find_class,
    find_function,
    function_parts,
    version_of,
)

_MANY = 64  # texts from which a list is written as bytes rather than into the tree
_TAG = "$"
_MAPPED = {"ragged": "values", "pictures": "pixels"}  # fields that are read when touched
_SPARSE = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
Load = Callable[[str, bool], np.ndarray]  # (name of an array, may it be mapped) -> the array


def pack(value: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """A value as (tree for JSON, arrays by name); what cannot be kept is named by its place.

    >>> tree, arrays = pack({"a": (1, np.arange(3))})
    >>> unpack(tree, lambda name, mapped: arrays[name])
    {'a': (1, array([0, 1, 2]))}
    """
    packer = _Packer()
    return packer.pack(value, ""), packer.arrays


def unpack(tree: Any, load: Load) -> Any:
    """The value of a tree; `load(name, mapped)` gives its arrays. StoreError for a tree that says what cannot be."""
    return _Unpacker(load).unpack(tree)


def unpack_field(tree: Any, field: str, load: Load) -> Any:
    """One field of the object that a tree describes, without reading the others."""
    try:
        return unpack(tree["of"][field], load)
    except _NotThere:  # what it says is the same as something of another field
        return getattr(unpack(tree, load), field)


class _NotThere(StoreError):
    """A tree says 'the same as' what it does not hold."""


class _Packer:
    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._registry = Registry()
        self._written: dict[int, dict[str, Any] | None] = {}  # by id; None while it is written
        self._alive: list[Any] = []  # what was met, so that no id is given twice
        self._numbers = 0

    def pack(self, value: Any, place: str) -> Any:
        if isinstance(value, np.generic):
            return {_TAG: "scalar", "of": self.array(np.asarray(value), place)}
        if value is None or isinstance(value, (str, bool, int, float)):
            return value
        if isinstance(value, list) or (isinstance(value, tuple) and all(map(_is_plain, value))):
            return self.sequence(value, place)
        if isinstance(value, Mapping):
            return self.mapping(value, place)
        node = self.leaf(value, place)
        return self.once(value, place) if node is None else node

    def once(self, value: Any, place: str) -> dict[str, Any]:
        """How a tuple or an object is written, or that it is the same as one that was written before."""
        key = id(value)
        if key not in self._written:
            self._written[key] = None
            self._alive.append(value)
            node = self.node(value, place)
            self._written[key] = node
            return node
        before = self._written[key]
        if before is None:
            raise DataError(f"'{place.strip('.')}' holds itself, which cannot be kept.")
        if "as" not in before:
            before["as"] = self._numbers
            self._numbers += 1
        return {_TAG: "same", "of": before["as"]}

    def leaf(self, value: Any, place: str) -> dict[str, Any] | None:
        """How a value is written that holds no object; None for one that may."""
        if isinstance(value, np.ndarray):
            return self.array(value, place)
        if isinstance(value, Written):
            return {_TAG: "tuple", "of": self.texts(value, place)}
        if hasattr(value, "tocsr") and hasattr(value, "nnz"):
            return self.sparse(value, place)
        if isinstance(value, Path):
            return {_TAG: "path", "of": str(value)}
        if isinstance(value, (set, frozenset)):
            return {
                _TAG: type(value).__name__,
                "of": [self.pack(v, place) for v in sorted(value, key=repr)],
            }
        if isinstance(value, bytes):
            return {_TAG: "bytes", "of": self.keep(np.frombuffer(value, dtype=np.uint8), place)}
        if isinstance(value, range):
            return {_TAG: "range", "of": [value.start, value.stop, value.step]}
        if isinstance(value, type):
            return {_TAG: "class", "of": self._known(self._registry.class_id(value), value, place)}
        return None

    def node(self, value: Any, place: str) -> dict[str, Any]:
        if isinstance(value, tuple):
            node: dict[str, Any] = self.sequence(value, place)
            return node
        if isinstance(value, (types.FunctionType, functools.partial)):
            return self.function(value, place)
        return self.object(value, place)

    def object(self, value: Any, place: str) -> dict[str, Any]:
        name = self._known(self._registry.class_id(type(value)), value, place)
        fields = {
            field: self.pack(item, f"{place}.{field}")
            for field, item in fields_to_store(value).items()
        }
        large = fields.get(_MAPPED.get(name, ""))
        if large:
            large["mapped"] = True
        return {_TAG: "object", "class": name, "version": version_of(name), "of": fields}

    def function(self, value: Any, place: str) -> dict[str, Any]:
        function, arguments = function_parts(value)
        name = self._known(self._registry.function_id(function), value, place)
        given = {word: self.pack(item, f"{place}.{word}") for word, item in arguments.items()}
        return {_TAG: "function", "function": name, "of": given}

    def _known(self, name: str | None, value: Any, place: str) -> str:
        if name is not None:
            return name
        what = f"'{place.strip('.')}'" if place else "The value"
        raise DataError(
            f"{what} is {kind_of(value)}, which cannot be kept; use numbers, text, lists or arrays."
        )

    def keep(self, array: np.ndarray, place: str) -> str:
        words = re.sub(r"[^A-Za-z0-9.]+", "-", place).strip("-.")[:60] or "value"
        name = f"{words}-{len(self.arrays)}"
        self.arrays[name] = array
        return name

    def mapping(self, value: Mapping[Any, Any], place: str) -> Any:
        if all(type(key) is str for key in value) and _TAG not in value:
            return {key: self.pack(item, f"{place}.{key}") for key, item in value.items()}
        return {
            _TAG: "dict",
            "of": [
                [self.pack(key, place), self.pack(item, f"{place}.{key}")]
                for key, item in value.items()
            ],
        }

    def sequence(self, value: list[Any] | tuple[Any, ...], place: str) -> Any:
        many = len(value) >= _MANY and all(type(item) is str for item in value)
        items = (
            self.texts(value, place)
            if many
            else [self.pack(item, f"{place}.{i}") for i, item in enumerate(value)]
        )
        return {_TAG: "tuple", "of": items} if isinstance(value, tuple) else items

    def texts(self, value: Sequence[str], place: str) -> dict[str, Any]:
        ends = np.cumsum(
            [len(text.encode("utf-8", "surrogatepass")) for text in value], dtype=np.int64
        )
        data = roomy((int(ends[-1]) if len(ends) else 0,), np.uint8)
        for text, end in zip(value, ends.tolist(), strict=True):
            coded = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
            data[end - len(coded) : end] = coded
        return {
            _TAG: "texts",
            "of": self.keep(data, place),
            "ends": self.keep(ends, f"{place}.ends"),
        }

    def array(self, value: np.ndarray, place: str) -> dict[str, Any]:
        if value.dtype.kind in "OT":
            kind = "objects" if value.dtype.kind == "O" else "strings"
            return {
                _TAG: kind,
                "shape": list(value.shape),
                "of": self.sequence(value.ravel().tolist(), place),
            }
        if value.dtype.hasobject:
            raise DataError(
                f"'{place}' is an array with fields of Python objects, which cannot be kept."
            )
        return {_TAG: "array", "of": self.keep(np.asarray(value), place)}

    def sparse(self, value: Any, place: str) -> dict[str, Any]:
        form = value.format if value.format in ("csr", "csc") else "csr"
        matrix = value.asformat(form)
        parts = [
            self.keep(np.asarray(getattr(matrix, part)), f"{place}.{part}")
            for part in ("data", "indices", "indptr")
        ]
        kind = "array" if type(value).__name__.endswith("array") else "matrix"
        return {_TAG: "sparse", "class": f"{form}_{kind}", "shape": list(value.shape), "of": parts}


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (str, bool, int, float)


class _Unpacker:
    def __init__(self, load: Load) -> None:
        self._load = load
        self._numbered: dict[int, Any] = {}

    def unpack(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.unpack(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if _TAG not in tree:
            return {key: self.unpack(item) for key, item in tree.items()}
        read = _READERS.get(tree[_TAG])
        if read is None:
            raise StoreError(
                f"it holds a value of the kind '{tree[_TAG]}', which this coterie does not know"
            )
        found = read(self, tree, tree["of"])
        if "as" in tree:
            self._numbered[tree["as"]] = found
        return found

    def same(self, tree: Any, inner: Any) -> Any:
        if inner not in self._numbered:
            raise _NotThere(
                f"it says that a value is the same as number {inner}, and there is none"
            )
        return self._numbered[inner]

    def object(self, tree: Any, inner: Any) -> Any:
        fields = {name: self.unpack(item) for name, item in inner.items()}
        return build(tree["class"], tree["version"], fields)

    def function(self, tree: Any, inner: Any) -> Any:
        given = {name: self.unpack(item) for name, item in inner.items()}
        return find_function(tree["function"], given)

    def array(self, tree: Any, inner: Any) -> np.ndarray:
        return self._load(inner, bool(tree.get("mapped")))

    def texts(self, tree: Any, inner: Any) -> list[str]:
        data = self._load(inner, False)
        ends = self._load(tree["ends"], False)
        _check_offsets(ends, len(data), "texts")
        raw = data.tobytes()
        stops = ends.tolist()
        return [
            raw[a:b].decode("utf-8", "surrogatepass")
            for a, b in zip([0, *stops[:-1]], stops, strict=True)
        ]

    def objects(self, tree: Any, inner: Any) -> np.ndarray:
        items = self._items(tree, inner)
        out = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            out[i] = item
        return out.reshape(tree["shape"])

    def strings(self, tree: Any, inner: Any) -> np.ndarray:
        kind: Any = np.dtypes.StringDType()
        return np.array(self._items(tree, inner), dtype=kind).reshape(tree["shape"])

    def _items(self, tree: Any, inner: Any) -> list[Any]:
        """The entries of an array that are written one by one, as many as its shape says."""
        items = self.unpack(inner)
        if len(items) != math.prod(tree["shape"]):
            raise StoreError(f"an array of {len(items)} entries is given the shape {tree['shape']}")
        return list(items)

    def sparse(self, tree: Any, inner: Any) -> Any:
        import scipy.sparse as sp

        if tree["class"] not in _SPARSE:
            raise StoreError(f"it names the sparse matrix '{tree['class']}', which there is not")
        data, indices, indptr = (self._load(name, False) for name in inner)
        shape = tuple(tree["shape"])
        _check_sparse(data, indices, indptr, shape, by_rows=tree["class"].startswith("csr"))
        matrix = getattr(sp, tree["class"])((data, indices, indptr), shape=shape)
        # scipy may have chosen other integers
        matrix.indices = indices
        matrix.indptr = indptr
        return matrix


def _check_offsets(offsets: np.ndarray, end: int, what: str) -> None:
    """Refuse offsets that are not whole numbers, fall, or do not end where the data does."""
    whole = offsets.ndim == 1 and offsets.dtype.kind in "iu"
    last = int(offsets[-1]) if whole and len(offsets) else 0
    if not whole or last != end or (len(offsets) and int(offsets[0]) < 0) or _fall(offsets):
        raise StoreError(f"the ends of its {what} do not rise to {end}")


def _check_sparse(
    data: np.ndarray,
    indices: np.ndarray,
    indptr: np.ndarray,
    shape: tuple[Any, ...],
    *,
    by_rows: bool,
) -> None:
    """Refuse a sparse matrix whose indices leave its shape, before scipy follows them."""
    if len(shape) != 2 or not all(type(side) is int and side >= 0 for side in shape):
        raise StoreError(f"a sparse matrix has the shape {list(shape)}")
    major, minor = shape if by_rows else shape[::-1]
    plain = data.ndim == indices.ndim == indptr.ndim == 1
    if (
        not plain
        or data.dtype.kind not in "biufc"
        or {indices.dtype.kind, indptr.dtype.kind} != {"i"}
    ):
        raise StoreError("a sparse matrix is not made of numbers and whole indices")
    if len(indptr) != major + 1 or int(indptr[0]) != 0 or _fall(indptr):
        raise StoreError("the rows of a sparse matrix do not follow each other")
    if int(indptr[-1]) > len(indices) or len(indices) != len(data):
        raise StoreError("a sparse matrix has fewer entries than its rows ask for")
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= minor):
        raise StoreError(f"a sparse matrix has an index outside its {minor} columns")


def _fall(numbers: np.ndarray) -> bool:
    return bool((numbers[1:] < numbers[:-1]).any())


_READERS: dict[Any, Callable[[_Unpacker, Any, Any], Any]] = {
    "array": _Unpacker.array,
    "scalar": lambda self, tree, inner: self.unpack(inner)[()],
    "tuple": lambda self, tree, inner: tuple(self.unpack(inner)),
    "dict": lambda self, tree, inner: {self.unpack(key): self.unpack(item) for key, item in inner},
    "set": lambda self, tree, inner: set(self.unpack(inner)),
    "frozenset": lambda self, tree, inner: frozenset(self.unpack(inner)),
    "path": lambda self, tree, inner: Path(inner),
    "bytes": lambda self, tree, inner: self._load(inner, False).tobytes(),
    "range": lambda self, tree, inner: range(*inner),
    "texts": _Unpacker.texts,
    "objects": _Unpacker.objects,
    "strings": _Unpacker.strings,
    "sparse": _Unpacker.sparse,
    "same": _Unpacker.same,
    "object": _Unpacker.object,
    "class": lambda self, tree, inner: find_class(inner),
    "function": _Unpacker.function,
}
