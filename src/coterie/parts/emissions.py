"""What the states of hidden Markov models emit: the common face of all families, and Gaussian states of four forms.

Every family holds M models of K states side by side. A value that is missing (NaN) is left out: densities are those of
the values that are there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self
from weakref import WeakKeyDictionary

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.covariances import Roots, floored, roots, whole_own, whole_rows, whole_sums
from coterie.parts.variances import LOG_2PI, Product, product

Form = Literal["diagonal", "spherical", "full", "tied"]
FORMS = ("diagonal", "spherical", "full", "tied")
MANY = 16  # states beyond which the sums of a lone model are a matrix product, the same to rounding but not to the bit
SEEN = 1e-6  # frames (or shares of them) below which a state keeps what it had

Sums = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class Floors:
    """What training may not go below: variances per value, and counts added where symbols are counted."""

    least: np.ndarray  # (d,)
    spread: np.ndarray  # (d,) of all frames
    pseudo: float = 1e-3
    center: np.ndarray | None = None  # (d,) the mean of all frames
    within: np.ndarray | None = (
        None  # (d, d) the covariance within states, that those of short sequences are drawn toward
    )
    pull: float = 0.0  # as if that many frames of it had been seen in every state

    @classmethod
    def of(cls, frames: np.ndarray, share: float, pseudo: float = 1e-3) -> Floors:
        """No variance below this share of that of all frames; one for a value that never changes, so that it tells nothing."""
        known = np.isfinite(frames)
        count = np.maximum(known.sum(axis=0), 1)
        filled = np.where(known, frames, 0.0)
        mean = filled.sum(axis=0) / count
        spread = np.square(np.where(known, filled - mean, 0.0)).sum(axis=0) / count
        constant = spread <= 1e-24 * np.abs(filled).max(axis=0, initial=0.0) ** 2
        spread = np.where(constant, 1.0, spread)
        return cls(np.where(constant, 1.0, np.maximum(share, 1e-12) * spread), spread, pseudo, mean)

    @property
    def mean_least(self) -> float:
        """The least variance where one is kept for all values: the mean of theirs, but for values that never change."""
        moving = (self.least != 1.0) | (self.spread != 1.0)
        return float(self.least[moving].mean() if moving.any() else self.least.mean())

    def pulled(self, spread: np.ndarray, seen: np.ndarray, whole: bool = False) -> np.ndarray:
        """Variances (or whole covariances) of states seen in so many frames, drawn toward that within all states."""
        if self.within is None or self.pull <= 0:
            return spread
        toward = self.within if whole else np.diagonal(self.within)
        return np.asarray((spread * seen + self.pull * toward) / (seen + self.pull))

    def middle(self, frames: np.ndarray) -> np.ndarray:
        """The mean of all frames, 0 for a value that is always missing."""
        return Floors.of(frames, 0.0).middle(frames) if self.center is None else self.center


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
        k = self.n_states
        d = self.dim
        cells = d * (d + 1) // 2
        return (
            k * d + {"diagonal": k * d, "spherical": k, "full": k * cells, "tied": cells}[self.form]
        )

    @property
    def square(self) -> bool:
        """Whether the spreads are whole covariances."""
        return self.spreads.ndim == 4

    def rows(self, frames: np.ndarray) -> np.ndarray:
        if self.square:
            return whole_rows(frames, self.means, self.spreads, self._roots())
        kept = self._kept()
        features, gaps = kept.features(frames)
        out = np.asarray(features @ (kept.gapped if gaps else kept.plain))
        for column in kept.far:
            k, m = divmod(int(column), self.n_models)
            alone = Normal(self.means[m : m + 1, k : k + 1], self.spreads[m : m + 1, k : k + 1])
            out[:, column] = alone._apart(frames, np.zeros(len(frames), dtype=np.int64))[:, 0]
        return out

    def own(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        if self.square:
            return whole_own(frames, owners, self.means, self.spreads, self._roots())
        return self._apart(frames, owners)

    def sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        """Shares of what is there, and the sums of its gaps (and squared gaps) to the means held now."""
        if self.square:
            return whole_sums(frames, owners, shares, self.means, self.spreads)
        if self.n_models == 1 and self.n_states > MANY:
            found = self._kept().sums(frames, shares, self.means[0])
            if found is not None:
                return {name: array[None] for name, array in found.items()}
        from coterie._kernels.emissions import add_shares

        sums = {name: np.zeros(self.means.shape) for name in ("seen", "total", "square")}
        add_shares(frames, owners, shares, self.means, sums["seen"], sums["total"], sums["square"])
        return sums

    def maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Normal:
        seen = sums["seen"]
        there = sums["seen"] > SEEN
        if self.square:
            return self._whole_maximized(seen[..., None], there[..., None], sums, floors)
        safe = np.where(there, seen, 1.0)
        step = np.where(there, sums["total"] / safe, 0.0)
        spread = floors.pulled(
            np.maximum(sums["square"] / safe - step * step, 0.0), np.where(there, seen, 0.0)
        )
        if self.form == "spherical":
            weight = np.where(there, seen, 0.0)
            total = weight.sum(axis=2, keepdims=True)
            spread = (weight * spread).sum(axis=2, keepdims=True) / np.where(total > 0, total, 1.0)
            spread = np.broadcast_to(np.maximum(spread, floors.mean_least), seen.shape)
            there = np.broadcast_to(total > 0, seen.shape)
        else:
            spread = np.maximum(spread, floors.least)
        return replace(self, means=self.means + step, spreads=np.where(there, spread, self.spreads))

    def drawn(self, model: int, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        noise = generator.standard_normal((len(states), self.dim))
        if self.square:
            factors = np.linalg.cholesky(self.spreads[model])
            noise = np.einsum("tij,tj->ti", factors[states], noise)
        else:
            noise = noise * np.sqrt(self.spreads[model, states])
        return np.asarray(self.means[model, states] + noise)

    def _apart(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        """Log-densities under variances, by the differences themselves."""
        from coterie._kernels.emissions import own_densities

        out = np.empty((len(frames), self.n_states))
        own_densities(
            frames, owners, self.means, 1.0 / self.spreads, np.log(self.spreads) + LOG_2PI, out
        )
        return out

    def _kept(self) -> Product:
        return _KEPT.get(self) or _KEPT.setdefault(self, product(self.means, self.spreads))

    def _roots(self) -> Roots:
        return _ROOTS.get(self) or _ROOTS.setdefault(self, roots(self.means, self.spreads))

    def _whole_maximized(
        self, seen: np.ndarray, there: np.ndarray, sums: Mapping[str, np.ndarray], floors: Floors
    ) -> Normal:
        safe = np.where(there, seen, 1.0)
        step = np.where(there, sums["total"] / safe, 0.0)
        spread = sums["square"] / safe[..., None] - step[..., :, None] * step[..., None, :]
        spread = floors.pulled(spread, np.where(there, seen, 0.0)[..., None], whole=True)
        if self.form == "tied":
            weight = np.where(there, seen, 0.0)[..., None]
            total = weight.sum(axis=1, keepdims=True)
            shared = (weight * spread).sum(axis=1, keepdims=True) / np.where(total > 0, total, 1.0)
            shared = np.where(total > 0, shared, self.spreads[:, :1])
            spread = np.repeat(floored(shared, floors.least), self.n_states, axis=1)
        else:
            spread = floored(np.where(there[..., None], spread, self.spreads), floors.least)
        return replace(self, means=self.means + step, spreads=spread)


_KEPT: WeakKeyDictionary[Normal, Product] = (
    WeakKeyDictionary()
)  # laws never change, so neither does what is made of them
_ROOTS: WeakKeyDictionary[Normal, Roots] = WeakKeyDictionary()


def gaussians(means: np.ndarray, spreads: np.ndarray, form: Form) -> Normal:
    """Gaussian states of a form from means and per-value variances (M, K, d)."""
    if form not in FORMS:
        raise ParameterError(
            f"The form of Gaussian states must be {' | '.join(FORMS)}, and was {form!r}."
        )
    if form in ("full", "tied"):
        d = means.shape[2]
        whole = np.zeros((*spreads.shape, d))
        whole[..., np.arange(d), np.arange(d)] = (
            spreads if form == "full" else spreads.mean(axis=1, keepdims=True)
        )
        return Normal(means, whole, form)
    if form == "spherical":
        spreads = np.repeat(spreads.mean(axis=2, keepdims=True), means.shape[2], axis=2)
    return Normal(means, spreads, form)


def blank_normal(
    n_models: int, n_states: int, frames: np.ndarray, floors: Floors, form: Form = "diagonal"
) -> Normal:
    """Gaussian states before anything is seen: each like all frames together."""
    shape = (n_models, n_states, frames.shape[1])
    return gaussians(
        np.broadcast_to(floors.middle(frames), shape).copy(),
        np.broadcast_to(floors.spread, shape).copy(),
        form,
    )


def added(sums: list[Sums]) -> Sums:
    """Sums of chunks, in their order."""
    out: Any = {name: array.copy() for name, array in sums[0].items()}
    for part in sums[1:]:
        for name, array in part.items():
            out[name] += array
    return out
