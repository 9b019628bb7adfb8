"""Searches for near members, slowly: sets of pairs that were offered, and lists as the best of them. For keys without ties."""

from __future__ import annotations

import numpy as np


class Lists:
    """What every member was offered so far, the `width` best of it, and which of these the rounds have not used yet."""

    def __init__(self, keys: np.ndarray, width: int) -> None:
        self.keys = keys
        self.width = width
        self.lists: list[list[int]] = [[] for _ in keys]
        self.fresh: list[set[int]] = [set() for _ in keys]

    def offer(self, pairs: set[tuple[int, int]]) -> None:
        """Offer pairs to both sides, all at once."""
        for p in range(len(self.keys)):
            others = {b if a == p else a for a, b in pairs if p in (a, b)} - {p}
            best = sorted(others | set(self.lists[p]), key=lambda q: self.keys[p, q])[: self.width]
            self.fresh[p] = {q for q in best if q not in self.lists[p] or q in self.fresh[p]}
            self.lists[p] = best

    def leaves(self, groups: list[list[int]]) -> None:
        """All pairs inside every group."""
        self.offer({(a, b) for group in groups for a in group for b in group if a < b})

    def round(self) -> None:
        """Neighbors, and those one is a neighbor of, measured with each other, if one of the two is new there."""
        n = len(self.keys)
        new = [set(self.fresh[p]) for p in range(n)]
        old = [set(self.lists[p]) - new[p] for p in range(n)]
        self.fresh = [set() for _ in range(n)]
        pairs: set[tuple[int, int]] = set()
        for v in range(n):
            fresh = new[v] | {p for p in range(n) if v in new[p]}
            known = (old[v] | {p for p in range(n) if v in old[p]}) - fresh
            if fresh:
                pairs |= {(a, b) for a in fresh for b in fresh | known if a != b}
        self.offer(pairs)


def share(a: np.ndarray, b: np.ndarray) -> float:
    """The share of equal codes among the iterations that tested both (-1: not tested); NaN where there is none."""
    both = (a >= 0) & (b >= 0)
    return float((a[both] == b[both]).mean()) if both.any() else float("nan")


def recall(true: np.ndarray, found: np.ndarray) -> float:
    """Of rows of distances to the true and to the found nearest: the share found, ties counted as right."""
    right = sum(int((row <= last).sum()) for row, last in zip(found, true.max(axis=1), strict=True))
    return right / true.size
