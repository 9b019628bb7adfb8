"""SSD: state-space dynamics. One hidden Markov model of all sequences; sequences are alike that walk its states alike."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.compare import dynamics
from coterie.compare.role import Comparer
from coterie.compare.shared_models import Sizes, Walks, train_shared, walks_in, walks_of_symbols
from coterie.compare.walk_rows import WalkRows
from coterie.core.affinity import Affinity, Lazy, Tile
from coterie.core.errors import ParameterError
from coterie.core.findings import Grid, Strips
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of, streams
from coterie.models.hmm import HMM
from coterie.parts.sequences import checked
from coterie.parts.squares import squared_norms, squares

VARIANTS = ("transitions", "stationary", "diffusion", "self-transition-free", "joint", "fisher")
ROWS = ("exact", "zero", "union")
_LEAST = 1e-12  # affinities below this are taken as this: the largest distance is 27.6
_SEEN = 1e-3  # expected steps out of a state from which it counts as visited
_MIXED = 0.01  # spread of the rows below which they say nothing but where the chain is


class SSD(Comparer):
    """State-space dynamics: sequences are alike when they walk alike through the states of a model that all share.

    One hidden Markov model is fitted to all members; a forward-backward pass over each member gives the transitions it
    makes between the shared states, and two members are compared by the Bhattacharyya affinity of their transition rows:
    d = -log(mean over states k of sum_j sqrt(a_kj b_kj)). The mean distance under several models is taken: fits from
    different starts differ, and their likelihoods do not tell good ones from bad ones.
    """

    takes: ClassVar[type] = Ragged

    n_states: int | None = param(
        None,
        "States of a shared model; None looks for as many as have their share of frames.",
        ge=2,
    )
    variant: str = param("transitions", "What is compared of the walks.", choices=VARIANTS)
    steps: int = param(2, "Steps taken at once, where variant is diffusion.", ge=1)
    rows: str = param(
        "exact",
        "Rows of states a member hardly visits: kept, zero, or out where neither visits.",
        choices=ROWS,
    )
    n_models: int = param(
        5, "Shared models, from different starts; their distances are averaged.", ge=1
    )
    model: Any = param(
        None,
        "An HMM whose settings are used; 'observed' takes the symbols as states.",
        choices=("observed",),
    )
    random_state: int | None = param(None, "Seed of the models.")

    affinity_: Lazy
    models_: list[HMM]
    choice_: Sizes
    transitions_: list[np.ndarray]
    occupancy_: list[np.ndarray]
    empty_rows_: int
    silent_: np.ndarray
    observed_: bool
    alphabet_: np.ndarray
    common_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the shared models and read the transitions of every member off them."""
        sequences = self._sequences(X, new=False)
        if self.n_states is not None and self.n_states > len(sequences.values):
            steps = len(sequences.values)
            raise ParameterError(
                f"n_states must be at most {steps}, the steps of all members, and was {self.n_states}.",
                owner="SSD",
            )
        self.members_ = sequences
        self.models_ = []
        self.observed_ = isinstance(self.model, str)
        if self.observed_:
            walks, self.alphabet_ = walks_of_symbols(sequences, None, None)
            self.common_ = walks.common
            found = [walks]
        else:
            base = self.model if self.model is not None else HMM()
            given = self.random_state if self.random_state is not None else base.random_state
            seeds = [seed_of(generator) for generator in streams(given, self.n_models)]
            self.models_, found, self.choice_ = train_shared(base, sequences, seeds, self.n_states)
        self.transitions_ = [one.steps for one in found]
        self.occupancy_ = [
            one.occupancy.sum(axis=0) / max(float(one.occupancy.sum()), 1e-300) for one in found
        ]
        self.empty_rows_ = int(sum(one.empty[~one.silent].sum() for one in found))
        self.silent_ = np.logical_or.reduce([one.silent for one in found])
        self._warn_silent(self.silent_)
        rows = (*self._prepared(found), np.arange(len(sequences)))
        if self.variant == "diffusion":
            self._warn_mixed(found)
        plain = self.variant != "fisher" and self._divided_by() == "all"
        search = partial(WalkRows, rows[: len(found)], _LEAST) if plain else None
        self.affinity_ = Lazy(self._tile(), rows, rows, "distance", True, search)
        return self

    def compare(self, X: Any) -> Affinity:
        """New members against the fitted ones: one pass over each new member per shared model."""
        check_is_fitted(self)
        sequences = self._sequences(X, new=True)
        if self.observed_:
            found = [walks_of_symbols(sequences, self.alphabet_, self.common_)[0]]
        else:
            found = [walks_in(model, sequences) for model in self.models_]
        self._warn_silent(np.logical_or.reduce([one.silent for one in found]))
        rows = (*self._prepared(found), np.full(len(sequences), -1))
        return Lazy(self.affinity_.tile, rows, self.affinity_.cols, "distance", False)

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Curves for a report: the log-likelihood of every shared model per round, and how much each state is used."""
        check_is_fitted(self)
        found: dict[str, list[tuple[float, float]]] = {}
        for at, model in enumerate(self.models_):
            found[f"Log-likelihood of shared model {at + 1}"] = [
                (i + 1.0, v) for i, v in enumerate(model.history_)
            ]
        used = np.sort(self.occupancy_[0])[::-1]
        found["Share of the frames in each state, most used first"] = [
            (i + 1.0, float(v)) for i, v in enumerate(used)
        ]
        return found

    def strips(self, members: Sequence[int], names: Sequence[str]) -> Strips:
        """The states of some fitted members in time: the likeliest path under the first shared model."""
        check_is_fitted(self)
        if self.observed_:
            raise ParameterError(
                "observed states are the symbols themselves, so there are no states to find in time.",
                owner="SSD",
            )
        part = self.members_.take(np.asarray(members, dtype=np.int64))
        pieces = self.models_[0].segmentations(part)
        said = "The likeliest path through the states of the first shared model; equal colors are equal states."
        return Strips(
            "States in time", tuple(str(name) for name in names), tuple(pieces), part.rate, said
        )

    def grids(self, labels: np.ndarray, names: Sequence[str]) -> list[Grid]:
        """The mean transitions of every group (label 0, 1, ...) under the first shared model."""
        check_is_fitted(self)
        of_group = np.asarray(labels)
        walks = self.transitions_[0]
        said = "Row: the state that is left; column: the state that follows. Mean over the members of the group."
        states = (
            tuple(f"{v:g}" for v in self.alphabet_) if self.observed_ else ()
        )  # without names: letters, as in the strips
        found = []
        for group, name in enumerate(names):
            mine = (of_group == group) & ~self.silent_
            if mine.any():
                found.append(
                    Grid(f"Transitions in {name}", walks[mine].mean(axis=0), states, states, said)
                )
        return found

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range, or one that does not fit another."""
        super().check_params()
        if self.model is not None and not isinstance(self.model, (str, HMM)):
            raise ParameterError(
                f"model must be an HMM, 'observed' or None, and was {self.model!r}.", owner="SSD"
            )
        if isinstance(self.model, str) and self.n_states is not None:
            raise ParameterError(
                f"n_states must be None where the symbols are the states, and was {self.n_states}.",
                owner="SSD",
            )

    def _sequences(self, X: Any, *, new: bool) -> Ragged:
        return checked(
            self.check(X, new=new), "SSD", ordered=True, dim=self.members_.dim if new else None
        )

    def _prepared(self, found: list[Walks]) -> tuple[np.ndarray, ...]:
        """Row-aligned arrays for the tile: per model what is multiplied, then per model what it is divided by."""
        pairs = [self._pair(one) for one in found]
        return (*(left for left, _ in pairs), *(right for _, right in pairs if right is not None))

    def _pair(self, walks: Walks) -> tuple[np.ndarray, np.ndarray | None]:
        n = len(walks.steps)
        silent = walks.silent
        if self.variant == "joint":
            return np.sqrt(dynamics.joint(walks.steps, walks.visits())).reshape(n, -1), None
        if self.variant == "fisher":
            scores = dynamics.fisher(walks.steps, walks.visits(), walks.common).reshape(n, -1)
            return scores, squared_norms(scores)
        rows = dynamics.filled(walks.steps, walks.empty & ~silent[:, None], walks.common)
        if self.variant == "stationary":
            return np.sqrt(
                np.where(silent[:, None], 0.0, dynamics.stationary(rows, walks.occupancy))
            ), None
        valid = np.broadcast_to(~silent[:, None], walks.empty.shape)
        if self._policy() != "exact":
            valid = walks.visits() >= _SEEN
        if self.variant == "diffusion":
            rows = dynamics.diffused(rows, self.steps)
        elif self.variant == "self-transition-free":
            rows, moving = dynamics.without_stays(rows)
            valid = valid & moving
        divides = self._divided_by() != "all"
        weight = np.where(valid, 1.0 if divides else 1.0 / valid.shape[1], 0.0)
        return np.sqrt(rows * weight[:, :, None]).reshape(n, -1), valid.astype(
            np.float64
        ) if divides else None

    def _policy(self) -> str:
        """What is done with rows: a symbol that was not seen has no exact row, so pairs without it leave it out."""
        return "union" if self.observed_ and self.rows == "exact" else self.rows

    def _divided_by(self) -> str:
        """Which rows the mean is over: all, those that both have, or those that either has."""
        if self.variant in ("stationary", "joint", "fisher") or self._policy() == "zero":
            return "all"
        if self._policy() == "union":
            return "either"
        return "both" if self.variant == "self-transition-free" else "all"

    def _warn_mixed(self, found: list[Walks]) -> None:
        """Say so when nothing but the stationary laws is left after the steps: the rows of a member are all alike."""
        some = [walks.steps[~walks.empty.any(axis=1)][:100] for walks in found]
        powers = [dynamics.diffused(rows, self.steps) for rows in some if len(rows)]
        spread = max(
            (float((p.max(axis=1) - p.min(axis=1)).max(axis=1).mean()) for p in powers), default=1.0
        )
        if spread < _MIXED:
            warnings.warn(
                f"SSD: after {self.steps} steps all states lead to the same places (rows differ by {spread:.2g} at most), so "
                "only how much each state is used is compared; take fewer steps.",
                UserWarning,
                stacklevel=3,
            )

    def _warn_silent(self, silent: np.ndarray) -> None:
        if silent.any():
            where = (
                "have scores of zero"
                if self.variant == "fisher"
                else "are at the largest distance from all others"
            )
            warnings.warn(
                f"SSD: {int(silent.sum())} of {len(silent)} members, the first at position {int(np.argmax(silent))}, have no "
                f"transitions (one step only, or nothing the model can make); they {where}.",
                UserWarning,
                stacklevel=3,
            )

    def _tile(self) -> Tile:
        count = len(self.models_) or 1
        if self.variant == "fisher":
            return partial(euclidean_tile, n_models=count)
        return partial(bhattacharyya_tile, n_models=count, how=self._divided_by())


def bhattacharyya_tile(
    a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...], n_models: int, how: str
) -> np.ndarray:
    """Mean over models of -log affinity of two blocks of (roots per model, visited rows per model, own).

    `how` says what the affinity is divided by: nothing more (all), rows that both have, or rows that either has.
    """
    total = np.zeros((len(a[0]), len(b[0])))
    for m in range(n_models):
        alike = a[m] @ b[m].T
        if how != "all":
            mine = a[n_models + m]
            theirs = b[n_models + m]
            shared = mine @ theirs.T
            if how == "either":
                shared = mine.sum(axis=1)[:, None] + theirs.sum(axis=1)[None, :] - shared
            np.divide(alike, shared, out=alike, where=shared > 0)
        np.clip(alike, _LEAST, 1.0, out=alike)
        total -= np.log(alike, out=alike)
    total /= n_models
    return _own_zero(total, a[-1], b[-1])


def euclidean_tile(
    a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...], n_models: int
) -> np.ndarray:
    """Mean over models of the Euclidean distance of two blocks of (scores per model, squared norms per model, own)."""
    total = np.zeros((len(a[0]), len(b[0])))
    for m in range(n_models):
        total += np.sqrt(squares(a[m], b[m], a[n_models + m], b[n_models + m]))
    return _own_zero(total / n_models, a[-1], b[-1])


def _own_zero(values: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    values[(a[:, None] == b[None, :]) & (a >= 0)[:, None]] = 0.0
    return values
