"""What may be passed as data, by the kind of view a method takes: usual, odd, broken, and of another kind altogether.

A strategy gives a `Given`: a name to show and a function that makes the data, since a view may be refused while it is made.
Bulk values come from a drawn seed, so that an example costs little; what matters (shapes, kinds of numbers, odd values, forms)
is drawn one by one and shrinks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from coterie import Affinity, Ragged, Table, TaggedText, Text
from coterie.core.links import Links
from coterie.core.pictures import Pictures
from coterie.core.views import Views
from tests.fuzz.alike import affinities
from tests.fuzz.rows import Given, tables, wrong_kinds
from tests.fuzz.steps import ragged, sounds
from tests.fuzz.tied import links, pictures, views
from tests.fuzz.written import tagged, texts


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
        "several": [
            [str(word)] if generator.random() < 0.7 else [str(word), "other"] for word in words
        ],
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
    return st.one_of(
        [of_kind(owner, kind, odd=plan == "odd") for kind in (owner.takes, *owner.also)]
    )


def of_kind(
    owner: type[Any], kind: type, odd: bool, width: int | None = None
) -> st.SearchStrategy[Given]:
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
