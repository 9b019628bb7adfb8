"""What may be passed as data, by the kind of view a method takes: usual, odd, broken, and of another kind altogether.

A strategy gives a `Given`: a name to show and a function that makes the data, since a view may be refused while it is made.
Bulk values come from a drawn seed, so that an example costs little; what matters (shapes, kinds of numbers, odd values, forms)
is drawn one by one and shrinks.
"""

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

from coterie.core.affinity import Affinity, Condensed, Dense, Graph, Lazy
from coterie.core.collection import Collection
from coterie.core.cooccurrence import Cooccurrence
from coterie.core.links import Links
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text
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


# ---------------------------------------------------------------------------------------------------------------- numbers

USUAL = ("groups", "groups", "groups", "normal", "counts", "twins", "offset")
FLAVOURS = ("groups", "shares", "constant", "zeros", "sparse", "huge", "tiny", "large", "small", "scales")
USUAL_COUNTS = ("counts", "counts", "sparse", "shares", "twins")
COUNTS = ("counts", "zeros", "offset", "huge", "tiny", "large", "small", "constant")
SPOTS = ("none", "none", "none", "nan", "inf", "-inf", "nan row", "nan column", "all nan", "1e300", "-1e300", "1e-300", "-0.0")
SIZES = {"huge": 1e300, "tiny": 1e-300, "large": 1e90, "small": 1e-90}
DTYPES = ("float64", "float64", "float64", "float32", "float16", "longdouble", "int64", "int8", "uint8", "bool", ">f8")
ODD_DTYPES = ("object", "words", "str", "bytes", "complex", "datetime", "timedelta", "mixed", "nested", "void")


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
            return np.clip(np.nan_to_num(values), -100 if dtype != "uint8" else 0, 100).astype(dtype)
        if dtype == "words":
            return np.array(WORDS, dtype=object)[np.abs(np.nan_to_num(np.clip(values, -9, 9))).astype(int)]
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
    return st.sampled_from([*(frozenset({way}) for way in ways), EVERYTHING]) if odd else st.just(frozenset())


@st.composite
def arrays(draw: Any, shape: tuple[int, int], how: frozenset[str], counts: bool = False) -> tuple[str, np.ndarray]:
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
    wide = np.zeros((values.shape[0] * 2, *(size + 1 for size in values.shape[1:])), dtype=values.dtype)
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
    "categories": lambda v: pd.DataFrame({f"c{j}": pd.Categorical(v[:, j].astype(str)) for j in range(v.shape[1])}),
    "gaps of frames": lambda v: (
        pd.DataFrame({f"c{j}": pd.array([None] + [1] * (len(v) - 1), dtype="Int64") for j in range(v.shape[1])})
        if len(v)
        else None
    ),
    "tuple of arrays": lambda v: (v, v),
    "numbers beyond all": lambda v: [[10**400] * v.shape[1]] * len(v),
    "missing words": lambda v: pd.DataFrame({f"c{j}": [pd.NA, *map(str, v[1:, j])] for j in range(v.shape[1])}, dtype=object),
    "arrays as cells": lambda v: pd.DataFrame({f"c{j}": [np.ones(2)] * len(v) for j in range(v.shape[1])}),
}


def _long(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


# ------------------------------------------------------------------------------------------------------------ wrong kinds


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
        "TaggedText": lambda: TaggedText(np.array(["a", "b", "c"]), np.array([0, 3]), np.array([[0, 1], [1, 2], [2, 3]])),
        "collection": lambda: Collection(["a", "b", "c"], {"main": Text.of(["x", "y", "z"])}),
    }


def wrong_kinds() -> st.SearchStrategy[Given]:
    """Something that is no data of any kind, or of another kind."""
    made = _another()
    return st.sampled_from(sorted(made)).map(lambda name: Given(name, made[name], 3, 2))


# ----------------------------------------------------------------------------------------------------------------- tables


def sizes(odd: bool = True, most: int = 14) -> st.SearchStrategy[int]:
    """How many members: enough, or any number from one."""
    return st.integers(1 if odd else 6, most)


@st.composite
def tables(draw: Any, width: int | None = None, odd: bool = True, counts: bool = False, sparse: bool = True) -> Given:
    """Rows of numbers or words, in any form."""
    how = draw(oddities(odd))
    shape = (draw(sizes("size" in how)), draw(st.integers(1 if "size" in how else 2, 6)) if width is None else width)
    name, values = draw(arrays(shape, how, counts))
    forms = FORMS | (SPARSE if sparse or "form" in how else {}) | (BROKEN if "form" in how else {})
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {shape[0]} x {shape[1]} ({name})", lambda: forms[form](values), *shape)


# ----------------------------------------------------------------------------------------------------------------- ragged

RAGGED_FORMS: dict[str, Callable[[list[np.ndarray]], Any]] = {
    "list": list,
    "lists": lambda parts: [part.tolist() for part in parts],
    "Ragged": Ragged.of,
    "sets": lambda parts: Ragged.of(parts, ordered=False),
    "strided": lambda parts: [strided(part) for part in parts],
    "read-only": lambda parts: Ragged(read_only(np.concatenate(parts).astype(np.float64)), _offsets(parts)),
    "float32": lambda parts: Ragged(np.concatenate(parts).astype(np.float32), _offsets(parts)),
    "fortran": lambda parts: Ragged(np.asfortranarray(np.concatenate(parts).astype(np.float64)), _offsets(parts), ordered=False),
    "one column each": lambda parts: [part[:, 0] for part in parts],
    "collection": lambda parts: Collection([f"m{i}" for i in range(len(parts))], {"main": Ragged.of(parts)}),
    "objects": lambda parts: _objects(parts),
}
RAGGED_BROKEN: dict[str, Callable[[list[np.ndarray]], Any]] = {
    "another width": lambda parts: [*parts, np.zeros((2, 9))],
    "an empty member": lambda parts: [*parts, parts[0][:0]],
    "no values per step": lambda parts: [part[:, :0] for part in parts],
    "a cube": lambda parts: np.stack([parts[0], parts[0], parts[0] + 1]),
    "two dimensions": lambda parts: parts[0],
    "a cube each": lambda parts: [part[None] for part in parts],
    "numbers": lambda parts: [1.0, 2.0, 3.0],
    "one word": lambda parts: [*parts, [["a"]]],
    "twice one id": lambda parts: Collection(["twin"] * len(parts), {"main": Ragged.of(parts)}),
    "falling offsets": lambda parts: Ragged(np.concatenate(parts), _offsets(parts)[::-1]),
    "all empty": lambda parts: Ragged(np.zeros((0, 2)), np.zeros(4, dtype=np.int64)),
    "no members": lambda parts: Ragged(np.zeros((0, 2)), np.zeros(1, dtype=np.int64)),
    "None inside": lambda parts: [*parts, None],
    "words as values": lambda parts: Ragged(np.array([["a"], ["b"]]), np.array([0, 1, 2])),
    "objects as values": lambda parts: Ragged(np.concatenate(parts).astype(object), _offsets(parts)),
    "complex values": lambda parts: Ragged(np.concatenate(parts).astype(complex), _offsets(parts)),
}


def _offsets(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])])


def _objects(parts: list[np.ndarray]) -> np.ndarray:
    held = np.empty(len(parts), dtype=object)
    held[:] = parts
    return held


@st.composite
def ragged(draw: Any, width: int | None = None, odd: bool = True, longest: int = 12) -> Given:
    """Sequences or sets of vectors, in any form; `symbols` are whole numbers from 0."""
    how = draw(oddities(odd))
    n = draw(st.integers(1 if "size" in how else 4, 7))
    d = draw(st.integers(1, 3)) if width is None else width
    lengths = draw(st.lists(st.integers(1 if "size" in how else 3, longest), min_size=n, max_size=n))
    if draw(st.integers(0, 5)) == 5:
        name, values = "symbols", np.random.default_rng(len(lengths)).integers(0, 3, size=(sum(lengths), d)).astype(np.float64)
    else:
        name, values = draw(arrays((sum(lengths), d), how))
    parts = np.split(values, np.cumsum(lengths)[:-1])
    forms = RAGGED_FORMS | (RAGGED_BROKEN if "form" in how else {})
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {lengths} x {d} ({name})", lambda: forms[form](parts), n, d)


@st.composite
def sounds(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Recordings: one value per step and a rate, some short, silent or broken."""
    how = draw(oddities(odd))
    n = draw(st.integers(1, 4))
    rate = draw(st.sampled_from((4000.0, 0.0, 1.0, 1e9))) if "type" in how else 8000.0
    lengths = draw(
        st.lists(st.sampled_from((1, 50, 240, 801, 1200) if "size" in how else (600, 801, 1200)), min_size=n, max_size=n)
    )
    name, values = draw(arrays((sum(lengths), 1), how))
    broken = ("list", "two channels", "sets", "empty", "negative rate", "no number")
    form = draw(st.sampled_from(("Ragged", *broken))) if "form" in how else "Ragged"

    def make() -> Any:
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        if form == "list":
            return np.split(values, offsets[1:-1])
        if form == "empty":
            return Ragged(values.astype(np.float64), np.append(offsets, offsets[-1]), rate=rate)
        told = {"negative rate": -rate, "no number": float("nan")}.get(form, rate)
        both = np.repeat(values, 2, axis=1) if form == "two channels" else values
        return Ragged(both.astype(np.float64), offsets, form != "sets", rate=told)

    return Given(f"{form} of sound {lengths} at {rate} ({name})", make, n, 1)


# ------------------------------------------------------------------------------------------------------------------ texts

DOCUMENTS = (
    "the river and the boat, water and fish",
    "music of the piano: a song, a choir. A song!",
    "engine and wheel; the engine of a boat",
    "river water\n\nmusic song engine wheel",
    "water boat\n\nsong song song\n\nboat river fish piano",
    "7 7 7 3.14 1e5 -2",
    "Zürich naïve 東京 😀 e\u0301",
    "",
    "   \n\t ",
    "the of and a",
    "\x00\ufeff\u200b\ud7ff",
    "a" * 300,
    "." * 40,
    "water " * 60,
)


@st.composite
def texts(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Documents, as lists, arrays, columns or a Text."""
    docs = draw(
        st.lists(
            st.one_of(st.sampled_from(DOCUMENTS[:5]), st.sampled_from(DOCUMENTS if odd else DOCUMENTS[:6])),
            min_size=1,
            max_size=9,
        )
    )
    if odd and draw(st.booleans()):
        docs.append(draw(st.text(max_size=30)))
    if not odd or draw(st.booleans()):
        docs = [*docs, *DOCUMENTS[:5]]
    forms: dict[str, Callable[[], Any]] = {
        "list": lambda: list(docs),
        "tuple": lambda: tuple(docs),
        "array": lambda: np.array(docs),
        "objects": lambda: np.array(docs, dtype=object),
        "Series": lambda: pd.Series(docs),
        "Text": lambda: Text.of(docs),
        "collection": lambda: Collection([f"m{i}" for i in range(len(docs))], {"text": Text.of(docs)}),
    }
    if odd and draw(st.booleans()):
        forms = {
            "None inside": lambda: [*docs, None],
            "NaN inside": lambda: [*docs, float("nan")],
            "bytes inside": lambda: [*docs, b"water"],
            "a list inside": lambda: [*docs, ["water"]],
            "a table of texts": lambda: [docs, docs],
            "one document": lambda: docs[0],
            "twice one id": lambda: Collection(["twin"] * len(docs), {"text": Text.of(docs)}) if len(docs) > 1 else [],
            "frame": lambda: pd.DataFrame({"text": docs}),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {docs!r}", forms[form], len(docs), 0)


@st.composite
def tagged(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Sentences of tokens with features, and marked spans."""
    how = draw(oddities(odd))
    lengths = draw(st.lists(st.integers(1, 6), min_size=1 if "size" in how else 4, max_size=6))
    total, seed = sum(lengths), draw(st.integers(0, 99))
    generator = np.random.default_rng(seed)
    tokens = generator.choice(np.array(WORDS), size=total)
    n = draw(st.integers(1 if "size" in how else 8, 12))
    first = generator.integers(0, total, size=n)
    spans = np.stack([first, np.minimum(first + generator.integers(1, 3, size=n), total)], axis=1)
    features = {"tag": generator.choice(np.array(["NN", "VB"]), size=total)} if draw(st.integers(0, 3)) else {}
    owners = np.sort(np.arange(n) % max(n // 2, 1)) if draw(st.integers(0, 5)) == 5 else None
    flaws = ("outside", "empty span", "feature", "owners", "no spans", "no tokens", "objects", "numbers", "offsets", "gaps")
    flaw = draw(st.sampled_from(flaws)) if how & {"form", "type", "spot"} else "none"

    def make() -> TaggedText:
        told: dict[str, Any] = {"tokens": tokens, "offsets": np.concatenate([[0], np.cumsum(lengths)]), "spans": spans}
        told |= {"features": features, "owners": owners}
        told |= {
            "outside": {"spans": spans + total},
            "empty span": {"spans": spans[:, [0, 0]]},
            "feature": {"features": {"tag": tokens[:-1]}},
            "owners": {"owners": np.arange(n) * 2},
            "no spans": {"spans": spans[:0], "owners": None},
            "no tokens": {"tokens": tokens[:0], "features": {}},
            "objects": {"tokens": np.array([None, *tokens[1:]], dtype=object)},
            "numbers": {"tokens": np.arange(total) * 1.5},
            "offsets": {"offsets": np.array([0])},
            "gaps": {"features": {"tag": np.full(total, np.nan)}},
        }.get(flaw, {})
        return TaggedText(**told)

    return Given(f"tagged text of {lengths} tokens, {n} spans, flaw {flaw}, seed {seed}", make, n, 0)


# --------------------------------------------------------------------------------------------------------------- pictures


@st.composite
def pictures(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Color pictures of any size, in lists, cubes and broken forms."""
    how = draw(oddities(odd))
    least = 1 if "size" in how else 8
    sides = draw(st.lists(st.tuples(st.integers(least, 12), st.integers(least, 12)), min_size=1, max_size=5))
    flavours = ("black", "white", "halves") if "values" in how else ("noise", "noise", "noise", "halves")
    seed, plain = draw(st.integers(0, 99)), draw(st.sampled_from(flavours))
    generator = np.random.default_rng(seed)

    def one(size: tuple[int, int]) -> np.ndarray:
        if plain in ("black", "white"):
            return np.full((*size, 3), 0 if plain == "black" else 255, dtype=np.uint8)
        noise = generator.integers(0, 256, size=(*size, 3)).astype(np.uint8)
        return np.where((np.arange(size[1]) < size[1] / 2)[None, :, None], noise // 8, noise) if plain == "halves" else noise

    made = [one(size) for size in sides]
    forms: dict[str, Callable[[], Any]] = {
        "list": lambda: list(made),
        "tuple": lambda: tuple(made),
        "ints": lambda: [picture.astype(np.int64) for picture in made],
        "lists": lambda: [picture.tolist() for picture in made],
        "cube": lambda: np.stack([made[0]] * 3),
        "strided": lambda: [strided(picture) for picture in made],
        "read-only": lambda: [read_only(picture) for picture in made],
        "Pictures": lambda: Pictures.of(made),
        "collection": lambda: Collection([f"m{i}" for i in range(len(made))], {"pictures": Pictures.of(made)}),
        "objects": lambda: _objects(made),
    }
    if how & {"form", "type", "spot"}:
        forms = {
            "floats": lambda: [picture / 255 for picture in made],
            "negative": lambda: [picture.astype(int) - 300 for picture in made],
            "NaN": lambda: [np.full((2, 2, 3), np.nan)],
            "grey": lambda: [picture[:, :, 0] for picture in made],
            "four channels": lambda: [np.concatenate([picture, picture[:, :, :1]], axis=2) for picture in made],
            "one picture": lambda: made[0],
            "no pixels": lambda: [*made, made[0][:0]],
            "no pictures": lambda: made[:0],
            "None inside": lambda: [*made, None],
            "a file name": lambda: ["picture.png"],
            "wrong sizes": lambda: Pictures(made[0].reshape(-1, 3), np.array([[3, 1000]])),
            "floats inside": lambda: Pictures(made[0].reshape(-1, 3).astype(float), np.array([made[0].shape[:2]])),
            "complex": lambda: [picture.astype(complex) for picture in made],
            "bools": lambda: [picture > 100 for picture in made],
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of pictures {sides} ({plain}, seed {seed})", forms[form], len(sides), 0)


# ------------------------------------------------------------------------------------------------------------------ links


@st.composite
def links(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Tables of counts between populations."""
    how = draw(oddities(odd))
    n = draw(st.integers(1 if "size" in how else 6, 10))
    m = draw(st.integers(1 if "size" in how else 3, 8)) if width is None else width
    name, counts = draw(arrays((n, m), how, counts=True))
    other = np.random.default_rng(n * m).poisson(1.0, size=(n, 3)).astype(np.float64)
    ids, words = [f"m{i}" for i in range(n)], [f"w{j}" for j in range(m)]
    forms: dict[str, Callable[[], Any]] = {
        "array": lambda: counts,
        "read-only": lambda: read_only(counts),
        "frame": lambda: frame(counts),
        "csr": lambda: sp.csr_array(counts),
        "stored zeros": lambda: with_zeros(np.asarray(counts, dtype=np.float64)),
        "Links": lambda: Links.of({("members", "words"): counts}),
        "mapping": lambda: {("members", "words"): counts},
        "turned": lambda: {("words", "members"): counts.T},
        "two tables": lambda: {("members", "words"): counts, ("members", "people"): other},
        "three tables": lambda: Links.of(
            {("members", "words"): counts, ("members", "people"): other, ("words", "people"): np.ones((m, 3))}
        ),
        "one population apart": lambda: {("members", "words"): counts, ("people", "places"): other},
        "both ways": lambda: {("members", "words"): counts, ("words", "members"): counts.T},
        "Cooccurrence": lambda: Cooccurrence(sp.csr_array(np.asarray(counts, dtype=np.float64)), ids, words),
        "collection": lambda: Collection(
            ids, {}, {("members", "words"): Cooccurrence(sp.csr_array(np.asarray(counts, dtype=np.float64)), ids, words)}
        ),
        "a table of a collection": lambda: Collection(ids, {"counts": Table.of(counts)}),
    }
    if "form" in how:
        forms = {
            "negative": lambda: -np.asarray(counts, dtype=np.float64) - 1.0,
            "empty members": lambda: np.concatenate([np.asarray(counts, dtype=np.float64), np.zeros((3, m))]),
            "empty columns": lambda: np.concatenate([np.asarray(counts, dtype=np.float64), np.zeros((n, 3))], axis=1),
            "sparse NaN": lambda: sp.csr_array(np.full((n, m), np.nan)),
            "sparse infinity": lambda: {("members", "words"): sp.csr_array(np.full((n, m), np.inf))},
            "no members": lambda: np.zeros((0, m)),
            "no columns": lambda: np.zeros((n, 0)),
            "itself": lambda: {("members", "members"): np.ones((n, n))},
            "no target": lambda: {("people", "words"): counts},
            "one name": lambda: {"members": counts},
            "three names": lambda: {("members", "words", "people"): counts},
            "unequal": lambda: {("members", "words"): counts, ("members", "people"): np.ones((n + 1, 2))},
            "twice one id": lambda: Cooccurrence(sp.csr_array(np.ones((n, m))), ["twin"] * n, words),
            "twice one word": lambda: {("members", "words"): frame(np.ones((n, m)), ["same"] * m)},
            "names too few": lambda: Cooccurrence(sp.csr_array(np.ones((n, m))), ids[:-1], words),
            "words": lambda: {("members", "words"): [["a"] * m] * n},
            "None inside": lambda: {("members", "words"): None},
            "empty mapping": dict,
            "complex": lambda: {("members", "words"): np.ones((n, m), dtype=complex)},
            "sparse objects": lambda: Cooccurrence(np.array([["a"] * m] * n), ids, words),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of counts {n} x {m} ({name})", forms[form], n, m)


# ------------------------------------------------------------------------------------------------------------------ views


@st.composite
def views(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Several tables of the same members."""
    how = draw(oddities(odd))
    n, d = draw(sizes("size" in how)), draw(st.integers(1 if "size" in how else 2, 4)) if width is None else width
    name, one = draw(arrays((n, d), how))
    other_name, other = draw(arrays((n, 3), how if draw(st.booleans()) else frozenset()))
    forms: dict[str, Callable[[], Any]] = {
        "mapping": lambda: {"one": one, "two": other},
        "list": lambda: [one, other],
        "Views": lambda: Views.of({"one": one, "two": other}),
        "three": lambda: {"one": one, "two": other, "three": np.random.default_rng(n).normal(size=(n, 2))},
        "sparse": lambda: {
            "one": sp.csr_array(np.asarray(one, dtype=np.float64)),
            "two": sp.csc_array(np.asarray(other, dtype=np.float64)),
        },
        "frames": lambda: [frame(one), frame(other)],
        "twins": lambda: {"one": one, "two": one},
        "gaps": lambda: {
            "one": one,
            "two": np.where(np.arange(n)[:, None] % 4 == 0, np.nan, np.asarray(other, dtype=np.float64)),
        },
        "collection": lambda: Collection([f"m{i}" for i in range(n)], {"one": Table.of(one), "two": Table.of(other)}),
        "read-only": lambda: [read_only(one), strided(other)],
    }
    if "form" in how:
        forms = {
            "one view": lambda: {"one": one},
            "unequal": lambda: {"one": one, "two": np.ones((n + 1, 2))},
            "none": dict,
            "empty list": list,
            "no rows": lambda: [one[:0], other[:0]],
            "no columns": lambda: [one[:, :0], other],
            "nobody in both": lambda: {
                "one": np.where(np.arange(n)[:, None] % 2 == 0, np.nan, 1.0),
                "two": np.where(np.arange(n)[:, None] % 2, np.nan, 1.0),
            },
            "nothing": lambda: {"one": np.full((n, 2), np.nan), "two": np.full((n, 2), np.nan)},
            "texts": lambda: {"one": ["a"] * n, "two": other},
            "a text view": lambda: Collection(
                [f"m{i}" for i in range(n)], {"one": Table.of(np.ones((n, 2))), "two": Text.of(["a b"] * n)}
            ),
            "None inside": lambda: {"one": one, "two": None},
            "sparse NaN": lambda: {"one": sp.csr_array(np.full((n, 2), np.nan)), "two": np.ones((n, 2))},
            "wrong marks": lambda: Views(
                {"one": Table.of(np.ones((n, 2))), "two": Table.of(np.ones((n, 2)))}, {"one": np.ones(n + 1)}
            ),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of views {n} x {d} and 3 ({name}; {other_name})", forms[form], n, d)


# --------------------------------------------------------------------------------------------------------------- affinity

_AFFINITIES = (
    "points",
    "points",
    "points",
    "points",
    "random",
    "zeros",
    "ones",
    "equal",
    "islands",
    "huge",
    "tiny",
    "negative",
    "large",
    "small",
)


def _square(flavour: str, n: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(n, 2)) * 0.3 + 6.0 * (np.arange(n) % 3)[:, None]
    found = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    if flavour == "random":
        found = generator.random((n, n))
        found = (found + found.T) / 2
    if flavour in ("zeros", "ones"):
        return np.full((n, n), float(flavour == "ones"))
    if flavour == "equal":
        return 2.0 * (1.0 - np.eye(n))
    if flavour == "islands":
        return np.where((np.arange(n) % 2)[:, None] == (np.arange(n) % 2)[None], found, 0.0)
    if flavour in SIZES:
        return found * SIZES[flavour]
    return -found if flavour == "negative" else found


def _lazy_tile(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return np.abs(rows[:, None, :] - cols[None, :, :]).sum(axis=2)


@st.composite
def affinities(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Members x members (or queries x `width` members), as distances or similarities, in every form."""
    how = draw(oddities(odd))
    n, seed = draw(sizes("size" in how)), draw(st.integers(0, 99))
    flavour, kind = (
        draw(st.sampled_from(_AFFINITIES if "values" in how else _AFFINITIES[:6])),
        draw(st.sampled_from(("distance", "similarity"))),
    )
    spot = draw(st.sampled_from(SPOTS)) if "spot" in how else "none"
    values = spotted(
        _square(flavour, n if width is None else max(n, width), seed), spot, draw(st.integers(0, 9)) if spot != "none" else 0
    )
    if kind == "similarity" and flavour == "points":
        with np.errstate(over="ignore"):
            values = np.exp(-(values**2))
    if width is not None:
        own = values[:n, :width]
        new: dict[str, Callable[[], Any]] = {
            "queries": lambda: Affinity.of(own, kind=kind, symmetric=False, own=False),
            "Dense queries": lambda: Dense(own, kind, False, False),
            "Graph queries": lambda: Graph(sp.csr_array(np.abs(own)), kind, False, False),
            "lazy queries": lambda: Lazy(
                _lazy_tile, np.arange(2.0 * n).reshape(n, 2), np.arange(2.0 * width).reshape(width, 2), kind, False
            ),
        }
        form = draw(st.sampled_from(sorted(new)))
        return Given(f"{form} of {n} x {width} ({flavour} {kind}, {spot}, seed {seed})", new[form], n, width)
    forms: dict[str, Callable[[], Any]] = {
        "of": lambda: Affinity.of(values, kind=kind),
        "Dense": lambda: Dense(values, kind),
        "not symmetric": lambda: Dense(np.triu(values), kind, False),
        "read-only": lambda: Dense(read_only(values), kind),
        "strided": lambda: Dense(strided(values), kind),
        "float32": lambda: Dense(typed(values, "float32"), kind),
        "Condensed": lambda: Condensed(values[np.triu_indices(n, 1)], n, kind, float(values[0, 0])),
        "Graph": lambda: Graph(sp.csr_array(np.where(values > np.nanmedian(values), 0.0, np.abs(values))), kind),
        "stored zeros": lambda: Graph(with_zeros(np.abs(values)), kind),
        "empty graph": lambda: Graph(sp.csr_array((n, n)), kind),
        "directed graph": lambda: Graph(sp.csr_array(np.triu(np.abs(values), 1)), kind),
        "Lazy": lambda: Lazy(_lazy_tile, np.arange(2.0 * n).reshape(n, 2), np.arange(2.0 * n).reshape(n, 2), kind),
    }
    if "form" in how:
        forms = {
            "a plain array": lambda: values,
            "not square": lambda: Dense(values[:, : n // 2 + 1], kind, False),
            "queries": lambda: Dense(values, kind, False, False),
            "nobody": lambda: Dense(np.zeros((0, 0)), kind),
            "another kind": lambda: Affinity.of(values, kind="nearness"),
            "wrong condensed": lambda: Condensed(values[0], n + 5, kind),
            "one dimension": lambda: Affinity.of(values[0], kind=kind),
            "words": lambda: Affinity.of([["a", "b"], ["c", "d"]], kind=kind),
            "unequal rows": lambda: Affinity.of([[1.0], [1.0, 2.0]], kind=kind),
            "complex": lambda: Affinity.of(values.astype(complex), kind=kind),
            "objects": lambda: Dense(values.astype(object), kind),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {n} x {n} ({flavour} {kind}, {spot}, seed {seed})", forms[form], n, n)


# --------------------------------------------------------------------------------------------------------- labels and all


@st.composite
def labels(draw: Any, n: int, odd: bool) -> Any:
    """Labels of n members in any form, or of another number of members."""
    seed = draw(st.integers(0, 99))
    generator = np.random.default_rng(seed)
    codes = np.arange(n) % draw(st.integers(1 if odd else 2, 3))
    words = np.array(["tea", "coffee", "milk"])[codes] if n else np.array([], dtype=str)
    forms: dict[str, Any] = {
        "numbers": codes,
        "words": words.tolist(),
        "array of words": words,
        "some": [None if generator.random() < 0.3 else str(word) for word in words],
        "several": [[str(word)] if generator.random() < 0.7 else [str(word), "other"] for word in words],
        "table": np.stack([codes == 0, codes != 0], axis=1).astype(int),
        "bools": codes == 0,
        "frame": pd.Series(words),
    }
    if odd:
        forms = {
            "None": None,
            "too few": codes[:-1],
            "too many": np.append(codes, 0),
            "continuous": codes + 0.5,
            "NaN": np.full(n, np.nan),
            "infinity": np.full(n, np.inf),
            "nothing known": [None] * n,
            "nested": [[["a"]]] * n,
            "dicts": [{"a": 1}] * n,
            "mixed": [1 if i % 2 else "a" for i in range(n)],
            "one": ["same"] * n,
            "alone": [f"l{i}" for i in range(n)],
            "a word": "tea",
            "a number": 3,
            "table of twos": np.full((n, 2), 2),
            "empty": [],
            "complex": codes.astype(complex),
            "dates": codes.astype("datetime64[s]"),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return forms[form]


VIEWS: dict[type, Callable[..., st.SearchStrategy[Given]]] = {
    Table: tables,
    Ragged: ragged,
    Text: texts,
    TaggedText: tagged,
    Pictures: pictures,
    Links: links,
    Views: views,
    Affinity: affinities,
}


def inputs(owner: type[Any], plan: str) -> st.SearchStrategy[Given]:
    """Data for a method: usual data of a kind it takes, odd data of it, or something of another kind."""
    if plan == "wrong":
        return wrong_kinds()
    return st.one_of([of_kind(owner, kind, odd=plan == "odd") for kind in (owner.takes, *owner.also)])


def of_kind(owner: type[Any], kind: type, odd: bool, width: int | None = None) -> st.SearchStrategy[Given]:
    """Data of one kind of view; usual tables are what the method says it takes: counts, dense or sparse."""
    if getattr(owner, "sound", False):
        return sounds(odd=odd)
    if kind is Table:
        counts = bool(owner().__sklearn_tags__().input_tags.positive_only)
        return tables(width=width, odd=odd, counts=counts, sparse=owner.sparse)
    return VIEWS[kind](width=width, odd=odd)


def later(owner: type[Any], first: Given) -> st.SearchStrategy[Given | None]:
    """New members for a fitted method: the same ones (None), others of the same width, odd ones, or something else."""
    width = (first.rows if owner.takes is Affinity else first.width) or None
    fresh = [of_kind(owner, owner.takes, odd, width) for odd in (False, False, True)]
    return st.one_of(st.none(), st.none(), *fresh, inputs(owner, "odd"), inputs(owner, "wrong"))
