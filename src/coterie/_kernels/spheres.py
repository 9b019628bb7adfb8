"""Enclosing balls in kernel space: multipliers of one ball by pairwise exchange, and balls packed two by two into larger ones.

A ball is its center's row in the Gram matrix of all centers and a radius; a pack changes that row, never the vectors.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _begin(gram, bound, weights, slope):  # type: ignore[no-untyped-def]
    """The first multipliers at their bound until they sum to one, and the slope diag(K) - 2 K a."""
    n = gram.shape[0]
    left = 1.0
    for i in range(n):
        weights[i] = min(bound, left) if i < n - 1 else left
        left -= weights[i]
        if left <= 1e-15:
            left = 0.0
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += gram[i, j] * weights[j]
        slope[i] = gram[i, i] - 2.0 * total


@njit(cache=True, nogil=True)
def enclose(gram, bound, stop, most, weights):  # type: ignore[no-untyped-def]
    """Fill `weights` with the multipliers of the smallest ball around n vectors, each at most `bound`.

    Each step moves weight from one vector to the one with the steepest slope; the giver is the one with the largest gain.
    Gives (steps, how far the steepest and the flattest slope that could be exchanged still differ).
    """
    n = gram.shape[0]
    slope = np.empty(n)
    _begin(gram, bound, weights, slope)
    gap = 0.0
    for step in range(most):
        taker = -1
        top = -np.inf
        bottom = np.inf
        for i in range(n):
            if weights[i] < bound and slope[i] > top:
                taker = i
                top = slope[i]
            if weights[i] > 0.0 and slope[i] < bottom:
                bottom = slope[i]
        gap = max(top - bottom, 0.0)
        if taker < 0 or gap <= stop:
            return step, 0.0 if taker < 0 else gap
        giver = -1
        best = -1.0
        bend = 1.0
        for i in range(n):
            rise = top - slope[i]
            if weights[i] > 0.0 and rise > 0.0:
                curve = max(gram[taker, taker] + gram[i, i] - 2.0 * gram[taker, i], 1e-300)
                if rise * rise / curve > best:
                    giver = i
                    best = rise * rise / curve
                    bend = curve
        move = 0.5 * (top - slope[giver]) / bend
        room = bound - weights[taker]
        if move >= room and room <= weights[giver]:
            move = room
            weights[taker] = bound
            weights[giver] -= move
        elif move >= weights[giver]:
            move = weights[giver]
            weights[giver] = 0.0
            weights[taker] += move
        else:
            weights[taker] += move
            weights[giver] -= move
        for i in range(n):
            slope[i] -= 2.0 * move * (gram[taker, i] - gram[giver, i])
    return most, gap


@njit(cache=True, nogil=True)
def _apart(gram, i, j):  # type: ignore[no-untyped-def]
    """The distance of two centers; zero where it is rounding only."""
    square = gram[i, i] + gram[j, j] - 2.0 * gram[i, j]
    return np.sqrt(square) if square > 1e-14 * (abs(gram[i, i]) + abs(gram[j, j])) else 0.0


@njit(cache=True, nogil=True)
def _together(gram, radii, kinds, i, j):  # type: ignore[no-untyped-def]
    """The radius of the smallest ball around two balls; infinite where both are of a known and different kind."""
    if kinds[i] >= 0 and kinds[j] >= 0 and kinds[i] != kinds[j]:
        return np.inf
    return max(radii[i], radii[j], 0.5 * (_apart(gram, i, j) + radii[i] + radii[j]))


@njit(cache=True, nogil=True)
def _look(gram, radii, kinds, alive, i, partner, least):  # type: ignore[no-untyped-def]
    """The best partner of ball i among all that are left."""
    partner[i] = -1
    least[i] = np.inf
    for j in range(radii.size):
        if j != i and alive[j]:
            value = _together(gram, radii, kinds, i, j)
            if value < least[i]:
                partner[i] = j
                least[i] = value


@njit(cache=True, nogil=True)
def look_all(gram, radii, kinds, alive, partner, least):  # type: ignore[no-untyped-def]
    """The best partner of every ball."""
    for i in range(radii.size):
        if alive[i]:
            _look(gram, radii, kinds, alive, i, partner, least)


@njit(cache=True, nogil=True)
def _pack(gram, radii, i, j):  # type: ignore[no-untyped-def]
    """Put the smallest ball around balls i and j in the place of i; gives the share of center j in the new center."""
    gap = _apart(gram, i, j)
    if gap + radii[j] <= radii[i]:
        return 0.0
    if gap + radii[i] <= radii[j]:
        share = 1.0
        radius = radii[j]
    else:
        radius = 0.5 * (gap + radii[i] + radii[j])
        share = min(max((radius - radii[i]) / gap, 0.0), 1.0)
    keep = 1.0 - share
    own = keep * keep * gram[i, i] + 2.0 * keep * share * gram[i, j] + share * share * gram[j, j]
    for k in range(radii.size):
        gram[i, k] = keep * gram[i, k] + share * gram[j, k]
    gram[i, i] = own
    for k in range(radii.size):
        gram[k, i] = gram[i, k]
    radii[i] = radius
    return share


@njit(cache=True, nogil=True)
def _news(gram, radii, kinds, alive, i, j, partner, least):  # type: ignore[no-untyped-def]
    """Tell the others that i is a new ball and j is gone: only who had one of the two as partner looks again."""
    for k in range(radii.size):
        if not alive[k] or k == i:
            continue
        value = _together(gram, radii, kinds, k, i)
        if value < least[k] or (value == least[k] and i <= partner[k]):
            partner[k] = i
            least[k] = value
        elif partner[k] == i or partner[k] == j:
            _look(gram, radii, kinds, alive, k, partner, least)
    _look(gram, radii, kinds, alive, i, partner, least)


@njit(cache=True, nogil=True)
def pack_some(gram, radii, kinds, alive, partner, least, nodes, sizes, merges, shares, first, last):  # type: ignore[no-untyped-def]
    """Merges `first` to `last`, each of the pair with the least common ball; gives how many are made when none is left.

    Changes everything it is given: the pack lies in the place of the ball that came first. `merges` has SciPy's form, and
    `shares` the share of its second ball in the center.
    """
    n = nodes.size
    for t in range(first, last):
        i = -1
        for k in range(n):
            if alive[k] and partner[k] >= 0 and (i < 0 or least[k] < least[i]):
                i = k
        if i < 0 or not np.isfinite(least[i]):
            return t
        j = partner[i]
        i, j = min(i, j), max(i, j)
        height = _together(gram, radii, kinds, i, j)
        share = _pack(gram, radii, i, j)
        sizes[i] += sizes[j]
        a = nodes[i]
        b = nodes[j]
        merges[t, 0] = min(a, b)
        merges[t, 1] = max(a, b)
        merges[t, 2] = height
        merges[t, 3] = sizes[i]
        shares[t] = share if a < b else 1.0 - share
        nodes[i] = n + t
        alive[j] = False
        kinds[i] = max(kinds[i], kinds[j])
        _news(gram, radii, kinds, alive, i, j, partner, least)
    return last
