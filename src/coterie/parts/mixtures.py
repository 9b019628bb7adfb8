"""States that emit from mixtures of Gaussians: several components per state, with weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from coterie.core.errors import ParameterError
from coterie.parts.emissions import SEEN, Emissions, Floors, Normal, Sums, blank_normal

MixtureForm = Literal["diagonal", "spherical", "full"]
MIXTURE_FORMS = ("diagonal", "spherical", "full")


@dataclass(frozen=True, slots=True, eq=False)
class Mixture(Emissions):
    """Mixtures of C Gaussians in every state: their weights, means, and variances or covariances."""

    weights: np.ndarray  # (M, K, C), sum one
    means: np.ndarray  # (M, K, C, d)
    spreads: np.ndarray  # (M, K, C, d) or (M, K, C, d, d)
    form: MixtureForm = "diagonal"
    name: ClassVar[str] = "mixture"

    @property
    def n_models(self) -> int:
        return int(self.means.shape[0])

    @property
    def n_states(self) -> int:
        return int(self.means.shape[1])

    @property
    def n_components(self) -> int:
        """Components per state."""
        return int(self.means.shape[2])

    @property
    def dim(self) -> int:
        return int(self.means.shape[3])

    @property
    def n_free(self) -> int:
        return self.components.n_free + self.n_states * (self.n_components - 1)

    @property
    def components(self) -> Normal:
        """All components as if they were states: component c of state k is state k * C + c."""
        return _COMPONENTS.get(self) or _COMPONENTS.setdefault(self, self._flat())

    def rows(self, frames: np.ndarray) -> np.ndarray:
        parts = self.components.rows(frames)
        with np.errstate(divide="ignore"):
            parts += np.log(self.weights).transpose(1, 2, 0).ravel()
        return self._mixed(parts, self.n_models)

    def own(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        return self._mixed(self._weighted(frames, owners), 1)

    def sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        """The sums of the components, each with its part of the share of the state; and those parts themselves."""
        parts = self._weighted(frames, owners)
        whole = self._mixed(parts, 1)
        parts = parts.reshape(*shares.shape, -1)
        parts -= np.where(np.isfinite(whole), whole, 0.0)[..., None]
        np.exp(parts, out=parts)
        parts *= shares[..., None]
        return self.component_sums(frames, owners, parts.reshape(len(frames), -1))

    def component_sums(self, frames: np.ndarray, owners: np.ndarray, shares: np.ndarray) -> Sums:
        """The same for given shares (T, K * C) of the components."""
        from coterie._kernels.emissions import add_rows

        weight = np.zeros((self.n_models, shares.shape[1]))
        add_rows(shares, owners, weight)
        return {**self.components.sums(frames, owners, shares), "weight": weight}

    def maximized(self, sums: Mapping[str, np.ndarray], floors: Floors) -> Mixture:
        laws = self.components.maximized(sums, floors)
        weight = sums["weight"].reshape(self.weights.shape)
        total = weight.sum(axis=2, keepdims=True)
        weights = np.where(total > SEEN, weight / np.where(total > SEEN, total, 1.0), self.weights)
        return replace(
            self,
            weights=weights,
            means=laws.means.reshape(self.means.shape),
            spreads=laws.spreads.reshape(self.spreads.shape),
        )

    def drawn(self, model: int, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        bounds = np.cumsum(self.weights[model], axis=1)
        bounds /= bounds[:, -1:]
        part = (generator.random(len(states))[:, None] >= bounds[states]).sum(axis=1)
        return self.components.drawn(model, states * self.n_components + part, generator)

    def _flat(self) -> Normal:
        shape = (self.n_models, self.n_states * self.n_components)
        return Normal(
            self.means.reshape(*shape, self.dim),
            self.spreads.reshape(*shape, *self.spreads.shape[3:]),
            form=self.form,
        )

    def _weighted(self, frames: np.ndarray, owners: np.ndarray) -> np.ndarray:
        """Log-densities in the components of the frame's own model, with the weights: (T, K * C)."""
        parts = self.components.own(frames, owners)
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights).reshape(self.n_models, -1)
        parts += logs if self.n_models == 1 else logs[owners]
        return parts

    def _mixed(self, parts: np.ndarray, n_models: int) -> np.ndarray:
        from coterie._kernels.emissions import mixed

        out = np.empty((len(parts), self.n_states * n_models))
        mixed(parts, self.n_components, n_models, out)
        return out


_COMPONENTS: WeakKeyDictionary[Mixture, Normal] = (
    WeakKeyDictionary()
)  # laws never change, so neither does another view of them


def blank_mixture(
    n_models: int,
    n_states: int,
    frames: np.ndarray,
    floors: Floors,
    n_components: int = 2,
    form: MixtureForm = "diagonal",
) -> Mixture:
    """Mixtures before anything is seen: every component like all frames together, all with one weight."""
    if form not in MIXTURE_FORMS:
        raise ParameterError(
            f"The form of the components must be {' | '.join(MIXTURE_FORMS)}, and was {form!r}."
        )
    if n_components < 1:
        raise ParameterError(f"n_components must be from 1, and was {n_components}.")
    laws = blank_normal(n_models, n_states * n_components, frames, floors, form)
    shape = (n_models, n_states, n_components)
    return Mixture(
        np.full(shape, 1.0 / n_components),
        laws.means.reshape(*shape, -1),
        laws.spreads.reshape(*shape, *laws.spreads.shape[2:]),
        form,
    )
