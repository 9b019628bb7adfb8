"""Correspondence analysis of two sides of the same mentions with plain dictionaries and a full decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np


def analyzed(
    left: Sequence[Sequence[str]],
    right: Sequence[Sequence[str]],
    left_names: Sequence[str],
    right_names: Sequence[str],
    prior: float,
    rank: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Singular values, and per mention the mean place of what it holds on either side, times the singular values."""
    down = {name: sum(name in row for row in left) + prior for name in left_names}
    across = {name: sum(name in row for row in right) + prior for name in right_names}
    pairs: Counter[tuple[str, str]] = Counter(
        (a, b) for one, other in zip(left, right, strict=True) for a in one for b in other
    )
    table = np.array(
        [[pairs[a, b] / np.sqrt(down[a] * across[b]) for b in right_names] for a in left_names]
    )
    first = np.array([np.sqrt(down[a]) for a in left_names])
    second = np.array([np.sqrt(across[b]) for b in right_names])
    first = first / np.sqrt((first**2).sum())
    second = second / np.sqrt((second**2).sum())
    table = table - (first @ table @ second) * np.outer(first, second)
    u, values, vt = np.linalg.svd(table)
    rows = []
    for one, other in zip(left, right, strict=True):
        row = []
        for held, names, vectors, sizes in (
            (one, left_names, u, down),
            (other, right_names, vt.T, across),
        ):
            places = [
                vectors[at, :rank] / np.sqrt(sizes[name])
                for at, name in enumerate(names)
                if name in held
            ]
            mean = np.mean(places, axis=0) if places else np.zeros(rank)
            row.append(mean * values[:rank])
        rows.append(np.concatenate(row))
    return values[:rank], np.array(rows)
