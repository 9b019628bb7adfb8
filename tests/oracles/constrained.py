"""Assignment under pairs slowly: every assignment tried, every pair counted by hand, weights changed cell by cell."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np


def cost(costs, groups, hints) -> float:
    """What the groups cost: every pair that is not kept pays its weight; infinite where a law is broken."""
    labels_are_pairs = hints.scheme != "seeded"
    total = sum(costs[i][g] for i, g in enumerate(groups))
    for i, j in hints.together.tolist():
        if groups[i] != groups[j]:
            total += hints.pair_weight
    for i, j in hints.apart.tolist():
        if groups[i] == groups[j]:
            total += hints.pair_weight
    for i, j in combinations(hints.known.tolist(), 2):
        kept = (hints.labels[i] == hints.labels[j]) == (groups[i] == groups[j])
        if labels_are_pairs and not kept:
            total += hints.trust
    return float(total)


def best(costs, hints) -> float:
    """The least cost of all assignments; infinite where none keeps the laws."""
    n, k = np.shape(costs)
    return min(cost(costs, groups, hints) for groups in product(range(k), repeat=n))


def colorable(pairs, n, k) -> bool:
    """Whether n elements can have k colors so that no pair has one."""
    return any(all(c[i] != c[j] for i, j in pairs) for c in product(range(k), repeat=n))


def largest_clique(pairs, n) -> int:
    """The most elements that are all apart from each other."""
    there = {frozenset(pair) for pair in pairs}
    sizes = range(n, 0, -1)
    return next(
        s
        for s in sizes
        if any(
            all(frozenset(p) in there for p in combinations(c, 2))
            for c in combinations(range(n), s)
        )
    )


def weights(matrix, hints):
    """Symmetric weights changed pair by pair; only for hints without pairs that follow from others."""
    top = matrix.max(axis=1)
    share = min(1.0, hints.pair_weight)
    found = matrix.copy()
    for i, j in hints.together.tolist():
        wanted = max(top[i], top[j]) or top.max()
        found[i, j] = found[j, i] = matrix[i, j] + share * max(wanted - matrix[i, j], 0.0)
    for i, j in hints.apart.tolist():
        found[i, j] = found[j, i] = matrix[i, j] * (1 - share)
    return found
