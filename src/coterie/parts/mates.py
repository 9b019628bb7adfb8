"""Ranks of mates: for each member seen in one view, where its other view stands among all candidates.

rank = 1 + better candidates + half of the equal ones. Scores that are not finite would make every rank the first, so they are
refused; a row without any direction (no known word) is ranked behind all that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import steady

MEASURES = ("cosine", "signed", "abs")
_TALL = 512  # queries scored at once


@dataclass(frozen=True, eq=False)
class MateRanks:
    """Where the mates stood: one rank per query, among so many candidates."""

    ranks: np.ndarray
    candidates: int

    @property
    def average_precision(self) -> float:
        """The mean of 1 / rank: with one mate per query, the mean average precision."""
        return float(np.mean(1.0 / self.ranks))

    def recall(self, first: int) -> float:
        """The share of mates among the first so many."""
        return float(np.mean(self.ranks <= first))

    @property
    def median(self) -> float:
        return float(np.median(self.ranks))

    @property
    def chance(self) -> float:
        """The average precision of a random order."""
        return float(np.mean(1.0 / np.arange(1, self.candidates + 1)))


def scores_between(one: np.ndarray, other: np.ndarray, measure: str = "cosine") -> np.ndarray:
    """How alike rows of two views are: their cosine, inner product, or its size; with a row of zeros, minus infinity."""
    if measure not in MEASURES:
        raise ParameterError(f"measure must be one of {', '.join(MEASURES)}, and was {measure!r}.")
    for name, rows in (("first", one), ("second", other)):
        if not np.isfinite(rows).all():
            raise DataError(
                f"Row {int(np.argwhere(~np.isfinite(rows))[0][0])} of the {name} view is not finite: it cannot be ranked."
            )
    with steady():
        if measure != "cosine":
            found = one @ other.T
            return np.abs(found) if measure == "abs" else found
        lengths = [np.linalg.norm(rows, axis=1) for rows in (one, other)]
        units = [np.divide(rows, size[:, None], out=np.zeros_like(rows), where=size[:, None] > 0)
                 for rows, size in zip((one, other), lengths, strict=True)]  # fmt: skip
        found = units[0] @ units[1].T
    found[:, lengths[1] == 0] = -np.inf
    found[lengths[0] == 0, :] = -np.inf
    return np.asarray(found)


def mate_ranks(one: np.ndarray, other: np.ndarray, measure: str = "cosine") -> MateRanks:
    """Ranks of the mates (same row) of all rows of the first view among the rows of the second, block by block."""
    if len(one) != len(other):
        raise DataError(f"The views have {len(one)} and {len(other)} rows; mates stand in the same row.")
    ranks = [ranks_of(scores_between(one[at : at + _TALL], other, measure), at) for at in range(0, len(one), _TALL)]
    return MateRanks(np.concatenate(ranks), len(other))


def ranks_of(scores: np.ndarray, first: int = 0) -> np.ndarray:
    """The rank of entry first + i in row i of queries x candidates."""
    if np.isnan(scores).any():
        raise DataError(f"The score of query {int(np.argwhere(np.isnan(scores))[0][0])} is NaN: mates cannot be ranked.")
    rows = np.arange(len(scores))
    own = scores[rows, first + rows][:, None]
    better, equal = (scores > own).sum(axis=1), (scores == own).sum(axis=1) - 1
    lost = np.isneginf(own[:, 0])
    return np.where(lost, float(scores.shape[1]), 1.0 + better + equal / 2)


def both_ways(views: Sequence[np.ndarray], measure: str = "cosine") -> float:
    """The mean average precision over all ordered pairs of views."""
    pairs = [(u, v) for u in range(len(views)) for v in range(len(views)) if u != v]
    return float(np.mean([mate_ranks(views[u], views[v], measure).average_precision for u, v in pairs]))
