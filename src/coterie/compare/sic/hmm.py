"""HMM: one hidden Markov model per made-up label; a sequence gets the label of the model that explains it best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from coterie.compare.sic.roles import Diverter
from coterie.compare.sic.steps import Steps, steps_of
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.ragged import Ragged
from coterie.core.workplace import Forgetful, Silent, steady, using
from coterie.parts.hmm import (
    TOPOLOGIES,
    Bank,
    best_path,
    forward_scores,
    log_densities,
    viterbi_scores,
)
from coterie.parts.hmm_training import fit_bank

_MOST = 24  # states that are drawn at most when their number was left open
_PRIOR = 1.0  # counted for every allowed step between states: few sequences must not forbid what they did not show


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The models of one iteration, the labels they stand for and the columns they look at."""

    bank: Bank
    labels: np.ndarray
    columns: np.ndarray


class HMM(Diverter):
    """Hidden Markov models with Gaussian states, one per label; sets of vectors get models of one state.

    The similarity does not mind tempo: a state lasts as long as the sequence needs. It does mind a constant shift of all
    values, unless `normalize` takes it away.
    """

    takes: ClassVar[tuple[type, ...]] = (Ragged,)
    share: ClassVar[float] = 0.25

    n_states: int | tuple[int, int] | None = param(
        None,
        "States of a model: a number, or from and to (drawn anew each time); by the length if left out.",
        ge=1,
    )
    topology: str = param(
        "left-right",
        "Which state may follow which; either draws left-right or skips.",
        choices=(*TOPOLOGIES, "either"),
    )
    features: str = param(
        "random",
        "Which columns: all, or random groups drawn anew each time.",
        choices=("random", "all"),
    )
    deltas: bool = param(
        True, "Add the slope and the bend of every column, where the columns have none."
    )
    normalize: str = param(
        "none", "What is taken out of each sequence.", choices=("none", "mean", "mean-variance")
    )
    rounds: int = param(5, "Rounds of training at most.", ge=0, advanced=True)
    training: str = param(
        "viterbi", "How models are trained.", choices=("viterbi", "baum-welch"), advanced=True
    )
    decide: str = param(
        "viterbi",
        "What decides: the best path or all.",
        choices=("viterbi", "forward"),
        advanced=True,
    )

    def check_params(self) -> None:
        """Refuse what is out of range, in one sentence."""
        super().check_params()
        if isinstance(self.n_states, (tuple, list)):
            fine = len(self.n_states) == 2 and all(int(k) == k >= 1 for k in self.n_states)
            if not fine or self.n_states[0] > self.n_states[1]:
                raise ParameterError(
                    f"n_states must be a number from 1, or from and to, and was {self.n_states!r}.",
                    owner="HMM",
                )

    def label_range(self, n_train: int) -> tuple[int, int]:
        """20 to 40; fewer where that would leave a label fewer than four to eight sequences, more for many thousands."""
        low = min(max(20, n_train // 50), n_train // 8)
        return max(2, low), max(2, min(max(40, n_train // 25), n_train // 4))

    def prepare(self, view: Any, like: Any = None) -> Steps:
        """The frames, normalized, with slopes and bends; new members must have the columns of the fitted ones."""
        if like is not None and view.dim != like.given:
            raise DataError(
                f"New members have {view.dim} values per frame where the fitted ones have {like.given}."
            )
        return steps_of(view, self.normalize, self.deltas)

    def draw(self, data: Steps, generator: np.random.Generator) -> dict[str, Any]:
        """States, topology and columns of one iteration."""
        low, high = _state_range(self.n_states, data)
        drawn: dict[str, Any] = {
            "n_states": int(generator.integers(low, high + 1)) if data.ordered else 1
        }
        either = "skips" if generator.random() < 0.5 else "left-right"
        drawn["topology"] = either if self.topology == "either" else self.topology
        if self.features == "random":
            drawn |= data.draw(generator)
        return drawn

    def train(
        self,
        data: Steps,
        members: np.ndarray,
        labels: np.ndarray,
        drawn: Mapping[str, Any],
        generator: np.random.Generator,
        contrast: Any = None,
    ) -> Trained:
        """One model per label."""
        columns = data.columns(drawn)
        names, classes = np.unique(labels, return_inverse=True)
        values, offsets = data.take(np.asarray(members), columns)
        training: Any = self.training
        with (
            steady(),
            using(keeper=Forgetful(), watch=Silent()),
        ):  # an iteration is kept as a whole, not its parts
            bank = fit_bank(
                values,
                offsets,
                classes.ravel(),
                len(names),
                n_states=drawn["n_states"],
                topology=drawn["topology"],
                rounds=self.rounds,
                training=training,
                prior=_PRIOR,
                generator=generator,
            )
        return Trained(bank, names, columns)

    def apply(self, trained: Trained, data: Steps, members: np.ndarray) -> np.ndarray:
        """The label of the model with the highest log-likelihood; the lower label at a tie."""
        return np.asarray(trained.labels[np.argmax(self._scores(trained, data, members), axis=1)])

    def reasons(
        self, trained: Trained, data: Steps, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """Columns by how much they speak for the winning model against the next: mean log-likelihood ratio per frame."""
        if len(trained.labels) < 2 or not len(members):
            return ()
        order = np.argsort(-self._scores(trained, data, members).mean(axis=0), kind="stable")
        first = int(order[0])
        second = int(order[1])
        values, offsets = data.take(np.asarray(members), trained.columns)
        ratio = np.zeros(len(trained.columns))
        for low, high in pairwise(offsets.tolist()):
            part = values[low:high]
            sides = [
                log_densities(trained.bank, m, best_path(trained.bank, m, part), part)
                for m in (first, second)
            ]
            ratio += (sides[0] - sides[1]).mean(axis=0)
        ratio /= len(members)
        ranked = np.argsort(-ratio, kind="stable")
        return tuple((data.words[trained.columns[j]], float(ratio[j])) for j in ranked)

    def _scores(self, trained: Trained, data: Steps, members: np.ndarray) -> np.ndarray:
        values, offsets = data.take(np.asarray(members), trained.columns)
        with steady():
            return (viterbi_scores if self.decide == "viterbi" else forward_scores)(
                trained.bank, values, offsets
            )


def _state_range(given: int | tuple[int, int] | None, data: Steps) -> tuple[int, int]:
    """What was asked for; else from the root of the median length to one and a half of it."""
    if isinstance(given, (tuple, list)):
        return int(given[0]), int(given[1])
    if given is not None:
        return int(given), int(given)
    root = float(np.sqrt(np.median(np.diff(data.offsets)))) if len(data) else 1.0
    return max(1, min(round(root), _MOST)), max(1, min(round(1.5 * root), _MOST))
