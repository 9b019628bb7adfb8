"""Distances of sets of vectors by kernels as they are defined: loops over vectors, lists of monomials."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

Pair = Callable[[np.ndarray, np.ndarray], float]


def gaussian(x: np.ndarray, y: np.ndarray, width: float) -> float:
    return float(np.exp(-sum((a - b) ** 2 for a, b in zip(x, y)) / width**2))


def laplacian(x: np.ndarray, y: np.ndarray, width: float) -> float:
    return float(np.exp(-sum(abs(a - b) for a, b in zip(x, y)) / width))


def squared(x: np.ndarray, y: np.ndarray, kernel: Pair, unbiased: bool = False) -> float:
    """Squared discrepancy of two sets; unbiased: no vector of a set with itself."""

    def own(rows: np.ndarray) -> float:
        found = [
            kernel(a, b)
            for i, a in enumerate(rows)
            for j, b in enumerate(rows)
            if i != j or not unbiased
        ]
        return sum(found) / len(found)

    return own(x) + own(y) - 2 * sum(kernel(a, b) for a in x for b in y) / (len(x) * len(y))


def median_width(rows: np.ndarray) -> float:
    return float(
        np.median([np.sqrt(((a - b) ** 2).sum()) for a, b in itertools.combinations(rows, 2)])
    )


def monomials(x: np.ndarray, degree: int) -> np.ndarray:
    """All products of at most `degree` values."""
    picks = (
        pick
        for k in range(degree + 1)
        for pick in itertools.combinations_with_replacement(range(len(x)), k)
    )
    return np.array([np.prod([x[j] for j in pick]) for pick in picks])


def glds(
    fitted: list[np.ndarray], one: np.ndarray, other: np.ndarray, degree: int, ridge: float
) -> float:
    """The kernel of two sets, in the metric of the vectors of the fitted ones."""
    pooled = np.concatenate(fitted)
    center = pooled.mean(axis=0)
    scale = pooled.std(axis=0)

    def terms(rows: np.ndarray) -> np.ndarray:
        return np.array([monomials((x - center) / scale, degree) for x in rows])

    every = terms(pooled)
    second = every.T @ every / len(every)
    second += ridge * np.trace(second) / len(second) * np.eye(len(second))
    return float(terms(one).mean(axis=0) @ np.linalg.inv(second) @ terms(other).mean(axis=0))
