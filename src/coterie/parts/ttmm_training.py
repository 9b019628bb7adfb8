"""Training of TTMM: EM until the likelihood stands still, or as long as whole documents held out grow likelier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.workplace import steady
from coterie.parts import ttmm
from coterie.parts.iterate import State, iterate

_PATIENCE = 5  # steps without a likelier validation after which EM ends
_NAMES = ("prior", "mixing", "words")


@dataclass(frozen=True, eq=False)
class Trained:
    """What training gave: prior, mixing and words, and the values after its steps."""

    state: State
    history: list[float]  # log-likelihood (with that of the smoothing) after every step
    held: list[float]  # log-likelihood per word of the documents held out, after every step
    converged: bool

    @property
    def value(self) -> float:
        """What restarts are compared by: documents held out where there are any, else the likelihood."""
        return max(self.held) if self.held else self.history[-1]


def until_still(
    counts: Any, begun: State, *, smoothing: float, max_iter: int, tol: float
) -> Trained:
    """EM until the log-likelihood moves by less than `tol` of its size."""
    documents = ttmm.sheets(counts, len(begun["prior"]))
    desk = ttmm.Desk(begun)

    def step(state: State) -> tuple[State, float]:
        desk.lay_out(state)
        return ttmm.step(documents, state, smoothing, desk)

    with steady():
        outcome = iterate(step, begun, max_iter=max_iter, tol=tol, label="TTMM")
        desk.lay_out(outcome.state)
        last = ttmm.objective(documents, outcome.state, smoothing, desk)
    return Trained(outcome.state, [*outcome.history[1:], last], [], outcome.converged)


def until_worse(
    counts: Any, held: Any, begun: State, *, smoothing: float, max_iter: int, tol: float
) -> Trained:
    """EM as long as the documents held out grow likelier, the best state kept; their likelihood is exact."""
    documents, others = (ttmm.sheets(some, len(begun["prior"])) for some in (counts, held))
    desk = ttmm.Desk(begun)
    total = float(held.sum())
    if not total:
        raise DataError(
            "the documents held out for validation hold no word that others hold; raise `validation`.",
            owner="TTMM",
        )

    def step(state: State) -> tuple[State, float]:
        law = {name: state[name] for name in _NAMES}
        desk.lay_out(law)
        judged = _judged(state, law, ttmm.likelihood(others, law, desk) / total, tol)
        fresh, value = ttmm.step(documents, law, smoothing, desk)
        return {**judged, **fresh}, value

    state = {**begun, **_best(begun, -np.inf), "held": np.zeros(0)}
    with steady():
        outcome = iterate(
            step,
            state,
            max_iter=max_iter,
            tol=tol,
            label="TTMM",
            settled=lambda state, _: bool(state["done"]),
        )
        end = {name: outcome.state[name] for name in _NAMES}
        desk.lay_out(end)
        last = ttmm.objective(documents, end, smoothing, desk)
        final = _judged(outcome.state, end, ttmm.likelihood(others, end, desk) / total, tol)
    best = {name: final[f"best_{name}"] for name in _NAMES}
    return Trained(
        best, [*outcome.history[1:], last], final["held"].tolist()[1:], outcome.converged
    )


def _best(law: State, value: float) -> dict[str, np.ndarray]:
    kept = {f"best_{name}": law[name] for name in _NAMES}
    return {**kept, "best": np.array(value), "waited": np.array(0), "done": np.array(False)}


def _judged(state: State, law: State, value: float, tol: float) -> dict[str, np.ndarray]:
    """The state where documents held out have this value under the law: better, waiting, or done."""
    found = {**state, "held": np.append(state["held"], value)}
    best = float(state["best"])
    if not np.isfinite(best) or value > best + tol * abs(best):
        return {**found, **_best(law, value)}
    waited = int(state["waited"]) + 1
    return {**found, "waited": np.array(waited), "done": np.array(waited >= _PATIENCE)}
