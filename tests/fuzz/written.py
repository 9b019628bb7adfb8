"""Strategies of texts and of tagged text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from coterie import Collection, TaggedText, Text
from tests.fuzz.rows import WORDS, Given, oddities

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
            st.one_of(
                st.sampled_from(DOCUMENTS[:5]), st.sampled_from(DOCUMENTS if odd else DOCUMENTS[:6])
            ),
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
        "collection": lambda: Collection(
            [f"m{i}" for i in range(len(docs))], {"text": Text.of(docs)}
        ),
    }
    if odd and draw(st.booleans()):
        forms = {
            "None inside": lambda: [*docs, None],
            "NaN inside": lambda: [*docs, float("nan")],
            "bytes inside": lambda: [*docs, b"water"],
            "a list inside": lambda: [*docs, ["water"]],
            "a table of texts": lambda: [docs, docs],
            "one document": lambda: docs[0],
            "twice one id": lambda: (
                Collection(["twin"] * len(docs), {"text": Text.of(docs)}) if len(docs) > 1 else []
            ),
            "frame": lambda: pd.DataFrame({"text": docs}),
        }
    form = draw(st.sampled_from(sorted(forms)))
    return Given(f"{form} of {docs!r}", forms[form], len(docs), 0)


@st.composite
def tagged(draw: Any, width: int | None = None, odd: bool = True) -> Given:
    """Sentences of tokens with features, and marked spans."""
    how = draw(oddities(odd))
    lengths = draw(st.lists(st.integers(1, 6), min_size=1 if "size" in how else 4, max_size=6))
    total = sum(lengths)
    seed = draw(st.integers(0, 99))
    generator = np.random.default_rng(seed)
    tokens = generator.choice(np.array(WORDS), size=total)
    n = draw(st.integers(1 if "size" in how else 8, 12))
    first = generator.integers(0, total, size=n)
    spans = np.stack([first, np.minimum(first + generator.integers(1, 3, size=n), total)], axis=1)
    features = (
        {"tag": generator.choice(np.array(["NN", "VB"]), size=total)}
        if draw(st.integers(0, 3))
        else {}
    )
    owners = np.sort(np.arange(n) % max(n // 2, 1)) if draw(st.integers(0, 5)) == 5 else None
    flaws = (
        "outside",
        "empty span",
        "feature",
        "owners",
        "no spans",
        "no tokens",
        "objects",
        "numbers",
        "offsets",
        "gaps",
    )
    flaw = draw(st.sampled_from(flaws)) if how & {"form", "type", "spot"} else "none"

    def make() -> TaggedText:
        told: dict[str, Any] = {
            "tokens": tokens,
            "offsets": np.concatenate([[0], np.cumsum(lengths)]),
            "spans": spans,
        }
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

    return Given(
        f"tagged text of {lengths} tokens, {n} spans, flaw {flaw}, seed {seed}", make, n, 0
    )
