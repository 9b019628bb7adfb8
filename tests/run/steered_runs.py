"""Small stored runs that tests steer: texts on a few topics with words of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

import coterie
from coterie.core.collection import Collection
from coterie.core.text import Text

WORDS = {
    "tea": ["kettle", "leaf", "cup", "brew", "pot", "steep", "green", "oolong", "mint", "sugar"],
    "sea": ["wave", "boat", "harbor", "tide", "sail", "salt", "anchor", "gull", "reef", "storm"],
    "law": [
        "court",
        "judge",
        "appeal",
        "jury",
        "clause",
        "statute",
        "verdict",
        "bail",
        "brief",
        "oath",
    ],
}
_COMMON = ["day", "time", "man", "year"]


def notes(seed: int = 0, each: int = 10, name: str = "notes") -> Collection:
    """Texts of three topics; ids say which: tea0-3 is the fourth on tea of seed 0."""
    rng = np.random.default_rng(seed)
    texts = {
        f"{topic}{seed}-{i}": " ".join([*rng.choice(own, 8), *rng.choice(_COMMON, 3)])
        for topic, own in WORDS.items()
        for i in range(each)
    }
    truth = {"topic": np.array([member[:3] for member in texts], dtype=object)}
    return Collection(list(texts), {"text": Text(tuple(texts.values()))}, truth=truth, name=name)


def stored(**choices: Any) -> Any:
    """An exploration of them in the store of the test."""
    return coterie.explore(notes(), **{"k": 3, "nulls": 0, "store": True, **choices})
