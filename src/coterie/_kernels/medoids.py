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
        best = -1
        best_gain = 0.0
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
                best = j
                best_gain = gain
        medoids[m] = best
        taken[best] = True
        for o in range(n):
            if m == 0 or gaps[best, o] < near[o]:
                near[o] = gaps[best, o]


@njit(cache=True, nogil=True)
def _two_nearest(gaps, medoids, o, first, second, near, next_near):  # type: ignore[no-untyped-def]
    """The nearest and the second nearest medoid of member o, by their places in `medoids`."""
    a = -1
    b = -1
    da = np.inf
    db = np.inf
    for m in range(medoids.size):
        d = gaps[medoids[m], o]
        if d < da or a < 0:
            b = a
            db = da
            a = m
            da = d
        elif d < db or b < 0:
            b = m
            db = d
    first[o] = a
    second[o] = b
    near[o] = da
    next_near[o] = db


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
    n = gaps.shape[0]
    k = medoids.size
    first = np.empty(n, dtype=np.int64)
    second = np.empty(n, dtype=np.int64)
    near = np.empty(n)
    next_near = np.empty(n)
    loss = np.empty(k)
    change = np.empty(k)
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
                second[o] = first[o]
                next_near[o] = near[o]
                first[o] = out
                near[o] = d
            elif d < next_near[o]:
                second[o] = out
                next_near[o] = d
        total = _losses(first, near, next_near, loss)
    return swaps, total
