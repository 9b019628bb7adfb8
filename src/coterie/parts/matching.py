"""Which group of one partition is which of another: shared members, Jaccard overlaps, best pairs, numbers that stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from coterie.core.errors import DataError
from coterie.core.partition import Partition


@dataclass(frozen=True, eq=False)
class Overlaps:
    """How the groups of two partitions of the same members meet: row per new group, column per old one."""

    new: np.ndarray  # the numbers of the new groups, ascending
    old: np.ndarray  # the numbers of the old groups, ascending
    shared: np.ndarray  # members in both
    new_sizes: np.ndarray
    old_sizes: np.ndarray

    @property
    def jaccard(self) -> np.ndarray:
        """Members in both, as a share of the members in either."""
        either = self.new_sizes[:, None] + self.old_sizes[None, :] - self.shared
        return self.shared / either

    def pairs(self) -> list[tuple[int, int]]:
        """The one-to-one pairs (new, old) that keep most members together; among equals the larger Jaccard overlaps.

        Groups that share no member are never a pair, and groups too many for a partner are in none.
        """
        if not self.shared.size:
            return []
        weight = self.shared + self.jaccard / (min(self.shared.shape) + 1)
        rows, cols = linear_sum_assignment(weight, maximize=True)
        return [
            (int(self.new[a]), int(self.old[b]))
            for a, b in zip(rows, cols, strict=True)
            if self.shared[a, b]
        ]


def overlaps(new: Any, old: Any) -> Overlaps:
    """How the groups of two partitions meet; -1 is no group, and its members count for the size of their other group.

    >>> found = overlaps([0, 0, 1, 1], [7, 7, 7, 3])
    >>> found.shared.tolist(), found.jaccard.round(2).tolist()
    ([[0, 2], [1, 1]], [[0.0, 0.67], [0.5, 0.25]])
    """
    mine = _labels(new)
    other = _labels(old)
    if len(mine) != len(other):
        raise DataError(
            f"One partition has {len(mine)} members and the other {len(other)}; compare partitions of the same members."
        )
    groups, sizes = np.unique(mine[mine >= 0], return_counts=True)
    old_groups, old_sizes = np.unique(other[other >= 0], return_counts=True)
    both = (mine >= 0) & (other >= 0)
    cell = np.searchsorted(groups, mine[both]) * len(old_groups) + np.searchsorted(
        old_groups, other[both]
    )
    shared = np.bincount(cell, minlength=len(groups) * len(old_groups)).reshape(
        len(groups), len(old_groups)
    )
    return Overlaps(groups, old_groups, shared, sizes, old_sizes)


def matching(new: Any, old: Any) -> list[tuple[int, int]]:
    """The one-to-one pairs (new group, old group) with the most members in both (Hungarian method, any two counts).

    >>> matching([1, 1, 1, 0, 0, 2], [0, 0, 0, 1, 1, 1])
    [(0, 1), (1, 0)]
    """
    return overlaps(new, old).pairs()


def align(new: Any, old: Any) -> np.ndarray:
    """The new labels with the numbers people know: a group gets the number of the old group it matches best.

    Groups without a partner get fresh numbers above all old ones, the largest first, so that the number of a group that
    is gone is not given to a stranger; -1 stays -1.

    >>> align([1, 1, 1, 0, 0, 2], [0, 0, 0, 1, 1, 1]).tolist()
    [0, 0, 0, 1, 1, 2]
    """
    found = overlaps(new, old)
    known = dict(found.pairs())
    fresh = int(found.old.max(initial=-1)) + 1
    for at in np.argsort(-found.new_sizes, kind="stable"):
        group = int(found.new[at])
        if group not in known:
            known[group] = fresh
            fresh = fresh + 1
    labels = _labels(new)
    number = np.array([known[int(group)] for group in found.new], dtype=np.int64)
    aligned = np.full(len(labels), -1, dtype=np.int64)
    inside = labels >= 0
    aligned[inside] = number[np.searchsorted(found.new, labels[inside])]
    return aligned


def _labels(labels: Any) -> np.ndarray:
    values = np.asarray(labels.labels if isinstance(labels, Partition) else labels)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise DataError(
            "A matching takes one whole number per member; make one of other labels with Partition.of(labels)."
        )
    if values.size and values.min() < -1:
        raise DataError(
            f"Groups are numbered from 0, -1 is 'in no group', and there is a group {values.min()}."
        )
    return values.astype(np.int64)
