"""Rounding: rows of an embedding to groups by k-means++ with restarts, and the nearest center with its margin."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady

_MAX = 300  # rounds of one start


@dataclass(frozen=True, eq=False)
class Rounded:
    """A group number per row, the centers, and the sum of squared distances to them."""

    labels: np.ndarray
    centers: np.ndarray
    distortion: float


def kmeans(rows: np.ndarray, k: int, *, n_restarts: int = 10, random_state: Any = None) -> Rounded:
    """k-means from `n_restarts` k-means++ starts, the least distortion wins; fewer groups where fewer rows differ."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    rows = np.ascontiguousarray(rows, dtype=np.float64)
    k = min(k, _distinct(rows, k))
    seed = small_seed(stream(random_state, k))
    with steady(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that differ by a rounding only may leave a group empty
        model = KMeans(k, n_init=n_restarts, random_state=seed, max_iter=_MAX, tol=0.0).fit(rows)
    return Rounded(model.labels_.astype(np.int64), model.cluster_centers_, float(model.inertia_))


def _distinct(rows: np.ndarray, enough: int) -> int:
    """How many rows differ, counted no further than is asked."""
    some = len(np.unique(rows[: 4 * enough + 64], axis=0))
    return some if some >= enough else len(np.unique(rows, axis=0))


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
    return labels, 1.0 - np.divide(two[:, 0], two[:, 1], out=np.ones(len(rows)), where=two[:, 1] > 0)
