"""The largest singular values and vectors of a dense or sparse matrix: exact, randomized, or by Lanczos; no centring."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.random import stream
from coterie.core.workplace import steady

_EXTRA = 10  # columns sampled beyond those wanted
_POWERS = 2  # times the sample is sent through the matrix and back


def truncated_svd(
    matrix: Any, rank: int, solver: str, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Singular values in falling order, and the right singular vectors as rows, their largest entry positive."""
    with steady():
        if rank + _EXTRA >= min(matrix.shape):
            full = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
            _, values, vectors = np.linalg.svd(full, full_matrices=False)
        elif solver == "lanczos":
            values, vectors = _lanczos(matrix, rank)
        else:
            values, vectors = _randomized(matrix, rank, random_state)
    return values[:rank], signed(vectors[:rank])


def signed(vectors: np.ndarray) -> np.ndarray:
    """Rows with their largest entry (by size; the first of equals) made positive."""
    top = np.argmax(np.round(np.abs(vectors), 12), axis=1)
    signs = np.sign(vectors[np.arange(len(vectors)), top])
    return vectors * np.where(signs == 0, 1.0, signs)[:, None]


def _randomized(matrix: Any, rank: int, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """A random sample of the column space, sharpened by power iterations, then an exact decomposition inside it."""
    width = rank + _EXTRA
    basis = _orthonormal(matrix @ stream(random_state).standard_normal((matrix.shape[1], width)))
    for _ in range(_POWERS):
        basis = _orthonormal(matrix.T @ basis)
        basis = _orthonormal(matrix @ basis)
    _, values, vectors = np.linalg.svd(np.asarray(matrix.T @ basis).T, full_matrices=False)
    return values, vectors


def _orthonormal(columns: Any) -> np.ndarray:
    return np.linalg.qr(np.asarray(columns))[0]


def _lanczos(matrix: Any, rank: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.sparse.linalg import svds

    start = stream(0).standard_normal(min(matrix.shape))
    _, values, vectors = svds(matrix, k=rank, v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[order]
