"""One view by thin factors: rows centered and scaled without being filled in, and new members placed beside the fitted ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.consensus import Spectrum

Compared = Callable[[Any, Any], np.ndarray]  # rows, rows -> kernel
_NONE = 1e-10  # of the largest eigenvalue: below it there is no direction
# of the randomized factorization
_EXTRA = 10
_POWERS = 3


@dataclass(frozen=True, eq=False)
class FeatureSide:
    """A view by the leading singular vectors of its centered, scaled rows (or of features of them)."""

    features: Callable[[Any], Any]  # rows -> columns that a linear kernel is taken of
    mean: np.ndarray
    scale: float
    right: np.ndarray  # columns x rank
    spectrum: Spectrum
    share: float  # of the squared values of the view that the factors hold

    @classmethod
    def of(
        cls,
        rows: Any,
        features: Callable[[Any], Any],
        rank: int,
        owner: str,
        *,
        center: bool,
        scale: bool,
        random_state: Any,
    ) -> FeatureSide:
        """By a randomized factorization of the given rank, centered by a correction of rank one."""
        columns = features(rows)
        n = columns.shape[0]
        mean = np.asarray(columns.mean(axis=0)).ravel() if center else np.zeros(columns.shape[1])
        with np.errstate(over="ignore"):
            squares = float(
                columns.multiply(columns).sum()
                if hasattr(columns, "multiply")
                else np.square(columns).sum()
            )
        if not np.isfinite(squares):
            raise DataError(
                f"{owner} has values whose squares are too large for a number; scale it first."
            )
        trace = squares - n * float(mean @ mean)
        if trace <= _NONE * max(squares, 1e-300):
            raise DataError(f"{owner} carries no variation: all its members are alike.")
        size = trace / n if scale else 1.0
        with steady():
            left, values, right = _factors(
                columns, mean, min(rank, n - 1, columns.shape[1]), random_state
            )
        keep = values > np.sqrt(_NONE) * values[0]
        kept = values[keep] ** 2 / size
        share = float(min((values[keep] ** 2).sum() / trace, 1.0))
        return cls(features, mean, size, right[:, keep], Spectrum(left[:, keep], kept), share)

    def weights(self, duals: np.ndarray) -> np.ndarray:
        """Weights of the columns, X' a, through the factors."""
        roots = np.sqrt(self.spectrum.values)[:, None]
        return np.asarray(self.right @ (roots * (self.spectrum.vectors.T @ duals)))

    def place(self, rows: Any, duals: np.ndarray) -> np.ndarray:
        with steady():
            weights = self.weights(duals)
            return np.asarray(
                (self.features(rows) @ weights - self.mean @ weights) / np.sqrt(self.scale)
            )


def _factors(
    columns: Any, mean: np.ndarray, rank: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leading singular vectors and values of columns - mean: left (n x r), values, right (p x r)."""
    n, p = columns.shape

    def forward(block: np.ndarray) -> np.ndarray:
        return np.asarray(columns @ block) - mean @ block

    def back(block: np.ndarray) -> np.ndarray:
        return np.asarray(columns.T @ block) - np.outer(mean, block.sum(axis=0))

    width = min(rank + _EXTRA, n, p)
    basis = np.linalg.qr(forward(stream(random_state).standard_normal((p, width))))[0]
    for _ in range(_POWERS):
        basis = np.linalg.qr(forward(np.linalg.qr(back(basis))[0]))[0]
    right, values, turn = np.linalg.svd(back(basis), full_matrices=False)
    return (basis @ turn.T)[:, :rank], values[:rank], right[:, :rank]
