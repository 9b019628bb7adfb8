"""Nested groups of the members: the clusters passed on the way down below, unions of least loss above."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.core.partition import Hierarchy
from coterie.organize.comraf.graph import Net
from coterie.organize.comraf.inference import State, rows_of
from coterie.parts.moves import Clusters


def nested(net: Net, state: State, levels: Sequence[np.ndarray]) -> Hierarchy:
    """A tree whose cut at the final number of groups gives these groups; heights are losses of information, added up.

    Inside a group hang the finer clusters that were there before the last unions; members of one finer cluster, and members in
    no group, are joined at no height or at the very end.
    """
    labels = state.labels[net.target]
    fine = np.asarray(levels[0], dtype=np.int64) if len(levels) else labels
    inside = np.flatnonzero(labels >= 0)
    pairs = labels[inside] * (int(fine.max(initial=0)) + 2) + fine[inside] + 1
    _, cells = np.unique(pairs, return_inverse=True)
    cell_of = np.full(len(labels), -1, dtype=np.int64)
    cell_of[inside] = cells
    tree = _Tree(len(labels))
    nodes = tree.cells(cell_of)
    clusters = Clusters(rows_of(net, net.target, state), cell_of, int(cells.max(initial=-1)) + 1)
    group = np.zeros(clusters.k, dtype=np.int64)
    group[cells] = labels[inside]
    while clusters.k > 1:
        alike = group[:, None] == group[None, :]
        within = bool((alike.sum(axis=1) > 1).any())
        a, b, loss = clusters.unite(alike if within else None)
        nodes[a] = tree.join(nodes[a], nodes[b], max(loss, 0.0))
        nodes, group = np.delete(nodes, b), np.delete(group, b)
    return tree.done(labels)


class _Tree:
    """Merges in SciPy's form, heights rising."""

    def __init__(self, n: int) -> None:
        self.n, self.height = n, 0.0
        self.rows: list[tuple[float, float, float, float]] = []
        self.size = dict.fromkeys(range(n), 1)

    def join(self, one: int, other: int, rise: float) -> int:
        self.height += rise
        new = self.n + len(self.rows)
        self.size[new] = self.size[one] + self.size[other]
        self.rows.append((min(one, other), max(one, other), self.height, self.size[new]))
        self.last = new
        return new

    def cells(self, cell_of: np.ndarray) -> np.ndarray:
        """The members of every cell joined at no height; the node of each."""
        found: dict[int, int] = {}
        for member, cell in enumerate(cell_of):
            if cell >= 0:
                found[int(cell)] = self.join(found[int(cell)], member, 0.0) if int(cell) in found else member
        self.last = next(iter(found.values()), 0)
        return np.array([found[cell] for cell in range(len(found))], dtype=np.int64)

    def done(self, labels: np.ndarray) -> Hierarchy:
        """Members in no group join at the end."""
        alone = np.flatnonzero(labels < 0)
        top = self.n + len(self.rows) - 1 if self.rows else self.last
        for member in alone:
            if member != top:
                top = self.join(top, int(member), 1.0)
        return Hierarchy(np.array(self.rows, dtype=np.float64).reshape(-1, 4))
