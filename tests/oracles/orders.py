"""Slow, obvious twins of neighbor orders: every order of tied points, every training part, one pair of sets at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

Metric = Callable[[np.ndarray, np.ndarray], float]


def euclidean(x: np.ndarray, y: np.ndarray) -> float:
    return math.dist(x, y)


def seen_from(
    x: int, own: np.ndarray, other: np.ndarray, metric: Metric
) -> list[tuple[float, int]]:
    """(distance, 0 for an own point and 1 for another), nearest first; the point itself is left out."""
    found = [(metric(own[x], own[k]), 0) for k in range(len(own)) if k != x]
    found += [(metric(own[x], point), 1) for point in other]
    return sorted(found)


def all_orders(seen: list[tuple[float, int]]) -> Iterator[list[int]]:
    """Every order of the points in which tied ones stand in some order; each as likely as the others."""
    groups: list[list[int]] = []
    last = -1.0
    for far, label in seen:
        if groups and far <= last * (1 + 1e-12):
            groups[-1].append(label)
        else:
            groups.append([label])
        last = far
    for choice in itertools.product(*(list(itertools.permutations(group)) for group in groups)):
        yield [label for group in choice for label in group]


def order_counts(
    own: np.ndarray, other: np.ndarray, metric: Metric = euclidean
) -> tuple[np.ndarray, np.ndarray]:
    """Points by how many of their own come before the first other, and by how many others before the first own."""
    a_counts = np.zeros(len(own))
    b_counts = np.zeros(len(other) + 1)
    for x in range(len(own)):
        orders = list(all_orders(seen_from(x, own, other, metric)))
        for order in orders:
            a = order.index(1)
            b = order.index(0) if 0 in order else len(other)
            a_counts[a] += 1 / len(orders)
            b_counts[b] += 1 / len(orders)
    return a_counts, b_counts


def part_error(seen: list[tuple[float, int]]) -> float:
    """The share of wrong ones among the nearest training points."""
    nearest = seen[0][0] * (1 + 1e-12)
    labels = [label for far, label in seen if far <= nearest]
    return sum(labels) / len(labels)


def complete_error(own: np.ndarray, other: np.ndarray, size: int) -> float:
    """The mean error of the points of one set over all training parts of this size of both sets together."""
    total = 0.0
    for x in range(len(own)):
        parts = [
            part_error(list(part))
            for part in itertools.combinations(seen_from(x, own, other, euclidean), size)
        ]
        total += sum(parts) / len(parts)
    return total / len(own)


def stratified_error(own: np.ndarray, other: np.ndarray, size: int, other_size: int) -> float:
    """The same over all training parts with so many points of the own set and of the other."""
    total = 0.0
    for x in range(len(own)):
        seen = seen_from(x, own, other, euclidean)
        mine = [one for one in seen if one[1] == 0]
        theirs = [one for one in seen if one[1] == 1]
        parts = [
            part_error(sorted(a + b))
            for a in itertools.combinations(mine, size)
            for b in itertools.combinations(theirs, other_size)
        ]
        total += sum(parts) / len(parts)
    return total / len(own)


def weighted_error(
    own: np.ndarray, other: np.ndarray, size: int, metric: Metric = euclidean
) -> float:
    """The same as `complete_error` by the weights of ranks; for points without ties."""
    n = len(own) + len(other)
    weights = [math.comb(n - 1 - rank, size - 1) / math.comb(n - 1, size) for rank in range(1, n)]
    errors = [
        sum(
            weight * label
            for weight, (_, label) in zip(weights, seen_from(x, own, other, metric), strict=True)
        )
        for x in range(len(own))
    ]
    return sum(errors) / len(errors)


def mean_logs(
    own: np.ndarray, other: np.ndarray, k: int, metric: Metric = euclidean
) -> tuple[float, float, float]:
    """Mean log k-th distance into the other and the own set, and the share of points that were skipped."""
    far = []
    near = []
    for x in range(len(own)):
        seen = seen_from(x, own, other, metric)
        mine = [d for d, label in seen if label == 0]
        theirs = [d for d, label in seen if label == 1]
        for q in range(k, max(k, 5) + 1):
            if q <= min(len(mine), len(theirs)) and mine[q - 1] > 0 and theirs[q - 1] > 0:
                far.append(math.log(theirs[q - 1]))
                near.append(math.log(mine[q - 1]))
                break
    if not far:
        return math.nan, math.nan, 1.0
    return sum(far) / len(far), sum(near) / len(near), 1 - len(far) / len(own)
