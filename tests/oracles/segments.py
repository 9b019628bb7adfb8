"""Slow obvious twins for cuts: every way to cut, every labeling with changes, every matching of segments."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations, product

import numpy as np


def scatter(rows):
    return float(((rows - rows.mean(axis=0)) ** 2).sum())


def best_cut(rows, k, least=1):
    """(least scatter, boundaries) over every way to cut the rows into k segments of at least `least` rows."""
    n = len(rows)
    best = np.inf
    at = None
    for inner in combinations(range(1, n), k - 1):
        bounds = [0, *inner, n]
        if min(np.diff(bounds)) < least:
            continue
        cost = sum(scatter(rows[a:b]) for a, b in pairwise(bounds))
        if cost < best - 1e-12:
            best = cost
            at = bounds
    return best, at


def best_labels(away, penalty):
    """The least sum of distances plus penalties for changes, over every labeling."""
    best = np.inf
    for labels in product(range(away.shape[1]), repeat=len(away)):
        changes = sum(a != b for a, b in pairwise(labels))
        best = min(best, sum(away[t, s] for t, s in enumerate(labels)) + penalty * changes)
    return best


def segmentation_error(found, true):
    """Share of steps in the wrong segment, over every one-to-one matching of found and true segments."""
    a = np.repeat(np.arange(len(found) - 1), np.diff(found))
    b = np.repeat(np.arange(len(true) - 1), np.diff(true))
    size = max(len(found), len(true)) - 1
    return min(float(np.mean(np.array(names)[a] != b)) for names in permutations(range(size)))


def pk(found, true, width):
    """Share of pairs of steps `width` apart that one cut puts together and the other apart, pair by pair."""
    wrong = 0
    n = len(found)
    for i in range(n - width):
        wrong += len(set(found[i : i + width + 1])) == 1 and len(set(true[i : i + width + 1])) != 1
        wrong += len(set(found[i : i + width + 1])) != 1 and len(set(true[i : i + width + 1])) == 1
    return wrong / (n - width)


def window_diff(found, true, width):
    """Share of stretches of `width` steps with unequally many changes of label, stretch by stretch."""
    wrong = 0
    n = len(found)
    for i in range(n - width):
        mine = sum(found[t] != found[t + 1] for t in range(i, i + width))
        other = sum(true[t] != true[t + 1] for t in range(i, i + width))
        wrong += mine != other
    return wrong / (n - width)
