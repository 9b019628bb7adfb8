"""Ranked lists with ties: blocks of equal scores, and the expected measures over all orders of the tied members."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TieBlocks:
    """The runs of equal scores that hold a relevant member, best first: their size, how many are relevant,
    and how many members (`before`) and relevant members (`found`) stand in front of them.
    """

    size: Ints
    relevant: Ints
    before: Ints
    found: Ints
    listed: int

    @property
    def total(self) -> int:
        """Relevant members in the whole list."""
        return int(self.relevant.sum())

    def hits(self, r: int) -> float:
        """Expected number of relevant members among the first r."""
        share = np.clip((r - self.before) / self.size, 0.0, 1.0)
        return float(np.sum(self.relevant * share))

    def average_precision(self) -> float:
        """Expected mean of the precision at the ranks of the relevant members; NaN when there is none.

        A block of n with r relevant, N0 before it and R0 found, adds (r/n) sum_j (R0 + 1 +
        (j-1)(r-1)/(n-1)) / (N0+j), j = 1..n; the sum over j is done with harmonic numbers.
        """
        if not self.total:
            return float("nan")
        slope = np.where(self.size > 1, (self.relevant - 1) / np.maximum(self.size - 1, 1), 0.0)
        harmonic = harmonic_numbers(self.listed)
        inverse_ranks = harmonic[self.before + self.size] - harmonic[self.before]
        steps = self.size - (self.before + 1) * inverse_ranks
        blocks = self.relevant / self.size * ((self.found + 1) * inverse_ranks + slope * steps)
        return float(np.sum(blocks)) / self.total


def tie_blocks(scores: Floats, relevant: np.ndarray[Any, np.dtype[np.bool_]]) -> TieBlocks:
    """Cut a list (more is better, NaN is missing and last) into its tied blocks that hold a relevant
    member.
    """
    absent = np.isnan(scores)
    present = np.sort(scores[~absent])
    wanted = np.sort(scores[~absent & relevant])
    values, counts = np.unique(wanted, return_counts=True)
    left = np.searchsorted(present, values, "left")
    right = np.searchsorted(present, values, "right")
    before = present.size - right
    found = wanted.size - np.searchsorted(wanted, values, "right")
    parts = [(right - left)[::-1], counts[::-1], before[::-1], found[::-1]]
    lost = int((absent & relevant).sum())
    if lost:
        tail = (int(absent.sum()), lost, present.size, wanted.size)
        parts = [np.append(part, value) for part, value in zip(parts, tail, strict=True)]
    size, hit, ahead, behind = (np.asarray(part, dtype=np.int64) for part in parts)
    return TieBlocks(size, hit, ahead, behind, scores.size)


@lru_cache(maxsize=4)
def _harmonic_table(size: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, size))])


def harmonic_numbers(n: int) -> Floats:
    """H(0) .. H(n) at least, from a table whose length is a power of two."""
    return _harmonic_table(1 << (n + 1).bit_length())
