"""Enclosing balls slowly: the dual by a general solver, two balls with their centers written out, and packing over all pairs."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def dual(gram, bound):
    """The multipliers that maximize sum a_i k_ii - a'Ka, and the maximum, by SciPy's solver for any smooth problem."""
    n = len(gram)
    own = np.diagonal(gram)
    found = minimize(
        lambda a: a @ gram @ a - a @ own,
        np.full(n, 1.0 / n),
        jac=lambda a: 2 * gram @ a - own,
        bounds=[(0.0, bound)] * n,
        constraints=[{"type": "eq", "fun": lambda a: a.sum() - 1.0, "jac": lambda a: np.ones(n)}],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return found.x, -found.fun


def around(c1, r1, c2, r2):
    """The smallest ball around two balls: one of them where it holds the other, else from end to end of both."""
    gap = float(np.linalg.norm(np.subtract(c2, c1)))
    if gap + r2 <= r1:
        return np.asarray(c1), r1
    if gap + r1 <= r2:
        return np.asarray(c2), r2
    way = np.subtract(c2, c1) / gap
    one = np.asarray(c1) - r1 * way
    other = np.asarray(c2) + r2 * way
    return (one + other) / 2, float(np.linalg.norm(other - one)) / 2


def packed(centers, radii, n_groups, labels=None):
    """All pairs looked at before every merge; gives (groups as sets of positions with center and radius, radii of the merges)."""
    balls = [
        (frozenset([i]), np.asarray(c), float(r))
        for i, (c, r) in enumerate(zip(centers, radii, strict=True))
    ]
    kinds = [-1] * len(balls) if labels is None else list(labels)
    heights = []
    while len(balls) > n_groups:
        best = None
        for i in range(len(balls)):
            for j in range(i + 1, len(balls)):
                if kinds[i] >= 0 and kinds[j] >= 0 and kinds[i] != kinds[j]:
                    continue
                center, radius = around(*balls[i][1:], *balls[j][1:])
                if best is None or radius < best[0] - 1e-13:
                    best = (radius, i, j, center)
        if best is None:
            break
        radius, i, j, center = best
        heights.append(radius)
        balls[i] = (balls[i][0] | balls[j][0], center, radius)
        kinds[i] = max(kinds[i], kinds[j])
        del balls[j], kinds[j]
    return balls, heights
