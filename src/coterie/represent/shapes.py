"""Shapes: sequences or sets of vectors as numbers of fixed length, from their course (path) and their law (moments)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.workplace import steady
from coterie.represent.series import Series

_TINY = 1e-12
_LAGS = (2, 4, 8)  # beyond the first, each dimension with itself
_LARGE = np.float64(1e70)  # values from which a fourth power may be beyond all numbers


class Shapes(Series):
    """Sequences as numbers of fixed length: level, spread, movement and course.

    Two blocks stand side by side, each scaled to a total variance of one: the *path*, each dimension interpolated at
    `points` equally spaced moments; and the *law*, the mean, the covariance, the autocovariance at lags 1 (between all
    dimensions), 2, 4 and 8 (within each), and the fourth central moment of the steps, all by their (signed) roots, so
    that they are in the units of the values. Sets have no path and no lags.
    """

    points: int = param(20, "Moments at which the course of a sequence is read.", ge=2)

    centers_: list[Any]
    weights_: list[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the scales of the dimensions and of the two blocks."""
        sequences = self.check_series(X)
        with steady():
            self.learn_scales(sequences)
            blocks = self._blocks(self.scaled(sequences))
        self.centers_ = [block.mean(axis=0) for block in blocks]
        self.weights_ = [
            1.0 / np.sqrt(max(float(block.var(axis=0).sum()), _TINY)) for block in blocks
        ]
        self.n_features_out_ = sum(block.shape[1] for block in blocks)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row of numbers per sequence."""
        sequences = self.check_series(X, new=True)
        with steady():
            blocks = self._blocks(self.scaled(sequences))
        scaled = [
            (block - center) * weight
            for block, center, weight in zip(blocks, self.centers_, self.weights_, strict=True)
        ]
        return np.concatenate(scaled, axis=1)

    def _blocks(self, frames: Ragged) -> list[np.ndarray]:
        return [paths(frames, self.points), laws(frames)] if frames.ordered else [laws(frames)]


def paths(sequences: Ragged, points: int) -> np.ndarray:
    """Each sequence interpolated at equally spaced moments, all dimensions in one row."""
    grid = np.linspace(0.0, 1.0, points)
    found = np.empty((len(sequences), points, sequences.dim))
    for i, trace in enumerate(sequences):
        at = np.linspace(0.0, 1.0, len(trace))
        for d in range(sequences.dim):
            found[i, :, d] = np.interp(grid, at, trace[:, d])
    return found.reshape(len(sequences), -1)


def laws(sequences: Ragged) -> np.ndarray:
    """Mean, covariance, autocovariances (for sequences) and fourth moment, by their signed roots."""
    upper = np.triu_indices(sequences.dim)
    rows = []
    for trace in sequences:
        mean = trace.mean(axis=0)
        off = trace - mean
        parts = [mean, _root((off.T @ off / len(trace))[upper])]
        if sequences.ordered:
            parts.append(_root((off[1:].T @ off[:-1] / len(trace)).ravel()))
            parts.extend(
                _root((off[lag:] * off[: max(len(off) - lag, 0)]).sum(axis=0) / len(trace))
                for lag in _LAGS
            )
        parts.append(_fourth_root(off))
        rows.append(np.concatenate(parts))
    return np.array(rows)


def _fourth_root(off: np.ndarray) -> np.ndarray:
    """The fourth root of the fourth moment; where a fourth power would be beyond all numbers, of values made smaller."""
    size = np.abs(off).max(axis=0, initial=0.0)
    size = np.where(size > _LARGE, size, 1.0)
    return np.asarray(np.mean((off / size) ** 4, axis=0) ** 0.25 * size)


def _root(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))
