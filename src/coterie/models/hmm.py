"""HMM: hidden Markov models with Gaussian, mixture, categorical or Poisson states."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.partition import Segmentation
from coterie.core.ragged import Ragged
from coterie.core.workplace import stage
from coterie.models import families
from coterie.models.choice import CRITERIA, Choice, Sizes, Tried
from coterie.models.gaussian import Gaussian
from coterie.models.role import Fitted, Model
from coterie.models.topologies import allowed, n_states_of, only_ahead
from coterie.parts.emissions import Emissions, Floors
from coterie.parts.hmm import Bank, best_paths_of, forward_scores
from coterie.parts.hmm_training import posteriors
from coterie.parts.likelihood import own_scores


class HMM(Model):
    """Hidden Markov model: a chain of states that is not seen, each of which emits what is seen."""

    ordered: ClassVar[bool] = True
    spread: ClassVar[str] = "emissions"

    n_states: int | str | tuple[Any, ...] = param(
        2,
        "States of the model; a range (low, high), bic or aic choose the number.",
        ge=1,
        choices=CRITERIA,
    )
    emissions: str = param(
        "diagonal",
        "What a state emits: Gaussian frames of a form, or others.",
        choices=families.FAMILIES,
    )
    topology: Any = param(
        "ergodic",
        "Which state may follow which: ergodic | left-right | skips, or an array of yes and no.",
    )
    n_components: int = param(2, "Normal laws of one state, where emissions is mixture.", ge=1)
    unknown: str = param(
        "error",
        "A symbol no fitted member has: an error, or one more symbol for all such.",
        choices=("error", "extra"),
        advanced=True,
    )
    n_restarts: int = param(3, "Starts of `fit`; the likeliest model stays.", ge=1)
    floor: float | None = param(
        None,
        "Least variance, as a share of that of all frames; 0.01 for one model, 0.05 for each.",
        ge=0,
    )
    pull: float = param(
        10.0,
        "Frames of the variance within all states that are added to each, one model of each member.",
        ge=0,
        advanced=True,
    )
    max_iter: int = param(100, "Rounds of training at most.", ge=0, advanced=True)
    tol: float = param(
        1e-5,
        "Training ends when the log-likelihood gains less than this share.",
        ge=0,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the starts.")

    choice_: Choice

    @classmethod
    def of(
        cls,
        start: Any,
        transition: Any,
        means: Any = None,
        covariances: Any = None,
        *,
        weights: Any = None,
        probabilities: Any = None,
        rates: Any = None,
        emissions: str = "diagonal",
    ) -> Self:
        """A model with given numbers, as if fitted: K states of means and covariances, of probabilities, or of rates.

        Means are (K, d); covariances (K, d) for diagonal states, (K,) spherical, (K, d, d) full, (d, d) tied. With `weights`
        (K, C) the states are mixtures: means (K, C, d), covariances (K, C, d) or (K, C, d, d). `probabilities` (K, V) of
        symbols 0..V-1 make categorical states, `rates` (K, d) Poisson ones. Steps of probability 0 are never taken.
        """
        links = families.chances(transition, "transition", len(np.atleast_1d(transition)))
        first = families.chances([start], "start", 1)
        if first.shape[1] != len(links) or links.shape[1] != len(links):
            raise ParameterError(
                f"start must have K and transition K x K values, and have {first.shape[1]} and {links.shape}."
            )
        laws, name = families.given(
            len(links), (means, covariances, weights), probabilities, rates, emissions
        )
        size = {"n_components": np.shape(weights)[1]} if weights is not None else {}
        model = cls(
            n_states=len(links),
            emissions=name,
            topology="ergodic" if (links > 0).all() else links > 0,
            **size,
        )
        model.bank_ = Bank(first, links[None], laws)
        model.history_ = []
        model.converged_ = True
        return model

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range, or a topology that does not fit the states."""
        super().check_params()
        sizes = Sizes.of(self.n_states, "HMM")
        fixed = n_states_of(self.topology, "HMM")
        if sizes is not None and fixed is not None:
            raise ParameterError(
                f"the topology given is for {fixed} states, so n_states must be {fixed}, and was {self.n_states!r}.",
                owner="HMM",
            )
        self.allowed(1 if sizes is not None else None)

    def allowed(self, n_states: int | None = None) -> np.ndarray:
        size: Any = self.n_states if n_states is None else n_states
        return allowed(self.topology, size, "HMM")

    def layout(self) -> str:
        return self.topology if isinstance(self.topology, str) else "ergodic"

    def ahead(self) -> bool:
        return only_ahead(self.allowed())

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        size: Any = self.n_states
        return families.blank(
            self.emissions,
            n_models,
            size,
            sequences.values,
            floors,
            self.n_components,
            self.unknown,
        )

    def sequences(self, X: Any, new: bool = False) -> Ragged:
        found = super().sequences(X, new)
        families.check_codes(found, self.emissions, self.bank_.emissions if new else None)
        return found

    def decode(self, X: Any) -> tuple[list[np.ndarray], np.ndarray]:
        """The likeliest path of states of every member (a list of arrays, one state per step), and its log-likelihood (N,)."""
        sequences = self.sequences(X, new=True)
        owners = np.zeros(len(sequences), dtype=np.int64)
        states, found = best_paths_of(self.bank_, sequences.values, sequences.offsets, owners)
        self._refuse_impossible(found)
        return np.split(states, sequences.offsets[1:-1]), found

    def predict(self, X: Any) -> np.ndarray:
        """The states of `decode`, all members one after the other: one per row of the values."""
        return np.concatenate(self.decode(X)[0])

    def segmentations(self, X: Any) -> list[Segmentation]:
        """The states of `decode` as pieces: where each state begins and ends, per member."""
        return [Segmentation.of(states) for states in self.decode(X)[0]]

    def posterior(self, X: Any) -> list[np.ndarray]:
        """The probability of every state at every step, given the whole member: a list of (length, K)."""
        sequences = self.sequences(X, new=True)
        owners = np.zeros(len(sequences), dtype=np.int64)
        found: list[np.ndarray] = []
        for part in posteriors(self.bank_, sequences.values, sequences.offsets, owners):
            self._refuse_impossible(part.values, part.first)
            found += np.split(part.shares, part.offsets[1:-1])
        return found

    @property
    def start_(self) -> np.ndarray:
        """The probability of beginning in each state: (K,)."""
        return self._bank().start[0]

    @property
    def transition_(self) -> np.ndarray:
        """The probability of going from a state (row) to another: (K, K)."""
        return self._bank().transition[0]

    @property
    def means_(self) -> np.ndarray:
        """The mean of every state, (K, d); of every component of it, (K, C, d), for mixtures."""
        return self._number("means")

    @property
    def covariances_(self) -> np.ndarray:
        """The spread: (K, d) diagonal, (K,) spherical, (K, d, d) full, (d, d) tied; (K, C, d) for mixtures."""
        spreads = self._number("spreads")
        form = getattr(self.bank_.emissions, "form", "")
        return spreads[:, 0] if form == "spherical" else spreads[0] if form == "tied" else spreads

    @property
    def weights_(self) -> np.ndarray:
        """The share of every component of a mixture state: (K, C)."""
        return self._number("weights")

    @property
    def probabilities_(self) -> np.ndarray:
        """The probability of every symbol in every state: (K, V)."""
        return self._number("probabilities")

    @property
    def rates_(self) -> np.ndarray:
        """The mean count of every state: (K, d)."""
        return self._number("rates")

    def _bank(self) -> Bank:
        check_is_fitted(self, "bank_")
        return self.bank_

    def _number(self, name: str) -> np.ndarray:
        found = self._bank().emissions.arrays()
        if name not in found:
            raise AttributeError(f"HMM with {self.emissions} states has no {name}_.")
        return found[name][0]

    def _refuse_impossible(self, values: np.ndarray, first: int = 0) -> None:
        lost = np.flatnonzero(~np.isfinite(values)) + first
        if len(lost):
            raise DataError(
                f"member {int(lost[0])} cannot be made by this model (its likelihood is zero), so it has no states.",
                owner="HMM",
            )

    def _fitted(self, sequences: Ragged) -> Fitted:
        sizes = Sizes.of(self.n_states, "HMM")
        if sizes is None:
            return super()._fitted(sequences)

        def attempt(size: int) -> tuple[Tried, Fitted]:
            model = self._sized(size)
            with stage(f"{size} states"):
                found = model._fitted(sequences)
            model.bank_ = found.bank
            value = float(forward_scores(found.bank, sequences.values, sequences.offsets).sum())
            return Tried(
                size, value, model.n_parameters_, model.bic(sequences), model.aic(sequences)
            ), found

        self.choice_, best = sizes.compared(attempt)
        found: Fitted = best
        return found

    def _each(self, sequences: Ragged, members: np.ndarray, around: Ragged) -> Bank:
        """Models of one size for all; where the size is to be chosen, the one with the least sum of criteria over all members."""
        sizes = Sizes.of(self.n_states, "HMM")
        if sizes is None:
            return super()._each(sequences, members, around)

        def attempt(size: int) -> tuple[Tried, HMM]:
            model = self._sized(size)
            with stage(f"{size} states"):
                model.bank_ = super(HMM, model)._each(around, np.arange(len(around)), around)
            values = own_scores(model.bank_, around)
            free = model.n_parameters_
            total = -2 * float(values.sum())
            bic = total + free * float(np.log(around.lengths).sum())
            return Tried(
                size, float(values.sum()), free * len(values), bic, total + 2 * free * len(values)
            ), model

        self.choice_, best = sizes.compared(attempt)
        chosen: HMM = best
        return (
            chosen.bank_.take(members)
            if around is sequences
            else chosen._each(sequences, members, around)
        )

    def _sized(self, size: int) -> Self:
        model: Self = clone(self).set_params(n_states=size)
        return model


def model_for(given: Any, sequences: Ragged, seed: int, owner: str) -> Model:
    """The model that `owner` was given, else an HMM of two states (sequences) or one Gaussian (sets); with a seed."""
    if given is None:
        given = HMM() if sequences.ordered else Gaussian()
    if not isinstance(given, Model):
        raise ParameterError(
            f"model must be a model such as HMM(n_states=3), GMM() or Gaussian(), and was {given!r}.",
            owner=owner,
        )
    given.check_params()
    model: Model = clone(given)
    if model.random_state is None:
        model.set_params(random_state=seed)
    return model
