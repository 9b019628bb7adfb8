"""Kernel canonical correlation analysis of two and more views (Bach and Jordan 2002), on thin factors of the kernels.

Blocks K_u K_v beside the diagonal and (K_v + kappa I)^2 on it; with b_v = (K_v + kappa I) a_v this is the ordinary symmetric
problem whose blocks are I and H_u H_v. The ridge form has K_v (K_v + kappa I) on the diagonal, and the blocks H_u^1/2 H_v^1/2.
Two views are one singular value decomposition: rho = 1 + its values. What is kept is told from rounding by the largest value,
since all of them fall with the square of kappa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.workplace import steady
from coterie.parts.consensus import Spectrum, largest_signs

_LOST = 1e-10  # of the largest correlation: those below are none


@dataclass(frozen=True, eq=False)
class Correlated:
    """Dual weights of every view (members x components), and rho - 1, at most the number of views less one, the largest first."""

    duals: tuple[np.ndarray, ...]
    above: np.ndarray

    @property
    def rho(self) -> np.ndarray:
        """The eigenvalues of the whole problem, from 1, nothing shared, to the number of views."""
        return 1 + self.above


def correlated(
    spectra: Sequence[Spectrum], kappa: float, k: int, *, ridge: bool = False
) -> Correlated:
    """The k most correlated directions, at most as many as there are members, and only those with rho above 1."""
    sizes = [view.shrunk(kappa) ** (0.5 if ridge else 1.0) for view in spectra]
    with steady():
        inside, above = (_two if len(spectra) == 2 else _several)(spectra, sizes)
    n = len(spectra[0].vectors)
    tops = sorted(float(size.max()) for size in sizes)
    rounding = n * np.finfo(np.float64).eps * tops[-1] * tops[-2]
    keep = np.flatnonzero(above > max(_LOST * float(above.max()), rounding))[: min(k, n)]
    with steady():
        duals = [
            _dual(view, part[:, keep], kappa, ridge)
            for view, part in zip(spectra, inside, strict=True)
        ]
    signs = largest_signs(duals[0])
    return Correlated(tuple(dual * signs for dual in duals), above[keep])


def _two(
    spectra: Sequence[Spectrum], sizes: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], np.ndarray]:
    """Two views: the singular vectors of the block beside the diagonal, each half of a component."""
    one, other = spectra
    left, values, right = np.linalg.svd(_block(one, sizes[0], other, sizes[1]), full_matrices=False)
    return [left / np.sqrt(2), right.T / np.sqrt(2)], values


def _several(
    spectra: Sequence[Spectrum], sizes: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], np.ndarray]:
    """Any number of views: the eigenvectors of the whole matrix of blocks less I, the largest first, cut into the views."""
    views = list(zip(spectra, sizes, strict=True))
    ends = np.cumsum([len(size) for size in sizes])
    whole = np.zeros((int(ends[-1]), int(ends[-1])))
    for u, (one, own) in enumerate(views):
        for v, (other, its) in enumerate(views[:u]):
            block = _block(one, own, other, its)
            rows = slice(ends[u] - len(own), ends[u])
            columns = slice(ends[v] - len(its), ends[v])
            whole[rows, columns] = block
            whole[columns, rows] = block.T
    values, vectors = np.linalg.eigh(whole)
    return np.split(vectors[:, ::-1], ends[:-1], axis=0), values[::-1]


def _block(one: Spectrum, own: np.ndarray, other: Spectrum, its: np.ndarray) -> np.ndarray:
    return np.asarray(own[:, None] * (one.vectors.T @ other.vectors) * its)


def _dual(view: Spectrum, inside: np.ndarray, kappa: float, ridge: bool) -> np.ndarray:
    """a from b = U inside, where b = (K + kappa I) a, or with the ridge (K (K + kappa I))^1/2 a."""
    below = np.sqrt(view.values * (view.values + kappa)) if ridge else view.values + kappa
    return np.asarray(view.vectors @ (inside / below[:, None]))
