"""Every threshold of a list of scores at once: what is taken and what is right at each cut between distinct scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError
from coterie.core.given import numbers_of, yes_no_of

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A list cut at every place, from "take none" to "take all"; taken is what has a score above the threshold.

    `thresholds` fall: infinity, the midpoints of neighboring distinct scores, minus infinity. `hits` and `alarms` count the
    positives and the negatives that are taken at each.
    """

    thresholds: Floats
    hits: NDArray[Any]
    alarms: NDArray[Any]
    positives: float
    negatives: float

    @property
    def precision(self) -> Floats:
        """The share of the taken that is positive; NaN where nothing is taken."""
        taken = self.hits + self.alarms
        return np.divide(self.hits, taken, out=np.full(taken.size, np.nan), where=taken > 0)

    @property
    def recall(self) -> Floats:
        """The share of the positives that is taken: the true positive rate."""
        return np.asarray(self.hits / self.positives, dtype=np.float64)

    @property
    def far(self) -> Floats:
        """The share of the negatives that is taken: the false acceptance (false positive) rate."""
        return np.asarray(self.alarms / self.negatives, dtype=np.float64)

    @property
    def frr(self) -> Floats:
        """The share of the positives that is not taken: the false rejection rate."""
        return np.asarray((self.positives - self.hits) / self.positives, dtype=np.float64)

    @property
    def f1(self) -> Floats:
        """2 hits / (taken + positives)."""
        return np.asarray(
            2.0 * self.hits / (self.hits + self.alarms + self.positives), dtype=np.float64
        )


def marked(
    scores: ArrayLike, truth: ArrayLike, where: str = "The list", *, both: bool = True
) -> tuple[Floats, Marks]:
    """One list checked: finite scores, as many yes/no marks, and, with `both`, at least one of each."""
    values = numbers_of(scores, f"{where} has scores that")
    marks = yes_no_of(truth, f"{where} has a truth that")
    if values.ndim != 1 or values.shape != marks.shape:
        raise DataError(
            f"{where} has scores of shape {values.shape} and truth of shape {marks.shape}: give two equal lists."
        )
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(
            f"{where} has a score that is not a finite number ({values[place]}) at position {place}."
        )
    if both and (not marks.any() or marks.all()):
        missing = "negative" if marks.any() else "positive"
        raise DataError(f"{where} has no {missing} example; thresholds need both kinds.")
    return values, marks


def between(values: Floats) -> Floats:
    """Thresholds of distinct scores in falling order: infinity, midpoints, minus infinity; each is below the score above it."""
    upper = values[:-1]
    lower = values[1:]
    middle = upper / 2 + lower / 2
    return np.concatenate([[np.inf], np.where(middle < upper, middle, lower), [-np.inf]])


def blocks_of(values: Floats) -> tuple[Floats, Ints]:
    """The distinct scores in falling order, and for every example the place of its score among them."""
    distinct, place = np.unique(-values, return_inverse=True)
    return -distinct, place.astype(np.int64)


def cut(scores: ArrayLike, truth: ArrayLike, where: str = "The list") -> Cut:
    """All cuts of a checked list, in O(n log n); equal scores are never parted."""
    values, marks = marked(scores, truth, where)
    distinct, place = blocks_of(values)
    return cut_of(distinct, place, marks, np.ones(values.size, dtype=np.int64))


def cut_of(distinct: Floats, place: Ints, marks: Marks, weights: NDArray[Any]) -> Cut:
    """The same from blocks, where every example counts as often as its weight says."""
    many = distinct.size
    hits = np.bincount(place, weights=weights * marks, minlength=many)
    alarms = np.bincount(place, weights=weights * ~marks, minlength=many)
    up, over = (np.concatenate([[0.0], np.cumsum(part)]) for part in (hits, alarms))
    return Cut(between(distinct), up, over, float(up[-1]), float(over[-1]))


def middle_of_best(values: Floats) -> Ints:
    """Along the first axis, the middle of the first run of smallest values; NaN is never chosen.

    >>> middle_of_best(np.array([[3.0], [1.0], [1.0], [1.0], [2.0]])).tolist()
    [2]
    """
    filled = np.where(np.isnan(values), np.inf, values)
    best = filled.min(axis=0)
    tied = filled <= best + 1e-12 * np.maximum(np.abs(best), 1e-3)
    first = tied.argmax(axis=0)
    after = ~tied & (np.arange(len(values))[:, None] > first)
    last = np.where(after.any(axis=0), after.argmax(axis=0), len(values)) - 1
    return np.asarray((first + last) // 2, dtype=np.int64)


def break_even_at(cut: Cut) -> int:
    """The place where precision and recall are nearest; of several such places the one where both are largest.

    Where nothing right is taken both are 0 and equal: such a place is taken only when there is no other.
    """
    precision = cut.precision
    recall = cut.recall
    gap = np.abs(precision - recall)
    gap[cut.hits == 0] = np.inf
    near = np.flatnonzero(gap <= np.nanmin(gap) + 1e-12)
    return int(near[np.argmax((precision + recall)[near])])
