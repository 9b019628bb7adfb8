"""Slow twins of the pairwise driver: one pair after the other."""

from __future__ import annotations

import numpy as np


def every_pair(distance, rows, cols):
    return np.array([[distance(a, b) for b in cols] for a in rows])


def nearest(values, k, square, largest=False):
    found = []
    for i, row in enumerate(values):
        others = [j for j in range(len(row)) if not (square and i == j)]
        found.append(sorted(others, key=lambda j: (-row[j] if largest else row[j], j))[:k])
    return np.array(found)
