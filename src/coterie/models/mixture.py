"""GMM: a mixture of normal laws; the order of the frames does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.models.role import Model
from coterie.models.training import Plan
from coterie.parts.emissions import Emissions, Floors


class GMM(Model):
    """Mixture of normal laws of the frames, whatever their order: weights, means and spreads of the components."""

    n_components: int = param(2, "Normal laws that are mixed.", ge=1)
    covariance: str = param(
        "diagonal", "What is kept of the spread of a component.", choices=("diagonal", "full")
    )
    n_restarts: int = param(3, "Starts of `fit`; the likeliest model stays.", ge=1)
    floor: float | None = param(
        None,
        "Least variance, as a share of that of all frames; 0.01 for one model, 0.05 for each.",
        ge=0,
    )
    max_iter: int = param(100, "Rounds of training at most.", ge=0, advanced=True)
    tol: float = param(
        1e-5,
        "Training ends when the log-likelihood gains less than this share.",
        ge=0,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the starts.")

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        from coterie.parts.mixtures import blank_mixture

        form: Any = self.covariance
        return blank_mixture(
            n_models, 1, sequences.values, floors, n_components=self.n_components, form=form
        )

    def posterior(self, X: Any) -> list[np.ndarray]:
        """The probability of every component at every step: a list of (length, C)."""
        sequences = self.sequences(X, new=True)
        laws = self._laws()
        with np.errstate(divide="ignore"):
            found = laws.components.rows(sequences.values) + np.log(self.weights_)
        return np.split(softmax(found, axis=1), sequences.offsets[1:-1])

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest component of every step, all members one after the other: one per row of the values."""
        return np.concatenate(self.posterior(X)).argmax(axis=1)

    @property
    def weights_(self) -> np.ndarray:
        """Share of each component: (C,)."""
        return np.asarray(self._laws().weights[0, 0])

    @property
    def means_(self) -> np.ndarray:
        """Mean of each component: (C, d)."""
        return np.asarray(self._laws().means[0, 0])

    @property
    def covariances_(self) -> np.ndarray:
        """Variances (C, d) or covariances (C, d, d) of the components."""
        return np.asarray(self._laws().spreads[0, 0])

    def _varies(self, plan: Plan) -> bool:
        return self.n_components > 1

    def _laws(self) -> Any:
        check_is_fitted(self, "bank_")
        return self.bank_.emissions
