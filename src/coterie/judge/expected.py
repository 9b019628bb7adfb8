"""Expected Performance Curves: thresholds chosen on development data for every trade-off, performance told on test data.

A ROC curve chooses its thresholds on the test data, where nobody will choose them. Keller 2006, section 3.3.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie.core.given import numbers_of
from coterie.judge.curves import Curve
from coterie.judge.expected_bands import Chosen, drawn_again, drawn_tests
from coterie.judge.labels import Floats
from coterie.judge.trade import CRITERIA, RATES, Criterion, Rates, choose, performance
from coterie.judge.verdicts import RandomState, checked
from coterie.parts.thresholds import blocks_of, marked

ALPHAS = np.round(np.arange(5, 96) / 100, 2)
Average = Literal["micro", "macro"]
_TRADE = {
    "precision-recall": "weight of precision against recall",
    "far-frr": "weight of false acceptances against false rejections",
    "tpr-tnr": "weight of the true positive rate against the true negative rate",
}
_VALUE = {"precision-recall": "F1", "far-frr": "HTER", "tpr-tnr": "mean of both rates"}


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """An Expected Performance Curve: the performance on test data over the trade-off, and how it came about.

    `thresholds` has a row per trade-off and a column per category; `first` and `second` are the two rates on test data.
    """

    curve: Curve
    thresholds: Floats
    first: Floats
    second: Floats
    rates: Rates
    criterion: Criterion
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Areas:
    """One number for a whole curve: the mean of both rates on test data where the first (`of_first`) or the second rate
    (`of_second`) was asked to be each value from `low` to `high` on development data, and the mean of the two (`both`).
    """

    of_first: float
    of_second: float
    both: float
    low: float
    high: float


def expected_performance(
    development: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    *,
    rates: Rates = "precision-recall",
    criterion: Criterion = "weighted",
    alphas: ArrayLike | None = None,
    average: Average = "micro",
    replicates: int = 0,
    level: float = 0.95,
    resample_development: bool = False,
    random_state: RandomState = None,
    name: str = "EPC",
) -> Expected:
    """The curve of scores and truth (yes or no): lists, or tables with a column per category and a threshold for each.

    For every alpha the threshold on development data minimizes -(alpha P + (1 - alpha) R), or alpha FAR + (1 - alpha) FRR,
    by `rates`; with `criterion` "first" or "second" it brings that rate nearest to alpha. Told is F1, the half total error
    rate (HTER), or the mean of both rates on test data; `replicates` draws the test data (and, with
    `resample_development`, the development data) again for a band.
    """
    _known(rates, criterion, average)
    grid = ALPHAS if alphas is None else numbers_of(alphas, "The alphas").ravel()
    if not grid.size or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) <= 0).any():
        raise ParameterError("alphas must rise and lie from 0 to 1.")
    dev = _lists(development, "development")
    rest = _lists(test, "test")
    notes = []
    if any(np.unique(scores).size < 2 for scores, _ in dev):
        notes.append(
            "All development scores of a category are equal: the only thresholds are to take all and to take none."
        )
        warnings.warn(f"expected_performance: {notes[0]}", UserWarning, stacklevel=2)
    chosen = Chosen(
        dev=[(*blocks_of(scores), marks) for scores, marks in dev],
        test=rest,
        alphas=grid,
        rates=rates,
        criterion=criterion,
        average=average,
    )
    thresholds = chosen.thresholds()
    first, second, value = performance(chosen.decided(thresholds), rates, average)
    lower = upper = None
    if replicates:
        rng = checked(replicates, level, random_state)
        drawn = (drawn_again if resample_development else drawn_tests)(
            chosen, thresholds, replicates, rng
        )
        lower, upper = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    axis = (
        _TRADE[rates]
        if criterion == "weighted"
        else f"wanted {rates.split('-')[criterion == 'second']}"
    )
    curve = Curve(name, grid, value, axis, _VALUE[rates], lower, upper)
    return Expected(curve, thresholds, first, second, rates, criterion, tuple(notes))


def expected_areas(
    development: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    *,
    rates: Rates = "precision-recall",
    low: float = 0.5,
    high: float = 1.0,
    average: Average = "micro",
    points: int = 1001,
) -> Areas:
    """The areas E_V1, E_V2 and G of Expected Performance Curves; the bounds are a choice of yours.

    For true positive and true negative rates from 0 to 1 with test data as development data, `both` is (AUC + 1/2) / 2. It
    has no such meaning for precision, which does not take every value.
    """
    if not 0 <= low < high <= 1:
        raise ParameterError(
            f"low and high must lie from 0 to 1, low below high, and were {low} and {high}."
        )
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise ParameterError(f"points must be a whole number from 2, and was {points!r}.")
    grid = np.linspace(low, high, points)
    ends = []
    for criterion in CRITERIA[1:]:
        found = expected_performance(
            development, test, rates=rates, criterion=criterion, alphas=grid, average=average
        )
        ends.append(float(np.trapezoid((found.first + found.second) / 2, grid)) / (high - low))
    return Areas(ends[0], ends[1], (ends[0] + ends[1]) / 2, low, high)


def best_threshold(
    scores: ArrayLike, truth: ArrayLike, *, rates: Rates = "precision-recall", alpha: float = 0.5
) -> float:
    """The threshold of one list that minimizes the weighted criterion; taken is what scores above it."""
    _known(rates, "weighted", "micro")
    if not 0 <= alpha <= 1:
        raise ParameterError(f"alpha must lie from 0 to 1, and was {alpha}.")
    values, marks = marked(scores, truth)
    found = choose([(*blocks_of(values), marks)], np.array([alpha]), rates, "weighted")
    return float(found[0, 0])


def _known(rates: str, criterion: str, average: str) -> None:
    for what, value, known in (
        ("rates", rates, RATES),
        ("criterion", criterion, CRITERIA),
        ("average", average, ("micro", "macro")),
    ):
        if value not in known:
            raise ParameterError(f"{what} must be one of {', '.join(known)}, and was {value!r}.")


def _lists(pair: tuple[ArrayLike, ArrayLike], what: str) -> Sequence[tuple[Floats, np.ndarray]]:
    """One checked list of scores and marks per category."""
    if not hasattr(pair, "__len__") or len(pair) != 2:
        raise DataError(f"The {what} data must be a pair: scores, and the truth.")
    scores = numbers_of(pair[0], f"The scores of the {what} data")
    truth = np.asarray(pair[1])
    if scores.ndim not in (1, 2) or scores.shape != truth.shape:
        raise DataError(
            f"The {what} data have scores of shape {scores.shape} and truth of shape {truth.shape}."
        )
    if scores.ndim == 1:
        return [marked(scores, truth, f"The {what} list")]
    both = what == "development"
    return [
        marked(scores[:, k], truth[:, k], f"Category {k} of the {what} data", both=both)
        for k in range(scores.shape[1])
    ]
