"""Hidden Markov models as they are defined: every path of a short sequence, and one round of training by the formulas."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np


@dataclass
class Model:
    """One model: begin, follow, means and variances, as plain probabilities."""

    start: np.ndarray
    transition: np.ndarray
    means: np.ndarray
    variances: np.ndarray


def density(model: Model, k: int, x: np.ndarray) -> float:
    """The log-density of a frame in state k."""
    v = model.variances[k]
    return float(-0.5 * np.sum(np.log(2 * np.pi * v) + (x - model.means[k]) ** 2 / v))


def paths(model: Model, sequence: np.ndarray) -> dict[tuple[int, ...], float]:
    """The log-likelihood of every path of possible steps."""
    found = {}
    for path in itertools.product(range(len(model.start)), repeat=len(sequence)):
        steps = [model.start[path[0]], *(model.transition[a, b] for a, b in itertools.pairwise(path))]
        if all(step > 0 for step in steps):
            found[path] = sum(np.log(step) for step in steps) + sum(density(model, k, x) for k, x in zip(path, sequence))
    return found


def best(model: Model, sequence: np.ndarray) -> float:
    """The log-likelihood of the best path."""
    return max(paths(model, sequence).values())


def total(model: Model, sequence: np.ndarray) -> float:
    """The log-likelihood over all paths."""
    values = np.array(list(paths(model, sequence).values()))
    return float(values.max() + np.log(np.exp(values - values.max()).sum()))


def trained(model: Model, sequences: list[np.ndarray], least: np.ndarray, hard: bool) -> Model:
    """One round of Baum-Welch (or of training by best paths), summing over every path by name."""
    n_states, width = model.means.shape
    first, moves, count = np.zeros(n_states), np.zeros((n_states, n_states)), np.zeros(n_states)
    sums, squares = np.zeros((n_states, width)), np.zeros((n_states, width))
    for sequence in sequences:
        weights = paths(model, sequence)
        if hard:
            weights = {max(weights, key=lambda path: weights[path]): 0.0}
        norm = np.logaddexp.reduce(list(weights.values()))
        for path, value in weights.items():
            share = np.exp(value - norm)
            first[path[0]] += share
            for a, b in itertools.pairwise(path):
                moves[a, b] += share
            for k, x in zip(path, sequence):
                count[k] += share
                sums[k] += share * x
                squares[k] += share * x * x
    means = sums / count[:, None]
    variances = np.maximum(squares / count[:, None] - means**2, least)
    return Model(first / first.sum(), moves / moves.sum(axis=1, keepdims=True), means, variances)
