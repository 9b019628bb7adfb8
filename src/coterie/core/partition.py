"""Who is together: Partition, Hierarchy (nested partitions), Segmentation (of one sequence) and Ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """A group number per member (0, 1, ...; -1 is 'in no group'), with an optional confidence in [0, 1] per member.

    >>> p = Partition.of(["b", "a", "b", None])
    >>> p.labels.tolist(), p.names, p.sizes.tolist()
    ([1, 0, 1, -1], ('a', 'b'), [1, 2])
    """

    labels: np.ndarray
    names: tuple[str, ...] = ()
    confidence: np.ndarray | None = None

    def __post_init__(self) -> None:
        labels = np.ascontiguousarray(self.labels, dtype=np.int64)
        object.__setattr__(self, "labels", labels)
        if labels.ndim != 1 or (len(labels) and labels.min() < -1):
            raise DataError("A partition is one whole number from -1 per member.")
        groups = int(labels.max()) + 1 if len(labels) else 0
        if not self.names:
            object.__setattr__(self, "names", tuple(f"group {g + 1}" for g in range(groups)))
        if len(self.names) < groups:
            raise DataError(f"The partition has {groups} groups and {len(self.names)} names.")
        if self.confidence is not None and len(self.confidence) != len(labels):
            raise DataError(
                f"There are {len(self.confidence)} confidences for {len(labels)} members."
            )

    @classmethod
    def of(cls, labels: Any) -> Partition:
        """From any labels; None, NaN, "" and -1 mean 'in no group', names keep their sorted order."""
        if isinstance(labels, Partition):
            return labels
        rows = [
            None if v is None or v == "" or v != v or v == -1 else v
            for v in np.asarray(labels, dtype=object).tolist()
        ]
        levels = sorted({v for v in rows if v is not None}, key=lambda v: (isinstance(v, str), v))
        place = {level: code for code, level in enumerate(levels)}
        return cls(
            np.array([-1 if v is None else place[v] for v in rows], dtype=np.int64),
            tuple(str(v) for v in levels),
        )

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_groups(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> np.ndarray:
        """Members per group."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.n_groups)

    def members(self, group: int) -> np.ndarray:
        """Positions of the members of a group."""
        return np.flatnonzero(self.labels == group)

    def __repr__(self) -> str:
        alone = int(np.sum(self.labels < 0))
        return f"Partition({len(self)} members in {self.n_groups} groups{f', {alone} in none' if alone else ''})"


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Nested groups: row t of `merges` joins two clusters at a height (SciPy's form; members 0..n-1, then n + t)."""

    merges: np.ndarray

    @property
    def n_members(self) -> int:
        return len(self.merges) + 1

    def cut(self, n_groups: int) -> Partition:
        """The partition into that many groups, numbered by their first member."""
        n = self.n_members
        if not 1 <= n_groups <= n:
            raise DataError(
                f"A hierarchy of {n} members can be cut into 1 to {n} groups, not {n_groups}."
            )
        parent = np.arange(2 * n - 1)
        for t in range(n - n_groups):
            parent[int(self.merges[t, 0])] = parent[int(self.merges[t, 1])] = n + t
        for node in range(2 * n - 2, -1, -1):
            parent[node] = parent[parent[node]]
        _, first, inverse = np.unique(parent[:n], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return Partition(rank[inverse])

    @property
    def heights(self) -> np.ndarray:
        return np.asarray(self.merges[:, 2])

    def __repr__(self) -> str:
        return f"Hierarchy({self.n_members} members)"


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """One long sequence cut into pieces: piece s is steps boundaries[s] to boundaries[s + 1], with a label each."""

    boundaries: np.ndarray
    labels: np.ndarray

    def __post_init__(self) -> None:
        if len(self.boundaries) != len(self.labels) + 1 or np.any(np.diff(self.boundaries) <= 0):
            raise DataError("A segmentation has rising boundaries, one more than it has labels.")

    @classmethod
    def of(cls, labels: Any) -> Segmentation:
        """From one label per step: a new piece begins where the label changes.

        >>> Segmentation.of([2, 2, 0]).boundaries.tolist()
        [0, 2, 3]
        """
        steps = np.asarray(labels)
        if steps.ndim != 1 or not len(steps):
            raise DataError("A segmentation is made of one label per step, of one step or more.")
        first = np.append(0, np.flatnonzero(steps[1:] != steps[:-1]) + 1)
        return cls(np.append(first, len(steps)), steps[first])

    def per_step(self) -> np.ndarray:
        """The label of every step."""
        return np.repeat(self.labels, np.diff(self.boundaries))

    def __repr__(self) -> str:
        return f"Segmentation({len(self.labels)} pieces of {int(self.boundaries[-1])} steps)"


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Members from the best to the worst, with their scores."""

    order: np.ndarray
    scores: np.ndarray
    ids: Sequence[str] = ()

    def top(self, k: int) -> np.ndarray:
        """Positions of the k best."""
        return self.order[:k]

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        return f"Ranking({len(self)} members)"


def numbered(
    labels: np.ndarray, confidence: np.ndarray | None = None
) -> tuple[Partition, np.ndarray]:
    """The groups numbered from the largest (equal sizes by first member), and the old number of every new one.

    >>> partition, old = numbered(np.array([5, 2, 2, -1]))
    >>> partition.labels.tolist(), old.tolist()
    ([1, 0, 0, -1], [2, 5])
    """
    labels = np.asarray(labels, dtype=np.int64)
    levels, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    sizes = np.bincount(codes, minlength=len(levels))
    order = np.lexsort((first, -sizes))
    order = order[levels[order] >= 0]
    new = np.full(len(levels), -1, dtype=np.int64)
    new[order] = np.arange(len(order))
    return Partition(new[codes], (), confidence), levels[order]
