"""Shapes: sequences or sets of vectors as numbers of fixed length, from their course (path) and their law (moments)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.parts.sequences import filled, owner_of
from coterie.parts.units import same_units
from coterie.represent.role import Representer

_TINY = 1e-12
_LAGS = (2, 4, 8)  # beyond the first, each dimension with itself
_LARGE = np.float64(1e70)  # values from which a fourth power may be beyond all numbers
_LARGEST = np.float64(1e100)  # beyond it squares are too


class Shapes(Representer):
    """Sequences as numbers of fixed length: level, spread, movement and course.

    Two blocks stand side by side, each scaled to a total variance of one: the *path*, each dimension interpolated at
    `points` equally spaced moments; and the *law*, the mean, the covariance, the autocovariance at lags 1 (between all
    dimensions), 2, 4 and 8 (within each), and the fourth central moment of the steps, all by their (signed) roots, so
    that they are in the units of the values. Sets have no path and no lags.
    """

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Table

    points: int = param(20, "Moments at which the course of a sequence is read.", ge=2)
    dims: int = param(
        20,
        "Largest number of dimensions; beyond it, this many principal axes of the steps are kept.",
        ge=1,
    )
    units: float = param(
        10.0,
        "Dimensions are given one scale when their spreads differ by more than this factor.",
        ge=1,
    )

    mean_: np.ndarray
    kept_: np.ndarray
    scale_: np.ndarray
    axes_: np.ndarray | None
    ordered_: bool
    centers_: list[Any]
    weights_: list[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the scales of the dimensions and of the two blocks."""
        sequences = self._checked(X)
        with steady():
            self._learn_frames(sequences.values)
            blocks = self._blocks(self._frames(sequences))
        self.ordered_ = sequences.ordered
        self.centers_ = [block.mean(axis=0) for block in blocks]
        self.weights_ = [
            1.0 / np.sqrt(max(float(block.var(axis=0).sum()), _TINY)) for block in blocks
        ]
        self.n_features_out_ = sum(block.shape[1] for block in blocks)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row of numbers per sequence."""
        sequences = self._checked(X, new=True)
        if sequences.dim != len(self.mean_):
            raise DataError(
                f"Shapes was fitted on {len(self.mean_)} values per step, and these sequences have {sequences.dim}."
            )
        if sequences.ordered != self.ordered_:
            was, now = ("sequences", "sets") if self.ordered_ else ("sets", "sequences")
            raise DataError(f"Shapes was fitted on {was}, and these members are {now}.")
        with steady():
            blocks = self._blocks(self._frames(sequences))
        scaled = [
            (block - center) * weight
            for block, center, weight in zip(blocks, self.centers_, self.weights_, strict=True)
        ]
        return np.concatenate(scaled, axis=1)

    def _checked(self, X: Any, *, new: bool = False) -> Ragged:
        sequences: Ragged = self.check(X, new=new)
        empty = np.flatnonzero(sequences.lengths == 0)
        if len(empty):
            raise DataError(f"member {empty[0]} has no steps.", owner="Shapes")
        if sequences.ordered:
            sequences = filled(sequences)
        if not np.isfinite(sequences.values).all():
            bad = ~np.isfinite(sequences.values).all(axis=1)
            row = int(np.argmax(bad))
            member = owner_of(sequences, bad)
            raise DataError(
                f"member {member} has NaN or infinity at step {row - int(sequences.offsets[member])}.",
                owner="Shapes",
            )
        huge = np.asarray((np.abs(sequences.values) > _LARGEST).any(axis=1))
        if huge.any():
            raise DataError(
                f"member {owner_of(sequences, huge)} has a value above 1e100, whose powers are too large.",
                owner="Shapes",
            )
        return sequences

    def _learn_frames(self, values: np.ndarray) -> None:
        self.mean_ = values.mean(axis=0)
        spread = values.std(axis=0)
        self.kept_ = spread > _TINY
        if not self.kept_.any():
            raise DataError(
                "every dimension is constant, so all sequences are the same.", owner="Shapes"
            )
        self.scale_ = (
            np.ones(int(self.kept_.sum())) if same_units(spread, self.units) else spread[self.kept_]
        )
        self.axes_ = None
        if len(self.scale_) > self.dims:
            frames = (values - self.mean_)[:, self.kept_] / self.scale_
            _, vectors = np.linalg.eigh(frames.T @ frames)
            self.axes_ = vectors[:, ::-1][:, : self.dims]

    def _frames(self, sequences: Ragged) -> Ragged:
        frames = (sequences.values - self.mean_)[:, self.kept_] / self.scale_
        return sequences.with_values(frames if self.axes_ is None else frames @ self.axes_)

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
