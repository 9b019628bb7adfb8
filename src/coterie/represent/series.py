"""Series: what all numbers of a sequence or set share (checks, scales, principal axes), and its quantiles, spectrum and path."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.parts.sequences import filled, owner_of
from coterie.parts.units import same_units

_TINY = 1e-12
_LARGEST = np.float64(1e100)  # beyond it squares are too large
_CLIP = 4.0  # standard deviations beyond which a column goes no further
_FLOOR = 1e-3  # power added before the logarithm, of series with variance one
_LEAST = 8  # steps of the shortest grid a series is brought to
_JERKS = (0.1, 0.5, 0.9)  # levels of the sizes of second differences

Level = Literal["keep", "center", "standardize"]
LEVELS = ("keep", "center", "standardize")


class Series(Representer):
    """Base of representers of sequences and sets: dimensions on comparable scales, missing values filled.

    Every dimension loses its mean over all members; where the spreads differ by more than `units`, each dimension is
    brought to a standard deviation of one. Beyond `dims` dimensions the leading principal axes of the steps are kept.
    """

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Table

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

    same_level: bool = param(
        False,
        "Whether the mean of all values of a member is taken off first, as for log spectra of unlike loudness.",
        choices=(False, True),
    )

    mean_: np.ndarray
    kept_: np.ndarray
    scale_: np.ndarray
    axes_: np.ndarray | None
    ordered_: bool

    def check_series(self, X: Any, *, new: bool = False) -> Ragged:
        """The members without missing values; what cannot be used is refused by member."""
        owner = type(self).__name__
        series: Ragged = self.check(X, new=new)
        empty = np.flatnonzero(series.lengths == 0)
        if len(empty):
            raise DataError(f"{owner}: member {empty[0]} has no steps.")
        if series.ordered:
            series = filled(series)
        if not np.isfinite(series.values).all():
            bad = ~np.isfinite(series.values).all(axis=1)
            row = int(np.argmax(bad))
            member = owner_of(series, bad)
            raise DataError(
                f"{owner}: member {member} has NaN or infinity at step {row - int(series.offsets[member])}."
            )
        huge = np.asarray((np.abs(series.values) > _LARGEST).any(axis=1))
        if huge.any():
            raise DataError(
                f"{owner}: member {owner_of(series, huge)} has a value above 1e100, whose powers are too large."
            )
        if new:
            self._check_as_fitted(series)
        return without_level(series) if self.same_level else series

    def _check_as_fitted(self, series: Ragged) -> None:
        owner = type(self).__name__
        if series.dim != len(self.mean_):
            raise DataError(
                f"{owner} was fitted on {len(self.mean_)} values per step, and these sequences have {series.dim}."
            )
        if series.ordered != self.ordered_:
            was, now = ("sequences", "sets") if self.ordered_ else ("sets", "sequences")
            raise DataError(f"{owner} was fitted on {was}, and these members are {now}.")

    def learn_scales(self, series: Ragged) -> None:
        """Learn the mean and the scale of every dimension, and the principal axes where there are too many."""
        values = series.values
        self.ordered_ = series.ordered
        self.mean_ = values.mean(axis=0)
        spread = values.std(axis=0)
        self.kept_ = spread > _TINY
        if not self.kept_.any():
            raise DataError(
                f"{type(self).__name__}: every dimension is constant, so all sequences are the same."
            )
        self.scale_ = (
            np.ones(int(self.kept_.sum())) if same_units(spread, self.units) else spread[self.kept_]
        )
        self.axes_ = None
        if len(self.scale_) > self.dims:
            frames = (values - self.mean_)[:, self.kept_] / self.scale_
            _, vectors = np.linalg.eigh(frames.T @ frames)
            self.axes_ = vectors[:, ::-1][:, : self.dims]

    def scaled(self, series: Ragged) -> Ragged:
        """The members on the scales that were learned."""
        frames = (series.values - self.mean_)[:, self.kept_] / self.scale_
        return series.with_values(frames if self.axes_ is None else frames @ self.axes_)


class SeriesTable(Series):
    """Base of representers that turn each series into one row, whose columns may be standardized."""

    standardize: bool = param(
        False,
        "Whether columns get a standard deviation of one, and no value beyond 4.",
        choices=(False, True),
    )

    rms_: float
    center_: np.ndarray
    spread_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the scales of the dimensions and of the columns."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Learn the scales, and give one row per member."""
        series = self.check_series(X)
        with steady():
            self.learn_scales(series)
            frames = self.scaled(series)
            self.rms_ = float(np.sqrt((frames.values**2).mean())) or 1.0
            frames = frames.with_values(frames.values / self.rms_)
            self.learn(frames, series)
            rows = self.rows(frames)
        self.n_features_out_ = rows.shape[1]
        self.center_ = rows.mean(axis=0) if self.standardize else np.zeros(rows.shape[1])
        spread = rows.std(axis=0) if self.standardize else np.ones(rows.shape[1])
        self.spread_ = np.where(spread > 1e-8, spread, np.inf)  # a constant column says nothing
        return self._finished(rows)

    def transform(self, X: Any) -> np.ndarray:
        """One row of numbers per member."""
        series = self.check_series(X, new=True)
        with steady():
            frames = self.scaled(series)
            rows = self.rows(frames.with_values(frames.values / self.rms_))
        return self._finished(rows)

    def _finished(self, rows: np.ndarray) -> np.ndarray:
        if not self.standardize:
            return rows
        return np.asarray(np.clip((rows - self.center_) / self.spread_, -_CLIP, _CLIP))

    @abstractmethod
    def rows(self, frames: Ragged) -> np.ndarray:
        """One row per member, of series on the scales that were learned."""

    def learn(self, frames: Ragged, members: Ragged) -> None:
        """Learn what the rows need besides the scales; `members` are as they were given."""

    def refuse_sets(self, frames: Ragged) -> None:
        """Refuse members whose steps have no order."""
        if not frames.ordered:
            raise DataError(
                f"{type(self).__name__} takes sequences, and these members are sets (ordered=False): "
                "their steps have no order."
            )


class Means(SeriesTable):
    """Sequences or sets as the mean of every dimension and, if wanted, the signed roots of the covariances."""

    covariances: bool = param(
        False,
        "Whether the covariances of the dimensions stand beside the means.",
        choices=(False, True),
    )

    def rows(self, frames: Ragged) -> np.ndarray:
        """The means, then the upper half of the covariances."""
        upper = np.triu_indices(frames.dim)
        found = []
        for trace in frames:
            mean = trace.mean(axis=0)
            parts = [mean]
            if self.covariances:
                off = trace - mean
                covariance = (off.T @ off / len(trace))[upper]
                parts.append(np.sign(covariance) * np.sqrt(np.abs(covariance)))
            found.append(np.concatenate(parts))
        return np.array(found)


class Quantiles(SeriesTable):
    """Sequences or sets as quantiles of their values, of their differences and of the sizes of their second differences.

    Sets have no differences.
    """

    levels: tuple[float, ...] = param(
        (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98), "Levels of the quantiles, between 0 and 1."
    )

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range."""
        super().check_params()
        levels = list(self.levels)
        if not levels or not all(
            isinstance(level, (int, float)) and 0 <= level <= 1 for level in levels
        ):
            raise ParameterError(
                f"Quantiles: levels must be numbers from 0 to 1, and were {self.levels!r}."
            )

    def rows(self, frames: Ragged) -> np.ndarray:
        """The quantiles of every member, all dimensions in one row."""
        return np.array([self._row(trace, frames.ordered) for trace in frames])

    def _row(self, trace: np.ndarray, ordered: bool) -> np.ndarray:
        parts = [np.quantile(trace, self.levels, axis=0).ravel()]
        if ordered:
            still = np.zeros((1, trace.shape[1]))
            first = np.diff(trace, axis=0) if len(trace) > 1 else still
            second = np.abs(np.diff(trace, 2, axis=0)) if len(trace) > 2 else still
            parts.append(np.quantile(first, self.levels, axis=0).ravel())
            parts.append(np.quantile(second, _JERKS, axis=0).ravel())
        return np.concatenate(parts)


class PowerSpectrum(SeriesTable):
    """Sequences as the logarithm of their power in bands of frequency, a channel at a time.

    Each sequence is brought to the median length, loses its mean, is multiplied with a Hann window and transformed; the
    power is averaged in bands whose widths grow geometrically.
    """

    bands: int = param(12, "Bands of frequency, as many as the length allows.", ge=1)
    max_steps: int = param(256, "Steps that sequences are brought to at most.", ge=_LEAST)
    level: Level = param(
        "keep",
        "What of the level is kept: all (the mean has no part), or each channel of a sequence has variance one.",
        choices=("keep", "standardize"),
    )

    steps_: int
    edges_: np.ndarray

    def learn(self, frames: Ragged, members: Ragged) -> None:
        """Learn the common length and the edges of the bands."""
        self.refuse_sets(frames)
        self.steps_ = common_length(frames, self.max_steps)
        self.edges_ = np.unique(
            np.round(np.geomspace(1, self.steps_ // 2 + 1, self.bands + 1)).astype(np.int64)
        )

    def rows(self, frames: Ragged) -> np.ndarray:
        """The logarithms of power, all channels of a band side by side."""
        window = np.hanning(self.steps_)[:, None]
        found = []
        for trace in _resampled(frames, self.steps_):
            wave = leveled(trace, "standardize" if self.level == "standardize" else "center")
            power = np.abs(np.fft.rfft(wave * window, axis=0)) ** 2 / self.steps_
            found.append(
                [
                    np.log(power[low:high].mean(axis=0) + _FLOOR)
                    for low, high in zip(self.edges_[:-1], self.edges_[1:], strict=True)
                ]
            )
        return np.array(found).reshape(len(frames), -1)


class Paths(SeriesTable):
    """Sequences as their course: each channel at equally spaced moments, averaged where there are more steps."""

    points: int = param(32, "Means at which a sequence is read.", ge=2)
    level: Level = param(
        "keep",
        "Whether a sequence keeps its level, loses the mean of each channel, or its mean and variance.",
        choices=LEVELS,
    )

    def learn(self, frames: Ragged, members: Ragged) -> None:
        """Refuse sets; nothing else is learned."""
        self.refuse_sets(frames)

    def rows(self, frames: Ragged) -> np.ndarray:
        """The course of every member, channel beside channel at each moment."""
        traces = [bring_to_length(leveled(trace, self.level), self.points) for trace in frames]
        return np.array(traces).reshape(len(frames), -1)


def without_level(series: Ragged) -> Ragged:
    """The members less the mean of all their values.

    >>> without_level(Ragged.of([[[1.0, 3.0]], [[9.0, 9.0]]])).values.tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """
    sums = np.add.reduceat(series.values.mean(axis=1), series.offsets[:-1])
    means = np.repeat(sums / series.lengths, series.lengths)
    return series.with_values(series.values - means[:, None])


def common_length(frames: Ragged, most: int) -> int:
    """The median length, from 8 to `most`: what all are brought to."""
    return int(np.clip(np.median(frames.lengths), min(_LEAST, most), most))


def leveled(trace: np.ndarray, level: str) -> np.ndarray:
    """A sequence as it is, without its means, or with means of zero and variances of one."""
    if level == "keep":
        return trace
    off = trace - trace.mean(axis=0)
    return off if level == "center" else off / (off.std(axis=0) + 1e-9)


def bring_to_length(trace: np.ndarray, steps: int) -> np.ndarray:
    """A sequence at another length: interpolated where it is shorter, averaged over equal stretches where it is longer.

    >>> bring_to_length(np.array([[0.0], [2.0]]), 3).ravel().tolist()
    [0.0, 1.0, 2.0]
    >>> bring_to_length(np.array([[1.0], [3.0], [5.0], [7.0]]), 2).ravel().tolist()
    [2.0, 6.0]
    """
    many, channels = trace.shape
    if many == steps:
        return trace
    if many < steps:
        at = np.linspace(0.0, 1.0, many)
        grid = np.linspace(0.0, 1.0, steps)
        return np.stack([np.interp(grid, at, trace[:, c]) for c in range(channels)], axis=1)
    edges = np.linspace(0, many, steps + 1)
    sums = np.concatenate([np.zeros((1, channels)), np.cumsum(trace, axis=0)])
    at = np.arange(many + 1)
    until = np.stack([np.interp(edges, at, sums[:, c]) for c in range(channels)], axis=1)
    return np.asarray(np.diff(until, axis=0) / np.diff(edges)[:, None])


def _resampled(frames: Ragged, steps: int) -> list[np.ndarray]:
    """All sequences at one length."""
    return [bring_to_length(trace, steps) for trace in frames]
