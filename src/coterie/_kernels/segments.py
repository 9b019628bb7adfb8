"""Cuts of a row of vectors by dynamic programming: the best cut into every number of segments, and into given sources."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_cuts(sums, squares, least, costs, back):  # type: ignore[no-untyped-def]
    """Fill costs and back (most, n + 1): the least scatter of the first j rows in q + 1 segments, and where the last begins.

    `sums` (n + 1, m) and `squares` (n + 1,) are the rows and their squared lengths summed up from the front; a segment has
    `least` rows or more. The scatter of a stretch is found once and used for every number of segments; among equal cuts
    the earliest is taken.
    """
    most = costs.shape[0]
    n = costs.shape[1] - 1
    m = sums.shape[1]
    scatter = np.empty(n)
    costs[:] = np.inf
    for j in range(least, n + 1):
        for i in range(j - least + 1):
            length = 0.0
            for v in range(m):
                gap = sums[j, v] - sums[i, v]
                length += gap * gap
            scatter[i] = max(squares[j] - squares[i] - length / (j - i), 0.0)
        costs[0, j] = scatter[0]
        back[0, j] = 0
        for q in range(1, min(most, j // least)):
            best = np.inf
            at = -1
            for i in range(q * least, j - least + 1):
                cost = costs[q - 1, i] + scatter[i]
                if cost < best:
                    best = cost
                    at = i
            costs[q, j] = best
            back[q, j] = at


@njit(cache=True, nogil=True)
def best_labels(away, penalty, labels):  # type: ignore[no-untyped-def]
    """Fill labels: one source per row, with the least sum of `away` (rows, sources) plus `penalty` for every change."""
    n, k = away.shape
    total = away[0].copy()
    before = np.empty((n, k), dtype=np.int64)
    for t in range(1, n):
        at = np.argmin(total)
        change = total[at] + penalty
        for s in range(k):
            if total[s] <= change:
                before[t, s] = s
                total[s] += away[t, s]
            else:
                before[t, s] = at
                total[s] = change + away[t, s]
    labels[n - 1] = np.argmin(total)
    for t in range(n - 1, 0, -1):
        labels[t - 1] = before[t, labels[t]]
