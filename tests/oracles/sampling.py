"""Slow twins of closed-form sampling: every subsample, drawn subsamples, chances by gamma functions, plain quadrature."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import comb, gammaln


def one_left_out(x, y):
    """Errors of every point of x and of y whose nearest other point is taken; equal distances count in shares."""
    points = np.concatenate([x, y])
    labels = np.repeat([0, 1], [len(x), len(y)])
    far = cdist(points, points)
    np.fill_diagonal(far, np.inf)
    wrong = []
    for i, row in enumerate(far):
        near = np.isclose(row, row.min(), rtol=1e-12, atol=0)
        wrong.append(np.mean(labels[near] != labels[i]))
    return np.array(wrong[: len(x)]), np.array(wrong[len(x) :])


def enumerated(x, y, kept):
    """Mean errors (of points of x, of points of y) over all subsamples of `kept` points of x, y being whole."""
    first = []
    second = []
    for chosen in combinations(range(len(x)), kept):
        a, b = one_left_out(x[list(chosen)], y)
        first.append(a.mean())
        second.append(b.mean())
    return np.mean(first), np.mean(second)


def drawn(x, y, kept, times, rng):
    """The same from drawn subsamples, where no distances are equal: (times, 2)."""
    points = np.concatenate([x, y])
    out = []
    far = cdist(points, points)
    np.fill_diagonal(far, np.inf)
    for _ in range(times):
        chosen = np.concatenate(
            [rng.choice(len(x), size=kept, replace=False), np.arange(len(x), len(points))]
        )
        wrong = (np.argmin(far[np.ix_(chosen, chosen)], axis=1) < kept) != (
            np.arange(len(chosen)) < kept
        )
        out.append([wrong[:kept].mean(), wrong[kept:].mean()])
    return np.array(out)


def before(x, y):
    """a and b of every point of x, where no distances are equal: own points before the first of y, and the reverse."""
    own = cdist(x, x)
    other = cdist(x, y)
    np.fill_diagonal(own, np.inf)
    a = [int((mine < yours.min()).sum()) for mine, yours in zip(own, other, strict=True)]
    b = [int((yours < mine.min()).sum()) for mine, yours in zip(own, other, strict=True)]
    return a, b


def chance(r, pool, s):
    """C(pool - r, s - r) / C(pool, s) for real s, zero from r > s on."""
    if r == 0:
        return 1.0
    if r > s:
        return 0.0
    return float(
        np.exp(gammaln(pool - r + 1) + gammaln(s + 1) - gammaln(s - r + 1) - gammaln(pool + 1))
    )


def met(r, pool, s):
    """The same in the other set, where it falls to zero at s = r - 1 and not at once."""
    if r == 0:
        return 1.0
    return 0.0 if s <= r - 1 else float(np.prod([(s - k) / (pool - k) for k in range(r)]))


def taken_out(n, m, p):
    """How many points of the own set (n points, prior p), or of the other (m points), are taken out."""
    s = min(n - m * p / (1 - p), n - 1) if p < n / (n + m) else m - n * (1 - p) / p
    return round(s) if abs(s - round(s)) < 1e-9 else s


def errors(x, y, p):
    """Mean error of the points of x when x has prior p, by the table of four cases."""
    n = len(x)
    m = len(y)
    found = []
    for a, b in zip(*before(x, y), strict=True):
        if p < n / (n + m):
            found.append(chance(a, n - 1, taken_out(n, m, p)) if a else 1.0)
        else:
            found.append(1.0 - met(b, m, taken_out(n, m, p)) if b else 0.0)
    return np.mean(found)


def risk(x, y, p):
    return p * errors(x, y, p) + (1 - p) * errors(y, x, 1 - p)


def null(n, m, p):
    """Mean risk of two samples of one law, by the law of a and b when the order of the points is random."""

    def error(n, m, p):
        points = n + m - 1
        s = taken_out(n, m, p)
        if p < n / (n + m):
            law = [comb(points - k - 1, m - 1) / comb(points, m) for k in range(n)]
            return sum(share * chance(k, n - 1, s) for k, share in enumerate(law))
        law = (
            [comb(points - k - 1, n - 2) / comb(points, n - 1) for k in range(m + 1)]
            if n > 1
            else [0.0] * m + [1.0]
        )
        return sum(share * (1.0 - met(k, m, s)) for k, share in enumerate(law))

    return p * error(n, m, p) + (1 - p) * error(m, n, 1 - p)


def divergence(x, y, f, priors=121, margin=1e-3, corrected=True):
    """Half the trapezoid sum in log odds of (level - risk) x weight, and atoms."""
    end = np.log((1 - margin) / margin)
    u = np.linspace(-end, end, priors)
    total = 0.0
    for k, p in enumerate(1 / (1 + np.exp(-u))):
        step = (u[1] - u[0]) * (0.5 if k in (0, priors - 1) else 1.0)
        level = null(len(x), len(y), p) if corrected else 2 * p * (1 - p)
        total += step * p * (1 - p) * float(f.square(np.array([p]))[0]) * (level - risk(x, y, p))
    if f.square_atom:
        level = null(len(x), len(y), 0.5) if corrected else 0.5
        total += f.square_atom * (level - risk(x, y, 0.5))
    return max(total / 2, 0.0)


def wang(x, y, k=1):
    """KL(x, y) from the k-th neighbor distances, one point after the other."""
    total = 0.0
    for i, point in enumerate(x):
        own = np.sort(np.linalg.norm(np.delete(x, i, axis=0) - point, axis=1))
        other = np.sort(np.linalg.norm(y - point, axis=1))
        total += np.log(other[k - 1] / own[k - 1])
    return x.shape[1] * total / len(x) + np.log(len(y) / (len(x) - 1))
