"""Pairs of sets that are nearly the same, all pairs looked at."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def similar_pairs(rows: np.ndarray, threshold: float, least: int) -> list[list[int]]:
    """Pairs of rows whose sets of columns have at least this Jaccard index, of sets that are large enough."""
    sets = [set(np.flatnonzero(row).tolist()) for row in rows]
    return [
        [i, j]
        for i, j in combinations(range(len(sets)), 2)
        if min(len(sets[i]), len(sets[j])) >= least
        and len(sets[i] & sets[j]) >= threshold * len(sets[i] | sets[j]) - 1e-9
    ]
