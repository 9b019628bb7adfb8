"""What every model is: fitted to all sequences together or to each one, and asked how likely sequences are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, NotConverged
from coterie.core.estimator import Estimator
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.parts.emissions import Emissions, Floors
from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.hmm_start import started
from coterie.parts.hmm_training import train_bank
from coterie.parts.iterate import best_of


class Model(Estimator):
    """A law of sequences (or of sets): `fit` learns one of all members, `fit_each` one of each; both give Banks."""

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Bank
    together: ClassVar[float] = 0.01  # share of the variance of all frames that no variance falls below, one model of all
    apart: ClassVar[float] = 0.05  # the same, one model of each

    bank_: Bank
    history_: list[float]
    converged_: bool

    if TYPE_CHECKING:  # what every model declares as a parameter, or sets for its kind
        random_state: Any
        n_restarts: int
        max_iter: int
        tol: float
        floor: float | None

    def n_states_of(self) -> int:
        """States of one model."""
        return 1

    def allowed(self) -> np.ndarray:
        """Which state may follow which: (K, K) of bool."""
        return np.ones((1, 1), dtype=bool)

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        """The laws of the states before anything is seen."""
        raise NotImplementedError(f"{type(self).__name__} does not define its states")

    def layout(self) -> str:
        """The topology by name, as the kernels know it."""
        return "ergodic"

    def fit(self, X: Any, y: Any = None) -> Self:
        """One model of all members; the best of `n_restarts`."""
        sequences = self.sequences(X)
        floors = self.floors(sequences, self.together)
        owners = np.zeros(len(sequences), dtype=np.int64)

        def attempt(generator: np.random.Generator) -> tuple[float, Any]:
            bank, outcome = self._trained(sequences, owners, [(seed_of(generator),)], floors, 1e-6)
            return outcome.value, (bank, outcome)

        _, (self.bank_, outcome) = best_of(
            attempt, self.n_restarts, random_state=self.random_state, label=type(self).__name__, prefer="higher"
        )
        self.history_, self.converged_ = outcome.history, outcome.converged
        if not outcome.converged:
            import warnings

            warnings.warn(
                f"{type(self).__name__} did not converge in {self.max_iter} rounds; allow more (max_iter), or accept it.",
                NotConverged,
                stacklevel=2,
            )
        return self

    def fit_each(self, X: Any, chosen: np.ndarray | None = None) -> Bank:
        """One model of each member, or of each chosen one; a model does not depend on who else was chosen."""
        sequences = self.sequences(X)
        floors = self.floors(sequences, self.apart)
        members = np.arange(len(sequences)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        seed = seed_of(self.random_state)
        part = sequences.take(members)
        keys: list[tuple[int, ...]] = [(seed, int(member)) for member in members]
        return self._trained(part, np.arange(len(members)), keys, floors, 1e-3)[0]

    def score(self, X: Any, y: Any = None) -> np.ndarray:
        """The log-likelihood of every member under the fitted model: (N,)."""
        check_is_fitted(self, "bank_")
        sequences = self.sequences(X, new=True)
        return forward_scores(self.bank_, sequences.values, sequences.offsets)[:, 0]

    def sequences(self, X: Any, new: bool = False) -> Ragged:
        """The members, checked: none empty, no infinite values, as many values per step as before; NaN is a missing value."""
        owner = type(self).__name__
        sequences: Ragged = self.check(X, new=new)
        if (sequences.lengths < 1).any():
            raise DataError(f"{owner}: member {int(np.argmin(sequences.lengths))} is empty; drop it first.")
        bad = np.isinf(sequences.values).any(axis=1)
        if bad.any():
            at = int(np.searchsorted(sequences.offsets, int(np.argmax(bad)), side="right")) - 1
            raise DataError(f"{owner}: member {at} has an infinite value; drop or mask it (NaN) first.")
        if new and sequences.dim != self.bank_.emissions.dim:
            raise DataError(
                f"{owner}: new members have {sequences.dim} values per step where the fitted ones have {self.bank_.emissions.dim}."
            )
        return sequences.with_values(np.ascontiguousarray(sequences.values, dtype=np.float64))

    def floors(self, sequences: Ragged, share: float) -> Floors:
        """What variances may not fall below, for these members."""
        return Floors.of(sequences.values, share if self.floor is None else self.floor)

    def _trained(
        self, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]], floors: Floors, prior: float
    ) -> tuple[Bank, Any]:
        begun = started(
            sequences.values,
            sequences.offsets,
            owners,
            blank=self.blank(sequences, floors, len(keys)),
            allowed=self.allowed(),
            floors=floors,
            seeds=keys,
            even=self.layout() != "ergodic",
            topology=self.layout(),
        )
        return train_bank(
            begun,
            sequences.values,
            sequences.offsets,
            owners,
            rounds=self.max_iter,
            training="baum-welch",
            prior=prior,
            tol=self.tol,
            floors=floors,
            label=type(self).__name__,
        )
