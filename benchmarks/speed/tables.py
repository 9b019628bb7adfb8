"""Large tables of counts with planted topics, drawn in pieces, for the benchmarks beside this file."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

_QUANTILES = 1 << 18
_PIECE = 20_000  # documents drawn at once


def topic_counts(
    n: int, m: int, k: int, *, length: int = 130, own: float = 0.35, seed: int = 0
) -> tuple[Any, np.ndarray]:
    """n documents x m words: a share of the words of each from its topic (Zipf over 2 m / k words), the rest from all (Zipf)."""
    rng = np.random.default_rng(seed)
    common = rng.permutation(m)[_zipf(m, 0.9)].astype(np.int64)
    topics = np.stack(
        [rng.permutation(m)[: max(2 * m // k, 2)][_zipf(max(2 * m // k, 2), 0.6)] for _ in range(k)]
    )
    truth = rng.integers(k, size=n)
    parts = []
    for first in range(0, n, _PIECE):
        mine = truth[first : first + _PIECE]
        lengths = rng.integers(length // 2, 3 * length // 2, size=len(mine))
        owner = np.repeat(np.arange(len(mine)), lengths)
        at = rng.integers(_QUANTILES, size=len(owner))
        words = np.where(rng.random(len(owner)) < own, topics[mine[owner], at], common[at])
        keys, counts = np.unique(owner * m + words, return_counts=True)
        ptr = np.concatenate([[0], np.cumsum(np.bincount(keys // m, minlength=len(mine)))])
        parts.append(
            sp.csr_array(
                (counts.astype(np.int32), (keys % m).astype(np.int32), ptr), shape=(len(mine), m)
            )
        )
    return sp.csr_array(sp.vstack(parts, format="csr")), truth


def _zipf(m: int, power: float) -> np.ndarray:
    """Positions of the words at evenly spaced quantiles of a Zipf law."""
    weights = np.arange(1, m + 1, dtype=np.float64) ** -power
    edges = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(edges, (np.arange(_QUANTILES) + 0.5) / _QUANTILES), m - 1)
