"""PWCA, pair-wise cluster analysis: components that show up in every view of the same members."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.random import stream
from coterie.core.views import Views
from coterie.parts.consensus import Components, Spectrum, of_spectra
from coterie.parts.mates import both_ways
from coterie.represent.shared_views import GRID, SharedViews

_HELD = 0.25  # of the members, to choose tau on
_TINY = 1e-8  # of tau beside the mean eigenvalue


class PWCA(SharedViews):
    """Pair-wise cluster analysis: components present in every view of the same members, from two views on."""

    n_components: int | str = param("chance", "How many components: a number, all, or those above what chance shares.")
    tau: float | str = param(1.0, "Regularization beside a mean variance of one; held-out chooses it by finding mates.")
    scale: str = param(
        "energy", "What a component weighs: its energy, its consensus, or one.", choices=("energy", "consensus", "unit")
    )
    random_state: int | None = param(0, "Seed of the shuffles and factors.", ge=0, advanced=True)

    consensus_: np.ndarray
    chance_: float
    tau_: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find what the views share, from the members that every view has."""
        views = self.viewed(X)
        complete = views.complete
        notes = []
        if len(complete) < len(views):
            notes.append(f"{len(views) - len(complete)} of {len(views)} members are not in every view and were left out.")
        whole = views.take(complete)
        self.tau_, self.tried_ = self._tau(whole)
        self.sides_ = self.prepared(whole, self.random_state)
        spectra = [side.spectrum for side in self.sides_.values()]
        wanted = self._wanted(len(whole), spectra)
        found = of_spectra(spectra, self.tau_, len(whole) if wanted is None else wanted)
        self.chance_ = self._chance(spectra)
        found = self._kept(found, wanted, notes)
        self._learned(found)
        self.notes_ = tuple(notes)
        for note in notes:
            warnings.warn(f"PWCA: {note}", stacklevel=2)
        return self

    def _learned(self, found: Components) -> None:
        scale = {
            "energy": 1 / np.sqrt(np.maximum(found.energies, 1e-300)),
            "consensus": np.sqrt(found.mu),
            "unit": np.ones(len(found.mu)),
        }[self.scale]
        self.factors_ = found.scores * scale
        self.energies_, self.consensus_, self.strength_ = found.energies, found.consensus, found.consensus
        self.duals_ = {name: side.spectrum.dual(found.scores, self.tau_) * scale for name, side in self.sides_.items()}
        self.n_features_out_ = len(found.mu)

    def _wanted(self, n: int, spectra: list[Spectrum]) -> int | None:
        """How many components are looked for; None for all."""
        if isinstance(self.n_components, str):
            if self.n_components not in ("chance", "all"):
                raise ParameterError(f"PWCA: n_components must be a number, 'all' or 'chance', and was '{self.n_components}'.")
            return None
        if self.n_components < 1:
            raise ParameterError(f"PWCA: n_components must be at least 1, and was {self.n_components}.")
        return int(self.n_components)

    def _kept(self, found: Components, wanted: int | None, notes: list[str]) -> Components:
        """The components asked for; at least one."""
        keep = len(found.mu)
        if self.n_components == "chance":
            above = int((found.consensus > self.chance_).sum())
            if not above:
                notes.append("no component is shared by more than chance; one is kept.")
            keep = max(above, 1)
        elif wanted is not None and keep < wanted:
            notes.append(f"{wanted} components were asked for, and there are {keep}.")
        return Components(found.scores[:, :keep], found.mu[:keep], found.tau, found.n_views)

    def _chance(self, spectra: list[Spectrum]) -> float:
        """The largest consensus when the rows of one view are shuffled: the median over which view it is."""
        levels = []
        for at, view in enumerate(spectra):
            order = stream(self.random_state, 7, at).permutation(len(view.vectors))
            shuffled = [*spectra[:at], Spectrum(view.vectors[order], view.values), *spectra[at + 1 :]]
            levels.append(of_spectra(shuffled, self.tau_, 1).consensus[0])
        return float(np.median(levels))

    def _tau(self, views: Views) -> tuple[float, dict[float, float]]:
        """The regularization given, or the one of the grid that finds most mates among members held out."""
        if not isinstance(self.tau, str):
            if self.tau <= 0:
                raise ParameterError(f"PWCA: tau must be above 0, and was {self.tau}; 0.001 is close to none.")
            if self.tau < _TINY:
                warnings.warn(f"PWCA: tau = {self.tau:g} is so small that rounding may decide.", stacklevel=3)
            return float(self.tau), {}
        if self.tau != "held-out":
            raise ParameterError(f"PWCA: tau must be a number above 0, or 'held-out', and was '{self.tau}'.")
        order = stream(self.random_state, 5).permutation(len(views))
        aside = max(int(_HELD * len(views)), 2)
        train, held = views.take(np.sort(order[aside:])), views.take(np.sort(order[:aside]))
        if self.kernel == "precomputed":
            raise ParameterError("PWCA: tau='held-out' needs rows; with precomputed kernels give tau as a number.")
        inner = PWCA(**{**self.get_params(), "tau": GRID[0]})
        sides = inner.prepared(train, self.random_state)
        spectra = [side.spectrum for side in sides.values()]
        inner.sides_, found = sides, {}
        for tau in GRID:
            inner.tau_ = tau
            wanted = inner._wanted(len(train), spectra)
            inner.chance_ = inner._chance(spectra) if self.n_components == "chance" else 0.0
            inner._learned(inner._kept(of_spectra(spectra, tau, len(train) if wanted is None else wanted), wanted, []))
            placed = [sides[name].place(held[name].values, inner.duals_[name]) for name in held]
            found[tau] = both_ways(placed)
        return max(found, key=found.__getitem__), found
