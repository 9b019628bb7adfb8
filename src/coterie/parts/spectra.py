"""Spectra of graphs: the normalized weights, their leading eigenvectors, gaps, rows to be grouped, and rounding by k-means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady

_SMALL = 600  # members up to which all eigenvectors are computed
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Leading eigenpairs of D^-1/2 W D^-1/2, largest first, and the degrees D."""

    values: np.ndarray  # (m,)
    vectors: np.ndarray  # (n, m)
    degrees: np.ndarray  # (n,)

    def rows(self, k: int, variant: str = "njw") -> np.ndarray:
        """Coordinates of the members: the first k vectors with rows of length one (njw), or D^-1/2 times vectors 2..k (ncut)."""
        if variant == "njw":
            return unit_rows(self.vectors[:, :k])
        return self.vectors[:, 1 : max(k, 2)] / np.sqrt(np.maximum(self.degrees, _TINY))[:, None]

    def extend(self, weights: Any, k: int, variant: str = "njw") -> np.ndarray:
        """Coordinates of new members from their weights to the fitted ones (Nystroem's formula)."""
        degrees = np.asarray(weights.sum(axis=1)).ravel()
        carried = self.vectors[:, :k] / np.sqrt(np.maximum(self.degrees, _TINY))[:, None]
        values = self.values[:k]
        step = np.where(np.abs(values) > 1e-6, values, 1.0)
        rows = np.asarray(weights @ carried) / np.sqrt(np.maximum(degrees, _TINY))[:, None] / step
        if variant == "njw":
            return unit_rows(rows)
        return rows[:, 1 : max(k, 2)] / np.sqrt(np.maximum(degrees, _TINY))[:, None]


def spectrum(weights: Any, m: int) -> Spectrum:
    """The m leading eigenpairs of a symmetric graph, dense or sparse; a sparse one is solved part by connected part.

    (Lanczos iterations on a graph that falls apart miss repeated eigenvalues.)
    """
    n = weights.shape[0]
    degrees = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
    root = 1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    with steady():
        if sp.issparse(weights):
            half = sp.diags_array(root)
            values, vectors = _by_parts(sp.csr_array(half @ weights @ half), min(m, n))
        else:
            values, vectors = _leading(weights * root[:, None] * root[None, :], min(m, n))
    return Spectrum(values, fix_signs(vectors), degrees)


def _by_parts(matrix: Any, m: int) -> tuple[np.ndarray, np.ndarray]:
    count, part = sp.csgraph.connected_components(matrix, directed=False)
    if count == 1:
        return _leading(matrix, m)
    found: list[tuple[float, int, int]] = []
    pieces: list[tuple[np.ndarray, np.ndarray]] = []
    order = np.argsort(part, kind="stable")
    ends = np.cumsum(np.bincount(part, minlength=count))
    for c in range(count):
        members = order[ends[c - 1] if c else 0 : ends[c]]
        values, vectors = _leading(matrix[members][:, members], min(m, len(members)))
        found.extend((-float(value), c, j) for j, value in enumerate(values))
        pieces.append((members, vectors))
    found.sort()
    kept = found[:m]
    out = np.zeros((matrix.shape[0], len(kept)))
    for place, (_, c, j) in enumerate(kept):
        members, vectors = pieces[c]
        out[members, place] = vectors[:, j]
    return np.array([-value for value, _, _ in kept]), out


def _leading(matrix: Any, m: int) -> tuple[np.ndarray, np.ndarray]:
    """The m largest eigenpairs of one symmetric matrix: all of a small one, else by Lanczos from a fixed start."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, eigsh

    n = matrix.shape[0]
    if n <= _SMALL or m > n // 3:
        full = matrix.toarray() if sp.issparse(matrix) else matrix
        values, vectors = eigh(full, subset_by_index=[n - m, n - 1])
        return values[::-1], vectors[:, ::-1]
    start = np.random.default_rng(0).uniform(0.5, 1.0, n)
    width = min(n, max(3 * m, 60))
    for tolerance, rounds in ((1e-8, 300), (1e-3, 1000)):
        try:
            values, vectors = eigsh(matrix, k=m, which="LA", v0=start, tol=tolerance, ncv=width, maxiter=rounds)
        except (ArpackNoConvergence, ArpackError):
            continue
        order = np.argsort(-values, kind="stable")
        return values[order], vectors[:, order]
    full = matrix.toarray() if sp.issparse(matrix) else matrix
    values, vectors = eigh(full, subset_by_index=[n - m, n - 1])
    return values[::-1], vectors[:, ::-1]


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Every column's largest entry made positive."""
    if not vectors.size:
        return vectors
    top = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows brought to length one; rows of zeros stay."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY)


def gaps(values: np.ndarray) -> np.ndarray:
    """Entry k is the gap between the k-th and the next eigenvalue (entry 0 is not used and zero)."""
    return np.concatenate([[0.0], values[:-1] - values[1:]])


def round_rows(rows: np.ndarray, k: int, restarts: int, random_state: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """k-means++ with restarts, the least distortion kept: labels, centers and the distortion."""
    from sklearn.cluster import KMeans

    if k == 1:
        center = rows.mean(axis=0, keepdims=True)
        return np.zeros(len(rows), dtype=np.int64), center, float(((rows - center) ** 2).sum())
    distinct = len(np.unique(rows, axis=0)) if len(rows) < 5000 else k
    with steady():
        model = KMeans(min(k, distinct), n_init=restarts, random_state=small_seed(stream(random_state, k))).fit(rows)
    return model.labels_.astype(np.int64), model.cluster_centers_, float(model.inertia_)
