"""KCCA, kernel canonical correlation analysis of two and more views, and what it shares with CCA."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.workplace import steady
from coterie.parts.consensus import Spectrum
from coterie.parts.kernel_cca import correlated
from coterie.parts.view_forms import Products
from coterie.parts.view_routes import Seats
from coterie.represent.shared_views import Forms, KernelViews, SharedViews

_SCALES = ("unit", "correlation", "length")


class Correlating(SharedViews):
    """Base of canonical correlation analyses.

    Learned: `correlations_` of the components, from 0 to 1, and `kappa_`.
    """

    regularization: ClassVar[str] = "kappa"

    n_components: int | str = param(50, "How many components: a number, or all.")
    scale: str = param(
        "unit",
        "What a component weighs: one, its correlation, or the inverse length of its weights.",
        choices=_SCALES,
    )

    correlations_: np.ndarray
    kappa_: float

    @property
    def ridged(self) -> bool:
        """Whether each view is measured by K (K + kappa) instead of (K + kappa) squared."""
        return True

    def solve(self, forms: Forms, seats: Seats, value: float, notes: list[str]) -> None:
        """Find the most correlated directions for one kappa."""
        wanted = self.wanted()
        spectra = [form.spectrum for form in forms.values() if not isinstance(form, Products)]
        found = correlated(spectra, value, seats.n if wanted is None else wanted, ridge=self.ridged)
        if not len(found.above):
            raise DataError(
                "the views have nothing in common that is above rounding.",
                owner=type(self).__name__,
            )
        if wanted is not None and len(found.above) < wanted:
            notes.append(f"{wanted} components were asked for, and there are {len(found.above)}.")
        self.kappa_ = value
        self.correlations_ = found.above / (len(spectra) - 1)
        self.strength_ = self.correlations_
        with steady():
            duals = [
                dual * self._sizes(view, dual)
                for view, dual in zip(spectra, found.duals, strict=True)
            ]
            placed = [
                view.vectors * view.values @ (view.vectors.T @ dual)
                for view, dual in zip(spectra, duals, strict=True)
            ]
        self.factors_ = np.mean(placed, axis=0)
        self.learned(forms, duals)

    def _sizes(self, view: Spectrum, dual: np.ndarray) -> np.ndarray:
        """What each component of a view is multiplied by; as they come, (K + kappa I) a of all views together has length one."""
        if self.scale == "length":  # |w|^2 = a' K a = 1
            inside = view.vectors.T @ dual
            return np.asarray(
                1 / np.sqrt(np.maximum(np.sum(view.values[:, None] * inside**2, axis=0), 1e-300))
            )
        whole = np.sqrt(len(self.names_))
        return np.asarray(
            whole * self.correlations_
            if self.scale == "correlation"
            else np.full(dual.shape[1], whole)
        )


class KCCA(Correlating, KernelViews):
    """Kernel canonical correlation analysis of two or more views (Bach and Jordan), regularized."""

    kappa: float | str = param(
        1.0,
        "Regularization beside a mean variance of one; held-out chooses it by finding mates.",
        gt=0,
        choices=("held-out",),
    )
    ridge: bool = param(
        False,
        "Whether each view is measured by K (K + kappa) instead of (K + kappa) squared.",
        advanced=True,
    )

    @property
    def ridged(self) -> bool:
        return self.ridge
