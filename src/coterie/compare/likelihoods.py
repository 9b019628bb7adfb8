"""Likelihood: members are far apart when their models explain different members; five distances of one likelihood matrix."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.compare.likelihood_pool import Pool, eigengap, everyone, fingerprint, grown, sized
from coterie.compare.role import Comparer
from coterie.core.affinity import Dense
from coterie.core.errors import DataError, ParameterError
from coterie.core.findings import Strips
from coterie.core.params import param
from coterie.core.partition import Segmentation
from coterie.core.ragged import Ragged
from coterie.core.random import seed_of
from coterie.core.workplace import fits
from coterie.models.hmm import model_for
from coterie.models.role import Model
from coterie.parts.hmm import Bank, best_paths_of
from coterie.parts.likelihood import (
    between,
    deepest,
    filled,
    finite,
    impossible,
    kl_ll,
    likelihoods,
    own_likelihoods,
    saturation,
)
from coterie.parts.sequences import checked

DISTANCES = ("kl-ll", "yin-yang", "bp", "bp-same-sequence", "porikli", "symmetric")
_LEAST = 1e-6  # size below which an own log-likelihood is not divided by
_SATURATED = 0.99


class Likelihood(Comparer):
    """Distance of sequences (or sets) by what models of single members say of all members: KL-LL, yin-yang, BP, and more.

    Every member gets a model of its own (a hidden Markov model unless another is given), and every member is judged by
    every model: mean log-likelihood per step. `kl-ll` compares how the models share out two members, so all models have a
    say in every pair; the other distances look at the two models of the pair only. KL-LL may use fewer models than there
    are members.
    """

    takes: ClassVar[type] = Ragged

    distance: str = param("kl-ll", "What is read off the likelihoods.", choices=DISTANCES)
    model: Any = param(
        None,
        "The model of a member: HMM(...), GMM(...) or Gaussian(); an HMM of 2 states if left out.",
    )
    models: int | float | str | None = param(
        None,
        "Models used (KL-LL): all, a number, a share, or the pool of the largest eigengap.",
        choices=("eigengap",),
        gt=0,
    )
    n_groups: int | None = param(
        None, "Groups the eigengap is for; any number up to 20 if left out.", ge=2
    )
    patience: int | None = param(
        None,
        "Pools without a larger eigengap that end the search; None goes on.",
        ge=1,
        advanced=True,
    )
    temperature: float = param(
        1.0,
        "Likelihoods are divided by this in KL-LL; more lets more models have a say.",
        ge=1e-9,
        le=1e9,
    )
    random_state: int | None = param(None, "Seed of the models, unless the model has its own.")

    affinity_: Dense
    pool_: Pool
    model_: Model
    saturation_: float
    pool_curve_: np.ndarray
    mark_: str
    chosen_: np.ndarray
    bank_: Any
    likelihoods_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the models, judge all members by them, and read the distances off; the same models are not trained twice."""
        view = checked(self.check(X), "Likelihood")
        known = self.__dict__.pop("pool_", None)
        old = self.__dict__.pop("mark_", "")
        self.model_ = model_for(self.model, view, seed_of(self.random_state), "Likelihood")
        self.members_: Ragged = self.model_.sequences(view)
        self.mark_ = fingerprint(self.members_, self.model_, self.models is None)
        self.pool_, self.chosen_ = self._pooled(known if self.mark_ == old else None)
        self.bank_ = self.pool_.first(len(self.chosen_)).bank
        self.likelihoods_ = self.pool_.matrix[: len(self.chosen_)]
        self.model_ = sized(self.model_, self.bank_)
        self.affinity_ = self.distances()
        self.saturation_ = saturation(filled(self.likelihoods_), self.temperature)
        if self.distance == "kl-ll" and self.saturation_ > _SATURATED and len(self.members_) > 2:
            warnings.warn(
                f"Likelihood: one model has {self.saturation_:.3f} of a member on average, so KL-LL says little more than "
                "yin-yang; a larger floor of the model, fewer states, fewer models or a temperature above 1 let others speak.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def distances(self, distance: str | None = None, temperature: float | None = None) -> Dense:
        """The affinity by another distance or temperature, read off the same likelihoods; nothing is trained again."""
        check_is_fitted(self, "likelihoods_")
        name = self.distance if distance is None else distance
        return from_likelihoods(
            self.likelihoods_, name, self.temperature if temperature is None else temperature
        )

    def compare(self, X: Any) -> Dense:
        """New members against the fitted ones under the same models; each also gets its own model where the distance needs it.

        KL-LL compares how the fitted models share out both members. The other distances take the new member's own model,
        trained as those of the fitted members were, and the largest value met there as their origin (porikli, symmetric).
        """
        new = checked(self.check_alike(X), "Likelihood", dim=self.members_.dim)
        back = likelihoods(self.bank_, new)
        known = self.likelihoods_
        lost = impossible(back)
        gone = impossible(known)
        back = finite(back, at=deepest(known))
        known = filled(known)
        if self.distance == "kl-ll":
            found = between(back, known, self.temperature)
        else:
            bank = self.model_.fit_each(new, like=self.members_)
            own = own_likelihoods(bank, new)
            forth = finite(likelihoods(bank, self.members_))
            found = _PAIRS[self.distance](own, np.diagonal(known), forth, back.T, known)
        return Dense(
            _set_apart(found, lost, gone, float(self.affinity_.values.max())),
            "distance",
            symmetric=False,
            own=False,
        )

    def strips(
        self, members: Sequence[int] | None = None, names: Sequence[str] | None = None
    ) -> Strips:
        """The states of some members (the first twelve if left out) in time, each by the best path under its own model."""
        check_is_fitted(self, "likelihoods_")
        if self.bank_.n_states < 2:
            raise ParameterError(
                f"strips show states in time, and {self.model_!r} has only one.", owner="Likelihood"
            )
        n = len(self.members_)
        shown = np.arange(n)[:12] if members is None else np.asarray(members, dtype=np.int64)
        if len(shown) and not (shown.min() >= 0 and shown.max() < n):
            raise ParameterError(f"strips takes positions from 0 to {n - 1}.", owner="Likelihood")
        part = self.members_.take(shown)
        states, _ = best_paths_of(
            self._models_of(shown), part.values, part.offsets, np.arange(len(shown))
        )
        pieces = tuple(
            Segmentation.of(states[a:b])
            for a, b in zip(part.offsets[:-1], part.offsets[1:], strict=True)
        )
        called = (
            tuple(f"member {i}" for i in shown)
            if names is None
            else tuple(str(name) for name in names)
        )
        sentence = "States are those of each member's own model: A of one member has nothing to do with A of another."
        return Strips("States in time", called, pieces, self.members_.rate, sentence)

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Curves for a report: the eigengap against the number of models, where it chose them."""
        judged = self.pool_curve_[self.pool_curve_[:, 1] > 0]
        if not len(judged):
            return {}
        return {"Eigengap against the number of models": [(float(x), float(y)) for x, y in judged]}

    def check_params(self) -> None:
        """Refuse what is out of range, in one sentence."""
        super().check_params()
        if self.models is not None and self.distance != "kl-ll":
            raise ParameterError(
                f"models={self.models!r} is for distance='kl-ll'; {self.distance} needs the model of every member.",
                owner="Likelihood",
            )
        if (
            isinstance(self.models, numbers.Real)
            and not isinstance(self.models, numbers.Integral)
            and self.models > 1
        ):
            raise ParameterError(
                f"models must be a whole number or a share up to 1, and was {self.models!r}.",
                owner="Likelihood",
            )

    def _pooled(self, known: Pool | None) -> tuple[Pool, np.ndarray]:
        """The models trained, and the members whose models are used."""
        view = self.members_
        n = len(self.members_)
        self.pool_curve_ = np.empty((0, 2))
        if self.models is None:
            fits(n * n * 44, f"A likelihood matrix of {n} members", "use fewer models (models=0.2)")
            pool = known if known is not None else everyone(self.model_, view, self.mark_)
            return pool, pool.members
        if not isinstance(self.models, str):
            most = (
                self.models
                if isinstance(self.models, numbers.Integral)
                else max(1, round(self.models * n))
            )
            if most > n:
                raise ParameterError(
                    f"models must be at most {n}, the number of members, and was {self.models!r}.",
                    owner="Likelihood",
                )
            pool, _ = grown(self.model_, view, self.mark_, known, int(most))
            return pool, pool.members[: int(most)]
        pool, self.pool_curve_ = grown(
            self.model_, view, self.mark_, known, n, self._gap, self.patience
        )
        best = int(np.argmax(self.pool_curve_[:, 1]))
        if self.pool_curve_[best, 1] <= 0:
            return pool, pool.members
        return pool, pool.members[: int(self.pool_curve_[best, 0])]

    def _gap(self, matrix: np.ndarray) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # what is said of the pool that stays is said in the end
            found = from_likelihoods(matrix, "kl-ll", self.temperature).values
        return eigengap(found, self.n_groups, len(matrix))

    def _models_of(self, members: np.ndarray) -> Bank:
        """The own models of some members; those that were never trained are trained now."""
        place = np.full(len(self.members_), -1)
        place[self.pool_.members] = np.arange(len(self.pool_))
        if (place[members] >= 0).all():
            return self.pool_.bank.take(place[members])
        return self.model_.fit_each(self.members_, members)


def from_likelihoods(matrix: Any, distance: str = "kl-ll", temperature: float = 1.0) -> Dense:
    """Distances of members from a matrix of mean log-likelihoods per step, models x members (member i's own model in row i).

    KL-LL takes any models; the other distances need those of all members in their order. `temperature` is for KL-LL.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if distance not in DISTANCES:
        raise ParameterError(
            f"distance must be {' | '.join(DISTANCES)}, and was {distance!r}.",
            owner="from_likelihoods",
        )
    if values.ndim != 2 or np.isnan(values).any():
        raise DataError("from_likelihoods takes an array models x members without NaN.")
    if distance != "kl-ll" and values.shape[0] != values.shape[1]:
        raise DataError(
            f"{distance} needs one model of each member, and there are {values.shape[0]} for {values.shape[1]}."
        )
    lost = impossible(values)
    full = finite(values)
    if distance == "kl-ll":
        found = kl_ll(full, temperature)
    else:
        own = np.diagonal(full)
        found = _PAIRS[distance](own, own, full, full.T, full)
        np.fill_diagonal(found, 0.0)
    rest = found[np.ix_(~lost, ~lost)] if lost.any() else found
    found = _set_apart(found, lost, lost, float(rest.max(initial=0.0)) or 1.0)
    np.fill_diagonal(found, 0.0)
    return Dense(found, "distance")


def _set_apart(found: np.ndarray, rows: np.ndarray, cols: np.ndarray, far: float) -> np.ndarray:
    """Members that no model can make are as far from all others as any two are."""
    if not rows.any() and not cols.any():
        return found
    if rows.any():
        warnings.warn(
            f"Likelihood: no model can make {int(rows.sum())} of the members (the first is {int(np.argmax(rows))}); they are put "
            "as far from all others as any two members are.",
            UserWarning,
            stacklevel=3,
        )
    return np.where(rows[:, None] | cols[None, :], far, found)


def _yin_yang(
    own: np.ndarray, other: np.ndarray, forth: np.ndarray, back: np.ndarray, fitted: np.ndarray
) -> np.ndarray:
    """|l_ii + l_jj - l_ij - l_ji|: what both members lose when their models are exchanged."""
    return np.abs(own[:, None] + other - (forth + back))


def _bp(
    own: np.ndarray, other: np.ndarray, forth: np.ndarray, back: np.ndarray, fitted: np.ndarray
) -> np.ndarray:
    """Half the sum of (l_ii - l_ij) / |l_ii| and its counterpart, never below zero."""
    return np.maximum(
        ((own[:, None] - forth) / _sizes(own)[:, None] + (other - back) / _sizes(other)) / 2, 0.0
    )


def _bp_same(
    own: np.ndarray, other: np.ndarray, forth: np.ndarray, back: np.ndarray, fitted: np.ndarray
) -> np.ndarray:
    """The same, one sequence under both models."""
    return _bp(own, other, back, forth, fitted)


def _porikli(
    own: np.ndarray, other: np.ndarray, forth: np.ndarray, back: np.ndarray, fitted: np.ndarray
) -> np.ndarray:
    """|p_ij + p_ji - p_ii - p_jj| of the likelihoods themselves, over the largest one met."""
    top = fitted.max()
    return np.abs(
        np.exp(forth - top)
        + np.exp(back - top)
        - (np.exp(own - top)[:, None] + np.exp(other - top))
    )


def _symmetric(
    own: np.ndarray, other: np.ndarray, forth: np.ndarray, back: np.ndarray, fitted: np.ndarray
) -> np.ndarray:
    """The largest mean (l_ij + l_ji) / 2 of two fitted members less that of the pair, never below zero."""
    mean = (fitted + fitted.T) / 2
    np.fill_diagonal(mean, -np.inf)
    top = mean.max() if len(mean) > 1 else 0.0
    return np.maximum(top - (forth + back) / 2, 0.0)


_PAIRS = {
    "yin-yang": _yin_yang,
    "bp": _bp,
    "bp-same-sequence": _bp_same,
    "porikli": _porikli,
    "symmetric": _symmetric,
}


def _sizes(own: np.ndarray) -> np.ndarray:
    """Sizes of the own log-likelihoods to divide by."""
    small = np.abs(own) < _LEAST
    if small.any():
        warnings.warn(
            f"Likelihood: {int(small.sum())} members have a mean log-likelihood of about 0 under their own model, and BP divides "
            "by it; use distance='yin-yang'.",
            UserWarning,
            stacklevel=4,
        )
    return np.maximum(np.abs(own), _LEAST)
