"""Training of PLSA: EM until the likelihood stands still, or as long as words held out of other documents grow likelier.

Held out, two things are chosen by the words of validation documents that folding-in did not see: after how many steps EM ends
and, where it is tempered, the power beta.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.parts import plsa
from coterie.parts.held_out import halved
from coterie.parts.iterate import State, iterate

_SEEN_STEPS = 20  # EM steps of folding-in a validation document
_PATIENCE = 5  # steps without a better value after which EM ends, or beta falls


@dataclass(frozen=True, eq=False)
class Trained:
    """What training gave: P(k|d), P(w|k) as words x topics, beta, and the values of its steps."""

    shares: np.ndarray
    words: np.ndarray
    beta: float
    history: list[
        float
    ]  # log-likelihood after every step (tempered: with the beta of the next one)
    held: list[float]  # log-likelihood per word held out after every step
    converged: bool

    @property
    def value(self) -> float:
        """What restarts are compared by: words held out where there are any, else the likelihood."""
        return max(self.held) if self.held else self.history[-1]


class Held:
    """Validation documents in halves: one is folded in, and the words of the other are scored."""

    def __init__(self, counts: Any, known: np.ndarray, generator: np.random.Generator) -> None:
        """Halve documents; words that are not known are left out, as no topic can have them."""
        self.seen, self.hidden = (plsa.only(half, known) for half in halved(counts, generator))
        if not self.hidden.nnz:
            raise DataError(
                f"none of the words of the {counts.shape[0]} documents held out is in the others; fit more, or do "
                "without early stopping and tempering.",
                owner="PLSA",
            )

    def value(self, words: np.ndarray, beta: float) -> float:
        """Mean log-likelihood of a hidden word."""
        shares = plsa.fold_in(self.seen, words, beta=beta, steps=_SEEN_STEPS)
        return float(plsa.log_likelihoods(self.hidden, shares, words).sum() / self.hidden.sum())


def until_still(
    counts: Any, begun: tuple[np.ndarray, np.ndarray], *, max_iter: int, tol: float
) -> Trained:
    """Plain EM until the log-likelihood moves by less than `tol` of its size."""
    both = plsa.Counts.of(counts)

    def step(state: State) -> tuple[State, float]:
        shares, words, value = plsa.step(both, state["shares"], state["words"])
        return {"shares": shares, "words": words}, value

    outcome = iterate(
        step, {"shares": begun[0], "words": begun[1]}, max_iter=max_iter, tol=tol, label="PLSA"
    )
    shares = outcome.state["shares"]
    words = outcome.state["words"]
    last = float(plsa.log_likelihoods(counts, shares, words).sum())
    return Trained(shares, words, 1.0, [*outcome.history[1:], last], [], outcome.converged)


def until_worse(
    counts: Any,
    held: Held,
    begun: tuple[np.ndarray, np.ndarray],
    *,
    max_iter: int,
    tol: float,
    eta: float | None,
) -> Trained:
    """EM as long as words held out grow likelier; then with beta times `eta`, from the best, until that does not help."""
    both = plsa.Counts.of(counts)

    def step(state: State) -> tuple[State, float]:
        shares, words, value = plsa.step(
            both, state["shares"], state["words"], float(state["beta"])
        )
        return _judged(
            state, shares, words, held.value(words, float(state["beta"])), tol, eta
        ), value

    blank = {
        "best_shares": begun[0],
        "best_words": begun[1],
        "best_beta": np.array(1.0),
        "held": np.zeros(0),
    }
    state = {
        "shares": begun[0],
        "words": begun[1],
        "beta": np.array(1.0),
        **blank,
        **_fresh(-np.inf),
    }
    outcome = iterate(
        step,
        state,
        max_iter=max_iter,
        tol=tol,
        label="PLSA",
        settled=lambda state, _: bool(state["done"]),
    )
    end = outcome.state
    shares = end["best_shares"]
    words = end["best_words"]
    last = plsa.step(both, end["shares"], end["words"], float(end["beta"]))[2]
    history = [*outcome.history[1:], last]
    return Trained(
        shares, words, float(end["best_beta"]), history, end["held"].tolist(), outcome.converged
    )


def _fresh(best: float) -> dict[str, np.ndarray]:
    return {
        "best": np.array(best),
        "waited": np.array(0),
        "helped": np.array(False),
        "done": np.array(False),
    }


def _judged(
    state: State, shares: np.ndarray, words: np.ndarray, value: float, tol: float, eta: float | None
) -> Mapping[str, Any]:
    """The state after a step whose words held out have this value: better, waiting, with a lower beta, or done."""
    best = float(state["best"])
    found = {**state, "shares": shares, "words": words, "held": np.append(state["held"], value)}
    if not np.isfinite(best) or value > best + tol * abs(best):
        kept = {"best_shares": shares, "best_words": words, "best_beta": state["beta"]}
        return {**found, **kept, **_fresh(value), "helped": np.array(True)}
    if state["waited"] + 1 < _PATIENCE:
        return {**found, "waited": state["waited"] + 1}
    if eta is None or not state["helped"]:
        return {**found, "done": np.array(True)}
    back = {
        "shares": state["best_shares"],
        "words": state["best_words"],
        "beta": state["beta"] * eta,
    }
    return {**found, **back, **_fresh(best)}
