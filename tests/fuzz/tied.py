"""Strategies of pictures, of members tied to other populations, and of members in several views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from coterie import Collection, Cooccurrence, Table, Text
from coterie.core.links import Links
from coterie.core.pictures import Pictures
from coterie.core.views import Views
from tests.fuzz.rows import Given, arrays, frame, oddities, read_only, sizes, strided, with_zeros
from tests.fuzz.steps import objects

# ---- pictures


@st.composite
def pictures(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Color pictures of any size, in lists, cubes and broken forms."""
    how = draw(oddities(odd))
    least = 1 if "size" in how else 8
    sides = draw(
        st.lists(st.tuples(st.integers(least, 12), st.integers(least, 12)), min_size=1, max_size=5)
    )
    flavours = (
        ("black", "white", "halves") if "values" in how else ("noise", "noise", "noise", "halves")
    )
    seed = draw(st.integers(0, 99))
    plain = draw(st.sampled_from(flavours))
    generator = np.random.default_rng(seed)

    def one(size: tuple[int, int]) -> np.ndarray:
        if plain in ("black", "white"):
            return np.full((*size, 3), 0 if plain == "black" else 255, dtype=np.uint8)
        noise = generator.integers(0, 256, size=(*size, 3)).astype(np.uint8)
        return (
            np.where((np.arange(size[1]) < size[1] / 2)[None, :, None], noise // 8, noise)
            if plain == "halves"
            else noise
        )

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
        "collection": lambda: Collection(
            [f"m{i}" for i in range(len(made))], {"pictures": Pictures.of(made)}
        ),
        "objects": lambda: objects(made),
    }
    if how & {"form", "type", "spot"}:
        forms = {
            "floats": lambda: [picture / 255 for picture in made],
            "negative": lambda: [picture.astype(int) - 300 for picture in made],
            "NaN": lambda: [np.full((2, 2, 3), np.nan)],
            "grey": lambda: [picture[:, :, 0] for picture in made],
            "four channels": lambda: [
                np.concatenate([picture, picture[:, :, :1]], axis=2) for picture in made
            ],
            "one picture": lambda: made[0],
            "no pixels": lambda: [*made, made[0][:0]],
            "no pictures": lambda: made[:0],
            "None inside": lambda: [*made, None],
            "a file name": lambda: ["picture.png"],
            "wrong sizes": lambda: Pictures(made[0].reshape(-1, 3), np.array([[3, 1000]])),
            "floats inside": lambda: Pictures(
                made[0].reshape(-1, 3).astype(float), np.array([made[0].shape[:2]])
            ),
            "complex": lambda: [picture.astype(complex) for picture in made],
            "bools": lambda: [picture > 100 for picture in made],
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of pictures {sides} ({plain}, seed {seed})", forms[form], len(sides), 0)


# ---- links


@st.composite
def links(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Tables of counts between populations."""
    how = draw(oddities(odd))
    n = draw(st.integers(1 if "size" in how else 6, 10))
    m = draw(st.integers(1 if "size" in how else 3, 8)) if width is None else width
    name, counts = draw(arrays((n, m), how, counts=True))
    other = np.random.default_rng(n * m).poisson(1.0, size=(n, 3)).astype(np.float64)
    ids = [f"m{i}" for i in range(n)]
    words = [f"w{j}" for j in range(m)]
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
            {
                ("members", "words"): counts,
                ("members", "people"): other,
                ("words", "people"): np.ones((m, 3)),
            }
        ),
        "one population apart": lambda: {("members", "words"): counts, ("people", "places"): other},
        "both ways": lambda: {("members", "words"): counts, ("words", "members"): counts.T},
        "Cooccurrence": lambda: Cooccurrence(
            sp.csr_array(np.asarray(counts, dtype=np.float64)), ids, words
        ),
        "collection": lambda: Collection(
            ids,
            {},
            {
                ("members", "words"): Cooccurrence(
                    sp.csr_array(np.asarray(counts, dtype=np.float64)), ids, words
                )
            },
        ),
        "a table of a collection": lambda: Collection(ids, {"counts": Table.of(counts)}),
    }
    if "form" in how:
        forms = {
            "negative": lambda: -np.asarray(counts, dtype=np.float64) - 1.0,
            "empty members": lambda: np.concatenate(
                [np.asarray(counts, dtype=np.float64), np.zeros((3, m))]
            ),
            "empty columns": lambda: np.concatenate(
                [np.asarray(counts, dtype=np.float64), np.zeros((n, 3))], axis=1
            ),
            "sparse NaN": lambda: sp.csr_array(np.full((n, m), np.nan)),
            "sparse infinity": lambda: {
                ("members", "words"): sp.csr_array(np.full((n, m), np.inf))
            },
            "no members": lambda: np.zeros((0, m)),
            "no columns": lambda: np.zeros((n, 0)),
            "itself": lambda: {("members", "members"): np.ones((n, n))},
            "no target": lambda: {("people", "words"): counts},
            "one name": lambda: {"members": counts},
            "three names": lambda: {("members", "words", "people"): counts},
            "unequal": lambda: {
                ("members", "words"): counts,
                ("members", "people"): np.ones((n + 1, 2)),
            },
            "twice one id": lambda: Cooccurrence(
                sp.csr_array(np.ones((n, m))), ["twin"] * n, words
            ),
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


# ---- views


@st.composite
def views(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Several tables of the same members."""
    how = draw(oddities(odd))
    n = draw(sizes("size" in how))
    d = draw(st.integers(1 if "size" in how else 2, 4)) if width is None else width
    name, one = draw(arrays((n, d), how))
    other_name, other = draw(arrays((n, 3), how if draw(st.booleans()) else frozenset()))
    forms: dict[str, Callable[[], Any]] = {
        "mapping": lambda: {"one": one, "two": other},
        "list": lambda: [one, other],
        "Views": lambda: Views.of({"one": one, "two": other}),
        "three": lambda: {
            "one": one,
            "two": other,
            "three": np.random.default_rng(n).normal(size=(n, 2)),
        },
        "sparse": lambda: {
            "one": sp.csr_array(np.asarray(one, dtype=np.float64)),
            "two": sp.csc_array(np.asarray(other, dtype=np.float64)),
        },
        "frames": lambda: [frame(one), frame(other)],
        "twins": lambda: {"one": one, "two": one},
        "gaps": lambda: {
            "one": one,
            "two": np.where(
                np.arange(n)[:, None] % 4 == 0, np.nan, np.asarray(other, dtype=np.float64)
            ),
        },
        "collection": lambda: Collection(
            [f"m{i}" for i in range(n)], {"one": Table.of(one), "two": Table.of(other)}
        ),
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
                [f"m{i}" for i in range(n)],
                {"one": Table.of(np.ones((n, 2))), "two": Text.of(["a b"] * n)},
            ),
            "None inside": lambda: {"one": one, "two": None},
            "sparse NaN": lambda: {
                "one": sp.csr_array(np.full((n, 2), np.nan)),
                "two": np.ones((n, 2)),
            },
            "wrong marks": lambda: Views(
                {"one": Table.of(np.ones((n, 2))), "two": Table.of(np.ones((n, 2)))},
                {"one": np.ones(n + 1)},
            ),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of views {n} x {d} and 3 ({name}; {other_name})", forms[form], n, d)
