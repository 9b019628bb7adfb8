"""Classical (Torgerson) scaling of an affinity, by landmarks when there are many members, with a place for later ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie.core.affinity import Affinity
from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.pairwise import submatrix
from coterie.parts.spectra import eigenpairs, signed
from coterie.parts.workers import in_order

_ALL = 5000  # members up to which every pair is used
_LANDMARKS = 1000  # members whose pairs are used beyond that
_BAND = 1024  # rows placed at once
_SMALL = 200  # members up to which all eigenvectors are computed


@dataclass(frozen=True, eq=False)
class ClassicalScaling:
    """What is needed to place a row of affinities: the landmarks, their mean row, and a projection."""

    landmarks: np.ndarray
    mean: np.ndarray
    projection: np.ndarray
    share: float

    def placed(self, queries: Affinity) -> np.ndarray:
        """Places of the rows of an affinity (Gower's formula for added points)."""
        bands = [np.arange(a, min(a + _BAND, len(queries))) for a in range(0, len(queries), _BAND)]
        return np.vstack(list(in_order(_Placing(self, queries), bands, "embedding")))


class _Placing:
    """The places of one band of rows."""

    def __init__(self, scaling: ClassicalScaling, queries: Affinity) -> None:
        self.scaling = scaling
        self.queries = queries

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        values = submatrix(self.queries, rows, self.scaling.landmarks)
        return np.asarray(
            (_products(values, self.queries.kind) - self.scaling.mean) @ self.scaling.projection
        )


def classical_scaling(affinity: Affinity, n_components: int) -> tuple[np.ndarray, ClassicalScaling]:
    """Places of all members and the way to place more; a similarity is read as a table of inner products."""
    n = affinity.n
    landmarks = (
        np.arange(n)
        if n <= _ALL
        else np.sort(stream(0, n).choice(n, size=_LANDMARKS, replace=False))
    )
    with steady():
        products = _products(submatrix(affinity, landmarks, landmarks), affinity.kind)
        products = (products + products.T) / 2
        mean = products.mean(axis=0)
        centered = products - mean[None, :] - mean[:, None] + mean.mean()
        values, vectors = _leading(centered, min(n_components, len(centered)))
    floor = max(float(np.abs(values).max(initial=0.0)), 1e-300) * 1e-10
    inverse = np.where(values > floor, 1.0 / np.sqrt(np.maximum(values, floor)), 0.0)
    projection = np.zeros((len(landmarks), n_components))
    projection[:, : len(values)] = signed(vectors.T).T * inverse
    total = float(np.trace(centered))
    share = min(float(values[values > floor].sum()) / total, 1.0) if total > 0 else 0.0
    scaling = ClassicalScaling(landmarks, mean, projection, share)
    if n > _ALL:
        return scaling.placed(affinity), scaling
    with steady():
        return centered @ projection, scaling


def _products(values: np.ndarray, kind: str) -> np.ndarray:
    """Distances as the inner products they would come from, up to what centring removes."""
    exact = np.asarray(values, dtype=np.float64)
    return exact if kind == "similarity" else -0.5 * np.square(exact)


def _leading(matrix: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues in falling order and their vectors as columns."""
    from scipy.sparse.linalg import ArpackError, eigsh

    n = len(matrix)
    found: tuple[np.ndarray, np.ndarray] | None = None
    if n > _SMALL and rank < n // 4:
        try:
            found = eigsh(matrix, k=rank, which="LA", v0=stream(0).standard_normal(n))
        except ArpackError:
            found = None
    if found is None:
        found = eigenpairs(matrix, n - rank, n - 1)
    order = np.argsort(-found[0], kind="stable")
    return found[0][order], found[1][:, order]
