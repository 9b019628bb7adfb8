"""Loops of closed-form sampling: how often a point is in error when one of two sets is thinned to a prior."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_DEEP = 64.0  # what is left of a telescoped sum beyond so many points on both sides is below 1e-35
_LEAST = 1e-300  # chances below this are none
_WHOLE = 1e-9  # how near to a whole number is one


@njit(cache=True, nogil=True)
def taken_out(n: int, m: int, p: float, q: float) -> tuple[bool, float]:
    """Whether the own set (n points, prior p) is thinned, or the other (m points, q), and by how many points."""
    own = p * m < q * n
    s = min(n - m * p / q, n - 1.0) if own else m - n * q / p
    if abs(s - np.rint(s)) < _WHOLE * max(n, m):
        s = np.rint(s)
    return own, max(s, 0.0)


@njit(cache=True, nogil=True)
def errors_at(
    own: np.ndarray, other: np.ndarray, p: np.ndarray, q: np.ndarray, out: np.ndarray
) -> None:
    """Mean error at every prior of the points of a set, from how many of either set come first."""
    n = len(own)
    m = len(other) - 1
    for k in range(len(p)):
        thinned, s = taken_out(n, m, p[k], q[k])
        total = 0.0
        chance = 1.0
        if thinned:
            total = own[0]
            for r in range(1, n):
                if r > s:
                    break
                chance *= (s - r + 1.0) / (n - r)
                total += own[r] * chance
        else:
            for r in range(1, m + 1):
                chance *= max(s - r + 1.0, 0.0) / (m - r + 1.0)
                total += other[r] * (1.0 - chance)
        out[k] = total / n


@njit(cache=True, nogil=True)
def sampling_tables(
    n: int,
    sizes: np.ndarray,
    nodes: tuple[np.ndarray, np.ndarray, np.ndarray],
    deepest: np.ndarray,
    starts: np.ndarray,
    near: np.ndarray,
    far: np.ndarray,
) -> None:
    """What a point with r points before it counts for, in a set of n points beside sets of several sizes.

    `near[c, r]` for r own points, and `far[starts[c] + r]` for r of the other set, up to `deepest[c]`.
    """
    p, q, weights = nodes
    for c in range(len(sizes)):
        m = sizes[c]
        for k in range(len(p)):
            thinned, s = taken_out(n, m, p[k], q[k])
            weight = weights[k] * p[k]
            chance = 1.0
            if thinned:
                near[c, 0] += weight
                for r in range(1, near.shape[1]):
                    if r > s or chance < _LEAST:
                        break
                    chance *= (s - r + 1.0) / (n - r)
                    near[c, r] += weight * chance
            else:
                for r in range(1, deepest[c] + 1):
                    chance = (
                        chance * max(s - r + 1.0, 0.0) / (m - r + 1.0) if chance > _LEAST else 0.0
                    )
                    far[starts[c] + r] += weight * (1.0 - chance)


@njit(cache=True, nogil=True)
def null_error(n: int, m: int, p: float, q: float) -> float:
    """The mean error of a point of a set of n beside one of m of the same law: sums over r telescope."""
    thinned, s = taken_out(n, m, p, q)
    points = n + m - 1.0
    upto = math.floor(s) + 1.0
    rest = 0.0
    if s != upto - 1.0 and (upto < _DEEP or points - upto < _DEEP):
        rest = math.exp(
            math.lgamma(s + 1.0)
            - math.lgamma(s - upto + 1.0)
            - math.lgamma(points + 1.0)
            + math.lgamma(points - upto + 1.0)
        )
    part = (1.0 - rest) / (points - s)
    if thinned:
        return m * part
    last = (
        1.0 if upto >= m else (n - 1.0) / (points - upto)
    )  # r = upto occurs in the other set alone
    return 1.0 - (n - 1.0) * part - rest * last


@njit(cache=True, nogil=True)
def null_risks(n: int, m: int, p: np.ndarray, q: np.ndarray, out: np.ndarray) -> None:
    """The mean risk at every prior of two sets of one law."""
    for k in range(len(p)):
        out[k] = p[k] * null_error(n, m, p[k], q[k]) + q[k] * null_error(m, n, q[k], p[k])


@njit(cache=True, nogil=True)
def null_levels(
    n: int, sizes: np.ndarray, p: np.ndarray, q: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """The weighted sum of that over the priors, of sets of n points beside sets of several sizes."""
    risks = np.empty(len(p))
    for c in range(len(sizes)):
        null_risks(n, sizes[c], p, q, risks)
        total = 0.0
        for k in range(len(p)):
            total += weights[k] * risks[k]
        out[c] = total
