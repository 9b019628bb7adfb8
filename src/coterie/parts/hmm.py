"""Banks of hidden Markov models with diagonal Gaussian states: what every model says of every sequence, side by side.

A sequence may end in any state: nothing asks that the last one is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError

TOPOLOGIES = {"left-right": 1, "skips": 2, "ergodic": -1}  # states a step may go ahead; -1: anywhere
_CELLS = 2**16  # emission densities held at once: half a megabyte; a constant, so that results never depend on the workplace
_LEAST = 1e-100  # transitions below this are not safe in the scaled recursion


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """M models of K states over d values: probabilities of beginning and of following, means and variances."""

    start: np.ndarray  # (M, K)
    transition: np.ndarray  # (M, K, K), rows sum to one
    means: np.ndarray  # (M, K, d)
    variances: np.ndarray  # (M, K, d)
    topology: str = "ergodic"

    @property
    def n_models(self) -> int:
        return int(self.means.shape[0])

    @property
    def n_states(self) -> int:
        return int(self.means.shape[1])

    @property
    def reach(self) -> int:
        """How many states back a step may come from; the number of states when it may come from anywhere."""
        ahead = ahead_in(self.topology)
        return self.n_states if ahead < 0 else min(ahead, self.n_states)


def topology(name: str, n_states: int) -> np.ndarray:
    """Which state may follow which: (K, K) of bool.

    >>> topology("left-right", 3).astype(int).tolist()
    [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    """
    ahead, step = ahead_in(name), np.arange(n_states)[None, :] - np.arange(n_states)[:, None]
    return np.ones((n_states, n_states), dtype=bool) if ahead < 0 else (step >= 0) & (step <= ahead)


def viterbi_scores(bank: Bank, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The log-likelihood of the best path of every sequence under every model: (n, M)."""
    from coterie._kernels.hmm import best_paths

    return _scores(bank, values, offsets, best_paths)


def forward_scores(bank: Bank, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The log-likelihood of every sequence under every model, all paths taken together: (n, M)."""
    from coterie._kernels.hmm import all_paths, all_paths_scaled

    dense = bank.reach == bank.n_states and bank.transition.min(initial=1.0) > _LEAST
    tiny = (bank.start > 0) & (bank.start < _LEAST)
    if not dense or tiny.any():
        return _scores(bank, values, offsets, all_paths)
    start, links = bank.start.T.ravel(), _by_target(bank.transition, bank.n_states)
    old, new = np.zeros(start.size), np.zeros(start.size)
    out = np.empty((len(offsets) - 1, bank.n_models))
    for lo, hi, rows in _blocks(bank, values):
        all_paths_scaled(rows, np.asarray(offsets, dtype=np.int64), lo, hi, start, links, old, new, out)
    return out


def best_path(bank: Bank, model: int, values: np.ndarray) -> np.ndarray:
    """The state of every frame of one sequence on its best path under one model."""
    states, _ = best_paths_of(bank, values, np.array([0, len(values)]), np.array([model]))
    return states


def log_densities(bank: Bank, model: int, states: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Per frame and value the log-density in the state given: (T, d)."""
    mean, variance = bank.means[model, states], bank.variances[model, states]
    return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance))


def _scores(bank: Bank, values: np.ndarray, offsets: np.ndarray, kernel: Callable[..., Any]) -> np.ndarray:
    bounds = np.asarray(offsets, dtype=np.int64)
    out = np.empty((len(bounds) - 1, bank.n_models))
    with np.errstate(divide="ignore"):
        start, links = np.log(bank.start).T.ravel(), np.log(_by_target(bank.transition, bank.reach))
    front = bank.reach * bank.n_models if bank.reach < bank.n_states else 0
    old, new = np.full(front + start.size, -np.inf), np.full(front + start.size, -np.inf)  # apart, else no lanes are used
    for lo, hi, rows in _blocks(bank, values):
        old, new = kernel(rows, bounds, lo, hi, start, links, bank.reach, old, new, out)
    return out


def _by_target(transition: np.ndarray, reach: int) -> np.ndarray:
    """Transitions in the layout of the kernels: into state k of model m, from the states before it or from all."""
    n_models, n_states, _ = transition.shape
    if reach == n_states:
        return np.ascontiguousarray(transition.transpose(1, 2, 0).reshape(n_states, -1))
    links = np.zeros((reach + 1, n_states, n_models))
    for back in range(reach + 1):
        links[back, back:] = np.diagonal(transition, back, axis1=1, axis2=2).T
    return links.reshape(reach + 1, -1)


def _blocks(bank: Bank, values: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """Blocks of frames with their emission log-densities: one product of [x^2, x, 1] with all models."""
    n_models, n_states, width = bank.means.shape
    center = bank.means.mean(axis=(0, 1))
    gap, precision = bank.means - center, 1.0 / bank.variances
    weights = np.empty((2 * width + 1, n_states, n_models))
    weights[:width] = (-0.5 * precision).transpose(2, 1, 0)
    weights[width:-1] = (gap * precision).transpose(2, 1, 0)
    weights[-1] = _constants(bank).T - 0.5 * (gap * gap * precision).sum(axis=2).T
    weights = weights.reshape(2 * width + 1, -1)
    height = max(32, _CELLS // weights.shape[1])
    for lo in range(0, len(values), height):
        hi = min(lo + height, len(values))
        features = np.ones((hi - lo, 2 * width + 1))
        np.subtract(values[lo:hi], center, out=features[:, width:-1])
        np.square(features[:, width:-1], out=features[:, :width])
        yield lo, hi, features @ weights


def best_paths_of(bank: Bank, values: np.ndarray, offsets: np.ndarray, models: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state of every frame on the best path under the sequence's own model, and the log-likelihoods of the paths."""
    import coterie._kernels.hmm_training as kernels

    best_states: Any = kernels.best_states
    states, found = np.zeros(len(values), dtype=np.int64), np.zeros(len(models))
    best_states(np.ascontiguousarray(values, dtype=np.float64), offsets, models, *in_logs(bank), states, found)
    return states, found


def in_logs(bank: Bank) -> tuple[Any, ...]:
    """A bank as the kernels of training read it."""
    with np.errstate(divide="ignore"):
        start, links = np.log(bank.start), np.log(bank.transition)
    return start, links, bank.reach, np.ascontiguousarray(bank.means), 1.0 / bank.variances, _constants(bank)


def _constants(bank: Bank) -> np.ndarray:
    return np.asarray(-0.5 * np.log(2 * np.pi * bank.variances).sum(axis=2))


def ahead_in(name: str) -> int:
    """How many states ahead a step may go; -1 for anywhere."""
    if name not in TOPOLOGIES:
        raise ParameterError(f"topology must be {' | '.join(TOPOLOGIES)}, and was {name!r}.")
    return TOPOLOGIES[name]
