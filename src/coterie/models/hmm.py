"""HMM: hidden Markov models with Gaussian, mixture, categorical or Poisson states."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.models.role import Model
from coterie.parts.emissions import FORMS, Emissions, Floors, gaussians
from coterie.parts.hmm import TOPOLOGIES, topology


class HMM(Model):
    """Hidden Markov model: a chain of states that is not seen, each of which emits what is seen."""

    n_states: int = param(2, "States of the model.", ge=1)
    emissions: str = param("diagonal", "What a state emits.", choices=FORMS)
    topology: Any = param("ergodic", "Which state may follow which: a name, or a square array of yes and no.")
    n_restarts: int = param(3, "Starts of `fit`; the likeliest model stays.", ge=1)
    floor: float | None = param(None, "Least variance, as a share of that of all frames; 0.01 for one model, 0.05 for each.", ge=0)
    max_iter: int = param(100, "Rounds of training at most.", ge=0, advanced=True)
    tol: float = param(1e-5, "Training ends when the log-likelihood gains less than this share.", ge=0, advanced=True)
    random_state: int | None = param(None, "Seed of the starts.")

    def n_states_of(self) -> int:
        return self.n_states

    def allowed(self) -> np.ndarray:
        if isinstance(self.topology, str):
            return topology(self.topology, self.n_states)
        return np.asarray(self.topology, dtype=bool)

    def layout(self) -> str:
        return self.topology if isinstance(self.topology, str) and self.topology in TOPOLOGIES else "ergodic"

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        shape = (n_models, self.n_states, sequences.dim)
        center = np.nan_to_num(np.nanmean(sequences.values, axis=0))
        form: Any = self.emissions
        return gaussians(np.broadcast_to(center, shape).copy(), np.broadcast_to(floors.spread, shape).copy(), form)
