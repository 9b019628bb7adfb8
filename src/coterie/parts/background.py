"""Background: how often words are in general English, from the list of counts that comes with the library."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np

_FILE = "background_words.txt.gz"


@lru_cache(maxsize=1)
def bundled() -> Mapping[str, float]:
    """Word -> count, the rarest word of the list with 1; written by tools/write-background from several kinds of text.

    >>> bundled()["the"] > bundled()["river"] > 1
    True
    """
    raw = gzip.decompress(files("coterie.parts").joinpath(_FILE).read_bytes()).decode("utf-8")
    rows = (line.split("\t") for line in raw.splitlines() if line)
    return {word: float(count) for word, count in rows}


def counts_of(words: Sequence[str], counts: Mapping[str, float]) -> np.ndarray:
    """The background count of every word, 0 where it is unknown.

    >>> counts_of(["b", "c"], {"a": 3, "b": 2}).tolist()
    [2.0, 0.0]
    """
    return np.array([counts.get(word, 0.0) for word in words], dtype=np.float64)


def packed(counts: Mapping[str, float], most: int = 40_000) -> bytes:
    """The file of a list: the most frequent words in alphabetical order with their counts in units of the rarest, compressed."""
    kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    least = kept[-1][1] if kept else 1.0
    lines = sorted(f"{word}\t{round(count / least)}" for word, count in kept)
    return gzip.compress("\n".join(lines).encode("utf-8") + b"\n", 9, mtime=0)
