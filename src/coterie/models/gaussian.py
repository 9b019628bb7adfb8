"""Gaussian: one normal law per model; the order of the frames does not matter."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.models.families import WHOLE, blank, spread_of
from coterie.models.role import Model
from coterie.models.training import Plan, rounds_of
from coterie.parts.emissions import FORMS, Emissions, Floors, added
from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.iterate import Outcome

_FRAMES = 65_536  # frames summed together


class Gaussian(Model):
    """A normal law of the frames, whatever their order: mean and covariance."""

    covariance: str = param("full", "What is kept of the spread.", choices=FORMS)
    floor: float | None = param(
        None,
        "Least variance, as a share of that of all frames; 0.01 for one model, 0.05 for each.",
        ge=0,
    )
    random_state: int | None = param(
        None, "Not used; here so that models can be exchanged.", advanced=True
    )
    narrows: ClassVar[bool] = False  # the floor of the eigenvalues is enough for one law
    n_restarts = 1
    max_iter = (
        100  # only where values are missing of whole covariances; else the law is exact at once
    )
    tol = 1e-7

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        return blank(self.covariance, n_models, 1, sequences.values, floors)

    def train(
        self, plan: Plan, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]]
    ) -> tuple[Bank, Outcome]:
        """Mean and covariance of the frames of each model; with gaps in whole covariances, what is missing is expected."""
        of_frame = np.repeat(owners, sequences.lengths)
        ones = np.ones((len(keys), 1))
        bounds = range(0, len(of_frame), _FRAMES)
        blocks = [slice(lo, lo + _FRAMES) for lo in bounds]
        sums = [
            plan.blank.sums(sequences.values[at], of_frame[at], np.ones((len(of_frame[at]), 1)))
            for at in blocks
        ]
        bank = Bank(ones, ones[..., None], plan.blank.maximized(added(sums), plan.floors))
        if self.covariance in WHOLE and np.isnan(sequences.values).any():
            return rounds_of(plan, bank, sequences, owners)
        value = (
            forward_scores(bank, sequences.values, sequences.offsets).sum()
            if len(keys) == 1
            else np.nan
        )
        return bank, Outcome(bank.arrays(), [float(value)])

    @property
    def mean_(self) -> np.ndarray:
        """The mean: (d,)."""
        check_is_fitted(self, "bank_")
        laws: Any = self.bank_.emissions
        return np.asarray(laws.means[0, 0])

    @property
    def covariance_(self) -> np.ndarray:
        """The covariance: (d, d), or the variances (d,) where it is diagonal."""
        check_is_fitted(self, "bank_")
        return spread_of(self.bank_.emissions)[0]
