"""Members drawn from a model: states step by step, and what they emit."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.parts.hmm import Bank


def drawn(
    bank: Bank, n: int, length: Any, seed: int, ordered: bool, owner: str
) -> tuple[Ragged, list[np.ndarray]]:
    """n members from the first model of the bank, each from a stream of its own, and the state of every step."""
    lengths = (
        np.broadcast_to(np.asarray(length), (n,))
        if np.ndim(length) == 0 and n >= 1
        else np.asarray(length)
    )
    if n < 1 or lengths.shape != (n,) or lengths.dtype.kind not in "iu" or lengths.min() < 1:
        raise ParameterError(
            "sample takes n from 1 and a length from 1 (one number, or one per member).",
            owner=owner,
        )
    streams = [stream(seed, member) for member in range(n)]
    uniform = np.ones((n, int(lengths.max())))
    for member, generator in enumerate(streams):
        uniform[member, : lengths[member]] = generator.random(int(lengths[member]))
    states = _chains(bank.start[0], bank.transition[0], np.minimum(uniform, np.nextafter(1.0, 0.0)))
    paths = [states[member, : lengths[member]] for member in range(n)]
    values = [
        bank.emissions.drawn(0, path, generator)
        for path, generator in zip(paths, streams, strict=True)
    ]
    return Ragged(np.concatenate(values), np.concatenate([[0], np.cumsum(lengths)]), ordered), paths


def _chains(start: np.ndarray, transition: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """States (n, T) of chains driven by uniform numbers (n, T)."""
    first = _rising(start[None])[0]
    following = _rising(transition)
    states = np.empty(uniform.shape, dtype=np.int64)
    states[:, 0] = (first[None, :] <= uniform[:, :1]).sum(axis=1)
    for t in range(1, uniform.shape[1]):
        states[:, t] = (following[states[:, t - 1]] <= uniform[:, t, None]).sum(axis=1)
    return states


def _rising(rows: np.ndarray) -> np.ndarray:
    """Cumulated probabilities that end at exactly one."""
    total = np.cumsum(rows, axis=1)
    return np.asarray(total / total[:, -1:])
