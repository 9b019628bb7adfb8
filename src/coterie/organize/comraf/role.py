"""What every organizer of several populations is: links in, a partition of each population out, and a place for new members."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.links import COLUMNS, Cooccurrence, Links, on_columns
from coterie.core.partition import Hierarchy, Partition, numbered
from coterie.core.random import seed_of
from coterie.core.workplace import steady
from coterie.organize.comraf.graph import Net, Wishes, empty_rows, net_of
from coterie.organize.comraf.inference import (
    Found,
    State,
    informations,
    rows_of,
    table_of,
    unclustered,
)
from coterie.organize.comraf.nested import nested
from coterie.organize.comraf.observed import bound, check_feasible, mended, told, unkept
from coterie.parts.contingency import Counts, raw_information
from coterie.parts.moves import Clusters, Rows

_NOTHING = 1e-9  # nats of a table that tells nothing
_BAND = 1 << 20  # gains, elements x clusters, that are held at once


class Populations(Organizer):
    """Links -> a Partition of each population: `partition_` of the members, `partitions_` by name, `objective_`, `history_`.

    Learned besides: `informations_` (kept by each table, in nats) and `retained_` (its share of what the table holds),
    `history_` (population, its number of clusters and the objective after every iteration), `hierarchy_` (nested groups of
    the members), `notes_`.
    """

    takes: ClassVar[type] = Links
    attempts: ClassVar[int] = (
        1  # that are enough where groups are found again and again, to see whether they hold
    )

    partitions_: dict[str, Partition]
    objective_: float
    informations_: dict[str, float]
    retained_: dict[str, float]
    history_: list[tuple[str, int, float]]
    runs_: np.ndarray  # groups of the members in each of several independent runs, runs x members
    levels_: tuple[np.ndarray, ...]
    hierarchy_: Hierarchy
    notes_: tuple[str, ...]
    net_: Net
    state_: State
    raw_: bool  # whether the last sweeps were against unclustered neighbors, so that new members are placed by these

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        raise NotImplementedError(f"{type(self).__name__} does not define wishes")

    def search(self, net: Net, seed: int) -> Found:
        """The clusters of every population."""
        raise NotImplementedError(f"{type(self).__name__} does not define search")

    def net_for(self, links: Links, hints: Hints | None = None) -> Net:
        """The graph of these links on which it searches, labels that are known among them."""
        return net_of(*told(links, self.wishes(), hints))

    def groups_of(self, links: Links, seed: int, hints: Hints | None = None) -> np.ndarray:
        """The groups of the members alone, without the hierarchy and all else that a fit keeps."""
        net = self.net_for(links, hints)
        with steady():
            return np.asarray(self._searched(net, hints, seed).state.labels[net.target])

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Cluster all populations, and number the groups of each from the largest; `hints` are what a person knows."""
        links: Links = self.check(X)
        hints = self.check_hints(hints, len(links), links.ids[links.target])
        net = self.net_for(links, hints)
        with steady():
            self._keep(net, self._searched(net, hints, seed_of(getattr(self, "random_state", 0))))
        if hints is not None:
            self.notes_ = (*self.notes_, *unkept(hints, self.labels_, type(self).__name__))
        return self

    def _searched(self, net: Net, hints: Hints | None, seed: int) -> Found:
        """The clusters of every population under the hints."""
        if hints is not None:
            check_feasible(hints, net.nodes[net.target].n_groups, type(self).__name__)
        held = bound(net, hints, type(self).__name__)
        found = self.search(held.net, seed)
        return held.spread(
            found if hints is None else mended(held, found, hints, seed, type(self).__name__)
        )

    def _keep(self, net: Net, found: Found) -> None:
        state = (
            spread(net, found.state)
            if getattr(self, "on_empty", "apart") == "spread"
            else found.state
        )
        self.partitions_, labels, self.raw_ = (
            {},
            list(state.labels),
            getattr(self, "polish", None) == "raw",
        )
        for at in net.hidden:
            seen = unclustered(net, state) if self.raw_ else state
            confidence = margins(net, at, seen) if at == net.target else None
            partition, _ = numbered(state.labels[at], confidence)
            self.partitions_[net.nodes[at].name] = partition
            labels[at] = partition.labels
        self.net_ = net
        self.state_ = State(tuple(labels), state.sizes)
        self.partition_ = self.partitions_[net.nodes[net.target].name]
        kept = informations(net, self.state_)
        raw = np.array([raw_information(edge.counts) for edge in net.edges])
        names = [net.called(edge) for edge in net.edges]
        self.informations_ = dict(zip(names, map(float, kept), strict=True))
        shares = np.minimum(np.divide(kept, raw, out=np.zeros(len(raw)), where=raw > _NOTHING), 1.0)
        self.retained_ = dict(zip(names, map(float, shares), strict=True))
        self.objective_ = float(kept @ np.array([edge.beta for edge in net.edges]))
        self.history_, self.levels_, self.notes_ = (
            list(found.history),
            found.levels,
            self._notes(net, raw),
        )
        self.runs_ = np.array(found.runs or (state.labels[net.target],))
        self.hierarchy_ = nested(net, self.state_, found.levels)

    def _notes(self, net: Net, raw: np.ndarray) -> tuple[str, ...]:
        """What was seen of the input, who is in no group, and what a person should know of the groups."""
        notes = list(net.notes)
        cautions = list[str]()
        alone = int(empty_rows(net, net.target).sum())
        where = "in no group" if (self.labels_ < 0).any() else "in the largest group"
        if alone:
            name = net.nodes[net.target].name
            notes.append(
                f"{alone} of {len(self.partition_)} {name} have no count in any table and are {where}."
            )
        if float(raw.max(initial=0.0)) < _NOTHING:
            cautions.append(
                "No table holds any information: all rows are alike, and the groups mean nothing."
            )
        if all(edge.beta == 0 for edge in net.around(net.target)):
            cautions.append(
                f"All tables of '{net.nodes[net.target].name}' weigh 0, and its groups mean nothing."
            )
        for at in net.hidden:
            node = net.nodes[at]
            reached = self.partitions_[net.nodes[at].name].n_groups
            if node.n_groups is not None and reached != node.n_groups:
                cautions.append(
                    f"The schedule left {reached} groups of '{node.name}', and {node.n_groups} were asked for."
                )
        for caution in cautions:
            warnings.warn(f"{type(self).__name__}: {caution}", UserWarning, stacklevel=4)
        return (*notes, *cautions)

    def interaction(self, one: str, other: str) -> np.ndarray:
        """Clusters x clusters of two populations: log2 of how often they meet over how often they would by chance."""
        check_is_fitted(self, "state_")
        for edge in self.net_.edges:
            names = [self.net_.nodes[end].name for end in edge.ends]
            if {one, other} == set(names):
                table = table_of(edge, self.state_)
                table = table if names[0] == one else table.T
                expected = (
                    table.sum(axis=1, keepdims=True)
                    * table.sum(axis=0, keepdims=True)
                    / max(table.sum(), 1e-300)
                )
                return np.log2((table + 0.5) / (expected + 0.5))
        raise DataError(
            f"there is no table of '{one}' and '{other}' among {', '.join(self.informations_)}.",
            owner=type(self).__name__,
        )

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members: where the objective would be highest, the groups as they are; -1 where nothing is known."""
        check_is_fitted(self, "state_")
        links: Links = self.check(X, new=True)
        tables, groups = self._new_tables(links)
        if all(table.total == 0 for table in tables):
            raise DataError(
                "the new members share no column with the fitted ones.", owner=type(self).__name__
            )
        with steady():
            return placed(self.net_, self._seen(), tables, groups)

    def _seen(self) -> State:
        """The clusters the members are placed by."""
        return unclustered(self.net_, self.state_) if self.raw_ else self.state_

    def _new_tables(self, links: Links) -> tuple[list[Counts], list[np.ndarray]]:
        """The tables of new members in the order of the fitted ones, and the clusters of their columns, found by name."""
        return new_tables(self.net_, self._seen(), links)


def new_tables(net: Net, state: State, links: Links) -> tuple[list[Counts], list[np.ndarray]]:
    """The tables of other members for the edges of the target, on its columns, and the clusters of these."""
    tables = []
    groups = []
    for edge in net.around(net.target):
        other = net.nodes[edge.across(net.target)]
        table = links.between(links.target, other.name)
        if (
            table is not None
            and other.name == COLUMNS
            and len(table.cols) != len(other.ids)
            and _unnamed(table.cols, other.ids)
        ):
            raise DataError(
                f"The fitted members have {len(other.ids)} columns without names, and the new ones {len(table.cols)}."
            )
        tables.append(columns_of(table, other.ids, len(links), edge.present))
        groups.append(state.labels[edge.across(net.target)])
    return tables, groups


def _unnamed(*ids: Sequence[str]) -> bool:
    """Whether columns are only numbered."""
    return all(names[0] == "x0" and names[-1] == f"x{len(names) - 1}" for names in ids)


def placed(
    net: Net, state: State, tables: Sequence[Counts], groups: Sequence[np.ndarray]
) -> np.ndarray:
    """The cluster in which each row of these tables, one per edge of the target, would add most to the objective.

    It is -1 where a row meets nothing, or nothing that has a weight.
    """
    target, edges = net.target, net.around(net.target)
    betas = np.array([edge.beta for edge in edges])
    rows = Rows.of(
        tables, groups, [state.sizes[edge.across(target)] for edge in edges], betas.tolist()
    )
    known = (np.diff(rows.ptr).reshape(-1, len(edges))[:, betas > 0] > 0).any(axis=1)
    clusters = Clusters(rows_of(net, target, state), state.labels[target], state.sizes[target])
    return np.where(known, clusters.assign(rows, np.full(len(rows), -1)), -1)


def columns_of(table: Cooccurrence | None, ids: Sequence[str], n: int, present: bool) -> Counts:
    """A table of new members on known columns, empty where there is none; as there or not where the fitted ones are."""
    found = Counts.of(on_columns(table, ids, n))
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
    labels = state.labels[node]
    k = state.sizes[node]
    if k < 2:
        return np.where(labels >= 0, 1.0, 0.0)
    clusters = Clusters(rows_of(net, node, state), labels, k)
    found = np.zeros(len(labels))
    m = clusters.rows.n_edges
    band = max(1, _BAND // k)
    for lo in range(0, len(labels), band):
        hi = min(lo + band, len(labels))
        part = copy(clusters)  # the same tables, some of the elements
        part.rows = replace(clusters.rows, ptr=clusters.rows.ptr[lo * m : hi * m + 1])
        part.labels = clusters.labels[lo:hi]
        found[lo:hi] = _margins(part.gains(), np.maximum(labels[lo:hi], 0))
    return np.where(labels >= 0, found, 0.0)


def _margins(gains: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Elements x clusters and the own cluster of each: the lead of the own one over the next, over the whole span."""
    rows = np.arange(len(labels))
    own = gains[rows, labels]
    worst = gains.min(axis=1)
    gains[rows, labels] = -np.inf
    other = gains.max(axis=1)
    span = np.maximum(own, other) - worst
    return np.clip(
        np.divide(own - other, span, out=np.zeros(len(labels)), where=span > 0), 0.0, 1.0
    )
