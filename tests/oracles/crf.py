"""Slow twins of the conditional random field: all label sequences of a sentence tried one by one, and the objective by loops."""

from __future__ import annotations

import itertools
import math

import numpy as np


def best_sequence(
    state: np.ndarray, pair: np.ndarray, allowed: list[list[int]], classes: set[int] | None = None
) -> tuple[tuple[int, ...], float]:
    """The label sequence with the largest sum of state[t, label] + pair[before, label] among the allowed ones.

    With `classes`, pairs of two of these labels count nothing (no weights between made-up classes).
    """
    best: tuple[int, ...] = ()
    most = -math.inf
    for path in itertools.product(*allowed):
        total = sum(float(state[t, label]) for t, label in enumerate(path))
        for one, other in itertools.pairwise(path):
            if classes is None or not (one in classes and other in classes):
                total += float(pair[one, other])
        if total > most:
            best = path
            most = total
    return best, most


def marginals(
    state: np.ndarray, pair: np.ndarray, allowed: list[list[int]], classes: set[int]
) -> np.ndarray:
    """P(label at t | sentence) of the constrained field, by summing over all allowed sequences."""
    out = np.zeros(state.shape)
    for path in itertools.product(*allowed):
        total = sum(float(state[t, label]) for t, label in enumerate(path))
        total += sum(
            float(pair[a, b])
            for a, b in itertools.pairwise(path)
            if not (a in classes and b in classes)
        )
        for t, label in enumerate(path):
            out[t, label] += math.exp(total)
    return out / out.sum(axis=1, keepdims=True)


def penalized_loss(rows: np.ndarray, codes: np.ndarray, weights: np.ndarray, c2: float) -> float:
    """Negative log-likelihood of the labels + c2 * sum of squared weights, by loops."""
    loss = 0.0
    for row, code in zip(rows, codes, strict=True):
        scores = [
            sum(float(x) * float(w) for x, w in zip(row, column, strict=True))
            for column in weights.T
        ]
        loss += math.log(sum(math.exp(s) for s in scores)) - scores[int(code)]
    return loss + c2 * sum(float(w) ** 2 for w in weights.ravel())
