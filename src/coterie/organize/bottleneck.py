"""Members clustered by what they keep of their columns as they are (information bottleneck): in sweeps, or by unions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError
from coterie.core.hints import Hints
from coterie.core.links import Links
from coterie.core.params import param
from coterie.core.partition import Hierarchy
from coterie.organize.comraf.flat import net_of_own, star_of, swept, unions
from coterie.organize.comraf.graph import Net, Wishes
from coterie.organize.comraf.inference import Found, rows_of, started
from coterie.organize.comraf.observed import told
from coterie.organize.comraf.role import Populations
from coterie.organize.comraf.wishes import COUNTED, COUNTS, RULES, WEIGHTS
from coterie.parts.moves import raw_information

_MOST = 20_000  # members of unions from everyone apart


class Bottleneck(Populations):
    """Base of methods that cluster the members and leave all their columns as they are."""

    n_groups: int = param(8, "How many groups.", ge=1)
    weights: Any = param("mass", WEIGHTS, choices=RULES)
    counts: str = param("occurrences", COUNTS, choices=COUNTED, advanced=True)

    most: ClassVar[int | None] = None  # members it can take
    attempts: ClassVar[int] = 3  # a single random start may end anywhere

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        return Wishes(
            type(self).__name__, None, self.n_groups, (), self.weights, counts=self.counts
        )

    def net_for(self, links: Links, hints: Hints | None = None) -> Net:
        """The members alone hidden, tied to the columns of all the tables they have, as these are."""
        if self.most is not None and len(links) > self.most:
            raise DataError(
                f"{type(self).__name__} takes at most {self.most} members, and there are {len(links)}; fit a sample and place "
                "the others with predict, or use SequentialIB."
            )
        links, wishes = told(links, self.wishes(), hints)
        net = net_of_own(links, wishes)
        return star_of(net, net.target, {}, wishes)


class SequentialIB(Bottleneck):
    """Sequential information bottleneck: members moved one by one to where the groups keep most of the columns."""

    guided: ClassVar[bool] = True

    restarts: int = param(10, "Random starts, the best of which is kept.", ge=1)
    sweeps: int = param(30, "Most passes over the members in one start.", ge=1)
    random_state: int | None = param(None, "Seed of starts and orders.")

    def search(self, net: Net, seed: int) -> Found:
        """Flat random starts and sweeps until nobody moves."""
        return swept(net, self.restarts, self.sweeps, seed, "SequentialIB")


class AgglomerativeIB(Bottleneck):
    """Agglomerative information bottleneck: from everyone apart, the pair that loses least information is united."""

    most: ClassVar[int | None] = _MOST

    merges_: np.ndarray

    def search(self, net: Net, seed: int) -> Found:
        """All unions down to one group; the groups are those left when n_groups are."""
        start = started(net)
        apart = start.labels[net.target]
        k = start.sizes[net.target]
        pairs, losses = unions(rows_of(net, net.target, start), label="AgglomerativeIB")
        name = net.nodes[net.target].name
        last = k - self.n_groups
        whole = sum(edge.beta * raw_information(edge.counts) for edge in net.edges)
        values = whole - np.concatenate([[0.0], np.cumsum(losses[:last])])
        self.merges_ = merges_of(pairs, losses, apart)
        history = tuple((name, k - at, float(value)) for at, value in enumerate(values))
        return Found(
            start.with_node(net.target, _after(pairs[:last], apart), self.n_groups), history
        )

    def _keep(self, net: Net, found: Found) -> None:
        super()._keep(net, found)
        self.hierarchy_ = Hierarchy(self.merges_)


def _after(pairs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The clusters of the elements after these unions, numbered by their first element; -1 where there is no label."""
    root = np.arange(len(labels))
    for one, other in pairs[::-1]:
        root[other] = root[one]
    _, found = np.unique(root[labels >= 0], return_inverse=True)
    out = np.full(len(labels), -1, dtype=np.int64)
    out[labels >= 0] = found
    return out


def merges_of(pairs: np.ndarray, losses: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Unions in SciPy's form, heights the losses added up; elements that have no label join at the end, one higher each."""
    n = len(labels)
    node = np.arange(n)
    size = np.ones(n)
    rows = np.empty((n - 1, 4))
    alone = np.flatnonzero(labels < 0)
    top = int(np.flatnonzero(labels >= 0)[0])
    late = np.column_stack([np.full(len(alone), top), alone])
    rises = np.concatenate([losses, np.ones(len(alone))])
    heights = np.cumsum(rises)
    for at, (one, other) in enumerate(np.concatenate([pairs, late])):
        size[one] += size[other]
        rows[at] = min(node[one], node[other]), max(node[one], node[other]), heights[at], size[one]
        node[one] = n + at
    return rows
