"""Where training begins, compiled: k-means of the frames of many models, one after the other."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _nearest(x, centers, labels, gaps):  # type: ignore[no-untyped-def]
    """The nearest center of every row, the lower one at a tie, and the squared distance to it; whether a label changed."""
    changed = False
    for t in range(x.shape[0]):
        best = np.inf
        at = 0
        for k in range(centers.shape[0]):
            total = 0.0
            for j in range(x.shape[1]):
                gap = x[t, j] - centers[k, j]
                total += gap * gap
            if total < best:
                best = total
                at = k
        gaps[t] = best
        if labels[t] != at:
            labels[t] = at
            changed = True
    return changed


@njit(cache=True, nogil=True)
def _spread_out(x, draws, centers, gaps):  # type: ignore[no-untyped-def]
    """k-means++: each further center is a row drawn by its squared distance from those before; how many differ."""
    centers[0] = x[min(int(draws[0] * x.shape[0]), x.shape[0] - 1)]
    gaps[:] = np.inf
    for k in range(1, centers.shape[0]):
        total = 0.0
        for t in range(x.shape[0]):
            away = 0.0
            for j in range(x.shape[1]):
                gap = x[t, j] - centers[k - 1, j]
                away += gap * gap
            gaps[t] = min(gaps[t], away)
            total += gaps[t]
        if total <= 0.0:
            return k
        goal = draws[k] * total
        at = x.shape[0] - 1
        for t in range(x.shape[0]):
            goal -= gaps[t]
            if goal < 0.0:
                at = t
                break
        centers[k] = x[at]
    return centers.shape[0]


@njit(cache=True, nogil=True)
def kmeans_of_each(x, bounds, draws, rounds, labels):  # type: ignore[no-untyped-def]
    """Labels of the rows bounds[m]..bounds[m + 1] among their own centers; `draws` (M, K) are uniform numbers."""
    n_states = draws.shape[1]
    width = x.shape[1]
    centers = np.empty((n_states, width))
    sums = np.empty((n_states, width))
    count = np.empty(n_states)
    gaps = np.empty(x.shape[0])
    for m in range(bounds.size - 1):
        lo = bounds[m]
        hi = bounds[m + 1]
        if hi == lo:
            continue
        rows = x[lo:hi]
        own = labels[lo:hi]
        away = gaps[lo:hi]
        used = _spread_out(rows, draws[m], centers, away)
        own[:] = -1
        for _ in range(rounds):
            if not _nearest(rows, centers[:used], own, away):
                break
            sums[:] = 0.0
            count[:] = 0.0
            for t in range(hi - lo):
                count[own[t]] += 1.0
                for j in range(width):
                    sums[own[t], j] += rows[t, j]
            for k in range(used):
                if count[k] > 0.0:
                    for j in range(width):
                        centers[k, j] = sums[k, j] / count[k]
