"""How many of the true neighbors a search found: measured on a sample of members whose rows are computed in full."""

from __future__ import annotations

import numpy as np

from coterie.core.affinity import Lazy, cut
from coterie.core.random import stream
from coterie.parts.pairwise import band_rows, pick, smallest, submatrix
from coterie.parts.workers import in_order

SAMPLE = 200  # members looked up
_COLS = 16384  # columns of a tile
_TIE = 1e-7  # values that differ by no more than this share are tied: a tile and a search sum in different orders
_ROUNDING = 1e-12  # and such that differ by this share of the largest value among the sample: near zero, rounding is all


def recall_of(affinity: Lazy, index: np.ndarray, value: np.ndarray) -> float:
    """The share of the k nearest of a fixed sample of members that are listed; a listed one that is tied with the last counts.

    Pairs that were never compared (NaN) count on neither side; without any neighbor to find the recall is one.
    """
    n, k = value.shape
    chosen = (
        np.arange(n)
        if n <= SAMPLE
        else np.sort(stream(0, n, k).choice(n, size=SAMPLE, replace=False))
    )
    _, true = looked_up(affinity, chosen, k)
    toward = -1.0 if affinity.kind == "similarity" else 1.0
    there = ~np.isnan(true)
    last = np.where(there, toward * true, -np.inf).max(axis=1, initial=-np.inf)
    found = ~np.isnan(value[chosen])
    among = submatrix(affinity, chosen, chosen)
    little = _ROUNDING * np.abs(among[np.isfinite(among)]).max(initial=0.0)
    near = (
        np.where(found, toward * value[chosen], np.inf)
        <= (last + _TIE * np.abs(last) + little)[:, None]
    )
    wanted = int(there.sum())
    return float(np.minimum(near.sum(axis=1), there.sum(axis=1)).sum() / wanted) if wanted else 1.0


def looked_up(
    affinity: Lazy, chosen: np.ndarray, k: int, label: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and values of the k nearest of these members, exact, ties to the lower position; NaN for what is none."""
    n = affinity.n
    index = np.empty((len(chosen), k), dtype=np.int64)
    value = np.empty((len(chosen), k))
    high = band_rows(n)

    def work(first: int) -> tuple[int, np.ndarray, np.ndarray]:
        some = chosen[first : first + high]
        rows = pick(affinity.rows, some)
        values = np.empty((len(some), n))
        for start in range(0, n, _COLS):
            here = slice(start, min(start + _COLS, n))
            values[:, here] = affinity.tile(rows, cut(affinity.cols, here))
        values[np.arange(len(some)), some] = np.nan
        keys = -values if affinity.kind == "similarity" else values
        near = smallest(np.where(np.isnan(keys), np.inf, keys), k)
        return first, near, np.take_along_axis(values, near, axis=1)

    for first, near, values in in_order(
        work, list(range(0, len(chosen), high)), label, travels=True
    ):
        index[first : first + high] = near
        value[first : first + high] = values
    return index, value
