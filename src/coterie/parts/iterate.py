"""The one loop: steps until nothing moves, with history, watcher, checkpoint and a warning when it did not converge."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from coterie.core.errors import NotConverged
from coterie.core.random import streams
from coterie.core.workplace import own, stage, watched, workplace
from coterie.parts.workers import in_order

State = Mapping[str, np.ndarray]
Step = Callable[[State], tuple[State, float]]
_KEEP_EVERY = 2.0  # seconds between checkpoints of one loop


@dataclass(frozen=True, eq=False)
class Outcome:
    """Where a loop ended: the last state (named arrays), the value after every step, and whether it converged."""

    state: State
    history: list[float] = field(default_factory=list)
    converged: bool = True

    @property
    def n_iter(self) -> int:
        return len(self.history)

    @property
    def value(self) -> float:
        return self.history[-1] if self.history else float("nan")


def iterate(
    step: Step,
    state: State,
    *,
    max_iter: int,
    tol: float,
    label: str,
    relative: bool = True,
    settled: Callable[[State, float], bool] | None = None,
    quiet: bool = False,
) -> Outcome:
    """Repeat `step(state) -> (state, value)` until the value moves by less than `tol` (of its size, when relative).

    `settled(state, value)` replaces that test where a method has its own. The state is a mapping of arrays, so that
    the loop can be kept and taken up again after a crash. Ends with a NotConverged warning at `max_iter`.
    """
    here = workplace()
    key = here.key(label)
    history = []
    done = False
    found = here.keeper.get(key)
    if found is not None:
        history = found.pop("history").tolist()
        done = bool(found.pop("done"))
        state = found
        for at, value in enumerate(history):
            here.watch.measure(label, at + 1, value)
    last = time.monotonic()
    with watched(here.watch, label, max_iter) as task:
        task.advance(len(history))
        while not done and len(history) < max_iter:
            with stage(
                own(here, f"{key}/{len(history)}")
            ):  # a loop that goes on takes up nothing of its earlier steps
                state, value = step(state)
            history.append(float(value))
            here.watch.measure(label, len(history), float(value))
            task.advance()
            done = settled(state, value) if settled else _still(history, tol, relative)
            if time.monotonic() - last > _KEEP_EVERY:
                here.keeper.put(
                    key, {**state, "history": np.array(history), "done": np.array(done)}
                )
                last = time.monotonic()
            here.stop_if_asked()
    if not done and not quiet:
        warnings.warn(
            f"{label} did not converge in {max_iter} iterations; allow more, or accept what it has.",
            NotConverged,
            stacklevel=3,
        )
    return Outcome(state, history, done)


def _still(history: list[float], tol: float, relative: bool) -> bool:
    if len(history) < 2:
        return False
    moved = abs(history[-1] - history[-2])
    return moved <= tol * (max(abs(history[-1]), 1e-300) if relative else 1.0)


def best_of(
    attempt: Callable[[np.random.Generator], tuple[float, Any]],
    n: int,
    *,
    random_state: Any,
    label: str,
    prefer: Literal["lower", "higher"] = "lower",
) -> tuple[float, Any]:
    """Try n times with independent streams; the best value wins, the earlier one at a tie."""
    sign = 1.0 if prefer == "lower" else -1.0
    best: tuple[float, Any] | None = None
    with stage(label):
        for value, result in in_order(attempt, streams(random_state, n), label, travels=True):
            if best is None or sign * value < sign * best[0]:
                best = (value, result)
    if best is None:
        raise ValueError("best_of needs at least one attempt")
    return best
