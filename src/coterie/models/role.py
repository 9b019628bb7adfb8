"""What every model is: fitted to all sequences together or to each one, and asked how likely sequences are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, NotConverged
from coterie.core.estimator import Estimator
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.models.drawing import drawn
from coterie.models.families import WHOLE, widened
from coterie.models.topologies import only_ahead
from coterie.models.training import Plan, begun, settled, trained, within_states
from coterie.parts.emissions import Emissions, Floors
from coterie.parts.hmm import Bank, forward_scores, joined
from coterie.parts.iterate import Outcome, best_of
from coterie.parts.sequences import checked

_MOVING = (
    0.25  # share of the models of single members that may still move a little without a warning
)
_FEW = 3  # models that may go on moving without a word


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One model of all members as training left it."""

    bank: Bank
    outcome: Outcome


class Model(Estimator):
    """A law of sequences (or of sets): `fit` learns one of all members, `fit_each` one of each; both give Banks."""

    takes: ClassVar[type] = Ragged
    gives: ClassVar[type] = Bank
    together: ClassVar[float] = (
        0.01  # share of the variance of all frames that no variance falls below, one model of all
    )
    apart: ClassVar[float] = 0.05  # the same, one model of each
    spread: ClassVar[str] = "covariance"  # the parameter that says what is kept of the spread
    narrows: ClassVar[bool] = (
        True  # whether it is diagonal where there are no more frames than values
    )
    ordered: ClassVar[bool] = False  # whether the order of the steps matters
    speaks: ClassVar[bool] = True  # whether it says itself that it did not converge

    bank_: Bank
    history_: list[float]
    converged_: bool

    if TYPE_CHECKING:  # what every model declares as a parameter, or sets for its kind
        random_state: Any
        n_restarts: int
        max_iter: int
        tol: float
        floor: float | None

    def allowed(self) -> np.ndarray:
        """Which state may follow which: (K, K) of bool."""
        return np.ones((1, 1), dtype=bool)

    def blank(self, sequences: Ragged, floors: Floors, n_models: int) -> Emissions:
        """The laws of the states before anything is seen."""
        raise NotImplementedError(f"{type(self).__name__} does not define its states")

    def layout(self) -> str:
        """The topology by name, as the kernels know it."""
        return "ergodic"

    def ahead(self) -> bool:
        """Whether steps only lead ahead, so that every member begins in the first state."""
        return False

    def fit(self, X: Any, y: Any = None) -> Self:
        """One model of all members; the likeliest of `n_restarts` starts."""
        sequences = self.sequences(X)
        found = self._fitted(sequences)
        self.bank_ = found.bank
        self.history_ = found.outcome.history
        self.converged_ = found.outcome.converged
        if not self.converged_ and self.speaks:
            said = f"{type(self).__name__} did not converge in {self.max_iter} rounds; allow more (max_iter), or accept it."
            warnings.warn(said, NotConverged, stacklevel=2)
        return self

    def fit_each(self, X: Any, chosen: Any = None, like: Any = None) -> Bank:
        """One model of each member, or of each chosen one; a model does not depend on who else was chosen.

        `like` are members whose spread sets the floors (and whose symbols the alphabet) instead of X: new members get models
        as those were made.
        """
        sequences = self.sequences(X)
        members = (
            np.arange(len(sequences)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        )
        if (
            members.ndim != 1
            or not len(members)
            or members.min() < 0
            or members.max() >= len(sequences)
        ):
            raise DataError(
                f"chosen members must be positions from 0 to {len(sequences) - 1}.",
                owner=type(self).__name__,
            )
        around = sequences if like is None else self.sequences(like)
        if around.dim != sequences.dim:
            raise DataError(
                f"the members have {sequences.dim} values per step, and `like` has {around.dim}.",
                owner=type(self).__name__,
            )
        return self._each(sequences, members, around)

    def score(self, X: Any, y: Any = None) -> np.ndarray:
        """The log-likelihood of every member under the fitted model: (N,); -inf where it cannot be made by it."""
        sequences = self.sequences(X, new=True)
        return forward_scores(self.bank_, sequences.values, sequences.offsets)[:, 0]

    def bic(self, X: Any) -> float:
        """Bayesian information criterion of these members, lower is better: -2 log-likelihood + parameters * log(steps)."""
        sequences = self.sequences(X, new=True)
        return -2 * float(self.score(sequences).sum()) + self.n_parameters_ * float(
            np.log(len(sequences.values))
        )

    def aic(self, X: Any) -> float:
        """Akaike's information criterion of these members, lower is better: -2 log-likelihood + 2 * parameters."""
        return -2 * float(self.score(X).sum()) + 2 * self.n_parameters_

    def sample(
        self, n: int = 1, length: Any = 100, random_state: Any = None
    ) -> tuple[Ragged, list[np.ndarray]]:
        """Draw n members of a length (one number, or one per member) from the fitted model, and the states they were in."""
        check_is_fitted(self, "bank_")
        return drawn(
            self.bank_, n, length, seed_of(random_state), self.ordered, type(self).__name__
        )

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the fitted model."""
        check_is_fitted(self, "bank_")
        return free_parameters(self.bank_)

    def sequences(self, X: Any, new: bool = False) -> Ragged:
        """The members, checked: none empty, no infinite values, as many values per step as before; NaN is a missing value."""
        owner = type(self).__name__
        if new:
            check_is_fitted(self, "bank_")
        width = self.bank_.emissions.dim if new else None
        return checked(self.check(X, new=new), owner, ordered=self.ordered, dim=width, blank=True)

    def floors(self, sequences: Ragged, share: float) -> Floors:
        """What variances may not fall below, for these members."""
        return Floors.of(sequences.values, share if self.floor is None else self.floor)

    def plan(self, sequences: Ragged, floors: Floors, n_models: int, prior: float) -> Plan:
        """How `n_models` models of these members are trained."""
        laws = self.blank(sequences, floors, n_models)
        label = type(self).__name__
        return Plan(
            laws,
            self.allowed(),
            self.layout(),
            self.ahead(),
            floors,
            prior,
            self.max_iter,
            self.tol,
            label,
        )

    def train(
        self, plan: Plan, sequences: Ragged, owners: np.ndarray, keys: list[tuple[int, ...]]
    ) -> tuple[Bank, Outcome]:
        """One model per key from the members it owns; `keys` are the seeds of the starts."""
        return trained(plan, sequences, owners, keys)

    def _fitted(self, sequences: Ragged) -> Fitted:
        """One model of all; with diagonal covariances where there are too few frames for whole ones."""
        name = getattr(self, self.spread)
        if self.narrows and name in WHOLE and len(sequences.values) <= sequences.dim:
            self._warn(
                f"{len(sequences.values)} steps of {sequences.dim} values are too few for {name} covariances; they are diagonal."
            )
            return self._diagonal()._fitted(sequences)
        plan = self.plan(sequences, self.floors(sequences, self.together), 1, 1e-6)
        owners = np.zeros(len(sequences), dtype=np.int64)

        def attempt(generator: np.random.Generator) -> tuple[float, tuple[Bank, Outcome]]:
            bank, outcome = self.train(plan, sequences, owners, [(seed_of(generator),)])
            return outcome.value, (bank, outcome)

        starts = self.n_restarts if self._varies(plan) else 1
        _, best = best_of(
            attempt, starts, random_state=self.random_state, label=plan.label, prefer="higher"
        )
        return Fitted(*settled(plan, best[0], best[1], sequences))

    def _varies(self, plan: Plan) -> bool:
        """Whether another start can lead elsewhere."""
        return plan.blank.n_states > 1

    def _each(self, sequences: Ragged, members: np.ndarray, around: Ragged) -> Bank:
        """Models of these members; diagonal ones for members with too few frames for whole covariances."""
        few = sequences.lengths[members] <= sequences.dim
        name = getattr(self, self.spread)
        if not self.narrows or name not in WHOLE or not few.any():
            return self._trained_each(sequences, members, around)
        first = int(members[np.argmax(few)])
        n = int(few.sum())
        self._warn(
            f"{n} of {len(members)} members (the first is {first}) have no more steps than values, too few for {name} "
            "covariances; theirs are diagonal."
        )
        narrow = self._diagonal()._trained_each(sequences, members[few], around)
        wide = Bank(
            narrow.start, narrow.transition, widened(narrow.emissions, name), narrow.topology
        )
        parts = (
            [wide, self._trained_each(sequences, members[~few], around)]
            if not few.all()
            else [wide]
        )
        order = np.argsort(
            np.concatenate([np.flatnonzero(few), np.flatnonzero(~few)]), kind="stable"
        )
        return joined(parts).take(order)

    def _trained_each(self, sequences: Ragged, members: np.ndarray, around: Ragged) -> Bank:
        seed = seed_of(self.random_state)
        keys: list[tuple[int, ...]] = [(seed,)] * len(
            members
        )  # one for all: what is alike has one model, in any order
        plan = self.plan(around, self._drawn_floors(around, seed), len(keys), 1e-3)
        bank, outcome = self.train(plan, sequences.take(members), np.arange(len(members)), keys)
        moving = int(np.sum(outcome.state.get("alive", False)))
        if moving > max(_MOVING * len(members), _FEW):
            said = f"{type(self).__name__}: {moving} of {len(members)} models did not converge in {self.max_iter} rounds."
            warnings.warn(said, NotConverged, stacklevel=4)
        return bank

    def _drawn_floors(self, around: Ragged, seed: int) -> Floors:
        """Floors for models of single members, whose variances are drawn toward the one within states of all members."""
        floors = self.floors(around, self.apart)
        plan = self.plan(around, floors, len(around), 1e-3)
        if getattr(self, "pull", 0.0) <= 0 or "spreads" not in plan.blank.arrays():
            return floors
        first = begun(plan, around, np.arange(len(around)), [(seed,)] * len(around))
        return replace(floors, within=within_states(first, around), pull=self.pull)

    def _diagonal(self) -> Self:
        narrow: Self = clone(self).set_params(**{self.spread: "diagonal"})
        return narrow

    def _warn(self, sentence: str) -> None:
        warnings.warn(f"{type(self).__name__}: {sentence}", UserWarning, stacklevel=4)


def free_parameters(bank: Bank) -> int:
    """Free parameters of one model of a bank: of beginning, of following, and of the states."""
    links = bank.transition[0] > 0
    begins = 0 if only_ahead(links) else len(links) - 1
    steps = int(links.sum()) - len(links)
    return begins + steps + bank.emissions.n_free
