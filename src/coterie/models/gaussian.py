"""Gaussian: one normal law per member; the order of the frames does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.models.role import Model
from coterie.parts.emissions import FORMS, Emissions, Floors, gaussians


class Gaussian(Model):
    """A normal law of the frames, whatever their order: mean and covariance."""

    covariance: str = param("full", "What is kept of the spread.", choices=FORMS)
    floor: float | None = param(None, "Least variance, as a share of that of all frames; 0.01 for one model, 0.05 for each.", ge=0)
    random_state: int | None = param(None, "Not used; here so that models can be exchanged.", advanced=True)
    n_restarts = 1
    max_iter = 2
    tol = 0.0

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        shape = (n_models, 1, sequences.dim)
        center = np.nan_to_num(np.nanmean(sequences.values, axis=0))
        form: Any = self.covariance
        return gaussians(np.broadcast_to(center, shape).copy(), np.broadcast_to(floors.spread, shape).copy(), form)
