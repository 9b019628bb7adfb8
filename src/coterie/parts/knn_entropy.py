"""Entropy and cross-entropy of samples in nats, from the distances of their vectors to the k-th nearest neighbor."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

from coterie.core.errors import DataError
from coterie.parts.orders import DEEPEST


def entropy_knn(x: np.ndarray, k: int = 1, *, owner: str = "entropy_knn") -> float:
    """psi(n) - psi(k) + ln V_D + (D / n) sum of ln rho_k, V_D the volume of the unit ball and rho_k the distance inside x.

    x holds finite numbers, (vectors, values), more than k vectors. A vector with twins takes the next k (up to 5) where
    the distance is positive, with psi of that k; one that has none is left out.

    >>> bool(abs(entropy_knn(np.random.default_rng(0).normal(size=(4000, 1))) - 1.4189) < 0.1)
    True
    """
    far, used = _kth(x, x, k, itself=True, owner=owner)
    return float(digamma(len(x)) + _ball(x.shape[1]) + x.shape[1] * far - used)


def cross_entropy_knn(
    x: np.ndarray, y: np.ndarray, k: int = 1, *, owner: str = "cross_entropy_knn"
) -> float:
    """ln m - psi(k) + ln V_D + (D / n) sum of ln nu_k: how badly the law of y tells the vectors of x.

    nu_k is the distance of a vector of x to its k-th neighbor among the m of y; twins are taken as in `entropy_knn`.
    """
    far, used = _kth(x, y, k, itself=False, owner=owner)
    return float(np.log(len(y)) + _ball(x.shape[1]) + x.shape[1] * far - used)


def _kth(x: np.ndarray, y: np.ndarray, k: int, *, itself: bool, owner: str) -> tuple[float, float]:
    """Mean logarithm of the distance to the k-th neighbor in y, and mean psi of the k that was taken."""
    from scipy.spatial import cKDTree

    deepest = min(max(k, DEEPEST), len(y) - itself)
    found = np.asarray(cKDTree(y).query(x, k=np.arange(1, deepest + itself + 1))[0])[:, itself:]
    ahead = found[:, k - 1 :]
    kept = (ahead > 0).any(axis=1)
    if not kept.any():
        raise DataError(
            f"every vector has {deepest} copies, so there is no distance to read off.", owner=owner
        )
    first = np.argmax(ahead > 0, axis=1)[kept]
    return float(np.log(ahead[kept, first]).mean()), float(digamma(k + first).mean())


def _ball(dim: int) -> float:
    """ln of the volume of the unit ball."""
    return float(dim / 2 * np.log(np.pi) - gammaln(dim / 2 + 1))
