"""Entropy and cross-entropy of samples in nats, from the distances of their vectors to the k-th nearest neighbor."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from coterie.core.errors import DataError, ParameterError

_DEEPEST = 5  # the k up to which a positive distance is looked for where there are twins


def entropy_knn(x: Any, k: int = 1) -> float:
    """psi(n) - psi(k) + ln V_D + (D / n) sum of ln rho_k, V_D the volume of the unit ball and rho_k the distance inside x.

    A vector with twins takes the next k (up to 5) where the distance is positive, with psi of that k; one that has none
    is left out.

    >>> bool(abs(entropy_knn(np.random.default_rng(0).normal(size=(4000, 1))) - 1.4189) < 0.1)
    True
    """
    values = _vectors(x, "entropy_knn")
    far, used = _kth(values, values, k, itself=True, owner="entropy_knn")
    return float(digamma(len(values)) + _ball(values.shape[1]) + values.shape[1] * far - used)


def cross_entropy_knn(x: Any, y: Any, k: int = 1) -> float:
    """ln m - psi(k) + ln V_D + (D / n) sum of ln nu_k: how badly the law of y tells the vectors of x.

    nu_k is the distance of a vector of x to its k-th neighbor among the m of y; twins are taken as in `entropy_knn`.
    """
    values, other = _vectors(x, "cross_entropy_knn"), _vectors(y, "cross_entropy_knn")
    if values.shape[1] != other.shape[1]:
        raise DataError(f"cross_entropy_knn: x has {values.shape[1]} values per vector where y has {other.shape[1]}.")
    far, used = _kth(values, other, k, itself=False, owner="cross_entropy_knn")
    return float(np.log(len(other)) + _ball(values.shape[1]) + values.shape[1] * far - used)


def _kth(x: np.ndarray, y: np.ndarray, k: int, *, itself: bool, owner: str) -> tuple[float, float]:
    """Mean logarithm of the distance to the k-th neighbor in y, and mean psi of the k that was taken."""
    from scipy.spatial import cKDTree

    have = len(y) - itself
    if k < 1:
        raise ParameterError(f"{owner}: k must be from 1, and was {k}.")
    if have < k:
        raise DataError(f"{owner}: the {k}-th neighbor needs {k + itself} vectors, and there are {len(y)}.")
    deepest = min(max(k, _DEEPEST), have)
    found = np.asarray(cKDTree(y).query(x, k=np.arange(1, deepest + itself + 1))[0])[:, itself:]
    ahead = found[:, k - 1 :]
    kept = (ahead > 0).any(axis=1)
    if not kept.any():
        raise DataError(f"{owner}: every vector has {deepest} copies, so there is no distance to read off.")
    first = np.argmax(ahead > 0, axis=1)[kept]
    return float(np.log(ahead[kept, first]).mean()), float(digamma(k + first).mean())


def _ball(dim: int) -> float:
    """ln of the volume of the unit ball."""
    return float(dim / 2 * np.log(np.pi) - gammaln(dim / 2 + 1))


def _vectors(x: Any, owner: str) -> np.ndarray:
    values = np.asarray(x, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or not values.size:
        raise DataError(f"{owner}: a sample is an array (vectors, values), and this one has shape {values.shape}.")
    if not np.isfinite(values).all():
        wrong = int(np.argmax(~np.isfinite(values).all(axis=1)))
        raise DataError(f"{owner}: vector {wrong} has a value that is missing or infinite; leave it out first.")
    return values
