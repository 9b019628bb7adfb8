"""Three routes to what views share, for members that some views may miss: inverses, thin factors, or products.

A member seen in d of V views weighs sqrt(V / d) on both sides of the problem, which is M e = lambda D e with D the number of
views of each member (Hardoon and Pelckmans leave missing views out); with every member in every view it is M e = lambda e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from coterie.core.errors import DataError
from coterie.core.workplace import steady
from coterie.parts.consensus import Components, Hat, Spectrum, largest_signs, of_hats, of_spectra
from coterie.parts.spectra import eigenpairs
from coterie.parts.view_forms import Products

_LOST = 1e-8  # of the number of views: components with less consensus are none
_CONDITION = 1e12  # of a kernel without regularization, at most
_BLOCK = 256  # rows mirrored at once
Shuffle = tuple[int, np.ndarray]  # a view, and the order its members are put in


@dataclass(frozen=True, eq=False)
class Costed(Components):
    """Components whose energies are known by themselves, also without regularization."""

    costs: np.ndarray

    @property
    def energies(self) -> np.ndarray:
        return self.costs


@dataclass(frozen=True, eq=False)
class Seats:
    """Which of n members every view has, in order."""

    n: int
    rows: tuple[np.ndarray, ...]

    @cached_property
    def weights(self) -> np.ndarray:
        """sqrt(V / d) of every member, where it is in d of V views."""
        counts = np.zeros(self.n)
        for rows in self.rows:
            counts[rows] += 1
        return np.sqrt(len(self.rows) / counts)

    @property
    def full(self) -> bool:
        return all(len(rows) == self.n for rows in self.rows)

    def spread(self, at: int, values: np.ndarray) -> np.ndarray:
        """Rows of one view as weighted rows of all members, zero for those it does not have."""
        if self.full:
            return values
        found = np.zeros((self.n, values.shape[1]))
        found[self.rows[at]] = values * self.weights[self.rows[at], None]
        return found


class Route(Protocol):
    """Views ready to be solved for one regularization."""

    @property
    def seats(self) -> Seats:
        """Who has whom."""

    def found(self, k: int, shuffle: Shuffle | None = None) -> Components:
        """The k most shared components; `shuffle` puts the members of one view in another order first."""

    def dual(self, at: int, scores: np.ndarray) -> np.ndarray:
        """(K + tau I)^-1 of one view times the scores of its members."""


@dataclass(frozen=True, eq=False)
class ByInverses:
    """One Cholesky factorization of every K + tau I, and the smallest eigenvalues of the sum of their inverses."""

    inverses: tuple[np.ndarray, ...]
    seats: Seats
    tau: float

    @classmethod
    def of(cls, kernels: Sequence[np.ndarray], seats: Seats, tau: float, owner: str) -> ByInverses:
        with steady():
            return cls(tuple(inverse(kernel, tau, owner) for kernel in kernels), seats, tau)

    @cached_property
    def total(self) -> np.ndarray:
        found = self._spread(0, self.inverses[0]).copy()
        for at, whole in enumerate(self.inverses[1:], 1):
            found += self._spread(at, whole)
        return found

    def found(self, k: int, shuffle: Shuffle | None = None) -> Components:
        total = self.total
        n_views = len(self.inverses)
        if shuffle is not None:
            at, order = shuffle
            total = total + self._spread(
                at, self.inverses[at][np.ix_(order, order)] - self.inverses[at]
            )
        with steady():
            last = min(k, self.seats.n) - 1
            costs, vectors = eigenpairs(total, 0, last)
        mu = n_views - self.tau * costs
        keep = mu > _LOST * n_views
        plain = Components(
            vectors[:, keep], np.minimum(mu[keep], float(n_views)), self.tau, n_views
        )
        return _seated(plain, self.seats, np.maximum(costs[keep], 0.0))

    def dual(self, at: int, scores: np.ndarray) -> np.ndarray:
        with steady():
            return np.asarray(self.inverses[at] @ scores[self.seats.rows[at]])

    def _spread(self, at: int, whole: np.ndarray) -> np.ndarray:
        return self.seats.spread(at, self.seats.spread(at, whole).T)


@dataclass(frozen=True, eq=False)
class ByFactors:
    """Thin factors of every view side by side."""

    spectra: tuple[Spectrum, ...]
    seats: Seats
    tau: float

    def found(self, k: int, shuffle: Shuffle | None = None) -> Components:
        views = list(self.spectra)
        if shuffle is not None:
            at, order = shuffle
            views[at] = Spectrum(views[at].vectors[order], views[at].values)
        spread = [
            Spectrum(self.seats.spread(at, view.vectors), view.values)
            for at, view in enumerate(views)
        ]
        return _seated(of_spectra(spread, self.tau, k), self.seats)

    def dual(self, at: int, scores: np.ndarray) -> np.ndarray:
        return self.spectra[at].dual(scores[self.seats.rows[at]], self.tau)


class ByProducts:
    """Lanczos on products with the hat matrices, for collections beyond memory."""

    def __init__(
        self, views: Sequence[Products], seats: Seats, tau: float, random_state: Any
    ) -> None:
        self.seats = seats
        self.tau = tau
        self.random_state = random_state
        self.solvers = [view.solver(tau) for view in views]

    def found(self, k: int, shuffle: Shuffle | None = None) -> Components:
        hats = [
            self._hat(at, shuffle[1] if shuffle and shuffle[0] == at else None)
            for at in range(len(self.solvers))
        ]
        return _seated(of_hats(hats, self.seats.n, self.tau, k, self.random_state), self.seats)

    def dual(self, at: int, scores: np.ndarray) -> np.ndarray:
        with steady():
            return self.solvers[at](scores[self.seats.rows[at]])

    def _hat(self, at: int, order: np.ndarray | None) -> Hat:
        rows = self.seats.rows[at]
        weights = self.seats.weights
        solve = self.solvers[at]
        own = rows if order is None else rows[np.argsort(order)]

        def hat(vector: np.ndarray) -> np.ndarray:
            inside = (vector * weights[:, None])[own]
            found = np.zeros_like(vector)
            found[own] = inside - self.tau * solve(inside)
            return found * weights[:, None]

        return hat


def inverse(kernel: np.ndarray, tau: float, owner: str) -> np.ndarray:
    """(K + tau I)^-1; without tau only where that is safe, and one sentence where it is not."""
    from scipy.linalg.lapack import dpocon, dpotrf, dpotri

    matrix = np.array(
        kernel, dtype=np.float64, order="C"
    ).T  # columns first, as the factorization wants it in place
    matrix[np.diag_indices(len(matrix))] += tau
    size = float(np.abs(matrix).sum(axis=0).max()) if tau == 0 else 0.0
    factor, wrong = dpotrf(matrix, lower=1, overwrite_a=1, clean=0)
    if not wrong and tau == 0:
        wrong = dpocon(factor, size, uplo="L")[0] < 1 / _CONDITION
    if wrong and tau == 0:
        raise DataError(
            f"{owner} cannot be solved with tau = 0: its kernel is singular, or nearly (a centered one always is); "
            "take tau = 0.001."
        )
    if wrong:
        raise DataError(
            f"its kernel plus tau is not positive definite; take a tau above {tau:g}.", owner=owner
        )
    return _mirrored(dpotri(factor, lower=1, overwrite_c=1)[0])


def _mirrored(half: np.ndarray) -> np.ndarray:
    """The lower triangle copied to the upper one in place, block by block."""
    for low in range(0, len(half), _BLOCK):
        high = low + _BLOCK
        corner = half[low:high, low:high]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T
        half[low:high, high:] = half[high:, low:high].T
    return half


def _seated(found: Components, seats: Seats, costs: np.ndarray | None = None) -> Components:
    """Scores of the members themselves, their signs set again."""
    scores = found.scores if seats.full else found.scores * seats.weights[:, None]
    scores = scores * largest_signs(scores)
    if costs is None:
        return Components(scores, found.mu, found.tau, found.n_views)
    return Costed(scores, found.mu, found.tau, found.n_views, costs)
