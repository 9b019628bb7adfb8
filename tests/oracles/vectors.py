"""Slow, obvious twins of the distances between rows of tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Row = np.ndarray


def all_pairs(pair: Callable[[Row, Row], float], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([[pair(x, y) for y in b] for x in a])


def euclidean(x: Row, y: Row) -> float:
    return math.sqrt(math.fsum((u - v) ** 2 for u, v in zip(x, y, strict=True)))


def cosine(x: Row, y: Row) -> float:
    length = math.sqrt(math.fsum(x * x)) * math.sqrt(math.fsum(y * y))
    return math.fsum(x * y) / length if length > 0 else 0.0


def minkowski(p: float) -> Callable[[Row, Row], float]:
    def pair(x: Row, y: Row) -> float:
        gaps = [abs(u - v) for u, v in zip(x, y, strict=True)]
        return max(gaps) if math.isinf(p) else math.fsum(g**p for g in gaps) ** (1 / p)

    return pair


def jensen_shannon(x: Row, y: Row) -> float:
    p = x / x.sum()
    q = y / y.sum()
    total = 0.0
    for u, v in zip(p, q, strict=True):
        middle = (u + v) / 2
        total += (u * math.log2(u / middle) if u > 0 else 0.0) + (
            v * math.log2(v / middle) if v > 0 else 0.0
        )
    return math.sqrt(max(total / 2, 0.0))


def chi_square(x: Row, y: Row) -> float:
    return 0.5 * math.fsum((u - v) ** 2 / (u + v) for u, v in zip(x, y, strict=True) if u + v > 0)


def hamming(x: Row, y: Row) -> float:
    return sum(u != v for u, v in zip(x, y, strict=True)) / len(x)


def gower(width: Row, weight: Row) -> Callable[[Row, Row], float]:
    def pair(x: Row, y: Row) -> float:
        total = shared = 0.0
        for u, v, r, w in zip(x, y, width, weight, strict=True):
            if math.isnan(u) or math.isnan(v):
                continue
            shared += w
            total += w * (min(abs(u - v) / r, 1.0) if r > 0 else float(u != v))
        return total / shared if shared else 1.0

    return pair
