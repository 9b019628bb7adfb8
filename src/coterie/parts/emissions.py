"""What the states of hidden Markov models emit: the common face of all families, and Gaussian states of four forms.

Every family holds M models of K states side by side. A value that is missing (NaN) is left out: densities are those of
the values that are there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.linalg import solve_triangular

from coterie.core.errors import DataError

Form = Literal["diagonal", "spherical", "full", "tied"]
FORMS = ("diagonal", "spherical", "full", "tied")
SEEN = 1e-6  # frames (or shares of them) below which a state keeps what it had
_LOG_2PI = float(np.log(2 * np.pi))

Sums = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class Floors:
    """What training may not go below: variances per value, and counts added where symbols are counted."""

    least: np.ndarray  # (d,)
    spread: np.ndarray  # (d,) of all frames
    pseudo: float = 1e-3

    @classmethod
    def of(cls, frames: np.ndarray, share: float, pseudo: float = 1e-3) -> Floors:
        """No variance below this share of that of all frames; one for a value that never changes, so that it tells nothing."""
        with np.errstate(invalid="ignore"):
            known = np.isfinite(frames)
            count = np.maximum(known.sum(axis=0), 1)
            filled = np.where(known, frames, 0.0)
            mean = filled.sum(axis=0) / count
            spread = np.where(known, filled - mean, 0.0)
        spread = np.square(spread).sum(axis=0) / count
        constant = spread <= 1e-24 * np.abs(filled).max(axis=0, initial=0.0) ** 2
        spread = np.where(constant, 1.0, spread)
        return cls(np.where(constant, 1.0, np.maximum(share, 1e-12) * spread), spread, pseudo)


class Emissions(ABC):
    """Laws of what is seen in each state: log-densities, the sums training needs, and the likeliest laws for such sums."""

    name: ClassVar[str] = ""

    @property
    @abstractmethod
    def n_models(self) -> int:
        """How many models."""

    @property
    @abstractmethod
    def n_states(self) -> int:
        """How many states each has."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """How many values a frame has."""

    @property
    @abstractmethod
    def n_free(self) -> int:
        """Free parameters of the states of one model."""

    @abstractmethod
    def rows(self, frames: np.ndarray) -> np.ndarray:
        """Log-densities of every frame in every state of every model: (T, K * M), column k * M + m."""

    @abstractmethod
    def own(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        """Log-densities of every frame in the states of its own model: (T, K)."""

    @abstractmethod
    def sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        """What training needs of these frames, given the share (T, K) of each state in them; sums of chunks add up."""

    @abstractmethod
    def maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Self:
        """The likeliest laws for these sums; a state that was not seen keeps what it had."""

    @abstractmethod
    def drawn(self, model: int, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Frames drawn in these states of one model: (T, d)."""

    def take(self, models: np.ndarray) -> Self:
        """Some of the models."""
        return replace(self, **{name: array[models] for name, array in self.arrays().items()})  # type: ignore[type-var]

    def put(self, models: np.ndarray, other: Self) -> Self:
        """The same with some models exchanged for others."""
        mine = {name: array.copy() for name, array in self.arrays().items()}
        for name, array in other.arrays().items():
            mine[name][models] = array
        return self.with_arrays(mine)

    def arrays(self) -> dict[str, np.ndarray]:
        """The numbers of which the laws are made, models first."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}

    def with_arrays(self, arrays: Mapping[str, np.ndarray]) -> Self:
        """The same family with other numbers."""
        return replace(self, **{name: arrays[name] for name in self.arrays()})  # type: ignore[type-var]


@dataclass(frozen=True, slots=True, eq=False)
class Normal(Emissions):
    """Gaussian states: means, and variances (diagonal, spherical) or covariances (full, tied: one per model)."""

    means: np.ndarray  # (M, K, d)
    spreads: np.ndarray  # (M, K, d) or (M, K, d, d)
    form: Form = "diagonal"
    name: ClassVar[str] = "gaussian"

    @property
    def n_models(self) -> int:
        return int(self.means.shape[0])

    @property
    def n_states(self) -> int:
        return int(self.means.shape[1])

    @property
    def dim(self) -> int:
        return int(self.means.shape[2])

    @property
    def n_free(self) -> int:
        k, d = self.n_states, self.dim
        cells = d * (d + 1) // 2
        return k * d + {"diagonal": k * d, "spherical": k, "full": k * cells, "tied": cells}[self.form]

    @property
    def square(self) -> bool:
        """Whether the spreads are whole covariances."""
        return self.spreads.ndim == 4

    def rows(self, frames: np.ndarray) -> np.ndarray:
        if self.square:
            parts = [self._whole(frames, m, k) for k in range(self.n_states) for m in range(self.n_models)]
            return np.stack(parts, axis=1)
        features, center, gaps = self._features(frames)
        return np.asarray(features @ self._weights(center, gaps))

    def own(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        if self.n_models == 1:
            return self.rows(frames)
        out = np.empty((len(frames), self.n_states))
        if self.square:
            for m in np.unique(owners):
                mine = np.flatnonzero(owners == m)
                for k in range(self.n_states):
                    out[mine, k] = self._whole(frames[mine], int(m), k)
            return out
        from coterie._kernels.emissions import own_densities

        own_densities(frames, owners, self.means, 1.0 / self.spreads, np.log(self.spreads) + _LOG_2PI, out)
        return out

    def sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        if self.square:
            return self._whole_sums(frames, owners, shares)
        d = self.dim
        if self.n_models == 1:
            features, _, gaps = self._features(frames)
            found = shares.T @ features
            seen = found[:, 2 * d :] if gaps else np.repeat(found[:, 2 * d :], d, axis=1)
            return {"seen": seen[None], "total": found[None, :, d : 2 * d], "square": found[None, :, :d]}
        from coterie._kernels.emissions import add_shares

        shape = (self.n_models, self.n_states, d)
        found = {"seen": np.zeros(shape), "total": np.zeros(shape), "square": np.zeros(shape)}
        add_shares(frames - self._center(), owners, shares, found["seen"], found["total"], found["square"])
        return found

    def maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Normal:
        if self.square:
            return self._whole_maximized(sums, floors)
        seen = sums["seen"]
        there = seen > SEEN
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = sums["total"] / seen
            spread = sums["square"] / seen - mean * mean
        if self.form == "spherical":
            weight = np.where(there, seen, 0.0)
            whole = np.where(there, spread * seen, 0.0).sum(axis=2, keepdims=True)
            spread = np.maximum(whole / np.maximum(weight.sum(axis=2, keepdims=True), 1e-300), floors.least.min())
            return replace(
                self,
                means=np.where(there, mean + self._center(), self.means),
                spreads=np.where(there.any(axis=2, keepdims=True), np.broadcast_to(spread, seen.shape), self.spreads),
            )
        spread = np.maximum(spread, floors.least)
        return replace(
            self, means=np.where(there, mean + self._center(), self.means), spreads=np.where(there, spread, self.spreads)
        )

    def drawn(self, model: int, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        noise = generator.standard_normal((len(states), self.dim))
        if self.square:
            roots = np.linalg.cholesky(self.spreads[model])
            noise = np.einsum("tij,tj->ti", roots[states], noise)
        else:
            noise = noise * np.sqrt(self.spreads[model, states])
        return np.asarray(self.means[model, states] + noise)

    def _center(self) -> np.ndarray:
        """A point amid the means: what is summed is the distance from it, so that nothing cancels."""
        return np.asarray(self.means.mean(axis=(0, 1)))

    def _features(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """[x^2, x, 1] of the frames, or [x^2, x, is there] where values are missing."""
        d, center = self.dim, self._center()
        gaps = bool(np.isnan(frames).any())
        features = np.ones((len(frames), 3 * d if gaps else 2 * d + 1))
        middle = features[:, d : 2 * d]
        np.subtract(frames, center, out=middle)
        if gaps:
            features[:, 2 * d :] = np.isfinite(middle)
            np.nan_to_num(middle, copy=False)
        np.square(middle, out=features[:, :d])
        return features, center, gaps

    def _weights(self, center: np.ndarray, gaps: bool) -> np.ndarray:
        """What the features are multiplied by to give the log-densities of all states of all models."""
        gap, precision = self.means - center, 1.0 / self.spreads
        last = -0.5 * (np.log(self.spreads) + _LOG_2PI + gap * gap * precision)
        last = last.transpose(2, 1, 0) if gaps else last.sum(axis=2).T[None]
        weights = np.concatenate([(-0.5 * precision).transpose(2, 1, 0), (gap * precision).transpose(2, 1, 0), last])
        return weights.reshape(len(weights), -1)

    def _whole(self, frames: np.ndarray, m: int, k: int) -> np.ndarray:
        """Log-densities in one state with a whole covariance, by its Cholesky factor; per pattern of missing values."""
        gap, out = frames - self.means[m, k], np.empty(len(frames))
        for rows, columns in patterns(frames):
            part = gap[np.ix_(rows, columns)]
            root = np.linalg.cholesky(self.spreads[m, k][np.ix_(columns, columns)])
            solved = solve_triangular(root, part.T, lower=True, check_finite=False)
            size = 2 * np.log(np.diag(root)).sum() + len(columns) * _LOG_2PI
            out[rows] = -0.5 * (np.square(solved).sum(axis=0) + size)
        return out

    def _whole_sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        k, d, center = self.n_states, self.dim, self._center()
        found = {
            "seen": np.zeros((self.n_models, k)),
            "total": np.zeros((self.n_models, k, d)),
            "square": np.zeros((self.n_models, k, d, d)),
        }
        every = patterns(frames)
        for m in np.unique(owners):
            for state in range(k):
                for rows, columns in every:
                    mine = rows[owners[rows] == m]
                    share = shares[mine, state]
                    x, rest = self._completed(frames[mine] - center, int(m), state, columns, center)
                    found["seen"][m, state] += share.sum()
                    found["total"][m, state] += share @ x
                    found["square"][m, state] += (x * share[:, None]).T @ x + share.sum() * rest
        return found

    def _completed(
        self, gap: np.ndarray, m: int, k: int, columns: np.ndarray, center: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Frames with what is missing expected from what is there, and the covariance of what is missing."""
        d = self.dim
        rest = np.zeros((d, d))
        if len(columns) == d:
            return gap, rest
        away = np.setdiff1d(np.arange(d), columns)
        mean, spread = self.means[m, k] - center, self.spreads[m, k]
        link = np.linalg.solve(spread[np.ix_(columns, columns)], spread[np.ix_(columns, away)]) if len(columns) else None
        full = gap.copy()
        expected = mean[away] + ((gap[:, columns] - mean[columns]) @ link if link is not None else 0.0)
        full[:, away] = expected
        left = spread[np.ix_(away, away)] - (spread[np.ix_(away, columns)] @ link if link is not None else 0.0)
        rest[np.ix_(away, away)] = left
        return full, rest

    def _whole_maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Normal:
        seen = sums["seen"][..., None]
        there = seen > SEEN
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(there, sums["total"] / seen, 0.0)
            spread = sums["square"] / seen[..., None] - mean[..., :, None] * mean[..., None, :]
        spread = np.where(there[..., None], spread, self.spreads)
        if self.form == "tied":
            weight = np.where(there, seen, 0.0)[..., None]
            total = np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
            spread = np.broadcast_to((weight * spread).sum(axis=1, keepdims=True) / total, spread.shape)
        means = np.where(there, mean + self._center(), self.means)
        return replace(self, means=means, spreads=floored(spread, floors))


def floored(spreads: np.ndarray, floors: Floors) -> np.ndarray:
    """Covariances without an eigenvalue below the floor, in units of the spread of all frames."""
    scale = np.sqrt(floors.spread)
    unit = spreads / (scale[:, None] * scale[None, :])
    unit = (unit + np.swapaxes(unit, -1, -2)) / 2
    values, vectors = np.linalg.eigh(unit)
    least = float((floors.least / floors.spread).max())
    if values.min(initial=np.inf) < least:
        unit = (vectors * np.maximum(values, least)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return np.asarray(unit * (scale[:, None] * scale[None, :]))


def patterns(frames: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Frames that miss the same values together: (their positions, the columns that are there)."""
    known = np.isfinite(frames)
    if known.all():
        return [(np.arange(len(frames)), np.arange(frames.shape[1]))]
    kinds, which = np.unique(known, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    pieces = np.split(order, np.cumsum(np.bincount(which.ravel(), minlength=len(kinds)))[:-1])
    return [(piece, np.flatnonzero(kind)) for piece, kind in zip(pieces, kinds, strict=True)]


def gaussians(means: np.ndarray, spreads: np.ndarray, form: Form) -> Normal:
    """Gaussian states of a form from means and per-value variances (M, K, d)."""
    if form not in FORMS:
        raise DataError(f"The form of Gaussian states must be {' | '.join(FORMS)}, and was {form!r}.")
    if form in ("full", "tied"):
        d = means.shape[2]
        whole = np.zeros((*spreads.shape, d))
        whole[..., np.arange(d), np.arange(d)] = spreads if form == "full" else spreads.mean(axis=1, keepdims=True)
        return Normal(means, whole, form)
    return Normal(means, spreads, form)


def added(sums: list[Sums]) -> Sums:
    """Sums of chunks, in their order."""
    out: Any = {name: array.copy() for name, array in sums[0].items()}
    for part in sums[1:]:
        for name, array in part.items():
            out[name] += array
    return out
