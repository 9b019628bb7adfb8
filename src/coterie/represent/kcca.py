"""KCCA and CCA: the most correlated directions of two and more views, as kernels or as rows."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.parts.kernel_cca import correlated
from coterie.represent.shared_views import SharedViews


class KCCA(SharedViews):
    """Kernel canonical correlation analysis of two or more views (Bach and Jordan), regularized."""

    n_components: int | str = param(50, "How many components: a number, or all.")
    kappa: float = param(1.0, "Regularization beside a mean variance of one.", gt=0)
    ridge: bool = param(False, "Whether each view is measured by K (K + kappa) instead of (K + kappa) squared.", advanced=True)
    scale: str = param(
        "unit", "What a component weighs: one, its correlation, or the inverse length of its weights.",
        choices=("unit", "correlation", "length"),
    )  # fmt: skip
    random_state: int | None = param(0, "Seed of the factors.", ge=0, advanced=True)

    correlations_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the most correlated directions, from the members that every view has."""
        views = self.viewed(X)
        whole = views.take(views.complete)
        wanted = self._wanted(len(whole))
        self.sides_ = self.prepared(whole, self.random_state)
        spectra = [side.spectrum for side in self.sides_.values()]
        found = correlated(spectra, self.kappa, wanted, ridge=self.ridge)
        notes = []
        if len(whole) < len(views):
            notes.append(f"{len(views) - len(whole)} of {len(views)} members are not in every view and were left out.")
        if self.n_components != "all" and len(found.rho) < wanted:
            notes.append(f"{wanted} components were asked for, and there are {len(found.rho)}.")
        self.correlations_ = (found.rho - 1) / (len(spectra) - 1)
        self.strength_ = self.correlations_
        self.duals_ = {}
        for name, side, dual in zip(self.sides_, spectra, found.duals, strict=True):
            self.duals_[name] = dual * self._weights(side.vectors, side.values, dual)
        placed = [side.vectors * side.values @ (side.vectors.T @ dual)
                  for side, dual in zip(spectra, self.duals_.values(), strict=True)]  # fmt: skip
        self.factors_ = np.mean(placed, axis=0)
        self.n_features_out_ = len(found.rho)
        self.notes_ = tuple(notes)
        for note in notes:
            warnings.warn(f"{type(self).__name__}: {note}", stacklevel=2)
        return self

    def _weights(self, vectors: np.ndarray, values: np.ndarray, dual: np.ndarray) -> np.ndarray:
        """What each component of a view is multiplied by."""
        inside = vectors.T @ dual
        if self.scale == "length":  # |w|^2 = a' K a = 1
            return np.asarray(1 / np.sqrt(np.maximum(np.sum(values[:, None] * inside**2, axis=0), 1e-300)))
        lengths = np.sqrt(np.maximum(np.sum((values[:, None] * inside) ** 2, axis=0), 1e-300))
        return np.asarray((self.correlations_ if self.scale == "correlation" else 1.0) / lengths)

    def _wanted(self, n: int) -> int:
        if isinstance(self.n_components, str):
            if self.n_components != "all":
                raise ParameterError(
                    f"{type(self).__name__}: n_components must be a number or 'all', and was '{self.n_components}'."
                )
            return n
        if self.n_components < 1:
            raise ParameterError(f"{type(self).__name__}: n_components must be at least 1, and was {self.n_components}.")
        return int(self.n_components)
