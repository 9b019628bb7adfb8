"""Values as a JSON tree and plain arrays, and back again exactly; nothing is ever pickled."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.cooccurrence import Cooccurrence
from coterie.core.errors import DataError
from coterie.core.findings import (
    Axis,
    Cluster,
    Evidence,
    Findings,
    Grid,
    Group,
    Meeting,
    Overview,
    Population,
    Segments,
    SharedViews,
    Step,
    Strips,
)
from coterie.core.params import kind_of
from coterie.core.partition import Hierarchy, Partition, Ranking, Segmentation
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
from coterie.core.written import Written
from coterie.parts.roomy import roomy

_RECORDS: dict[str, type[Any]] = {
    record.__name__: record
    for record in (
        Axis,
        Cluster,
        Collection,
        Cooccurrence,
        Evidence,
        Findings,
        Grid,
        Group,
        Hierarchy,
        Meeting,
        Overview,
        Partition,
        Pictures,
        Population,
        Ragged,
        Ranking,
        Segmentation,
        Segments,
        SharedViews,
        Step,
        Strips,
        Table,
        TaggedText,
        Text,
    )
}
_MANY = 64  # texts from which a list is written as bytes rather than into the tree
_TAG = "$"
Load = Callable[[str, bool], np.ndarray]  # (name of an array, may it be mapped) -> the array


def is_record(value: Any) -> bool:
    """Whether it is one of the core types that are kept field by field."""
    return type(value) in _RECORDS.values()


def pack(value: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """A value as (tree for JSON, arrays by name); what cannot be kept is named by its place.

    >>> tree, arrays = pack({"a": (1, np.arange(3))})
    >>> unpack(tree, lambda name, mapped: arrays[name])
    {'a': (1, array([0, 1, 2]))}
    """
    packer = _Packer()
    return packer.pack(value, ""), packer.arrays


class _Packer:
    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def keep(self, array: np.ndarray, place: str) -> str:
        words = re.sub(r"[^A-Za-z0-9.]+", "-", place).strip("-.")[:60] or "value"
        name = f"{words}-{len(self.arrays)}"
        self.arrays[name] = array
        return name

    def pack(self, value: Any, place: str) -> Any:
        if isinstance(value, np.generic):
            return {_TAG: "scalar", "of": self.array(np.asarray(value), place)}
        if value is None or isinstance(value, (str, bool, int, float)):
            return value
        if isinstance(value, np.ndarray):
            return self.array(value, place)
        if is_record(value):
            return self.record(value, place)
        if isinstance(value, Mapping):
            return self.mapping(value, place)
        if isinstance(value, (list, tuple)):
            return self.sequence(value, place)
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
        what = f"'{place.strip('.')}'" if place else "The value"
        raise DataError(
            f"{what} is {kind_of(value)}, which cannot be kept; use numbers, text, lists or arrays."
        )

    def record(self, value: Any, place: str) -> dict[str, Any]:
        found = {
            f.name: self.pack(getattr(value, f.name), f"{place}.{f.name}") for f in fields(value)
        }
        large = {Ragged: "values", Pictures: "pixels"}.get(type(value), "")
        if large:
            found[large]["mapped"] = True
        return {_TAG: type(value).__name__, "of": found}

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


def unpack(tree: Any, load: Load) -> Any:
    """The value of a tree; `load(name, mapped)` gives its arrays."""
    if isinstance(tree, list):
        return [unpack(item, load) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if _TAG not in tree:
        return {key: unpack(item, load) for key, item in tree.items()}
    tag = tree[_TAG]
    inner = tree["of"]
    if tag in _RECORDS:
        record = _RECORDS[tag]
        known = {f.name for f in fields(record)}
        return record(**{name: unpack(item, load) for name, item in inner.items() if name in known})
    if tag not in _READERS:
        raise DataError(
            f"A value of the kind '{tag}' was kept by a newer coterie; update coterie to read it."
        )
    return _READERS[tag](tree, inner, load)


def _texts(tree: Any, inner: str, load: Load) -> list[str]:
    data = load(inner, False).tobytes()
    ends = load(tree["ends"], False).tolist()
    return [
        data[a:b].decode("utf-8", "surrogatepass")
        for a, b in zip([0, *ends[:-1]], ends, strict=True)
    ]


def _objects(tree: Any, inner: Any, load: Load) -> np.ndarray:
    out = np.empty(math.prod(tree["shape"]), dtype=object)
    out[:] = _listed(unpack(inner, load))
    return out.reshape(tree["shape"])


def _listed(items: list[Any]) -> np.ndarray:
    column = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        column[i] = item
    return column


def _strings(tree: Any, inner: Any, load: Load) -> np.ndarray:
    kind: Any = np.dtypes.StringDType()
    return np.array(unpack(inner, load), dtype=kind).reshape(tree["shape"])


def _sparse(tree: Any, inner: list[str], load: Load) -> Any:
    import scipy.sparse as sp

    data, indices, indptr = (load(name, False) for name in inner)
    matrix = getattr(sp, tree["class"])((data, indices, indptr), shape=tuple(tree["shape"]))
    # scipy may have chosen other integers
    matrix.indices = indices
    matrix.indptr = indptr
    return matrix


_READERS: dict[str, Callable[[Any, Any, Load], Any]] = {
    "array": lambda tree, inner, load: load(inner, bool(tree.get("mapped"))),
    "scalar": lambda tree, inner, load: unpack(inner, load)[()],
    "tuple": lambda tree, inner, load: tuple(unpack(inner, load)),
    "dict": lambda tree, inner, load: {
        unpack(key, load): unpack(item, load) for key, item in inner
    },
    "set": lambda tree, inner, load: set(unpack(inner, load)),
    "frozenset": lambda tree, inner, load: frozenset(unpack(inner, load)),
    "path": lambda tree, inner, load: Path(inner),
    "bytes": lambda tree, inner, load: load(inner, False).tobytes(),
    "range": lambda tree, inner, load: range(*inner),
    "texts": _texts,
    "objects": _objects,
    "strings": _strings,
    "sparse": _sparse,
}
