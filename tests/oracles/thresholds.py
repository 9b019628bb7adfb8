"""Slow twins of the choice of a threshold: every cut tried, precision, recall and F1 by counting."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def cuts(scores):
    """Every threshold that parts the scores in another way, those that accept somebody."""
    distinct = sorted(set(scores), reverse=True)
    return [*((a + b) / 2 for a, b in pairwise(distinct)), distinct[-1] - 1.0]


def at(scores, yes, threshold):
    """Precision, recall and F1 of `score > threshold`."""
    taken = [s > threshold for s in scores]
    right = sum(t and y for t, y in zip(taken, yes, strict=True))
    precision = right / sum(taken)
    recall = right / sum(yes)
    return precision, recall, 2 * right / (sum(taken) + sum(yes))


def best_f1(scores, yes):
    """The largest F1 of any cut."""
    return max(at(scores, yes, cut)[2] for cut in cuts(scores))


def best_gap(scores, yes):
    """The least difference of precision and recall of any cut that finds somebody."""
    found = [at(scores, yes, cut) for cut in cuts(scores)]
    return min(abs(p - r) for p, r, _ in found if p > 0)


def auc(scores, yes):
    """How often a yes is above a no, ties as one half."""
    pairs = [
        (a > b) + 0.5 * (a == b)
        for a, y in zip(scores, yes, strict=True)
        if y
        for b, z in zip(scores, yes, strict=True)
        if not z
    ]
    return float(np.mean(pairs))
