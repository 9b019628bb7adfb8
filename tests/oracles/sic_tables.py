"""Slow, obvious twins of the table classifiers of SIC: nearest neighbor with gaps, shared leaves, boxes of leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def expected_square(x: np.ndarray, y: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> float:
    """Squared distance where an unseen cell could be any of its column's: its expected value."""
    total = []
    for a, b, m, v in zip(x, y, mean, variance, strict=True):
        if math.isnan(a) and math.isnan(b):
            total.append(2 * v)
        elif math.isnan(a) or math.isnan(b):
            total.append((b - m) ** 2 + v if math.isnan(a) else (a - m) ** 2 + v)
        else:
            total.append((a - b) ** 2)
    return math.fsum(total)


def encoded(values: np.ndarray, levels: dict[int, int], standard: bool) -> np.ndarray:
    """Numbers, then 0 and 1 per level; every column of the table has variance one over the cells seen, if asked."""
    columns = []
    for j in [j for j in range(values.shape[1]) if j not in levels] + list(levels):
        parts = [values[:, j]]
        if j in levels:
            parts = [
                np.where(np.isnan(values[:, j]), np.nan, (values[:, j] == k) * 1.0)
                for k in range(levels[j])
            ]
        width = math.sqrt(sum(np.nanvar(part) for part in parts)) if standard else 1.0
        columns += [part / width if width > 0 else part * 0.0 for part in parts]
    return np.stack(columns, axis=1)


def nearest(rows: np.ndarray, train: np.ndarray, member: int) -> int:
    """Position in `train` of the row that is nearest to a member."""
    mean = np.nanmean(rows, axis=0)
    variance = np.nanvar(rows, axis=0)
    return int(np.argmin([expected_square(rows[member], rows[t], mean, variance) for t in train]))


def shared_leaves(trees: list[Any], rows: np.ndarray, tested: list[np.ndarray]) -> np.ndarray:
    """Share of trees, of those that tested both, in which two members end in the same leaf; NaN where none did."""
    n = len(rows)
    same = np.zeros((n, n))
    both = np.zeros((n, n))
    for tree, members in zip(trees, tested, strict=True):
        leaf = tree.apply(rows.astype(np.float32))
        for p in members:
            for q in members:
                both[p, q] += 1
                same[p, q] += leaf[p] == leaf[q]
    with np.errstate(invalid="ignore"):
        return same / both
