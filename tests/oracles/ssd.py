"""State-space dynamics as defined: expected transitions summed over every path by name, distances pair by pair."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.oracles.hmm import Model, paths

LEAST = 1e-12


def expected_steps(model: Model, sequence: np.ndarray) -> np.ndarray:
    """The expected number of steps from state to state, over every path."""
    weights = paths(model, sequence)
    norm = np.logaddexp.reduce(list(weights.values()))
    steps = np.zeros_like(model.transition)
    for path, value in weights.items():
        for a, b in itertools.pairwise(path):
            steps[a, b] += math.exp(value - norm)
    return steps


def rows_of(steps: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Rows brought to sum one; an empty one is the common row."""
    rows = np.empty_like(steps)
    for k in range(len(steps)):
        rows[k] = steps[k] / steps[k].sum() if steps[k].sum() > 0 else common[k]
    return rows


def affinity(a: np.ndarray, b: np.ndarray) -> float:
    """The Bhattacharyya affinity of two laws."""
    return sum(math.sqrt(x * y) for x, y in zip(a.ravel(), b.ravel(), strict=True))


def far(value: float) -> float:
    """The distance of an affinity."""
    return -math.log(min(max(value, LEAST), 1.0))


def by_rows(
    a: np.ndarray, b: np.ndarray, kept: list[int] | None = None, n: int | None = None
) -> float:
    """The distance of two transition matrices: the mean affinity of their rows (of some, of which there are n)."""
    kept = list(range(len(a))) if kept is None else kept
    n = len(kept) if n is None else n
    return far(sum(affinity(a[k], b[k]) for k in kept) / n) if n else far(0.0)


def stationary(rows: np.ndarray, begun: np.ndarray, n: int = 20_000) -> np.ndarray:
    """The mean over time of the law of a chain."""
    law = begun / begun.sum()
    total = np.zeros(len(begun))
    for _ in range(n):
        total += law
        law = law @ rows
    return total / n


def without_stays(steps: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Rows given that the state is left, and which rows there are."""
    moves = steps * (1 - np.eye(len(steps)))
    kept = [k for k in range(len(moves)) if moves[k].sum() > 0]
    for k in kept:
        moves[k] /= moves[k].sum()
    return moves, kept


def symbol_steps(sequence: list[int], n: int) -> np.ndarray:
    """How often each symbol follows each other."""
    steps = np.zeros((n, n))
    for a, b in itertools.pairwise(sequence):
        steps[a, b] += 1
    return steps


def fisher(steps: np.ndarray, common: np.ndarray, length: int) -> np.ndarray:
    """The scores of the common transitions, per frame."""
    out = np.zeros_like(steps)
    for i in range(len(steps)):
        for j in range(len(steps)):
            out[i, j] = (steps[i, j] / common[i, j] - steps[i].sum()) / length
    return out
