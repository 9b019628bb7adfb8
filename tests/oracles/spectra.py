"""Spectral clustering step by step with full eigendecompositions, and neighbours by sorting."""

from __future__ import annotations

import itertools

import numpy as np


def normalized_pairs(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All eigenpairs of D^-1/2 W D^-1/2, the largest first."""
    degree = weights.sum(axis=1)
    root = np.diag(1.0 / np.sqrt(degree))
    values, vectors = np.linalg.eigh(root @ weights @ root)
    return values[::-1], vectors[:, ::-1]


def nearest_by_sorting(values: np.ndarray, k: int, kind: str) -> list[list[int]]:
    """Positions of the k nearest others of every row, ties to the lower position."""
    found = []
    for i, row in enumerate(values):
        others = [j for j in range(len(row)) if j != i]
        others.sort(key=lambda j: (row[j] if kind == "distance" else -row[j], j))
        found.append(others[:k])
    return found


def least_distortion(rows: np.ndarray, k: int) -> float:
    """The best possible k-means distortion, by trying every assignment."""
    best = np.inf
    for labels in itertools.product(range(k), repeat=len(rows)):
        labels = np.array(labels)
        total = sum(
            ((rows[labels == g] - rows[labels == g].mean(axis=0)) ** 2).sum()
            for g in set(labels.tolist())
        )
        best = min(best, total)
    return float(best)
