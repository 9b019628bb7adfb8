"""HMMMixture: sequences grouped by a mixture of hidden Markov models, one model per group; the fully parametric baseline."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Dense
from coterie.core.estimator import Organizer
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.core.workplace import stage
from coterie.models.hmm import HMM, model_for
from coterie.models.role import Model, free_parameters
from coterie.models.weighted import weighted_round
from coterie.organize.agglomerative import Agglomerative
from coterie.parts.emissions import Floors
from coterie.parts.hmm import Bank, forward_scores
from coterie.parts.iterate import iterate
from coterie.parts.likelihood import finite, likelihoods
from coterie.parts.sequences import checked

_PRIOR = 1e-3  # added to every allowed step, as for models of single members: a group may be small


class HMMMixture(Organizer):
    """Sequences grouped by a mixture of hidden Markov models, one per group.

    It begins with the furthest-neighbor groups of models of the single members. `soft`: every member belongs to every group
    by its posterior probability; `hard`: to the group whose model makes it likeliest. Learned: `bank_` (a model per group, in
    the order of the groups), `weights_` (shares of the groups), `history_` (log-likelihood per round), `converged_`.
    """

    takes: ClassVar[type] = Ragged

    n_groups: int = param(2, "How many groups.", ge=1)
    model: Model | None = param(None, "The model of a group; None is HMM(n_states=2).")
    assign: Literal["soft", "hard"] = param(
        "soft",
        "Whether members belong to groups by shares or wholly while the models are trained.",
        choices=("soft", "hard"),
    )
    max_iter: int = param(100, "Rounds of training at most.", ge=1, advanced=True)
    tol: float = param(
        1e-5,
        "Training ends when the log-likelihood gains less than this share.",
        ge=0,
        advanced=True,
    )
    random_state: int | None = param(None, "Seed of the starts of the models.")

    bank_: Bank
    weights_: np.ndarray
    history_: list[float]
    converged_: bool
    model_: Model

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the models and the shares of the groups, and set `partition_`."""
        view = checked(self.check(X), "HMMMixture")
        self.model_ = model_for(
            HMM() if self.model is None else self.model,
            view,
            seed_of(self.random_state),
            "HMMMixture",
        )
        sequences = self.model_.sequences(view)
        self.check_groups(self.n_groups, len(sequences))
        floors = self.model_.floors(sequences, self.model_.apart)
        with stage("HMMMixture"):
            begun, shares = self._begun(sequences, floors)
            self._train(begun, shares, sequences, floors)
        values = forward_scores(self.bank_, sequences.values, sequences.offsets)
        shared = self._shared(values, self.weights_)
        partition, old = numbered(_best(shared), shared.max(axis=1))
        if len(old) < self.n_groups:
            warnings.warn(
                f"HMMMixture: only {len(old)} of {self.n_groups} groups have members in the end; the others were dropped.",
                UserWarning,
                stacklevel=2,
            )
        self.bank_ = self.bank_.take(old)
        self.weights_ = self.weights_[old] / self.weights_[old].sum()
        self.model_.bank_ = self.bank_
        self.partition_ = partition
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members: the largest membership; -1 where no model can make a member."""
        return _best(self.memberships(X))

    def memberships(self, X: Any) -> np.ndarray:
        """How much members belong to each group (n, groups): posterior probabilities, or 0 and 1 where `assign` is hard."""
        sequences = self._checked(X)
        return self._shared(
            forward_scores(self.bank_, sequences.values, sequences.offsets), self.weights_
        )

    def bic(self, X: Any) -> float:
        """Bayesian information criterion of these members, lower is better; for choosing the number of groups."""
        sequences = self._checked(X)
        values = forward_scores(self.bank_, sequences.values, sequences.offsets)
        free = len(self.weights_) * (free_parameters(self.bank_) + 1) - 1
        return -2 * self._value(values, self.weights_) + free * float(np.log(len(sequences.values)))

    def _checked(self, X: Any) -> Ragged:
        check_is_fitted(self, "partition_")
        return self.model_.sequences(self.check(X, new=True), new=True)

    def _begun(self, sequences: Ragged, floors: Floors) -> tuple[Bank, np.ndarray]:
        """Models of furthest-neighbor groups by the symmetrized likelihoods of models of the single members."""
        with stage("each"):
            alone = self.model_.fit_each(sequences)
        if hasattr(self.model_, "choice_"):
            self.model_ = clone(self.model_).set_params(n_states=self.model_.choice_.best)
        labels = furthest(finite(likelihoods(alone, sequences), "HMMMixture"), self.n_groups)
        seed = seed_of(self.model_.random_state)
        keys: list[tuple[int, ...]] = [
            (seed, len(sequences) + group) for group in range(self.n_groups)
        ]
        plan = self.model_.plan(sequences, floors, self.n_groups, _PRIOR)
        return self.model_.train(plan, sequences, labels, keys)[0], np.bincount(
            labels, minlength=self.n_groups
        ) / len(labels)

    def _train(self, begun: Bank, shares: np.ndarray, sequences: Ragged, floors: Floors) -> None:
        def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
            now = begun.with_arrays(state)
            weights = state["shares"]
            better, values = weighted_round(
                now, sequences, lambda part: self._shared(part, weights), floors, _PRIOR
            )
            belongs = self._shared(values, weights).sum(axis=0)
            return {**better.arrays(), "shares": belongs / max(belongs.sum(), 1e-300)}, self._value(
                values, weights
            )

        outcome = iterate(
            step,
            {**begun.arrays(), "shares": shares},
            max_iter=self.max_iter,
            tol=self.tol,
            label="HMMMixture",
        )
        self.bank_ = begun.with_arrays(outcome.state)
        self.weights_ = np.asarray(outcome.state["shares"])
        self.history_ = outcome.history
        self.converged_ = outcome.converged

    def _shared(self, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Memberships (n, M) of log-likelihoods (n, M); zeros where no model can make the member."""
        if self.assign == "hard":
            found = np.zeros_like(values)
            found[np.arange(len(values)), values.argmax(axis=1)] = 1.0
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                joint = values + np.log(weights)
                found = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return np.where(np.isfinite(values).any(axis=1, keepdims=True), found, 0.0)

    def _value(self, values: np.ndarray, weights: np.ndarray) -> float:
        """What training raises: the log-likelihood of all members (hard: each under its own model)."""
        if self.assign == "hard":
            return float(values.max(axis=1).sum())
        with np.errstate(divide="ignore"):
            return float(logsumexp(values + np.log(weights), axis=1).sum())


def furthest(matrix: np.ndarray, n_groups: int) -> np.ndarray:
    """Furthest-neighbor groups of members from mean log-likelihoods (model, member): distance = largest similarity - own.

    >>> furthest(np.array([[-1.0, -1.2, -9.0], [-1.1, -1.0, -8.0], [-9.0, -9.0, -1.0]]), 2).tolist()
    [0, 0, 1]
    """
    if len(matrix) < 2:
        return np.zeros(len(matrix), dtype=np.int64)
    alike = (matrix + matrix.T) / 2
    np.fill_diagonal(alike, -np.inf)
    gaps = alike.max() - alike
    np.fill_diagonal(gaps, 0.0)
    return Agglomerative(n_groups=n_groups, linkage="complete").fit(Dense(gaps, "distance")).labels_


def _best(shared: np.ndarray) -> np.ndarray:
    return np.where(shared.max(axis=1) > 0, shared.argmax(axis=1), -1)
