"""Choosing a threshold by a trade-off of two rates on development data, and telling both rates on test data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from coterie.judge.decisions import Decisions
from coterie.judge.labels import Floats, Ints
from coterie.judge.verdicts import CHUNK_VALUES
from coterie.parts.thresholds import Cut, Marks, cut_of, middle_of_best

Rates = Literal["precision-recall", "far-frr", "tpr-tnr"]
Criterion = Literal["weighted", "first", "second"]
RATES: tuple[Rates, ...] = get_args(Rates)
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
Blocks: TypeAlias = (
    "tuple[Floats, Ints, Marks]"  # distinct scores, the place of each example among them, yes or no
)


def choose(lists: Sequence[Blocks], alphas: Floats, rates: Rates, criterion: Criterion) -> Floats:
    """A threshold for every trade-off (row) and category (column)."""
    found = np.empty((alphas.size, len(lists)))
    for k, (distinct, place, marks) in enumerate(lists):
        whole = cut_of(distinct, place, marks, np.ones(marks.size))
        found[:, k] = whole.thresholds[chosen_places(whole, alphas, rates, criterion)]
    return found


def chosen_places(found: Cut, alphas: Floats, rates: Rates, criterion: Criterion) -> Ints:
    """The best cut for every trade-off: the middle of the first run of equally good ones."""
    first, second = _rates(found, rates)
    step = max(1, CHUNK_VALUES // first.size)
    parts = [
        _costs(first, second, alphas[i : i + step], rates, criterion)
        for i in range(0, alphas.size, step)
    ]
    return np.concatenate([middle_of_best(part) for part in parts])


def _rates(found: Cut, rates: Rates) -> tuple[Floats, Floats]:
    if rates == "far-frr":
        return found.far, found.frr
    if rates == "tpr-tnr":
        return found.recall, 1.0 - found.far
    precision = found.precision
    return precision, np.where(
        np.isnan(precision), np.nan, found.recall
    )  # taking none is no choice


def _costs(
    first: Floats, second: Floats, alphas: Floats, rates: Rates, criterion: Criterion
) -> Floats:
    if criterion != "weighted":
        return np.abs((first if criterion == "first" else second)[:, None] - alphas)
    sign = 1.0 if rates == "far-frr" else -1.0
    return np.asarray(
        sign * (first[:, None] * alphas + second[:, None] * (1.0 - alphas)), dtype=np.float64
    )


def performance(found: Decisions, rates: Rates, average: str) -> tuple[Floats, Floats, Floats]:
    """Both rates and what is told of them (F1, HTER, their mean), averaged over categories that have what a rate needs."""
    if average == "micro":
        sums = (
            part.sum(axis=-1, keepdims=True) for part in (found.tp, found.fp, found.fn, found.tn)
        )
        found = Decisions(("all",), *sums)
    if rates == "far-frr":
        first = found.far
        second = found.frr
        value = found.hter
    elif rates == "tpr-tnr":
        first = found.recall
        second = 1.0 - found.far
        value = 1.0 - found.hter
    else:
        first = np.where(found.tp + found.fn > 0, np.nan_to_num(found.precision), np.nan)
        second = found.recall
        value = found.f1
    return _mean(first), _mean(second), _mean(value)


def _mean(values: Floats) -> Floats:
    """The mean over the last axis of what is there."""
    there = ~np.isnan(values)
    many = there.sum(axis=-1)
    total = np.where(there, values, 0.0).sum(axis=-1)
    return np.divide(total, many, out=np.full(np.shape(many), np.nan), where=many > 0)
