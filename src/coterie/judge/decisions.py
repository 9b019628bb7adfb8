"""Measures of decisions: precision, recall, F1 over one or several categories, error rates, and the break-even point.

A category of which nothing was taken has no precision (NaN), which counts as 0 in averages; a category without positives
has no recall (NaN), is left out of macro averages and is named in `skipped`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError
from coterie.core.given import numbers_of, yes_no_of
from coterie.judge.labels import Floats, code_truth
from coterie.judge.rankings import r_precision
from coterie.parts.thresholds import Marks, break_even_at, cut


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Counts of yes/no decisions per category (last axis; further axes before it are further tables of counts).

    >>> found = decisions([1, 1, 0, 0], [1, 0, 1, 0])
    >>> found.micro_f1, found.accuracy
    (0.5, 0.5)
    """

    names: tuple[Any, ...]
    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    tn: NDArray[Any]

    @property
    def precision(self) -> Floats:
        """tp / (tp + fp) per category; NaN where nothing was taken."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """tp / (tp + fn) per category; NaN where there is no positive."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> Floats:
        """2 tp / (2 tp + fp + fn) per category; NaN where there is no positive."""
        value = _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)
        return np.where(self.tp + self.fn > 0, value, np.nan)

    @property
    def far(self) -> Floats:
        """False acceptances fp / (fp + tn) per category; NaN where there is no negative."""
        return _share(self.fp, self.fp + self.tn)

    @property
    def frr(self) -> Floats:
        """False rejections fn / (fn + tp) per category; NaN where there is no positive."""
        return _share(self.fn, self.fn + self.tp)

    @property
    def hter(self) -> Floats:
        """Half of the two error rates added, per category."""
        return (self.far + self.frr) / 2

    @property
    def skipped(self) -> tuple[Any, ...]:
        """Categories without a positive example, which no macro average counts."""
        some = np.atleast_2d(self.tp + self.fn).max(axis=0) > 0
        return tuple(name for name, there in zip(self.names, some, strict=True) if not there)

    @property
    def accuracy(self) -> Any:
        """Decisions that are right, over all of them; of labels (one per member) see `label_accuracy`."""
        right = (self.tp + self.tn).sum(axis=-1)
        wrong = (self.fp + self.fn).sum(axis=-1)
        return _plain(_share(right, right + wrong))

    @property
    def micro_precision(self) -> Any:
        """Precision of the counts added over categories; NaN where nothing was taken."""
        return _plain(_share(self.tp.sum(axis=-1), (self.tp + self.fp).sum(axis=-1)))

    @property
    def micro_recall(self) -> Any:
        """Recall of the counts added over categories; NaN where nothing is positive."""
        return _plain(_share(self.tp.sum(axis=-1), (self.tp + self.fn).sum(axis=-1)))

    @property
    def micro_f1(self) -> Any:
        """F1 of the counts added over categories; NaN where nothing is positive."""
        value = _share(2 * self.tp.sum(axis=-1), (2 * self.tp + self.fp + self.fn).sum(axis=-1))
        return _plain(np.where((self.tp + self.fn).sum(axis=-1) > 0, value, np.nan))

    @property
    def macro_precision(self) -> Any:
        """Mean precision of the categories that have a positive; a category of which nothing was taken counts 0."""
        return self._mean(np.nan_to_num(self.precision))

    @property
    def macro_recall(self) -> Any:
        """Mean recall of the categories that have a positive."""
        return self._mean(self.recall)

    @property
    def macro_f1(self) -> Any:
        """Mean F1 of the categories that have a positive."""
        return self._mean(self.f1)

    @property
    def f1_of_macro(self) -> Any:
        """F1 of macro precision and macro recall, which is not the mean of the F1s."""
        p = np.asarray(self.macro_precision)
        r = np.asarray(self.macro_recall)
        return _plain(np.where(p + r > 0, _share(2 * p * r, p + r), p + r))

    def summary(self) -> dict[str, float]:
        """The averages as one flat dict, ready for a scoreboard."""
        names = (
            "micro_f1",
            "micro_precision",
            "micro_recall",
            "macro_f1",
            "macro_precision",
            "macro_recall",
            "f1_of_macro",
        )
        return {name: float(getattr(self, name)) for name in (*names, "accuracy")}

    def _mean(self, values: Floats) -> Any:
        counted = self.tp + self.fn > 0
        return _plain(_share(np.where(counted, values, 0.0).sum(axis=-1), counted.sum(axis=-1)))


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where precision and recall meet: the mean of the two there, both of them, and the threshold."""

    value: float
    precision: float
    recall: float
    threshold: float


def decisions(predicted: ArrayLike, truth: ArrayLike, names: tuple[Any, ...] = ()) -> Decisions:
    """Counts of yes/no decisions: one list, or a table with a row per member and a column per category."""
    said = _marks(predicted, "The predictions")
    right = _marks(truth, "The truth")
    if said.shape != right.shape:
        raise DataError(
            f"The predictions have the shape {said.shape} and the truth {right.shape}: they must be the same."
        )
    if said.ndim == 1:
        said = said[:, None]
        right = right[:, None]
    if names and len(names) != said.shape[1]:
        raise DataError(f"There are {said.shape[1]} categories and {len(names)} names.")
    counts = [
        (one & other).sum(axis=0)
        for one, other in ((said, right), (said, ~right), (~said, right), (~said, ~right))
    ]
    return Decisions(names or tuple(range(said.shape[1])), *counts)


def label_decisions(predicted: ArrayLike, truth: ArrayLike) -> Decisions:
    """Counts per class of one predicted label per member: micro F1 is then the share of right labels.

    >>> label_decisions(["a", "b", "b"], ["a", "b", "c"]).names
    ('a', 'b', 'c')
    """
    return decisions(*indicators(predicted, truth))


def indicators(predicted: ArrayLike, truth: ArrayLike) -> tuple[Marks, Marks, tuple[Any, ...]]:
    """Labels as yes/no tables with a column per class that is predicted or true."""
    said = np.asarray(predicted)
    right = np.asarray(truth)
    if said.ndim != 1 or said.shape != right.shape:
        raise DataError(
            f"There are labels of shape {said.shape} and truths of shape {right.shape}: give two equal lists."
        )
    coded = code_truth(np.concatenate([said, right]))
    if (coded.codes < 0).any():
        place = int(np.flatnonzero(coded.codes < 0)[0]) % len(said)
        raise DataError(f"Member {place} has no label; leave members of unknown label out.")
    table = coded.codes[:, None] == np.arange(len(coded.names))
    return table[: len(said)], table[len(said) :], coded.names


def label_accuracy(predicted: ArrayLike, truth: ArrayLike) -> float:
    """The share of members whose label is right."""
    said, right, _ = indicators(predicted, truth)
    return float((said & right).any(axis=1).mean())


def break_even(scores: ArrayLike, truth: ArrayLike) -> BreakEven:
    """The break-even point of one list: the threshold where precision and recall are nearest, and their mean there.

    The threshold is taken from the list itself, so that the value flatters: it compares systems and promises nothing.
    """
    found = cut(scores, truth)
    at = break_even_at(found)
    p = float(found.precision[at])
    r = float(found.recall[at])
    return BreakEven((p + r) / 2, p, r, float(found.thresholds[at]))


def micro_break_even(scores: ArrayLike, truth: ArrayLike) -> float:
    """The precision of the R best of all (member, category) pairs, R the number of true pairs: precision is recall there."""
    values = numbers_of(scores, "The scores")
    marks = _marks(truth, "The truth")
    if values.shape != marks.shape:
        raise DataError(
            f"The scores have the shape {values.shape} and the truth {marks.shape}: they must be the same."
        )
    if not marks.any():
        raise DataError("No pair of member and category is true, so that there is nothing to find.")
    return r_precision(values.ravel(), marks.ravel())


def _marks(values: ArrayLike, what: str) -> Marks:
    array = yes_no_of(values, what, "; for labels take label_decisions")
    if array.ndim not in (1, 2) or not array.size:
        raise DataError(
            f"{what} must be a list or a table of yes and no, and have the shape {array.shape}."
        )
    return array


def _share(part: Any, whole: Any) -> Floats:
    part = np.asarray(part, dtype=np.float64)
    whole = np.asarray(whole, dtype=np.float64)
    return np.divide(
        part,
        whole,
        out=np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan),
        where=whole > 0,
    )


def _plain(value: Floats) -> Any:
    return float(value) if np.ndim(value) == 0 else value
