"""Pictures of a walk: states in time, steps from state to state, points for the map, and the ordered matrix of nearness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.core.affinity import Affinity
from coterie.core.errors import ParameterError
from coterie.core.findings import Grid, Group, Strips
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.parts.pairwise import submatrix
from coterie.show.palette import letter

_PICTURE = 600  # members in the picture of the affinity matrix
_TIMELINES = 12  # members whose states are drawn in time
_GRIDS = 12  # groups whose steps from state to state are drawn


def nearness_of(values: np.ndarray, width: float) -> np.ndarray:
    """Distances as a nearness from 0 to 1."""
    return np.exp(-0.5 * (values / max(width, 1e-300)) ** 2)


def strips_of(comparer: Any, groups: Sequence[Group], ids: Sequence[str]) -> tuple[Strips, ...]:
    """State timelines of typical members, a few of each group, where the comparer has states."""
    if not hasattr(comparer, "strips") or not groups:
        return ()
    each = max(1, _TIMELINES // len(groups))
    some = [(member, letter(group.label)) for group in groups for member in group.typical[:each]][
        :_TIMELINES
    ]
    names = [f"group {mark}: {ids[member]}" for member, mark in some]
    try:
        return (comparer.strips([member for member, _ in some], names),) if some else ()
    except ParameterError:  # models of one state have no course
        return ()


def grids_of(comparer: Any, partition: Partition, groups: Sequence[Group]) -> tuple[Grid, ...]:
    """Which state follows which, per group, where the comparer has states that all members share."""
    if not hasattr(comparer, "grids") or not groups:
        return ()
    return tuple(
        comparer.grids(
            partition.labels, [f"group {letter(group.label)}: {group.name}" for group in groups]
        )
    )[:_GRIDS]


def points_of(affinity: Affinity) -> np.ndarray:
    """Coordinates to draw from: those the comparer saw, or landmarks' distances where it saw none."""
    rows = (
        affinity.rows[0] if hasattr(affinity, "rows") and isinstance(affinity.rows, tuple) else None
    )
    if (
        isinstance(rows, np.ndarray)
        and rows.ndim == 2
        and rows.dtype.kind == "f"
        and np.isfinite(rows).all()
    ):
        return rows
    n = affinity.shape[0]
    marks = np.sort(stream(0, n, 3).choice(n, min(n, 100), replace=False))
    return submatrix(affinity, np.arange(n), marks)


def picture_of(
    affinity: Affinity, partition: Partition, confidence: np.ndarray, width: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Members ordered by group and certainty (a sample of them, shares kept), and their nearness to each other."""
    n = affinity.shape[0]
    chosen = (
        np.arange(n)
        if n <= _PICTURE
        else np.sort(stream(seed, 6).choice(n, _PICTURE, replace=False))
    )
    labels = np.where(partition.labels < 0, partition.n_groups, partition.labels)
    order = chosen[np.lexsort((chosen, -confidence[chosen], labels[chosen]))]
    return order, nearness_of(submatrix(affinity, order, order), width)
