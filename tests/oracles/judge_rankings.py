"""Ranking measures by going through every order of the tied members."""

from __future__ import annotations

from itertools import permutations, product
from math import isnan


def orders(scores):
    """All orders of the positions in which scores never rise; NaN is behind everything."""
    values = [(0, 0.0) if isnan(s) else (1, s) for s in scores]
    blocks = [
        [i for i, v in enumerate(values) if v == value]
        for value in sorted(set(values), reverse=True)
    ]
    for choice in product(*(permutations(block) for block in blocks)):
        yield [i for block in choice for i in block]


def expected(scores, relevant, measure):
    """Mean of a measure of the list of 0 and 1 over all orders."""
    values = [measure([int(relevant[i]) for i in order]) for order in orders(scores)]
    return sum(values) / len(values)


def average_precision(hits):
    return sum(sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit) / sum(hits)


def precision_at(r):
    return lambda hits: sum(hits[:r]) / r


def recall_at(r):
    return lambda hits: sum(hits[:r]) / sum(hits)


def f_at(r):
    def f(hits):
        p = precision_at(r)(hits)
        c = recall_at(r)(hits)
        return 2 * p * c / (p + c) if p + c else 0.0

    return f


def r_precision(hits):
    return sum(hits[: sum(hits)]) / sum(hits)


def auc(scores, relevant):
    """Share of (relevant, irrelevant) pairs in the right order, equal ones half; NaN is below everything."""
    values = [(0, 0.0) if isnan(s) else (1, s) for s in scores]
    good = [v for v, r in zip(values, relevant, strict=True) if r]
    bad = [v for v, r in zip(values, relevant, strict=True) if not r]
    return sum((g > b) + 0.5 * (g == b) for g in good for b in bad) / (len(good) * len(bad))
