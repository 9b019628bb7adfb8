"""Hidden Markov models as they are defined: every path of a short sequence, one round of training by the formulas, logarithms.

Also the banks and the sequences on which they are compared.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from coterie.parts.emissions import Normal
from coterie.parts.hmm import Bank, topology
from coterie.parts.symbols import Categorical


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
        steps = [
            model.start[path[0]],
            *(model.transition[a, b] for a, b in itertools.pairwise(path)),
        ]
        if all(step > 0 for step in steps):
            found[path] = sum(np.log(step) for step in steps) + sum(
                density(model, k, x) for k, x in zip(path, sequence)
            )
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
    first = np.zeros(n_states)
    moves = np.zeros((n_states, n_states))
    count = np.zeros(n_states)
    sums = np.zeros((n_states, width))
    squares = np.zeros((n_states, width))
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


def shared(model: Model, sequence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors of the states (T, K) and expected steps (K, K), summing over every path by name."""
    weights = paths(model, sequence)
    norm = np.logaddexp.reduce(list(weights.values()))
    shares = np.zeros((len(sequence), len(model.start)))
    moves = np.zeros((len(model.start),) * 2)
    for path, value in weights.items():
        for t, k in enumerate(path):
            shares[t, k] += np.exp(value - norm)
        for a, b in itertools.pairwise(path):
            moves[a, b] += np.exp(value - norm)
    return shares, moves


def in_logs(
    start: np.ndarray, transition: np.ndarray, logs: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Forward and backward in logarithms of a sequence with these emission log-densities (T, K).

    Gives the log-likelihood, the posteriors, and the logarithms of the expected steps.
    """
    with np.errstate(divide="ignore"):
        first = np.log(start)
        links = np.log(transition)
    top = np.maximum(logs.max(axis=1, keepdims=True), -1e300)
    logs = logs - top
    ahead = np.empty_like(logs)
    behind = np.zeros_like(logs)
    ahead[0] = first + logs[0]
    for t in range(1, len(logs)):
        ahead[t] = np.logaddexp.reduce(ahead[t - 1][:, None] + links, axis=0) + logs[t]
    for t in range(len(logs) - 2, -1, -1):
        behind[t] = np.logaddexp.reduce(links + (logs[t + 1] + behind[t + 1])[None, :], axis=1)
    value = float(np.logaddexp.reduce(ahead[-1]))
    if value == -np.inf:
        return value, np.zeros_like(logs), np.full(links.shape, -np.inf)
    steps = np.full((len(logs), *links.shape), -np.inf)
    for t in range(1, len(logs)):
        steps[t] = ahead[t - 1][:, None] + links + (logs[t] + behind[t])[None, :] - value
    return (
        value + float(top.sum()),
        np.exp(ahead + behind - value),
        np.logaddexp.reduce(steps, axis=0),
    )


def drawn(
    seed: int, n: int, width: int, low: int, high: int, scale: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(low, high + 1, n))])
    return rng.normal(size=(offsets[-1], width)) * scale + 5.0, offsets


def bank_of(name: str, n_models: int, n_states: int, width: int, seed: int = 0) -> Bank:
    rng = np.random.default_rng(seed)
    weights = rng.random((n_models, n_states, n_states)) * topology(name, n_states)
    start = (
        rng.random((n_models, n_states))
        if name == "ergodic"
        else np.eye(1, n_states).repeat(n_models, 0)
    )
    return Bank(
        start / start.sum(axis=1, keepdims=True),
        weights / weights.sum(axis=2, keepdims=True),
        Normal(
            rng.normal(size=(n_models, n_states, width)) + 5.0,
            rng.random((n_models, n_states, width)) + 0.3,
        ),
        name,
    )


def model(bank: Bank, m: int) -> Model:
    return Model(
        bank.start[m], bank.transition[m], bank.emissions.means[m], bank.emissions.spreads[m]
    )


MASK = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])  # one of a user's own: a ring


def masked(n_models: int, width: int, seed: int = 0) -> Bank:
    bank = bank_of("ergodic", n_models, 3, width, seed)
    links = bank.transition * MASK
    start = bank.start * [1.0, 0.0, 1.0]
    return Bank(
        start / start.sum(axis=1, keepdims=True),
        links / links.sum(axis=2, keepdims=True),
        bank.emissions,
    )


def hard_cases() -> dict[str, tuple[Bank, np.ndarray]]:
    """Banks of one model, and a sequence that plain scaling cannot carry through."""
    ring = masked(1, 1, seed=3)
    apart = np.eye(3)[None]
    means = np.array([[[0.0], [10.0], [1e3]]])
    ones = np.ones((1, 3, 1))
    even = np.full((1, 3), 1 / 3)
    laws = Normal(np.array([[[0.0], [1.0], [2.0]]]), ones)
    tiny = np.array([[[1.0, 1e-200, 0.0], [0.0, 1.0, 1e-200], [1e-320, 0.0, 1.0]]])
    turns = np.concatenate([np.zeros(40), np.full(60, 14.0), np.zeros(3)])[:, None]
    symbols = Categorical(np.array([[[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]), (3,))
    return {
        "far outliers": (
            Bank(even, apart * 0.5 + 0.5 / 3, laws),
            np.array([[0.0], [1e6], [-1e6], [0.3], [1.0]]),
        ),
        "a forced walk far off": (
            Bank(ring.start, ring.transition, Normal(means, ones)),
            np.array([[0.0], [-1e5], [1e3], [10], [0]]),
        ),
        "a chain that is right too late": (Bank(even, apart, Normal(means, ones)), turns),
        "links of next to nothing": (
            Bank(np.eye(3)[:1], tiny, Normal(means, ones)),
            np.repeat([0.0, 10.0, 1e3, 0.0], 5)[:, None],
        ),
        "shares below the smallest number": (
            Bank(even, apart, laws),
            np.repeat([-345.0, 347.0], [1, 1])[:, None],
        ),
        "symbols that a state lacks": (
            Bank(even, ring.transition, symbols),
            np.array([[0.0], [1], [0], [0], [2], [2], [1]]),
        ),
    }
