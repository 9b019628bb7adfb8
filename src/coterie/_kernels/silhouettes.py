"""How well a cut separates members: their mean silhouette, by distances or by the rows of an embedding."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def mean_of_distances(apart, labels, sizes):  # type: ignore[no-untyped-def]
    """Mean of (b - a) / max(a, b) over all members; 0 for one that is alone in its group. The diagonal is left out."""
    n = len(labels)
    sums = np.empty(len(sizes))
    total = 0.0
    for i in range(n):
        total += _of_one(apart[i], i, labels, sizes, sums)
    return total / n


@njit(cache=True, nogil=True, fastmath={"contract"})
def mean_of_rows(turned, labels, sizes):  # type: ignore[no-untyped-def]
    """The same for Euclidean distances between rows, which are never held all at once; `turned` has a column per row."""
    width, n = turned.shape
    sums = np.empty(len(sizes))
    gaps = np.empty(n)
    total = 0.0
    for i in range(n):
        gaps[:] = 0.0
        for t in range(width):
            x = turned[t, i]
            line = turned[t]
            for j in range(n):
                gap = line[j] - x
                gaps[j] += gap * gap
        for j in range(n):
            gaps[j] = np.sqrt(gaps[j])
        total += _of_one(gaps, i, labels, sizes, sums)
    return total / n


@njit(cache=True, nogil=True)
def _of_one(gaps, i, labels, sizes, sums):  # type: ignore[no-untyped-def]
    own = labels[i]
    if sizes[own] < 2:
        return 0.0
    sums[:] = 0.0
    for j in range(len(labels)):
        sums[labels[j]] += gaps[j]
    inside = (sums[own] - gaps[i]) / (sizes[own] - 1)
    nearest = np.inf
    for group in range(len(sizes)):
        if group != own and sizes[group] > 0:
            nearest = min(nearest, sums[group] / sizes[group])
    wide = max(inside, nearest)
    return (nearest - inside) / wide if wide > 0.0 else 0.0
