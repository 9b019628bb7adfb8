"""k-medoids over a dense symmetric distance matrix: BUILD, and SWAP passes that take an improving swap when they see it.

The gain of exchanging a candidate for every medoid is found in one look at the candidate's row (Schubert and Rousseeuw).
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def build(gaps, medoids):  # type: ignore[no-untyped-def]
    """Fill `medoids`: the most central member, then again and again the one that shortens the distances most."""
    n = gaps.shape[0]
    near = np.empty(n)
    taken = np.zeros(n, dtype=np.bool_)
    for m in range(medoids.size):
        best, best_gain = -1, 0.0
        for j in range(n):
            if taken[j]:
                continue
            gain = 0.0
            for o in range(n):
                if m == 0:
                    gain -= gaps[j, o]
                elif gaps[j, o] < near[o]:
                    gain += near[o] - gaps[j, o]
            if best < 0 or gain > best_gain:
                best, best_gain = j, gain
        medoids[m] = best
        taken[best] = True
        for o in range(n):
            if m == 0 or gaps[best, o] < near[o]:
                near[o] = gaps[best, o]


@njit(cache=True, nogil=True)
def _two_nearest(gaps, medoids, o, first, second, near, next_near):  # type: ignore[no-untyped-def]
    """The nearest and the second nearest medoid of member o, by their places in `medoids`."""
    a, b = -1, -1
    da, db = np.inf, np.inf
    for m in range(medoids.size):
        d = gaps[medoids[m], o]
        if d < da or a < 0:
            b, db = a, da
            a, da = m, d
        elif d < db or b < 0:
            b, db = m, d
    first[o], second[o], near[o], next_near[o] = a, b, da, db


@njit(cache=True, nogil=True)
def _losses(first, near, next_near, loss):  # type: ignore[no-untyped-def]
    """What the removal of each medoid costs; gives the sum of all distances."""
    loss[:] = 0.0
    total = 0.0
    for o in range(first.size):
        loss[first[o]] += next_near[o] - near[o]
        total += near[o]
    return total


@njit(cache=True, nogil=True)
def swap(gaps, medoids):  # type: ignore[no-untyped-def]
    """One pass over all candidates, at least two medoids; changes `medoids`, gives (swaps made, sum of distances)."""
    n, k = gaps.shape[0], medoids.size
    first, second = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    near, next_near = np.empty(n), np.empty(n)
    loss, change = np.empty(k), np.empty(k)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[medoids] = True
    for o in range(n):
        _two_nearest(gaps, medoids, o, first, second, near, next_near)
    total = _losses(first, near, next_near, loss)
    swaps = 0
    for j in range(n):
        if chosen[j]:
            continue
        change[:] = loss
        shared = 0.0
        for o in range(n):
            d = gaps[j, o]
            if d < near[o]:
                shared += d - near[o]
                change[first[o]] += near[o] - next_near[o]
            elif d < next_near[o]:
                change[first[o]] += d - next_near[o]
        out = np.argmin(change)
        if change[out] + shared >= -1e-10 * total:
            continue
        chosen[medoids[out]] = False
        chosen[j] = True
        medoids[out] = j
        swaps += 1
        for o in range(n):
            d = gaps[j, o]
            if first[o] == out or second[o] == out:
                _two_nearest(gaps, medoids, o, first, second, near, next_near)
            elif d < near[o]:
                second[o], next_near[o] = first[o], near[o]
                first[o], near[o] = out, d
            elif d < next_near[o]:
                second[o], next_near[o] = out, d
        total = _losses(first, near, next_near, loss)
    return swaps, total
