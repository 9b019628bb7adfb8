"""Integration: sequences as shorter sequences, one vector of autoregression (or of moments) per window of steps."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.workplace import steady
from coterie.parts.sequences import whole_sets
from coterie.parts.workers import in_order

METHODS = ("autoregression", "moments")
SCALES = ("none", "standard")
# of a window where none is given: seconds, or steps where no rate is known
_SECONDS = 2.0
_STEPS = 100
_BLOCK = (
    2**21
)  # numbers in the windows of a block; a constant, so that results never depend on the workplace
_NOISE = 1e-20  # of the mean square of a window: variances below it are rounding, and nothing is learned from them


class Integration(Representer):
    """Sequences as shorter ones: one vector per window, of how its steps follow one another or of their moments.

    In every window the steps are predicted from the `order` steps before, z_t = v + sum_p B_p z_(t-p) + e_t, by least
    squares; B_1, B_2, ... row by row, v and the upper triangle of the covariance of the errors are the vector. With
    method "moments" it is the mean and the upper triangle of the covariance of the steps.
    """

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Ragged

    method: str = param("autoregression", "What a window becomes.", choices=METHODS)
    window: float | None = param(
        None,
        "Length of a window in seconds (steps, where no rate is known); None for 2 seconds or 100 steps.",
        gt=0,
    )
    hop: float | None = param(
        None, "From one window to the next, in the same unit; None for half a window.", gt=0
    )
    order: int = param(3, "Steps that an autoregression looks back.", ge=1)
    ridge: float = param(
        1e-6,
        "Share of the mean variance of a window added to every variance, so that silence has an answer.",
        ge=0,
    )
    scale: str = param(
        "none",
        "Numbers as they come, or each divided by its standard deviation over all fitted windows.",
        choices=SCALES,
    )
    fewest: int = param(
        30,
        "Steps that a window needs; a member that has fewer is one window, with a warning.",
        ge=2,
        advanced=True,
    )

    rate_: float
    dim_: int
    length_: int
    step_: float
    names_: tuple[str, ...]
    spread_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the windows against the steps per second, and learn the scales where they are asked for."""
        frames = self._checked(X, new=False)
        self.rate_ = frames.rate
        self.dim_ = frames.dim
        self.length_, self.step_ = self._lengths(frames.rate)
        self.names_ = self._names(frames)
        self.n_features_out_ = len(self.names_)
        self.spread_ = np.ones(len(self.names_))
        if self.scale == "standard":
            values = self._integrated(frames).values
            size = np.abs(values).max(axis=0)
            size = np.where(
                size > 1e100, size, 1.0
            )  # products of large values, whose squares are beyond all numbers
            found = (values / size).std(axis=0) * size
            self.spread_ = np.where(found > 0, found, 1.0)
        return self

    def transform(self, X: Any) -> Ragged:
        """A sequence of vectors per member, one for every full window; one of what there is where none is full."""
        frames = self._checked(X, new=True)
        if frames.rate and self.rate_ and frames.rate != self.rate_:
            raise DataError(
                f"Integration was fitted on {self.rate_:g} steps per second, and these members have {frames.rate:g}; "
                "bring them to one rate first."
            )
        found = self._integrated(frames)
        return Ragged(found.values / self.spread_, found.offsets, True, self.names_, found.rate)

    def represent(self, X: Any) -> Ragged:
        """What `transform` gives: its values have their names already."""
        return self.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names such as c1 by c2, 3 before; level of c1; and error of c1 with c2."""
        return np.array(self.names_, dtype=object)

    def _checked(self, X: Any, *, new: bool) -> Ragged:
        seen = self.check(X, new=new)
        in_time = self.method == "autoregression"
        frames = whole_sets(
            seen, "Integration", dim=self.dim_ if new else None, new=new, ordered=in_time
        )
        needed = self.order + 2 if self.method == "autoregression" else 2
        if (frames.lengths < needed).any():
            member = int(np.argmax(frames.lengths < needed))
            raise DataError(
                f"member {member} has {frames.lengths[member]} step(s) and {needed} are needed; leave it out first.",
                owner="Integration",
            )
        return frames

    def _lengths(self, rate: float) -> tuple[int, float]:
        """Steps of a window (a whole number) and from one window to the next (which need not be one)."""
        unit = rate or 1.0
        window = self.window or (_SECONDS if rate else _STEPS)
        length = int(window * unit + 1e-6)
        step = (window / 2 if self.hop is None else self.hop) * unit
        fewest = max(self.fewest, self.order + 2 if self.method == "autoregression" else 2)
        if length < fewest:
            shown = f"{window:g} seconds are {length} steps" if rate else f"was {window:g}"
            raise ParameterError(
                f"window must hold at least {fewest} steps (fewest), and {shown}.",
                owner="Integration",
            )
        if step < 1:
            raise ParameterError(
                f"hop must be at least one step, and was {step:g} of one.", owner="Integration"
            )
        return length, step

    def _names(self, frames: Ragged) -> tuple[str, ...]:
        own = [name.rpartition(":")[2] for name in frames.names] or [
            f"x{d + 1}" for d in range(frames.dim)
        ]
        own = own if len(set(own)) == len(own) else list(frames.names)
        rows, cols = np.triu_indices(frames.dim)
        pairs = [(own[i], own[j]) for i, j in zip(rows, cols, strict=True)]
        if self.method == "moments":
            return (
                *(f"mean of {a}" for a in own),
                *(f"covariance of {a} with {b}" for a, b in pairs),
            )
        lags = [
            f"{a} by {b}, {p} before" for p in range(1, self.order + 1) for a in own for b in own
        ]
        return (
            *lags,
            *(f"level of {a}" for a in own),
            *(f"error of {a} with {b}" for a, b in pairs),
        )

    def _integrated(self, frames: Ragged) -> Ragged:
        room = np.maximum(frames.lengths - self.length_, 0) + 1  # where a window may begin
        counts = np.ceil((room - 1e-6) / self.step_).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        turn = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
        starts = np.repeat(frames.offsets[:-1], counts) + np.floor(turn * self.step_ + 1e-6).astype(
            np.int64
        )
        lengths = np.repeat(np.minimum(frames.lengths, self.length_), counts)
        self._warn_short(frames.lengths)
        values = np.empty((int(offsets[-1]), self.n_features_out_))
        blocks = [
            block
            for length in np.unique(lengths)
            for block in self._blocks(np.flatnonzero(lengths == length), length)
        ]

        def work(block: np.ndarray) -> np.ndarray:
            at = starts[block][:, None] + np.arange(lengths[block[0]])
            windows = frames.values[at]
            return (
                moments(windows)
                if self.method == "moments"
                else autoregression(windows, self.order, self.ridge)
            )

        with steady():
            for block, found in zip(blocks, in_order(work, blocks, "integrate"), strict=True):
                values[block] = found
        rate = frames.rate / self.step_ if frames.rate else 0.0
        return Ragged(values, offsets, True, self.names_, rate)

    def _blocks(self, windows: np.ndarray, length: int) -> list[np.ndarray]:
        many = max(1, _BLOCK // (int(length) * self.dim_ * (self.order + 1)))
        return [windows[a : a + many] for a in range(0, len(windows), many)]

    def _warn_short(self, lengths: np.ndarray) -> None:
        short = int((lengths < self.fewest).sum())
        if short:
            warnings.warn(
                f"Integration: {short} member(s) have fewer than {self.fewest} steps, the first is member "
                f"{int(np.argmax(lengths < self.fewest))}; the one vector of each says little.",
                UserWarning,
                stacklevel=4,
            )


def autoregression(windows: np.ndarray, order: int, ridge: float) -> np.ndarray:
    """Windows (w, steps, d) as rows of coefficients (lag by lag, row by row), intercepts and covariances of the errors."""
    w, steps, d = windows.shape
    count = steps - order
    after = windows[:, order:]
    before = np.concatenate(
        [windows[:, order - p : steps - p] for p in range(1, order + 1)], axis=2
    )
    middle = before.mean(axis=1)
    center = after.mean(axis=1)
    before = before - middle[:, None]
    after = after - center[:, None]
    gram = np.swapaxes(before, 1, 2) @ before / count
    cross = np.swapaxes(before, 1, 2) @ after / count
    variances = np.einsum("wii->wi", gram)
    level = _NOISE * np.square(windows).mean(axis=(1, 2))
    variances += (ridge * variances.mean(axis=1) + np.where(level > 0, level, 1.0))[:, None]
    law = np.linalg.solve(
        gram, cross
    )  # (w, order * d, d): row p * d + j, column i is B_(p+1)[i, j]
    errors = after - before @ law
    intercept = center - np.einsum("wk,wki->wi", middle, law)
    coefficients = law.reshape(w, order, d, d).transpose(0, 1, 3, 2).reshape(w, -1)
    return np.concatenate([coefficients, intercept, _upper(errors)], axis=1)


def moments(windows: np.ndarray) -> np.ndarray:
    """Windows (w, steps, d) as rows of means and covariances."""
    center = windows.mean(axis=1)
    return np.concatenate([center, _upper(windows - center[:, None])], axis=1)


def _upper(off: np.ndarray) -> np.ndarray:
    """The upper triangles, row by row, of the mean products of centered steps."""
    rows, cols = np.triu_indices(off.shape[2])
    return np.asarray((np.swapaxes(off, 1, 2) @ off / off.shape[1])[:, rows, cols])
