"""Nested groups of the members: the clusters passed on the way down below, unions of least loss above."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.core.partition import Hierarchy
from coterie.organize.comraf.flat import unions
from coterie.organize.comraf.graph import Net
from coterie.organize.comraf.inference import State
from coterie.parts.moves import Counts, Rows

_LABEL = "nested groups"


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
    group = np.zeros(len(nodes), dtype=np.int64)
    group[cells] = labels[inside]
    tree.unite(nodes, *unions(_rows(net, state, cell_of, len(nodes)), group, _LABEL))
    tops = tree.together(nodes, group, state.sizes[net.target])
    tree.unite(tops, *unions(_rows(net, state, labels, len(tops)), label=_LABEL))
    tree.together(tops, np.zeros(len(tops), dtype=np.int64), 1)
    return tree.done(labels)


def _rows(net: Net, state: State, clusters: np.ndarray, k: int) -> Rows:
    """Clusters of the members as elements, against the clusters of their neighbors."""
    import scipy.sparse as sp

    inside = np.flatnonzero(clusters >= 0)
    held = sp.csr_array(
        (np.ones(len(inside)), (clusters[inside], inside)), shape=(k, len(clusters))
    )
    around = net.around(net.target)
    others = [edge.across(net.target) for edge in around]
    return Rows.of(
        [Counts.of(held @ edge.seen_from(net.target).matrix) for edge in around],
        [state.labels[other] for other in others],
        [state.sizes[other] for other in others],
        [edge.beta for edge in around],
    )


class _Tree:
    """Merges in SciPy's form, heights rising."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.height = 0.0
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
                found[int(cell)] = (
                    self.join(found[int(cell)], member, 0.0) if int(cell) in found else member
                )
        self.last = next(iter(found.values()), 0)
        return np.array([found[cell] for cell in range(len(found))], dtype=np.int64)

    def unite(self, nodes: np.ndarray, pairs: np.ndarray, losses: np.ndarray) -> None:
        """Pairs of positions in `nodes` joined, the second into the first; -1 is left of those that are gone."""
        for (one, other), loss in zip(pairs.tolist(), losses.tolist(), strict=True):
            nodes[one] = self.join(int(nodes[one]), int(nodes[other]), loss)
            nodes[other] = -1

    def together(self, nodes: np.ndarray, group: np.ndarray, n_groups: int) -> np.ndarray:
        """What is left of every group joined at no further height (clusters that meet nothing); one node per group."""
        tops = np.full(n_groups, -1, dtype=np.int64)
        for at in np.flatnonzero(nodes >= 0):
            top = int(tops[group[at]])
            tops[group[at]] = int(nodes[at]) if top < 0 else self.join(top, int(nodes[at]), 0.0)
        return tops

    def done(self, labels: np.ndarray) -> Hierarchy:
        """Members in no group join at the end."""
        alone = np.flatnonzero(labels < 0)
        top = self.n + len(self.rows) - 1 if self.rows else self.last
        for member in alone:
            if member != top:
                top = self.join(top, int(member), 1.0)
        return Hierarchy(np.array(self.rows, dtype=np.float64).reshape(-1, 4))
