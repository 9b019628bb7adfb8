"""Eigenvectors of a graph and singular vectors of a matrix: the largest pairs, eigengaps, rows for members, groups of rows.

An affinity has a spectrum for every width of a kernel; the number of groups is where the largest eigengap among them is.
Rows are rounded to groups by k-means++ with restarts. Singular vectors are found exactly, by a random sample of the columns
or by Lanczos, without centring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.linalg.blas import dsymv
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.errors import DataError
from coterie.core.random import small_seed, stream
from coterie.core.workplace import at_once, fits, steady
from coterie.parts.neighbors import (
    Kernel,
    even,
    member_weights,
    typical_distance,
    undirected,
    width_grid,
)
from coterie.parts.pairwise import tile_bytes
from coterie.parts.workers import in_order

Variant = Literal["njw", "ncut"]
DENSE = 1500  # members up to which a dense solver finds the eigenpairs
_FLOOR = 1e-12  # of the largest degree: what is added to every degree
_TOL = 1e-8
_HELD = 8000  # rows of a matrix up to which it is decomposed whole where Lanczos does not end
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
    if found is None and matrix.shape[0] <= _HELD:
        return _dense(matrix.toarray(), k)
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


def eigenpairs(matrix: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues from position `first` to `last` in rising order, and their vectors as columns.

    >>> eigenpairs(np.diag([3.0, 1.0, 2.0]), 1, 2)[0].tolist()
    [2.0, 3.0]
    """
    try:
        found: tuple[np.ndarray, np.ndarray] = scipy.linalg.eigh(
            matrix, subset_by_index=(first, last), check_finite=False
        )
    except scipy.linalg.LinAlgError:
        return slowly(matrix, first, last)
    return found


def slowly(matrix: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """The same by QR: the quick way of LAPACK (MRRR) fails on some matrices with many eigenvalues that are all but equal."""
    values, vectors = scipy.linalg.eigh(matrix, driver="ev", check_finite=False)
    return values[first : last + 1], vectors[:, first : last + 1]


_ALONE = (
    1500  # members from which kernels of different widths are tried one after the other, for memory
)

Found = list[tuple[Kernel | None, Spectrum]]


def spectra_of(
    affinity: Affinity, pairs: int, scale: float | str, change: Callable[[Any], Any] | None = None
) -> Found:
    """One spectrum of so many eigenpairs per kernel width to be tried; a single one for similarities.

    `scale` is a width, "local" for widths of the members' own, or any other word for the grid around the median distance.
    `change` makes other weights of the weights between members (as hints do).
    """
    used = change or _as_they_are
    n = affinity.shape[0]
    if not isinstance(affinity, Graph):
        own = 0 if isinstance(affinity, Dense) else 1
        copies = 2 + own + (0 if affinity.symmetric else 1) + (2 if change else 0)
        fits(
            copies * 8 * n * n + tile_bytes(affinity),
            f"The eigenvectors of {n} members",
            "keep neighbors first with compare.Neighborhood",
        )
    if affinity.kind == "similarity":
        return [(None, spectrum(used(member_weights(affinity)), pairs, used_up=True))]
    if typical_distance(affinity) == 0:
        return [(None, spectrum(used(_all_alike(affinity)), pairs, used_up=True))]
    values = even(affinity) if isinstance(affinity, Dense) else affinity.values  # type: ignore[attr-defined]
    kernels = _kernels(affinity, values, scale)

    def work(kernel: Kernel) -> tuple[Kernel | None, Spectrum]:
        return kernel, spectrum(used(kernel.members(values)), pairs, used_up=True)

    if values.shape[0] > _ALONE:
        return [work(kernel) for kernel in kernels]
    return list(in_order(work, kernels, "kernel widths", workers=at_once(3 * 8 * n * n)))


def _as_they_are(weights: Any) -> Any:
    return weights


def largest_gap(found: Found, most: int, n_groups: int | None) -> tuple[int, int, np.ndarray]:
    """How many groups, which spectrum, and the largest gaps: every k is judged at the width where its own gap is largest."""
    curves = np.array([s.gaps(most) for _, s in found])
    if curves.shape[1] == 0:
        return (n_groups or 1), 0, np.empty(0)
    best = curves.max(axis=0)
    if n_groups is not None:
        at = min(max(n_groups - 2, 0), curves.shape[1] - 1)
        return n_groups, int(np.argmax(curves[:, at])), best
    at = int(np.argmax(best))
    k = at + 2 if best[at] > 1e-9 else 1
    return k, int(np.argmax(curves[:, at])), best


def widest(found: Found, k: int) -> list[int]:
    """Positions of the kernels with k positive eigenvalues, from the narrowest to the widest."""
    return [at for at, (_, s) in enumerate(found) if len(s.values) >= k and s.values[k - 1] > 0]


def _kernels(affinity: Affinity, values: Any, scale: float | str) -> list[Kernel]:
    if not isinstance(scale, str):
        return [Kernel(float(scale))]
    if scale == "local":
        if isinstance(affinity, Graph):
            raise DataError(
                "scale='local' needs every distance; make the graph with Neighborhood, which scales locally.",
                owner="Spectral",
            )
        return [Kernel.own_widths(values)]
    return [Kernel(float(width)) for width in width_grid(affinity)]


def _all_alike(affinity: Affinity) -> Any:
    """Weights of members that are all identical."""
    if isinstance(affinity, Graph):
        matrix = affinity.values.copy()
        matrix.data = np.ones_like(matrix.data)
        return undirected(matrix)
    n = affinity.shape[0]
    return np.ones((n, n)) - np.eye(n)


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
            values, vectors = _lanczos_svd(matrix, rank)
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


def _lanczos_svd(matrix: Any, rank: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.sparse.linalg import svds

    start = stream(0).standard_normal(min(matrix.shape))
    _, values, vectors = svds(matrix, k=rank, v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[order]
