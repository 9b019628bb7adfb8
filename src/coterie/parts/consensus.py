"""What several views of the same members have in common: the components of pair-wise cluster analysis, by two routes.

With A_v = K_v + tau I and hat matrices H_v = K_v A_v^-1, a component e is an eigenvector of sum_v H_v with a large
eigenvalue mu, which is one of sum_v A_v^-1 with the small eigenvalue lambda = (V - mu) / tau. `of_spectra` works on thin
factors K_v = U diag(values) U' (low rank, or one factorization for many tau), `of_hats` asks only for products H_v e
(collections beyond memory); parts.view_routes inverts whole kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.spectra import eigenpairs

_LOST = 1e-8  # of the number of views: components with less consensus are none
_CONSTANT = (
    0.95  # cosine with a row of ones above which a component is nearly the same for all members
)
_BEYOND = 20  # vectors of a Lanczos basis beyond twice those wanted
Hat = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One view: the eigenvectors and positive eigenvalues of its centered, scaled kernel, the largest first."""

    vectors: np.ndarray
    values: np.ndarray

    def shrunk(self, tau: float) -> np.ndarray:
        """The eigenvalues of the hat matrix, values / (values + tau)."""
        return self.values / (self.values + tau)

    def dual(self, scores: np.ndarray, tau: float) -> np.ndarray:
        """(K + tau I)^-1 times the scores; with tau = 0, the least-squares solution."""
        inside = self.vectors.T @ scores
        if tau == 0:
            return self.vectors @ (inside / self.values[:, None])
        return (scores - self.vectors @ (self.shrunk(tau)[:, None] * inside)) / tau


@dataclass(frozen=True, eq=False)
class Components:
    """Common scores of the members (columns of length one), the most shared first, with the sums of their hat values."""

    scores: np.ndarray
    mu: np.ndarray
    tau: float
    n_views: int

    @property
    def energies(self) -> np.ndarray:
        """lambda = (V - mu) / tau: what the weights of all views cost together."""
        return (self.n_views - self.mu) / self.tau

    @property
    def consensus(self) -> np.ndarray:
        """From 0, in no view, to 1, wholly in every view."""
        return self.mu / self.n_views


def of_spectra(spectra: Sequence[Spectrum], tau: float, k: int) -> Components:
    """By the singular vectors of the views' eigenvectors side by side, each weighted by the root of its hat value."""
    n = len(spectra[0].vectors)
    width = sum(len(view.values) for view in spectra)
    beside = np.hstack([view.vectors * np.sqrt(view.shrunk(tau)) for view in spectra])
    with steady():
        if width <= n:
            values, right = np.linalg.eigh(beside.T @ beside)
            order = np.argsort(-values, kind="stable")[: min(k, width)]
            values = np.maximum(values[order], 0.0)
            root = np.sqrt(np.where(values > _LOST * len(spectra), values, np.inf))
            vectors = np.linalg.qr((beside @ right[:, order]) / root)[0]
            mu = values
        else:
            mu, vectors = eigenpairs(beside @ beside.T, max(n - k, 0), n - 1)
            mu = mu[::-1]
            vectors = vectors[:, ::-1]
    return _kept(vectors, mu, tau, len(spectra))


def of_hats(hats: Sequence[Hat], n: int, tau: float, k: int, random_state: Any = 0) -> Components:
    """By Lanczos on e -> sum_v H_v e, the largest eigenvalues; only products are asked for."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    def total(vector: np.ndarray) -> np.ndarray:
        return np.sum([hat(vector.reshape(n, -1)) for hat in hats], axis=0)

    wanted = min(k, n - 1)
    operator = LinearOperator((n, n), matvec=total, matmat=total, dtype=np.float64)
    start = stream(random_state).standard_normal(n)
    with steady():
        mu, vectors = eigsh(
            operator, k=wanted, which="LA", v0=start, ncv=min(n, 2 * wanted + _BEYOND)
        )
    order = np.argsort(-mu, kind="stable")
    return _kept(vectors[:, order], mu[order], tau, len(hats))


def largest_signs(vectors: np.ndarray) -> np.ndarray:
    """The sign of the largest entry (by size; the first of equals) of every column."""
    top = np.argmax(np.round(np.abs(vectors), 12), axis=0)
    signs = np.sign(vectors[top, np.arange(vectors.shape[1])])
    return np.where(signs == 0, 1.0, signs)


def nearly_constant(vectors: np.ndarray) -> np.ndarray:
    """Marks of the columns that are nearly the same for all members, as the first one is where views are not centered."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=0), 1e-300)
    return np.asarray(np.abs(vectors.sum(axis=0)) / lengths > _CONSTANT * np.sqrt(len(vectors)))


def _kept(vectors: np.ndarray, mu: np.ndarray, tau: float, n_views: int) -> Components:
    """The components with any consensus; rounding beyond the bounds of mu is taken away."""
    shared = mu > _LOST * n_views
    chosen = vectors[:, shared]
    return Components(
        chosen * largest_signs(chosen), np.minimum(mu[shared], float(n_views)), tau, n_views
    )
