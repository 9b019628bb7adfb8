"""The laws of SIC by counting everything, the formulas of the report as printed, and EM and confidence one value at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np


def counted(p: np.ndarray) -> np.ndarray:
    """P(K = k) by going through all outcomes."""
    law = np.zeros(len(p) + 1)
    for outcome in itertools.product((0, 1), repeat=len(p)):
        law[sum(outcome)] += math.prod(
            q if one else 1 - q for one, q in zip(outcome, p, strict=True)
        )
    return law


def counted_jointly(p: np.ndarray, both: np.ndarray) -> np.ndarray:
    """P(T = t, K = k) by going through not tested, apart and same of every iteration."""
    table = np.zeros((len(p) + 1, len(p) + 1))
    for outcome in itertools.product((0, 1, 2), repeat=len(p)):
        chance = math.prod(
            (1 - m, m * (1 - q), m * q)[state] for state, q, m in zip(outcome, p, both, strict=True)
        )
        table[sum(s > 0 for s in outcome), sum(s == 2 for s in outcome)] += chance
    return table


def moments_of(table: np.ndarray) -> tuple[float, float]:
    """Mean and variance of K / T given T > 0 from the joint law."""
    share = {(t, k): table[t, k] for t in range(1, len(table)) for k in range(t + 1)}
    whole = sum(share.values())
    mean = sum(k / t * chance for (t, k), chance in share.items()) / whole
    return mean, sum((k / t) ** 2 * chance for (t, k), chance in share.items()) / whole - mean**2


def printed_law_of_t(n: int, rho: float) -> np.ndarray:
    """The report's law of T: one tested and one not is counted, neither tested is forgotten (C1)."""
    return np.array(
        [math.comb(n, t) * rho ** (2 * t) * (2 * rho * (1 - rho)) ** (n - t) for t in range(n + 1)]
    )


def printed_moments(p: np.ndarray, rho: float) -> tuple[float, float, float]:
    """Mass, mean and variance after the report: C(N, t) counted twice (C2), squares of sums replaced (C3)."""
    n = len(p)
    total = float(p.sum())
    squares = float((p**2).sum())
    twice = printed_law_of_t(n, rho) * [math.comb(n, t) for t in range(n + 1)]
    t = np.arange(1, n + 1)
    mean = float(twice[1:].sum() * total / n)
    second = float((twice[1:] * (total - squares + total**2) / (n * t)).sum())
    return float(twice.sum()), mean, second - mean**2


def by_products(
    same: np.ndarray, both: np.ndarray, pi1: float, p0: np.ndarray, p1: np.ndarray
) -> np.ndarray:
    """P(similar | codes) of each pair with the probabilities multiplied out."""
    out = []
    for o, m in zip(same, both, strict=True):
        one = pi1 * math.prod(
            q if hit else 1 - q for hit, tested, q in zip(o, m, p1, strict=True) if tested
        )
        other = (1 - pi1) * math.prod(
            q if hit else 1 - q for hit, tested, q in zip(o, m, p0, strict=True) if tested
        )
        out.append(one / (one + other))
    return np.array(out)


def em(
    same: np.ndarray, both: np.ndarray, quantile: float, rounds: int, strict: bool = True
) -> tuple[float, np.ndarray, np.ndarray]:
    """Plain EM on full matrices from one start: pi1, p0, p1. `strict` False is the start that falls into the saddle."""
    o = (same & both).astype(float)
    m = both.astype(float)
    s = o.sum(axis=1) / m.sum(axis=1)
    above = s > np.quantile(s, quantile) if strict else s >= np.quantile(s, quantile)
    gamma = np.where(above, 0.95, 0.05)
    for _ in range(rounds):
        p1 = np.clip(gamma @ o / (gamma @ m), 1e-6, 1 - 1e-6)
        p0 = np.clip((1 - gamma) @ o / ((1 - gamma) @ m), 1e-6, 1 - 1e-6)
        pi1 = float(np.clip(gamma.mean(), 1e-6, 1 - 1e-6))
        one = np.log(pi1) + o @ np.log(p1) + (m - o) @ np.log(1 - p1)
        other = np.log(1 - pi1) + o @ np.log(p0) + (m - o) @ np.log(1 - p0)
        gamma = np.exp(one - np.logaddexp(one, other))
    return pi1, p0, p1


def log_likelihood(
    same: np.ndarray, both: np.ndarray, pi1: float, p0: np.ndarray, p1: np.ndarray
) -> float:
    """Sum over pairs of the log of the mixture."""
    total = 0.0
    for o, m in zip(same, both, strict=True):
        one = sum(
            math.log(q if hit else 1 - q) for hit, tested, q in zip(o, m, p1, strict=True) if tested
        )
        other = sum(
            math.log(q if hit else 1 - q) for hit, tested, q in zip(o, m, p0, strict=True) if tested
        )
        total += float(np.logaddexp(math.log(pi1) + one, math.log(1 - pi1) + other))
    return total


def same_nearest(points: np.ndarray, p: int, q: int, n_train: int) -> float:
    """Chance over training sets of this size without p and q that both have the same nearest training point."""
    rest = [j for j in range(len(points)) if j not in (p, q)]
    apart = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    hits = [
        min(train, key=lambda j: apart[p, j]) == min(train, key=lambda j: apart[q, j])
        for train in itertools.combinations(rest, n_train)
    ]
    return sum(hits) / len(hits)


def row_confidence(row: np.ndarray, kind: str) -> float:
    """Confidence from the values of one row, the member itself already left out."""
    values = [float(v) for v in row if not math.isnan(v)]
    n = len(values)
    if n == 0:
        return math.nan
    mean = sum(values) / n
    if kind == "max":
        return max(values)
    if kind == "variance":
        return sum((v - mean) ** 2 for v in values) / n
    if n < 4 or min(values) == max(values):
        return math.nan
    if kind == "skewness":
        return -_g1([v for v in values if v > mean])
    if kind == "skewness_all":
        return _g1(values)
    m2, m4 = (sum((v - mean) ** power for v in values) / n for power in (2, 4))
    skew = _g1(values) * math.sqrt(n * (n - 1)) / (n - 2)
    excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (m4 / m2**2 - 3) + 6)
    return (skew**2 + 1) / (excess + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))


def _g1(values: list[float]) -> float:
    if min(values) == max(values):
        return math.nan
    mean = sum(values) / len(values)
    m2, m3 = (sum((v - mean) ** power for v in values) / len(values) for power in (2, 3))
    return m3 / m2**1.5


def planted(
    n: int, n_classes: int, n_iterations: int, seed: int, tested: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Codes (iterations, members) and true classes: in every iteration each class has its own few favorite codes."""
    random = np.random.default_rng(seed)
    truth = np.sort(random.integers(0, n_classes, n))
    rows = np.empty((n_iterations, n), dtype=np.int64)
    for row in rows:
        favor = np.cumsum(
            random.dirichlet(np.full(25, random.uniform(0.1, 0.5)), n_classes), axis=1
        )
        row[:] = (random.random(n)[:, None] > favor[truth, :-1]).sum(axis=1)
        row[random.random(n) >= tested] = -1
    return rows, truth
