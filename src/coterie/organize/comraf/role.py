"""What every organizer of several populations is: links in, a partition of each population out, and a place for new members."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.partition import Hierarchy, Partition
from coterie.core.random import seed_of
from coterie.core.workplace import steady
from coterie.organize.comraf.graph import Net, Wishes, empty_rows, net_of
from coterie.organize.comraf.inference import Found, State, informations, rows_of
from coterie.organize.comraf.nested import nested
from coterie.organize.role import Organizer
from coterie.parts.contingency import Counts, raw_information, united
from coterie.parts.groups import numbered
from coterie.parts.moves import Clusters, Rows

_NOTHING = 1e-9  # nats of a table that tells nothing


class Populations(Organizer):
    """Links -> a Partition of each population: `partition_` of the members, `partitions_` by name, `objective_`, `history_`.

    Learned besides: `informations_` (kept by each table, in nats) and `retained_` (its share of what the table holds),
    `history_` (population, its number of clusters and the objective after every iteration), `hierarchy_` (nested groups of
    the members), `notes_`.
    """

    takes: ClassVar[type] = Links

    partitions_: dict[str, Partition]
    objective_: float
    informations_: dict[str, float]
    retained_: dict[str, float]
    history_: list[tuple[str, int, float]]
    levels_: tuple[np.ndarray, ...]
    hierarchy_: Hierarchy
    notes_: tuple[str, ...]
    net_: Net
    state_: State

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        raise NotImplementedError(f"{type(self).__name__} does not define wishes")

    def search(self, net: Net, seed: int) -> Found:
        """The clusters of every population."""
        raise NotImplementedError(f"{type(self).__name__} does not define search")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster all populations, and number the groups of each from the largest."""
        links: Links = self.check(X)
        net = net_of(links, self.wishes())
        with steady():
            found = self.search(net, seed_of(getattr(self, "random_state", 0)))
            self._keep(net, found)
        return self

    def _keep(self, net: Net, found: Found) -> None:
        state = spread(net, found.state) if getattr(self, "on_empty", "apart") == "spread" else found.state
        self.partitions_, labels = {}, list(state.labels)
        for at in net.hidden:
            confidence = margins(net, at, state) if at == net.target else None
            partition, _ = numbered(state.labels[at], confidence)
            self.partitions_[net.nodes[at].name], labels[at] = partition, partition.labels
        self.net_, self.state_ = net, State(tuple(labels), state.sizes)
        self.partition_ = self.partitions_[net.nodes[net.target].name]
        kept = informations(net, self.state_)
        raw = np.array([raw_information(edge.counts) for edge in net.edges])
        names = [net.called(edge) for edge in net.edges]
        self.informations_ = dict(zip(names, map(float, kept), strict=True))
        shares = np.minimum(np.divide(kept, raw, out=np.zeros(len(raw)), where=raw > _NOTHING), 1.0)
        self.retained_ = dict(zip(names, map(float, shares), strict=True))
        self.objective_ = float(kept @ np.array([edge.beta for edge in net.edges]))
        self.history_, self.levels_, self.notes_ = list(found.history), found.levels, self._notes(net, raw)
        self.hierarchy_ = nested(net, self.state_, found.levels)

    def _notes(self, net: Net, raw: np.ndarray) -> tuple[str, ...]:
        """What was seen of the input, who is in no group, and what a person should know of the groups."""
        notes, cautions = list(net.notes), list[str]()
        alone, where = (
            int(empty_rows(net, net.target).sum()),
            "in no group" if (self.labels_ < 0).any() else "in the largest group",
        )
        if alone:
            name = net.nodes[net.target].name
            notes.append(f"{alone} of {len(self.partition_)} {name} have no count in any table and are {where}.")
        if float(raw.max(initial=0.0)) < _NOTHING:
            cautions.append("No table holds any information: all rows are alike, and the groups mean nothing.")
        for at in net.hidden:
            node, reached = net.nodes[at], self.partitions_[net.nodes[at].name].n_groups
            if node.n_groups is not None and reached != node.n_groups:
                cautions.append(f"The schedule left {reached} groups of '{node.name}', and {node.n_groups} were asked for.")
        for caution in cautions:
            warnings.warn(f"{type(self).__name__}: {caution}", UserWarning, stacklevel=4)
        return (*notes, *cautions)

    def interaction(self, one: str, other: str) -> np.ndarray:
        """Clusters x clusters of two populations: log2 of how often they meet over how often they would by chance."""
        check_is_fitted(self, "state_")
        for edge in self.net_.edges:
            names = [self.net_.nodes[end].name for end in edge.ends]
            if {one, other} == set(names):
                table = _table(edge.counts, edge.ends, self.state_)
                table = table if names[0] == one else table.T
                expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / max(table.sum(), 1e-300)
                return np.log2((table + 0.5) / (expected + 0.5))
        raise DataError(
            f"{type(self).__name__}: there is no table of '{one}' and '{other}' among {', '.join(self.informations_)}."
        )

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members: where the objective would be highest, the groups as they are; -1 where nothing is known."""
        check_is_fitted(self, "state_")
        links: Links = self.check(X, new=True)
        rows, known = self._new_rows(links)
        target = self.net_.target
        with steady():
            clusters = Clusters(self._rows(), self.state_.labels[target], self.state_.sizes[target])
            gains = clusters.gains(rows)
        return np.where(known, gains.argmax(axis=1), -1)

    def _rows(self) -> Rows:
        return rows_of(self.net_, self.net_.target, self.state_)

    def _new_rows(self, links: Links) -> tuple[Rows, np.ndarray]:
        """The rows of new members on the tables of the fitted ones, columns found by name."""
        net, target = self.net_, self.net_.target
        edges, tables = net.around(target), []
        for edge in edges:
            other = net.nodes[edge.across(target)]
            table = links.between(links.target, other.name)
            tables.append(columns_of(table, other.ids, len(links), edge.present))
        if all(table.total == 0 for table in tables):
            raise DataError(f"{type(self).__name__}: the new members share no column with the fitted ones.")
        across = [edge.across(target) for edge in edges]
        state = self.state_
        rows = Rows.of(tables, [state.labels[o] for o in across], [state.sizes[o] for o in across], [edge.beta for edge in edges])
        return rows, ~rows.empty


def _table(counts: Counts, ends: tuple[int, int], state: State) -> np.ndarray:
    one, other = ends
    return united(counts, state.labels[one], state.sizes[one], state.labels[other], state.sizes[other])


def columns_of(table: Any, ids: Any, n: int, present: bool) -> Counts:
    """A table of new members on known columns, empty where there is none; as there or not where the fitted ones are."""
    import scipy.sparse as sp

    if table is None:
        return Counts.of(sp.csr_array((n, len(ids)), dtype=np.int64))
    counts = table.counts
    if list(table.cols) != list(ids):
        place = {name: j for j, name in enumerate(ids)}
        known = np.array([place.get(name, -1) for name in table.cols], dtype=np.int64)
        kept = np.flatnonzero(known >= 0)
        pick = sp.csr_array((np.ones(len(kept)), (kept, known[kept])), shape=(len(known), len(ids)))
        counts = counts @ pick
    found = Counts.of(counts)
    return found.presence() if present else found


def spread(net: Net, state: State) -> State:
    """The state with every element that meets nothing put into the largest cluster of its population."""
    for at in net.hidden:
        labels = state.labels[at]
        if (labels < 0).any() and (labels >= 0).any():
            largest = int(np.bincount(labels[labels >= 0]).argmax())
            state = state.with_node(at, np.where(labels < 0, largest, labels), state.sizes[at])
    return state


def margins(net: Net, node: int, state: State) -> np.ndarray:
    """How much better each element's own cluster is than the next: the difference over that to the worst, from 0 to 1."""
    labels, k = state.labels[node], state.sizes[node]
    if k < 2:
        return np.where(labels >= 0, 1.0, 0.0)
    gains = Clusters(rows_of(net, node, state), labels, k).gains()
    rows = np.arange(len(labels))
    own = gains[rows, np.maximum(labels, 0)]
    gains[rows, np.maximum(labels, 0)] = -np.inf
    other = gains.max(axis=1)
    gains[rows, np.maximum(labels, 0)] = np.inf
    worst = np.minimum(gains.min(axis=1), own)
    span = np.maximum(own, other) - worst
    found = np.divide(own - other, span, out=np.zeros(len(labels)), where=span > 0)
    return np.where(labels >= 0, np.clip(found, 0.0, 1.0), 0.0)
