"""k-means: greedy k-means++ starts and Lloyd's rounds, all starts in one call; the draws are given, so that nothing is random."""

from __future__ import annotations

import numpy as np
from numba import njit

_AT_ONCE = 512  # rows whose distances stay near the processor


@njit(cache=True, nogil=True)
def _begin(turned, first, draws, centers):  # type: ignore[no-untyped-def]
    """Fill `centers` by k-means++: each next one is the best of a few rows drawn by their squared distance to the nearest."""
    n = turned.shape[1]
    near = np.empty(n)
    trial = np.empty(n)
    best = np.empty(n)
    centers[0] = turned[:, first]
    total = _apart(turned, first, np.full(n, np.inf), near)
    for c in range(1, len(centers)):
        least = np.inf
        chosen = 0
        for t in range(draws.shape[1]):
            mark = draws[c - 1, t] * total
            at = n - 1
            reached = 0.0
            for i in range(n):
                reached += near[i]
                if reached >= mark:
                    at = i
                    break
            left = _apart(turned, at, near, trial)
            if left < least:
                least = left
                chosen = at
                trial, best = best, trial
        near, best = best, near
        total = least
        centers[c] = turned[:, chosen]


@njit(cache=True, nogil=True)
def _apart(turned, at, limit, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the squared distance of every row to one of them, no more than its limit, and give the sum."""
    width, n = turned.shape
    out[:] = 0.0
    for t in range(width):
        x = turned[t, at]
        for i in range(n):
            gap = turned[t, i] - x
            out[i] += gap * gap
    total = 0.0
    for i in range(n):
        out[i] = min(out[i], limit[i])
        total += out[i]
    return total


@njit(cache=True, nogil=True, fastmath={"contract"})
def _assign(turned, centers, labels, apart):  # type: ignore[no-untyped-def]
    """The nearest center of every row (the first of equals) and how far it is, squared; whether a label changed."""
    width, n = turned.shape
    away = np.empty(_AT_ONCE)
    nearest = np.empty(_AT_ONCE, dtype=np.int64)
    changed = False
    for first in range(0, n, _AT_ONCE):
        many = min(_AT_ONCE, n - first)
        least = apart[first : first + many]
        least[:] = np.inf
        for j in range(len(centers)):
            away[:many] = 0.0
            for t in range(width):
                x = centers[j, t]
                line = turned[t, first : first + many]
                for i in range(many):
                    gap = line[i] - x
                    away[i] += gap * gap
            for i in range(many):
                if away[i] < least[i]:
                    least[i] = away[i]
                    nearest[i] = j
        for i in range(many):
            if labels[first + i] != nearest[i]:
                labels[first + i] = nearest[i]
                changed = True
    return changed


@njit(cache=True, nogil=True)
def _move(rows, labels, apart, sizes, centers):  # type: ignore[no-untyped-def]
    """Centers become the means of their rows; a group without rows takes the row that is farthest from its center."""
    n, width = rows.shape
    sizes[:] = 0.0
    centers[:] = 0.0
    for i in range(n):
        group = labels[i]
        sizes[group] += 1.0
        for t in range(width):
            centers[group, t] += rows[i, t]
    for j in range(len(centers)):
        if sizes[j] > 0.0:
            continue
        far = np.argmax(apart)
        giver = labels[far]
        if apart[far] <= 0.0:
            break
        apart[far] = -1.0
        for t in range(width):
            centers[giver, t] -= rows[far, t]
            centers[j, t] = rows[far, t]
        sizes[giver] -= 1.0
        sizes[j] = 1.0
    for j in range(len(centers)):
        if sizes[j] > 0.0:
            for t in range(width):
                centers[j, t] /= sizes[j]


@njit(cache=True, nogil=True)
def _same(one, other, k):  # type: ignore[no-untyped-def]
    """Whether two labelings are one and the same but for the numbers of their groups."""
    number = np.full(k, -1)
    for i in range(len(one)):
        if number[one[i]] < 0:
            number[one[i]] = other[i]
        elif number[one[i]] != other[i]:
            return False
    return True


@njit(cache=True, nogil=True)
def best_of_starts(rows, firsts, draws, most, labels, centers):  # type: ignore[no-untyped-def]
    """Fill `labels` and `centers` by the start that ends with the least distortion, and give that.

    `firsts` are the rows with which the starts begin, `draws` (starts, k - 1, trials) numbers in [0, 1) for the others.
    """
    n, width = rows.shape
    k = len(centers)
    found = np.empty(n, dtype=np.int64)
    places = np.empty((k, width))
    sizes = np.empty(k)
    apart = np.empty(n)
    turned = np.ascontiguousarray(rows.T)
    best = np.inf
    for start in range(len(firsts)):
        _begin(turned, firsts[start], draws[start], places)
        found[:] = -1
        for _ in range(most):
            if not _assign(turned, places, found, apart):
                break
            _move(rows, found, apart, sizes, places)
        else:
            _assign(turned, places, found, apart)
        distortion = 0.0
        for i in range(n):
            distortion += apart[i]
        if start == 0 or (distortion < best and not _same(found, labels, k)):
            best = distortion
            labels[:] = found
            centers[:] = places
    return best
