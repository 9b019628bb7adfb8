"""One view prepared for what views share: its kernel whole, its thin factors, or only products with its kernel.

Each form knows how many members it has, its raw size (the mean variance it was divided by), and how new members are placed
once weights of the fitted ones are found. Thin factors are `FeatureSide`; this file has the two others, and landmarks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.centered import Centering, centering, checked_kernel, positive_part
from coterie.parts.consensus import Spectrum
from coterie.parts.sides import Compared, FeatureSide

_NONE = 1e-10  # of the largest eigenvalue: below it there is no direction
_SMALL = 2000  # columns up to which columns x columns are factored
_GUIDE = 100  # rank of the factors that guide conjugate gradients
# of the right side: when conjugate gradients end; and how many steps they may take
_CLOSE = 1e-12
_MOST = 1000


@dataclass(frozen=True, eq=False)
class Whole:
    """A view whose kernel is held whole: centered and scaled, with its eigenvectors when they are asked for."""

    rows: Any  # of the fitted members; None where kernels are given
    compared: Compared | None
    centering: Centering
    kernel: np.ndarray
    owner: str

    @classmethod
    def of(
        cls, rows: Any, compared: Compared | None, owner: str, *, center: bool, scale: bool
    ) -> Whole:
        """From rows and a kernel of two blocks of rows; without one, `rows` is the kernel itself and is looked at closely."""
        with steady():
            raw = checked_kernel(rows if compared is None else compared(rows, rows), owner)
            prepared = centering(raw, owner, center=center, scale=scale)
            kernel = prepared.fitted(raw)
            kernel = (kernel + kernel.T) / 2
            found = cls(None if compared is None else rows, compared, prepared, kernel, owner)
            if compared is None:
                positive_part(np.linalg.eigvalsh(kernel), owner)
        return found

    @property
    def n(self) -> int:
        return len(self.kernel)

    @property
    def trace(self) -> float:
        return float(np.trace(self.kernel))

    @cached_property
    def spectrum(self) -> Spectrum:
        with steady():
            values, vectors = np.linalg.eigh(self.kernel)
        values = positive_part(values, self.owner)
        keep = np.flatnonzero(values > _NONE * values.max())[::-1]
        return Spectrum(vectors[:, keep], values[keep])


@dataclass(frozen=True, eq=False)
class Products:
    """A view of a linear kernel too large to be held: only products with its rows are taken."""

    columns: Any
    mean: np.ndarray
    scale: float
    guide: Spectrum

    @classmethod
    def of(cls, rows: Any, owner: str, *, center: bool, scale: bool, random_state: Any) -> Products:
        """From rows, dense or sparse; a few factors of them guide conjugate gradients later."""
        few = FeatureSide.of(
            rows, same, _GUIDE, owner, center=center, scale=scale, random_state=random_state
        )
        return cls(rows, few.mean, few.scale, few.spectrum)

    @property
    def n(self) -> int:
        return int(self.columns.shape[0])

    @cached_property
    def trace(self) -> float:
        squares = (
            self.columns.multiply(self.columns).sum()
            if hasattr(self.columns, "multiply")
            else np.square(self.columns).sum()
        )
        return float(squares - self.n * (self.mean @ self.mean)) / self.scale

    def back(self, members: np.ndarray) -> np.ndarray:
        """Centered columns' products with weights of the members: columns x components."""
        return np.asarray(self.columns.T @ members) - np.outer(self.mean, members.sum(axis=0))

    def times(self, members: np.ndarray) -> np.ndarray:
        """The centered, scaled kernel times weights of the members."""
        return self.forth(self.back(members))

    def forth(self, weights: np.ndarray) -> np.ndarray:
        return (np.asarray(self.columns @ weights) - self.mean @ weights) / self.scale

    def solver(self, tau: float) -> Callable[[np.ndarray], np.ndarray]:
        """(K + tau I)^-1 times weights of the members: through columns x columns where these are few, else step by step."""
        return self._by_columns(tau) if self.columns.shape[1] <= _SMALL else self._by_steps(tau)

    def _by_columns(self, tau: float) -> Callable[[np.ndarray], np.ndarray]:
        from scipy.linalg import cho_factor, cho_solve

        inner = self.columns.T @ self.columns
        inner = np.asarray(
            inner.toarray() if hasattr(inner, "toarray") else inner
        ) - self.n * np.outer(self.mean, self.mean)
        inner[np.diag_indices(len(inner))] += tau * self.scale
        factor = cho_factor(inner, lower=True)
        return lambda members: (
            (members - self.forth(cho_solve(factor, self.back(members))) * self.scale) / tau
        )

    def _by_steps(self, tau: float) -> Callable[[np.ndarray], np.ndarray]:
        from scipy.sparse.linalg import LinearOperator, cg

        vectors = self.guide.vectors
        rest = float(self.guide.values[-1]) + tau
        gain = 1 / (self.guide.values + tau) - 1 / rest
        shape = (self.n, self.n)
        whole = LinearOperator(
            shape,
            matvec=lambda e: self.times(e.reshape(-1, 1)).ravel() + tau * e.ravel(),
            dtype=np.float64,
        )
        near = LinearOperator(
            shape, matvec=lambda e: e / rest + vectors @ (gain * (vectors.T @ e)), dtype=np.float64
        )

        def solved(members: np.ndarray) -> np.ndarray:
            found = np.empty_like(members)
            for at, right in enumerate(members.T):
                found[:, at], wrong = cg(whole, right, rtol=_CLOSE, maxiter=_MOST, M=near)
                if wrong > 0:
                    raise DataError(
                        f"tau = {tau:g} is too small for so many members: the equations did not settle; enlarge it."
                    )
            return found

        return solved


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Features whose linear kernel is a given one seen through some of the members (Nystroem)."""

    marks: np.ndarray
    turn: np.ndarray
    compared: Compared

    @classmethod
    def of(cls, rows: np.ndarray, compared: Compared, rank: int, random_state: Any) -> Landmarks:
        """Through `rank` members drawn at random."""
        marks = rows[np.sort(stream(random_state).permutation(len(rows))[:rank])]
        with steady():
            values, vectors = np.linalg.eigh(compared(marks, marks))
        keep = values > _NONE * values.max()
        return cls(marks, vectors[:, keep] / np.sqrt(values[keep]), compared)

    def __call__(self, rows: Any) -> np.ndarray:
        return np.asarray(self.compared(rows, self.marks) @ self.turn)


def same(rows: Any) -> Any:
    """The rows themselves: the features of a linear kernel."""
    return rows
