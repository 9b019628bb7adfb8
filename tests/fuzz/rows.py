"""Strategies of rows of numbers: usual and odd values, types and forms; things that are no data; tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from hypothesis import strategies as st

from coterie import Collection, Ragged, Table, TaggedText, Text
from coterie.core.affinity import Dense
from coterie.core.links import Links
from coterie.core.pictures import Pictures
from coterie.core.views import Views

WORDS = (
    "river",
    "water",
    "boat",
    "fish",
    "piano",
    "music",
    "song",
    "choir",
    "engine",
    "wheel",
    "the",
    "of",
    "Zürich",
    "naïve",
    "7",
)


@dataclass(frozen=True, repr=False)
class Given:
    """Data to be made when it is asked for, and how to call it."""

    name: str
    make: Callable[[], Any]
    rows: int = 0  # members it is meant to have
    width: int = 0  # columns or values per step it is meant to have

    def __repr__(self) -> str:
        return self.name


# ---- numbers

USUAL = ("groups", "groups", "groups", "normal", "counts", "twins", "offset")
FLAVOURS = (
    "groups",
    "shares",
    "constant",
    "zeros",
    "sparse",
    "huge",
    "tiny",
    "large",
    "small",
    "scales",
)
USUAL_COUNTS = ("counts", "counts", "sparse", "shares", "twins")
COUNTS = ("counts", "zeros", "offset", "huge", "tiny", "large", "small", "constant")
SPOTS = (
    "none",
    "none",
    "none",
    "nan",
    "inf",
    "-inf",
    "nan row",
    "nan column",
    "all nan",
    "1e300",
    "-1e300",
    "1e-300",
    "-0.0",
)
SIZES = {"huge": 1e300, "tiny": 1e-300, "large": 1e90, "small": 1e-90}
DTYPES = (
    "float64",
    "float64",
    "float64",
    "float32",
    "float16",
    "longdouble",
    "int64",
    "int8",
    "uint8",
    "bool",
    ">f8",
)
ODD_DTYPES = (
    "object",
    "words",
    "str",
    "bytes",
    "complex",
    "datetime",
    "timedelta",
    "mixed",
    "nested",
    "void",
)


def block(flavour: str, shape: tuple[int, int], seed: int) -> np.ndarray:
    """Numbers of one flavour."""
    generator = np.random.default_rng(seed)
    n, d = shape
    plain = generator.normal(size=shape)
    if flavour == "groups":
        return plain * 0.3 + 5.0 * (np.arange(n) % 3)[:, None] * generator.random(d)
    if flavour in ("counts", "sparse"):
        return generator.poisson(2.0 if flavour == "counts" else 0.3, size=shape).astype(np.float64)
    if flavour == "shares":
        return generator.dirichlet(np.ones(max(d, 1)), size=n)[:, :d]
    if flavour in ("constant", "zeros"):
        return np.full(shape, 3.7 if flavour == "constant" else 0.0)
    if flavour == "twins":
        return plain[np.arange(n) // 2]
    if flavour == "offset":
        return 1e8 + np.abs(plain)
    if flavour in SIZES:
        return (np.abs(plain) if flavour in ("huge", "tiny") else plain) * SIZES[flavour]
    if flavour == "scales":
        return plain * 10.0 ** generator.integers(-300, 300, size=d)
    return plain


def spotted(values: np.ndarray, spot: str, seed: int) -> np.ndarray:
    """The same numbers with one odd value, row or column."""
    if spot == "none" or not values.size:
        return values
    values, at = values.copy(), (seed % values.shape[0], seed % values.shape[1])
    if spot == "nan row":
        values[at[0]] = np.nan
    elif spot == "nan column":
        values[:, at[1]] = np.nan
    elif spot == "all nan":
        values[:] = np.nan
    else:
        values[at] = float(spot)
    return values


def typed(values: np.ndarray, dtype: str) -> np.ndarray:
    """The same numbers as another type, as far as it can hold them."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dtype in ("int64", "int8", "uint8", "bool"):
            return np.clip(np.nan_to_num(values), -100 if dtype != "uint8" else 0, 100).astype(
                dtype
            )
        if dtype == "words":
            return np.array(WORDS, dtype=object)[
                np.abs(np.nan_to_num(np.clip(values, -9, 9))).astype(int)
            ]
        if dtype == "mixed":
            mixed = values.astype(object)
            mixed[:, ::2] = np.array(WORDS, dtype=object)[
                np.abs(np.nan_to_num(np.clip(mixed[:, ::2].astype(float), -9, 9))).astype(int)
            ]
            return mixed
        if dtype == "nested":
            nested = values.astype(object)
            for at in np.ndindex(*nested.shape):
                nested[at] = [1, 2] if sum(at) % 2 else {"a": 1}
            return nested
        if dtype in ("datetime", "timedelta"):
            return np.clip(np.nan_to_num(values), -1e9, 1e9).astype("int64").astype(f"{dtype}64[s]")
        if dtype == "void":
            return np.zeros(values.shape, dtype=[("a", "f8"), ("b", "f8")])
        if dtype == "bytes":
            return values.astype("S")
        return values.astype(dtype)


EVERYTHING = frozenset({"size", "values", "spot", "type", "form"})


def oddities(odd: bool) -> st.SearchStrategy[frozenset[str]]:
    """What is odd of an example: nothing, one thing, so that no refusal hides what lies behind it, or everything at once."""
    ways = ("values", "values", "values", "size", "spot", "type", "form")
    return (
        st.sampled_from([*(frozenset({way}) for way in ways), EVERYTHING])
        if odd
        else st.just(frozenset())
    )


@st.composite
def arrays(
    draw: Any, shape: tuple[int, int], how: frozenset[str], counts: bool = False
) -> tuple[str, np.ndarray]:
    """A drawn block of numbers, and its name."""
    seed = draw(st.integers(0, 99))
    odd = "values" in how
    flavours = (COUNTS if odd else USUAL_COUNTS) if counts else (FLAVOURS if odd else USUAL)
    flavour = draw(st.sampled_from(flavours))
    spot = draw(st.sampled_from(SPOTS)) if "spot" in how else "none"
    dtype = draw(st.sampled_from((*DTYPES, *ODD_DTYPES) if "type" in how else DTYPES[:8]))
    values = block(flavour, shape, seed)
    values = np.abs(values) if counts else values
    return f"{flavour}, {spot}, {dtype}, seed {seed}", typed(spotted(values, spot, seed), dtype)


def strided(values: np.ndarray) -> np.ndarray:
    """The same values, not one after the other in memory."""
    wide = np.zeros(
        (values.shape[0] * 2, *(size + 1 for size in values.shape[1:])), dtype=values.dtype
    )
    view = wide[(slice(None, None, 2), *(slice(0, size) for size in values.shape[1:]))]
    view[...] = values
    return view


def read_only(values: np.ndarray) -> np.ndarray:
    kept = values.copy()
    kept.flags.writeable = False
    return kept


def frame(values: np.ndarray, names: list[Any] | None = None) -> pd.DataFrame:
    return pd.DataFrame(values, columns=names or [f"c{j}" for j in range(values.shape[1])])


def with_zeros(values: np.ndarray) -> Any:
    """A sparse matrix that stores its zeros, in no order within a row, and one value twice."""
    rows, cols = np.indices(values.shape)
    matrix = sp.csr_array((values.ravel(), (rows.ravel(), cols.ravel())), shape=values.shape)
    matrix.indices = matrix.indices.copy()
    if matrix.nnz > 1 and values.shape[1] > 1:
        matrix.indices[: values.shape[1]] = matrix.indices[: values.shape[1]][::-1]
        matrix.has_sorted_indices = False
    return matrix


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": lambda v: v,
    "read-only": read_only,
    "strided": strided,
    "reversed": lambda v: np.ascontiguousarray(v[::-1])[::-1],
    "fortran": np.asfortranarray,
    "list": lambda v: v.tolist(),
    "tuples": lambda v: tuple(map(tuple, v.tolist())),
    "matrix": lambda v: np.matrix(v),
    "pandas": frame,
    "numbered frame": lambda v: pd.DataFrame(v),
    "polars": lambda v: pl.DataFrame({f"c{j}": v[:, j] for j in range(v.shape[1])}),
    "Table": Table.of,
    "collection": lambda v: Collection([f"m{i}" for i in range(len(v))], {"main": Table.of(v)}),
}
SPARSE: dict[str, Callable[[np.ndarray], Any]] = {
    "csr": sp.csr_array,
    "csc matrix": sp.csc_matrix,
    "coo": sp.coo_array,
    "stored zeros": with_zeros,
    "int64 indices": lambda v: _long(sp.csr_array(v)),
}
BROKEN: dict[str, Callable[[np.ndarray], Any]] = {
    "one dimension": lambda v: v.ravel(),
    "three dimensions": lambda v: np.stack([v, v]),
    "unequal rows": lambda v: [list(row)[: 1 + i % 2] for i, row in enumerate(v.tolist())],
    "twice named": lambda v: frame(v, ["same"] * v.shape[1]),
    "names and numbers": lambda v: frame(v, [j if j % 2 else f"c{j}" for j in range(v.shape[1])]),
    "twice one id": lambda v: Collection(["twin"] * len(v), {"main": Table.of(v)}),
    "short names": lambda v: Table(np.asarray(v), ("only",)),
    "no rows": lambda v: v[:0],
    "no columns": lambda v: v[:, :0],
    "masked": lambda v: np.ma.masked_invalid(v) if v.dtype.kind == "f" else np.ma.array(v),
    "categories": lambda v: pd.DataFrame(
        {f"c{j}": pd.Categorical(v[:, j].astype(str)) for j in range(v.shape[1])}
    ),
    "gaps of frames": lambda v: (
        pd.DataFrame(
            {
                f"c{j}": pd.array([None] + [1] * (len(v) - 1), dtype="Int64")
                for j in range(v.shape[1])
            }
        )
        if len(v)
        else None
    ),
    "tuple of arrays": lambda v: (v, v),
    "numbers beyond all": lambda v: [[10**400] * v.shape[1]] * len(v),
    "missing words": lambda v: pd.DataFrame(
        {f"c{j}": [pd.NA, *map(str, v[1:, j])] for j in range(v.shape[1])}, dtype=object
    ),
    "arrays as cells": lambda v: pd.DataFrame(
        {f"c{j}": [np.ones(2)] * len(v) for j in range(v.shape[1])}
    ),
}


def _long(matrix: Any) -> Any:
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


# ---- wrong kinds


def _another(size: int = 3) -> dict[str, Callable[[], Any]]:
    values = np.arange(size * 2.0).reshape(size, 2)
    return {
        "None": lambda: None,
        "a number": lambda: 5,
        "NaN": lambda: float("nan"),
        "a word": lambda: "word",
        "bytes": lambda: b"bytes",
        "an object": object,
        "a class": lambda: Table,
        "a function": lambda: len,
        "an empty list": list,
        "an empty dict": dict,
        "a dict": lambda: {"a": [1, 2, 3]},
        "a dict of pairs": lambda: {("a", "b"): values, 3: values},
        "a set": lambda: {1, 2, 3},
        "a generator": lambda: (row for row in values),
        "an iterator": lambda: iter([[1.0, 2.0], [3.0, 4.0]]),
        "a scalar array": lambda: np.array(3.0),
        "empty lists": lambda: [[], []],
        "a list of None": lambda: [None, None, None],
        "texts": lambda: ["one two", "three four", "five"],
        "empty texts": lambda: ["", " ", ""],
        "an empty array": lambda: np.zeros((0, 0)),
        "a Series": lambda: pd.Series([1.0, 2.0, 3.0]),
        "an empty frame": pd.DataFrame,
        "Table": lambda: Table.of(values),
        "Text": lambda: Text.of(["one two", "three", "four"]),
        "Ragged": lambda: Ragged.of([values, values[:1], values]),
        "sets": lambda: Ragged.of([values, values[:1], values], ordered=False),
        "Pictures": lambda: Pictures.of(np.zeros((3, 4, 5, 3), dtype=np.uint8)),
        "Links": lambda: Links.of({("members", "words"): np.abs(values)}),
        "Views": lambda: Views.of({"one": values, "two": values}),
        "Affinity": lambda: Dense(np.zeros((3, 3)), "distance"),
        "TaggedText": lambda: TaggedText(
            np.array(["a", "b", "c"]), np.array([0, 3]), np.array([[0, 1], [1, 2], [2, 3]])
        ),
        "collection": lambda: Collection(["a", "b", "c"], {"main": Text.of(["x", "y", "z"])}),
    }


def wrong_kinds() -> st.SearchStrategy[Given]:
    """Something that is no data of any kind, or of another kind."""
    made = _another()
    return st.sampled_from(sorted(made)).map(lambda name: Given(name, made[name], 3, 2))


# ---- tables


def sizes(odd: bool = True, most: int = 14) -> st.SearchStrategy[int]:
    """How many members: enough, or any number from one."""
    return st.integers(1 if odd else 6, most)


@st.composite
def tables(
    draw: Any, width: int | None = None, odd: bool = True, counts: bool = False, sparse: bool = True
) -> Given:
    """Rows of numbers or words, in any form."""
    how = draw(oddities(odd))
    shape = (
        draw(sizes("size" in how)),
        draw(st.integers(1 if "size" in how else 2, 6)) if width is None else width,
    )
    name, values = draw(arrays(shape, how, counts))
    forms = FORMS | (SPARSE if sparse or "form" in how else {}) | (BROKEN if "form" in how else {})
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {shape[0]} x {shape[1]} ({name})", lambda: forms[form](values), *shape)
