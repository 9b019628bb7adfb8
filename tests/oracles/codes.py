"""Slow, obvious twins of everything that is read off codes: one pair at a time, one iteration at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Labels = np.ndarray  # (iterations, members), -1 where not tested
Pair = Callable[[int, int, int], float]  # iteration, code of one, code of the other -> score
_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def mean_score(rows: Labels, cols: Labels, score: Pair) -> np.ndarray:
    """The mean over iterations that tested both; NaN where none did."""
    out = np.full((rows.shape[1], cols.shape[1]), np.nan)
    for p in range(rows.shape[1]):
        for q in range(cols.shape[1]):
            found = [
                score(i, int(a), int(b))
                for i, (a, b) in enumerate(zip(rows[:, p], cols[:, q], strict=True))
                if a >= 0 and b >= 0
            ]
            if found:
                out[p, q] = math.fsum(found) / len(found)
    return out


def binary(rows: Labels, cols: Labels) -> np.ndarray:
    return mean_score(rows, cols, lambda i, a, b: float(a == b))


def rates(labels: Labels) -> list[float]:
    """Share of tested pairs with one code, counted pair by pair."""
    out = []
    for row in labels:
        who = [int(code) for code in row if code >= 0]
        pairs = [(a, b) for at, a in enumerate(who) for b in who[at + 1 :]]
        out.append(sum(a == b for a, b in pairs) / len(pairs) if pairs else math.nan)
    return out


def earned(p: float, sigma: float = 1.0, mu: float = 0.0) -> tuple[float, float]:
    """What one code and two codes earn at chance p."""
    return mu + sigma * math.sqrt((1 - p) / p), mu - sigma * math.sqrt(p / (1 - p))


def weighted(
    rows: Labels, cols: Labels, p: list[float], sigma: float = 1.0, mu: float = 0.0
) -> np.ndarray:
    """Iterations with chance 0 or 1 are left out of sum and count."""
    kept = [i for i, chance in enumerate(p) if 0 < chance < 1]
    pay = [earned(p[i], sigma, mu) for i in kept]
    return mean_score(rows[kept], cols[kept], lambda i, a, b: pay[i][0] if a == b else pay[i][1])


def mixed(word: int) -> int:
    """The last steps of splitmix64."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)


def coin(seed: int, i: int, p: int, q: int) -> float:
    """A number from 0 to 1 for iteration i and the pair p, q."""
    key = mixed(
        (
            mixed((mixed((seed + _GOLDEN) & _WORD) + min(p, q) * _GOLDEN) & _WORD)
            + max(p, q) * _GOLDEN
        )
        & _WORD
    )
    return (mixed((key + (i + 1) * _GOLDEN) & _WORD) >> 11) / 2**53


def randomized(
    rows: Labels, cols: Labels, p0: list[float], q: list[float], seed: int, first: int = 0
) -> np.ndarray:
    """Two codes earn what one earns when the coin falls below q; row r is at position first + r."""
    pay = [earned(a + (1 - a) * b) for a, b in zip(p0, q, strict=True)]
    out = np.full((rows.shape[1], cols.shape[1]), np.nan)
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):
            found = []
            for i in range(len(rows)):
                a = rows[i, r]
                b = cols[i, c]
                if a >= 0 and b >= 0:
                    found.append(
                        pay[i][0] if a == b or coin(seed, i, first + r, c) < q[i] else pay[i][1]
                    )
            if found:
                out[r, c] = math.fsum(found) / len(found)
    return out


def log_odds(rows: Labels, cols: Labels, p0: np.ndarray, p1: np.ndarray, pi1: float) -> np.ndarray:
    """Log of the ratio of the two likelihoods and of the two shares; NaN for pairs never tested together."""
    out = np.full((rows.shape[1], cols.shape[1]), np.nan)
    for p in range(rows.shape[1]):
        for q in range(cols.shape[1]):
            parts = [math.log(pi1) - math.log(1 - pi1)]
            for i in range(len(rows)):
                a = rows[i, p]
                b = cols[i, q]
                if a >= 0 and b >= 0:
                    parts.append(
                        math.log(p1[i] / p0[i]) if a == b else math.log((1 - p1[i]) / (1 - p0[i]))
                    )
            if len(parts) > 1:
                out[p, q] = math.fsum(parts)
    return out


def occurrence(
    rows: np.ndarray, row_owner: np.ndarray, cols: np.ndarray, col_owner: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Per iteration and pair of members: the share of pairs of tested occurrences with one label, and whether any have.

    Both (iterations, rows, columns); NaN where one of the two was not tested.
    """
    n = len(rows)
    r = int(row_owner.max()) + 1
    c = int(col_owner.max()) + 1
    share = np.full((n, r, c), np.nan)
    shared = np.full((n, r, c), np.nan)
    for i in range(n):
        for p in range(r):
            for q in range(c):
                left = [x for x, o in zip(rows[i], row_owner, strict=True) if o == p and x >= 0]
                right = [y for y, o in zip(cols[i], col_owner, strict=True) if o == q and y >= 0]
                if left and right:
                    equal = [x == y for x in left for y in right]
                    share[i, p, q] = sum(equal) / len(equal)
                    shared[i, p, q] = float(any(equal))
    return share, shared
