"""Ranks of mates: for each member seen in one view, where its other view stands among all candidates.

rank = 1 + better candidates + half of the equal ones. Scores that are not finite would make every rank the first, so they are
refused; a row without any direction (no known word) is ranked behind all that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    return _scores(*_checked(one, other, measure), measure)


def _checked(
    one: Any, other: Any, measure: str, *, mates: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two views as numbers: as many factors in both, all finite; and where mates are looked for, as many rows."""
    if measure not in MEASURES:
        raise ParameterError(f"measure must be one of {', '.join(MEASURES)}, and was {measure!r}.")
    first = checked_factors(one, "the first view")
    second = checked_factors(other, "the second view")
    if mates and len(first) != len(second):
        raise DataError(
            f"The views have {len(first)} and {len(second)} rows; mates stand in the same row."
        )
    if mates and not len(first):
        raise DataError("The views have no rows, so that there are no mates to rank.")
    if first.shape[1] != second.shape[1]:
        raise DataError(
            f"Views in one space have equally many factors, and these have {first.shape[1]} and {second.shape[1]}."
        )
    return first, second


def checked_factors(rows: Any, owner: str) -> np.ndarray:
    """Rows of one view as finite numbers, members x factors; `owner` says which view in sentences, as "the first view"."""
    said = f"{owner[0].upper()}{owner[1:]}"
    if hasattr(rows, "toarray"):
        raise DataError(
            f"{said} is sparse: mates are ranked by factors, an array of members x factors."
        )
    values = np.asarray(rows)
    shaped = values.ndim == 2 and values.shape[1] > 0
    if not shaped or values.dtype.kind not in "biuf":
        kind = "does not hold numbers" if shaped else f"has the shape {values.shape}"
        raise DataError(f"{said} must be members x factors, and {kind}.")
    values = values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
    if not np.isfinite(values).all():
        wrong = int(np.argwhere(~np.isfinite(values))[0][0])
        raise DataError(f"Row {wrong} of {owner} is not finite: it cannot be ranked.")
    return values


def _scores(one: np.ndarray, other: np.ndarray, measure: str) -> np.ndarray:
    """The same of rows that were checked."""
    with steady():
        if measure != "cosine":
            found = one @ other.T
            return np.abs(found) if measure == "abs" else found
        lengths = [np.linalg.norm(rows, axis=1) for rows in (one, other)]
        units = [
            np.divide(rows, size[:, None], out=np.zeros_like(rows), where=size[:, None] > 0)
            for rows, size in zip((one, other), lengths, strict=True)
        ]
        found = units[0] @ units[1].T
    found[:, lengths[1] == 0] = -np.inf
    found[lengths[0] == 0, :] = -np.inf
    return np.asarray(found)


def mate_ranks(one: np.ndarray, other: np.ndarray, measure: str = "cosine") -> MateRanks:
    """Ranks of the mates (same row) of all rows of the first view among the rows of the second, block by block."""
    first, second = _checked(one, other, measure, mates=True)
    ranks = [
        ranks_of(_scores(first[at : at + _TALL], second, measure), at)
        for at in range(0, len(first), _TALL)
    ]
    return MateRanks(np.concatenate(ranks), len(second))


def ranks_of(scores: np.ndarray, first: int = 0) -> np.ndarray:
    """The rank of entry first + i in row i of queries x candidates."""
    if np.isnan(scores).any():
        wrong = first + int(np.argwhere(np.isnan(scores))[0][0])
        raise DataError(f"The score of query {wrong} is NaN: mates cannot be ranked.")
    rows = np.arange(len(scores))
    own = scores[rows, first + rows][:, None]
    better = (scores > own).sum(axis=1)
    equal = (scores == own).sum(axis=1) - 1
    lost = np.isneginf(own[:, 0])
    return np.where(lost, float(scores.shape[1]), 1.0 + better + equal / 2)


def both_ways(views: Sequence[np.ndarray], measure: str = "cosine") -> float:
    """The mean average precision over all ordered pairs of views."""
    if len(views) < 2:
        raise DataError(
            f"Mates stand in two views or more, and {len(views)} {'was' if len(views) == 1 else 'were'} given."
        )
    pairs = [(u, v) for u in range(len(views)) for v in range(len(views)) if u != v]
    return float(
        np.mean([mate_ranks(views[u], views[v], measure).average_precision for u, v in pairs])
    )
