"""States that emit symbols (categorical) or counts (Poisson)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.parts.emissions import SEEN, Emissions, Floors, Sums

Unknown = Literal["error", "extra"]
_MOST = 100_000  # symbols that are told apart


@dataclass(frozen=True, slots=True, eq=False)
class Categorical(Emissions):
    """Symbols as whole-number codes from 0, one alphabet per column; columns are independent given the state."""

    probabilities: (
        np.ndarray
    )  # (M, K, V), the alphabets of the columns one after the other; each sums to one
    sizes: tuple[int, ...]  # symbols per column, with the extra one if there is one
    unknown: Unknown = "error"  # what a code outside the alphabet is: an error, or the last symbol
    name: ClassVar[str] = "categorical"

    @property
    def n_models(self) -> int:
        return int(self.probabilities.shape[0])

    @property
    def n_states(self) -> int:
        return int(self.probabilities.shape[1])

    @property
    def dim(self) -> int:
        return len(self.sizes)

    @property
    def n_free(self) -> int:
        return self.n_states * sum(size - 1 for size in self.sizes)

    def rows(self, frames: np.ndarray) -> np.ndarray:
        table = np.ascontiguousarray(self._logs().transpose(2, 1, 0)).reshape(
            self.probabilities.shape[2] + 1, -1
        )
        codes = self.codes(frames)
        out = table[codes[:, 0]]
        for column in range(1, self.dim):
            out += table[codes[:, column]]
        return out

    def own(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        table = np.ascontiguousarray(self._logs().transpose(0, 2, 1))
        codes = self.codes(frames)
        out = table[owners, codes[:, 0]]
        for column in range(1, self.dim):
            out += table[owners, codes[:, column]]
        return out

    def sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        from coterie._kernels.emissions import add_symbols

        count = np.zeros(self.probabilities.shape)
        add_symbols(self.codes(frames), owners, shares, count)
        return {"count": count}

    def maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Categorical:
        found = self.probabilities.copy()
        for part in self.columns():
            count = sums["count"][..., part]
            seen = count.sum(axis=2, keepdims=True) > SEEN
            count = count + floors.pseudo
            found[..., part] = np.where(
                seen,
                count / np.where(seen, count.sum(axis=2, keepdims=True), 1.0),
                found[..., part],
            )
        return replace(self, probabilities=found)

    def drawn(self, model: int, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        out = np.empty((len(states), self.dim))
        for column, part in enumerate(self.columns()):
            bounds = np.cumsum(self.probabilities[model][:, part], axis=1)
            bounds /= bounds[:, -1:]
            out[:, column] = (generator.random(len(states))[:, None] >= bounds[states]).sum(axis=1)
        return out

    def columns(self) -> list[slice]:
        """Where the alphabet of each column stands among the probabilities."""
        ends = np.cumsum(self.sizes).tolist()
        return [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]

    def codes(self, frames: np.ndarray) -> np.ndarray:
        """Where each symbol stands among the probabilities, (T, columns); behind all of them where it is missing."""
        missing = np.isnan(frames)
        codes = np.where(missing, 0.0, frames)
        strange = (codes < 0) | (codes >= np.array(self.sizes)) | (codes != np.floor(codes))
        if strange.any():
            if self.unknown != "extra":
                raise DataError(self._strange(frames, strange))
            codes = np.where(strange, np.array(self.sizes) - 1, codes)
        first = np.array([part.start for part in self.columns()])
        return np.where(missing, self.probabilities.shape[2], codes.astype(np.int64) + first)

    def _strange(self, frames: np.ndarray, strange: np.ndarray) -> str:
        frame, column = (int(at) for at in np.argwhere(strange)[0])
        where = f" of column {column}" if self.dim > 1 else ""
        return (
            f"Frame {frame} has the symbol {frames[frame, column]:g}, which is not among the codes 0 to "
            f"{self.sizes[column] - 1}{where}; recode it, or mask it (NaN)."
        )

    def _logs(self) -> np.ndarray:
        """Logarithms of the probabilities, and 0 behind them for what is missing: (M, K, V + 1)."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.probabilities)
        return np.concatenate([logs, np.zeros((*logs.shape[:2], 1))], axis=2)


@dataclass(frozen=True, slots=True, eq=False)
class Counts(Emissions):
    """Counts from Poisson laws, one rate per value and state."""

    rates: np.ndarray  # (M, K, d)
    name: ClassVar[str] = "counts"

    @property
    def n_models(self) -> int:
        return int(self.rates.shape[0])

    @property
    def n_states(self) -> int:
        return int(self.rates.shape[1])

    @property
    def dim(self) -> int:
        return int(self.rates.shape[2])

    @property
    def n_free(self) -> int:
        return self.n_states * self.dim

    def rows(self, frames: np.ndarray) -> np.ndarray:
        counts, known, last = _counted(frames)
        rates = self.rates.transpose(2, 1, 0).reshape(self.dim, -1)
        out = np.asarray(counts @ np.log(rates))
        out -= rates.sum(axis=0) if known is None else known @ rates
        out -= last[:, None]
        return out

    def own(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        from coterie._kernels.emissions import own_counts

        _, _, last = _counted(frames)
        out = np.empty((len(frames), self.n_states))
        own_counts(frames, owners, self.rates, np.log(self.rates), last, out)
        return out

    def sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        from coterie._kernels.emissions import add_shares

        _counted(frames)
        seen, total, square = (np.zeros(self.rates.shape) for _ in range(3))
        add_shares(
            np.ascontiguousarray(frames),
            owners,
            shares,
            np.zeros(self.rates.shape),
            seen,
            total,
            square,
        )
        return {"seen": seen, "total": total}

    def maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Counts:
        there = sums["seen"] > SEEN
        found = np.maximum(sums["total"] / np.where(there, sums["seen"], 1.0), _least_rate(floors))
        return replace(self, rates=np.where(there, found, self.rates))

    def drawn(self, model: int, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        return generator.poisson(self.rates[model, states]).astype(np.float64)


def _counted(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Counts with 0 for what is missing; where they are known (None: everywhere); the log-factorials of each frame."""
    from scipy.special import gammaln

    missing = np.isnan(frames)
    counts = np.where(missing, 0.0, frames)
    strange = (counts < 0) | (counts != np.floor(counts))
    if strange.any():
        frame, column = (int(at) for at in np.argwhere(strange)[0])
        raise DataError(
            f"Frame {frame} has {frames[frame, column]:g} in column {column}, and counts are whole numbers from 0; "
            "use Gaussian states for measured values."
        )
    return (
        counts,
        (~missing).astype(np.float64) if missing.any() else None,
        gammaln(counts + 1.0).sum(axis=1),
    )


def _least_rate(floors: Floors) -> np.ndarray:
    """No rate below the share of the mean of all frames that variances have; the pseudo-count where all is 0."""
    if floors.center is None:
        return np.full(len(floors.least), floors.pseudo)
    return np.where(floors.center > 0, floors.least / floors.spread * floors.center, floors.pseudo)


def blank_categorical(
    n_models: int,
    n_states: int,
    frames: np.ndarray,
    floors: Floors,
    n_symbols: int | Sequence[int] | None = None,
    unknown: Unknown = "error",
) -> Categorical:
    """Symbols before anything is seen: each as likely as among all frames; without `n_symbols` the largest code is the last."""
    if unknown not in ("error", "extra"):
        raise ParameterError(f"unknown must be error | extra, and was {unknown!r}.")
    d = frames.shape[1]
    if n_symbols is None:
        most = np.where(np.isnan(frames), 0.0, frames).max(axis=0, initial=0.0)
        if most.max(initial=0.0) >= _MOST:
            raise DataError(
                f"The symbols have codes up to {most.max():g}; number them 0, 1, 2, ... first."
            )
        sizes = [int(code) + 1 for code in most]
    else:
        sizes = (
            [int(n_symbols)] * d
            if isinstance(n_symbols, int | np.integer)
            else [int(size) for size in n_symbols]
        )
    if len(sizes) != d or min(sizes) < 1:
        raise ParameterError(
            f"n_symbols must be a number from 1 for each of the {d} columns, and was {n_symbols!r}."
        )
    if unknown == "extra":
        sizes = [size + 1 for size in sizes]
    blank = Categorical(
        np.concatenate([np.full((1, 1, size), 1.0 / size) for size in sizes], axis=2),
        tuple(sizes),
        unknown,
    )
    one = blank.maximized(
        blank.sums(frames, np.zeros(len(frames), dtype=np.int64), np.ones((len(frames), 1))), floors
    )
    return replace(
        one, probabilities=np.repeat(one.probabilities.repeat(n_states, axis=1), n_models, axis=0)
    )


def blank_counts(n_models: int, n_states: int, frames: np.ndarray, floors: Floors) -> Counts:
    """Counts before anything is seen: the mean of all frames in every state."""
    _counted(frames)
    rates = np.maximum(floors.middle(frames), _least_rate(floors))
    return Counts(np.broadcast_to(rates, (n_models, n_states, len(rates))).copy())
