"""Rounding: rows of an embedding to groups by k-means++ with restarts, and the nearest center with its margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.random import small_seed, stream

_MAX = 300  # rounds of one start
_DIGITS = 12  # in which rows must differ to be told apart, of the largest number in them


@dataclass(frozen=True, eq=False)
class Rounded:
    """A group number per row, the centers, and the sum of squared distances to them."""

    labels: np.ndarray
    centers: np.ndarray
    distortion: float


def kmeans(rows: np.ndarray, k: int, *, n_restarts: int = 10, random_state: Any = None) -> Rounded:
    """k-means from `n_restarts` k-means++ starts, the least distortion wins; fewer groups where fewer rows differ."""
    from coterie._kernels.rounding import best_of_starts

    rows = np.ascontiguousarray(rows, dtype=np.float64)
    k = min(k, _distinct(rows, k))
    middle = rows.mean(axis=0)
    labels = np.zeros(len(rows), dtype=np.int64)
    centers = np.zeros((k, rows.shape[1]))
    firsts, draws = _drawn(len(rows), k, n_restarts, small_seed(stream(random_state, k)))
    distortion = best_of_starts(rows - middle, firsts, draws, _MAX, labels, centers)
    return Rounded(labels, centers + middle, float(distortion))


def _drawn(n: int, k: int, starts: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows to begin with and the numbers that draw the others, in the order in which scikit-learn would draw them.

    So groups are those of its KMeans for the same seed, but for ties and roundings; a test compares them.
    """
    trials = 2 + int(np.log(k))
    numbers = np.random.RandomState(seed).random_sample((starts, 1 + (k - 1) * trials))
    reached = np.cumsum(np.full(n, 1.0 / n))
    firsts = np.searchsorted(reached / reached[-1], numbers[:, 0], side="right")
    return firsts, np.ascontiguousarray(numbers[:, 1:]).reshape(starts, k - 1, trials)


def _distinct(rows: np.ndarray, enough: int) -> int:
    """How many rows differ by more than a rounding, counted no further than is asked."""
    wide = float(np.abs(rows).max(initial=0.0)) or 1.0
    some = len(np.unique(np.round(rows[: 4 * enough + 64] / wide, _DIGITS), axis=0))
    return some if some >= enough else len(np.unique(np.round(rows / wide, _DIGITS), axis=0))


def squared(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances, rows x centers, never negative."""
    away = -2.0 * (rows @ centers.T)
    away += np.einsum("ij,ij->i", rows, rows)[:, None]
    away += np.einsum("ij,ij->i", centers, centers)[None, :]
    return np.maximum(away, 0.0, out=away)


def nearest_center(rows: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest center of every row and the margin 1 - nearest / second nearest distance, in [0, 1]."""
    away = np.sqrt(squared(rows, centers))
    labels = np.argmin(away, axis=1)
    if len(centers) == 1:
        return labels, np.ones(len(rows))
    two = np.partition(away, 1, axis=1)
    return labels, 1.0 - np.divide(
        two[:, 0], two[:, 1], out=np.ones(len(rows)), where=two[:, 1] > 0
    )
