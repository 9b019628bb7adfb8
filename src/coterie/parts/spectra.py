"""Eigenvectors of a graph: normalized weights, the largest eigenpairs, eigengaps, embedding rows, and rows for newcomers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsymv
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.eigenpairs import eigenpairs

Variant = Literal["njw", "ncut"]
DENSE = 1500  # members up to which a dense solver finds the eigenpairs
_FLOOR = 1e-12  # of the largest degree: what is added to every degree
_TOL = 1e-8
_TIED = 1e-6  # nearness of a second eigenvalue to 1 at which Lanczos may miss a copy


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The largest eigenpairs of D^-1/2 W D^-1/2, with the degrees D; `isolated` names members without any weight."""

    values: np.ndarray
    vectors: np.ndarray
    degrees: np.ndarray
    isolated: np.ndarray

    def gaps(self, most: int) -> np.ndarray:
        """lambda_k - lambda_(k+1) for k = 2..most, as far as there are eigenvalues."""
        last = min(most, len(self.values) - 1)
        return self.values[1:last] - self.values[2 : last + 1]

    def rows(self, k: int, variant: Variant = "njw") -> np.ndarray:
        """Where the members lie: rows of k vectors scaled to length one, or the generalized vectors 2..k as they are."""
        if variant == "njw":
            return _unit_rows(self.vectors[:, :k])
        return self.vectors[:, 1:k] / np.sqrt(self.degrees)[:, None]

    def extended(self, weights: Any, k: int, variant: Variant = "njw") -> np.ndarray:
        """Where new members lie, from their weights to the fitted ones (Nystroem); zero rows for those without weight."""
        total = np.asarray(weights.sum(axis=1)).ravel()
        scale = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
        strong = np.abs(self.values[:k]) > 1e-8
        inverse = np.divide(1.0, self.values[:k], out=np.zeros(len(strong)), where=strong)
        with steady():
            rows = (
                np.asarray(weights @ (self.vectors[:, :k] / np.sqrt(self.degrees)[:, None]))
                * inverse
            )
        if variant == "njw":
            return _unit_rows(rows * np.sqrt(scale)[:, None])
        return (rows * scale[:, None])[:, 1:k]


def spectrum(weights: Any, k: int, *, used_up: bool = False) -> Spectrum:
    """The k largest eigenpairs of the normalized weights (dense array or sparse matrix, symmetric, no diagonal).

    Weights that nobody needs any more are `used_up`: changed in place.
    """
    degree = np.asarray(weights.sum(axis=1)).ravel()
    floor = _FLOOR * float(degree.max(initial=0.0))
    isolated = np.flatnonzero(degree <= floor)
    degree = degree + (floor if floor > 0 else 1.0)
    root = 1.0 / np.sqrt(degree)
    if sp.issparse(weights):
        scaled = sp.csr_array(sp.diags_array(root) @ weights @ sp.diags_array(root))
    else:
        scaled = np.multiply(weights, root[:, None], out=weights if used_up else None)
        scaled *= root
    with steady():
        values, vectors = top_pairs(scaled, k)
    return Spectrum(values, vectors, degree, isolated)


def top_pairs(matrix: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, falling, and their vectors with the largest entry positive; the same bits every time."""
    k = min(k, matrix.shape[0])
    if sp.issparse(matrix):
        values, vectors = _by_component(sp.csr_array(matrix), k)
    elif _small(matrix.shape[0], k):
        values, vectors = _dense(matrix, k)
    else:
        values, vectors = _lanczos(matrix, k) or _dense(matrix, k)
    return values, _signed(vectors)


def _small(n: int, k: int) -> bool:
    return n <= DENSE or k >= n // 3


def _dense(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    n = matrix.shape[0]
    values, vectors = eigenpairs(matrix, n - k, n - 1)
    return values[::-1].copy(), vectors[:, ::-1].copy()


def _by_component(matrix: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Every connected piece has its own eigenpairs, so that an eigenvalue 1 shared by several pieces is never missed."""
    n = matrix.shape[0]
    pieces, piece = connected_components(matrix, directed=False)
    members = np.split(
        np.argsort(piece, kind="stable"), np.cumsum(np.bincount(piece, minlength=pieces))[:-1]
    )
    found: list[tuple[float, int, np.ndarray]] = []
    for number, own in enumerate(members):
        values, vectors = _piece(matrix[own][:, own], min(k, len(own)))
        found += [(float(value), number, vectors[:, at]) for at, value in enumerate(values)]
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    out = np.zeros((n, min(k, len(found))))
    for at, (_, number, vector) in enumerate(found[:k]):
        out[members[number], at] = vector
    return np.array([value for value, _, _ in found[:k]]), out


def _piece(matrix: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    if _small(matrix.shape[0], k):
        return _dense(matrix.toarray(), k)
    found = _lanczos(matrix, k) or _lanczos(matrix, k, tol=1e-5, width=4)
    if found is None:
        raise DataError(
            f"The {k} largest eigenvectors of the graph did not converge; keep more neighbors, or ask for fewer groups."
        )
    return found


def _lanczos(
    matrix: Any, k: int, *, tol: float = _TOL, width: int = 2
) -> tuple[np.ndarray, np.ndarray] | None:
    """Largest eigenpairs from a fixed start, or None where it did not converge or may have missed one.

    Works on the matrix plus one, so that the tolerance is absolute: eigenvalues near zero need no more digits than others.
    """
    n = matrix.shape[0]
    start = stream(0, n).standard_normal(n)
    times = _product(matrix)
    raised = LinearOperator((n, n), matvec=lambda x: times(x.ravel()) + x.ravel(), dtype=np.float64)
    try:
        values, vectors = eigsh(
            raised, k=k, which="LA", v0=start, tol=tol, ncv=min(n, width * k + 20), maxiter=50 * n
        )
        order = np.argsort(-values, kind="stable")
        values = values[order] - 1.0
        vectors = vectors[:, order]
        if (
            len(values) > 1
            and values[1] > 1.0 - _TIED
            and _left_over(matrix, values, vectors) > values[-1] + _TIED
        ):
            return None
    except (ArpackNoConvergence, ArpackError):
        return None
    return values, vectors


def _product(matrix: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Products with vectors; those of a dense array read one half of it, since they wait for memory and it is symmetric."""
    if isinstance(matrix, np.ndarray) and matrix.dtype == np.float64 and matrix.flags.c_contiguous:
        return lambda x: np.asarray(dsymv(1.0, matrix.T, x, lower=1))
    return lambda x: np.asarray(matrix @ x)


def _left_over(matrix: Any, values: np.ndarray, vectors: np.ndarray) -> float:
    """The largest eigenvalue of what remains when the pairs found are taken out."""
    n = matrix.shape[0]

    def times(x: np.ndarray) -> np.ndarray:
        x = x.ravel()
        return np.asarray(matrix @ x - vectors @ (values * (vectors.T @ x)))

    rest = LinearOperator((n, n), matvec=times, dtype=np.float64)
    return float(
        eigsh(
            rest,
            k=1,
            which="LA",
            v0=stream(1, n).standard_normal(n),
            tol=1e-4,
            return_eigenvectors=False,
        )[0]
    )


def _signed(vectors: np.ndarray) -> np.ndarray:
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.divide(rows, length, out=np.zeros_like(rows), where=length > 1e-150)
