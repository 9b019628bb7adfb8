"""Where the training of hidden Markov models begins: frames cut into states by k-means, or each sequence evenly."""

from __future__ import annotations

import numpy as np

from coterie.core.random import stream
from coterie.parts.emissions import Emissions, Floors
from coterie.parts.hmm import Bank

_FRAMES = 20_000  # frames of one model looked at by k-means
_ROUNDS = 20
_EVEN = 5.0  # concentration of the law the first steps are drawn from


def started(
    values: np.ndarray,
    offsets: np.ndarray,
    owners: np.ndarray,
    *,
    blank: Emissions,
    allowed: np.ndarray,
    floors: Floors,
    seeds: list[tuple[int, ...]],
    even: bool = False,
    topology: str = "ergodic",
) -> Bank:
    """One model per owner 0..M-1 before training: `blank` holds its laws before anything is seen, `seeds` its key.

    The frames of a model are cut into states by k-means (of scaled values; a missing one counts as the mean), or evenly
    along each sequence when `even`; steps are drawn around equal shares where `allowed` (K, K) lets them.
    """
    n_models, n_states = len(seeds), blank.n_states
    lengths = np.diff(offsets)
    of_frame = np.repeat(owners, lengths)
    if even:
        place = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
        sizes = np.minimum(np.repeat(lengths, lengths), n_states)
        chosen, labels = np.arange(len(values)), place * sizes // np.repeat(lengths, lengths)
    else:
        chosen, labels = _clustered(values, of_frame, n_models, n_states, floors, seeds)
    shares = np.zeros((len(chosen), n_states))
    shares[np.arange(len(chosen)), labels] = 1.0
    laws = blank.maximized(blank.sums(values[chosen], of_frame[chosen], shares), floors)
    start, transition = np.empty((n_models, n_states)), np.empty((n_models, n_states, n_states))
    for m, key in enumerate(seeds):
        drawn = stream(key[0], *key[1:], 1).gamma(_EVEN, size=(n_states, n_states)) * allowed
        transition[m] = drawn / drawn.sum(axis=1, keepdims=True)
        start[m] = np.eye(1, n_states)[0] if even else np.full(n_states, 1.0 / n_states)
    return Bank(start, transition, laws, topology)


def _clustered(
    values: np.ndarray, owners: np.ndarray, n_models: int, n_states: int, floors: Floors, seeds: list[tuple[int, ...]]
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the frames looked at, and their states by k-means within their model."""
    from coterie._kernels.starts import kmeans_of_each

    order = np.argsort(owners, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n_models))])
    draws, kept = np.empty((n_models, n_states)), []
    for m, key in enumerate(seeds):
        generator = stream(key[0], *key[1:], 0)
        draws[m] = generator.random(n_states)
        mine = order[bounds[m] : bounds[m + 1]]
        kept.append(mine if len(mine) <= _FRAMES else np.sort(generator.choice(mine, _FRAMES, replace=False)))
    chosen = np.concatenate(kept)
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in kept])])
    scaled = values[chosen] / np.sqrt(floors.spread)
    if np.isnan(scaled).any():
        middle = np.nan_to_num(np.nanmean(scaled, axis=0)) if np.isfinite(scaled).any() else np.zeros(scaled.shape[1])
        scaled = np.where(np.isnan(scaled), middle, scaled)
    labels = np.zeros(len(chosen), dtype=np.int64)
    kmeans_of_each(scaled - scaled.mean(axis=0), bounds, draws, _ROUNDS, labels)
    return chosen, labels
