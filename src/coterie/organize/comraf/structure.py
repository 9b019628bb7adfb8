"""Choosing the graph: which populations and tables help to cluster the target, found without labels on halves of the counts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from coterie.core.collection import as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import MEMBERS, Cooccurrence, Links, replace_target
from coterie.core.random import seed_of, small_seed, stream
from coterie.organize.comraf.choice import Graph, GraphChoice, Trial
from coterie.organize.comraf.estimator import MDC
from coterie.organize.comraf.graph import Net, Wishes, net_of
from coterie.organize.comraf.halves import (
    agreement,
    counts_dealt,
    held_out,
    matched,
    members_dealt,
    taken,
)
from coterie.organize.comraf.inference import Search, State, climb, polished, unclustered
from coterie.organize.comraf.role import new_tables, placed
from coterie.organize.comraf.schedule import ready_made
from coterie.parts.contingency import Counts
from coterie.parts.workers import in_order

_OWNER = "choose_graph"
_LABELS = 50  # labels that are enough to rank by
_PASSES = 100  # the most over the elements after a split or union
_POPULATIONS = 5  # with more of them graphs grow edge by edge
_SHUFFLES = 20  # random groups, where it is to be said whether two populations are related


def choose_graph(
    collection: Any,
    target: str = MEMBERS,
    *,
    n_groups: Any = 8,
    weights: Any = ("mass",),
    counts: str = "auto",
    labels: Sequence[Any] | np.ndarray | None = None,
    restarts: int = 2,
    passes: float = 1.0,
    splits: int = 2,
    max_graphs: int = 64,
    sample: int | None = 2000,
    random_state: Any = 0,
) -> GraphChoice:
    """Try the graphs that hold the target, and say which populations and tables help to cluster it.

    A graph is good when its clusters, by a cheap MDC, are stable (found in one half of the members and given to the other, they
    agree with those found there) and tell of counts they were not made from (mutual information beyond chance with the other
    half of the counts of every table of the target, those not in the graph too, as a share of the best graph's). The score is
    the mean of both over `splits` deals. A population unrelated to all others is not taken, and of graphs that differ by less
    than a standard error the smallest is.

    Edges are the tables there are, and tables between two helpers made over the target. All connected graphs are tried, up to
    five populations and `max_graphs` graphs; beyond that the best grows edge by edge. With 50 labels or more (None: unknown)
    graphs are ranked by accuracy on them instead. `weights` may name several rules, which are then part of the choice; `counts`
    is that of MDC. Of more than `sample` members a random part is looked at.
    """
    links: Links = as_view(collection, (Links,), _OWNER)
    links = links if links.target == target else replace_target(links, target)
    whole = {
        "restarts": restarts,
        "splits": splits,
        "max_graphs": max_graphs,
        "sample": len(links) if sample is None else sample,
    }
    rules = _checked(links, n_groups, weights, counts, passes, whole)
    seed = seed_of(random_state)
    search = Search(restarts, float(passes))
    links, known, notes = _looked_at(links, labels, whole["sample"], stream(seed, 0))
    wishes = Wishes(
        _OWNER,
        n_groups=dict(n_groups) if isinstance(n_groups, Mapping) else {target: n_groups},
        counts=counts,
    )
    # said of the whole, not of its halves
    links = taken(links, wishes)
    wishes = replace(wishes, counts="occurrences")
    deals = tuple(
        (members_dealt(links, stream(seed, 1, at)), counts_dealt(links, seed, at))
        for at in range(splits)
    )
    trials, grown = _search(_Bench(links, wishes, search, deals, known, seed), rules, max_graphs)
    if grown:
        notes.append(
            f"There are too many graphs to try them all: {len(trials)} were tried, the best so far with one more table."
        )
    return GraphChoice.of(trials, target, known is not None, tuple(notes))


def _checked(
    links: Links, n_groups: Any, weights: Any, counts: str, passes: float, whole: Mapping[str, Any]
) -> list[str]:
    """The rules of weight, after everything else was found usable."""
    rules = (
        [weights]
        if isinstance(weights, str) or not isinstance(weights, Iterable)
        else list(weights)
    )
    for rule in rules:
        if not isinstance(rule, str):
            raise ParameterError(
                f"weights must be names of rules, such as 'mass', and holds {rule!r}.", owner=_OWNER
            )
        MDC(weights=rule, counts=counts).check_params()
    for name, value in whole.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ParameterError(
                f"{name} must be a whole number from 1, and was {value!r}.", owner=_OWNER
            )
    if (
        isinstance(passes, bool)
        or not isinstance(passes, (int, float, np.number))
        or not 0 < passes <= _PASSES
    ):
        raise ParameterError(
            f"passes must be a number above 0 and at most {_PASSES}, and was {passes!r}.",
            owner=_OWNER,
        )
    if not rules:
        raise ParameterError("weights names no rule.", owner=_OWNER)
    net_of(links, Wishes(_OWNER, None, n_groups))
    return list(dict.fromkeys(rules))


def _known(labels: Any, links: Links) -> np.ndarray:
    """Labels as numbers, -1 where unknown."""
    if labels is None:
        return np.full(len(links), -1)
    if (
        isinstance(labels, (str, Mapping))
        or not isinstance(labels, Iterable)
        or getattr(labels, "ndim", 1) != 1
    ):
        given = (
            f"an array of shape {labels.shape}" if isinstance(labels, np.ndarray) else repr(labels)
        )
        raise DataError(
            f"labels must be one for each of '{links.target}', None where unknown, and were {given}.",
            owner=_OWNER,
        )
    labels = list(labels)
    if len(labels) != len(links):
        raise DataError(
            f"there are {len(labels)} labels and {len(links)} {links.target}; give None where one is unknown.",
            owner=_OWNER,
        )
    words = [None if label is None or label != label else str(label) for label in labels]
    place = {
        word: at for at, word in enumerate(sorted({word for word in words if word is not None}))
    }
    return np.array([-1 if word is None else place[word] for word in words])


def _looked_at(
    links: Links, labels: Any, most: int, generator: np.random.Generator
) -> tuple[Links, np.ndarray | None, list[str]]:
    """As many members as are to be looked at, the labeled ones first; their labels, where there are enough; what to say of it."""
    known = _known(labels, links)
    notes = list[str]()
    if len(links) > most:
        order = generator.permutation(len(links))
        part = np.sort(order[np.argsort(known[order] < 0, kind="stable")][:most])
        notes.append(f"{most:,} of {len(links):,} {links.target} were looked at.")
        links = links.take(part)
        known = known[part]
    labeled = int((known >= 0).sum())
    if 0 < labeled < _LABELS:
        notes.append(
            f"{labeled} labels are too few to rank by ({_LABELS} are needed), so they were not looked at."
        )
    return links, known if labeled >= _LABELS else None, notes


def edges_of(links: Links) -> list[tuple[str, str]]:
    """All tables there are, and those between two helpers that can be made over the target."""
    found = [pair for pair, table in links.tables.items() if table.counts.sum() > 0]
    helpers = [name for name in links.populations if links.between(links.target, name) is not None]
    there = {frozenset(pair) for pair in found}
    return found + [pair for pair in combinations(helpers, 2) if frozenset(pair) not in there]


def reaches(graph: Iterable[tuple[str, str]], target: str) -> bool:
    """Whether all populations of the edges hang together with the target."""
    left = list(graph)
    seen = {target}
    while True:
        touching = [pair for pair in left if seen & set(pair)]
        if not touching:
            return not left
        seen |= {name for pair in touching for name in pair}
        left = [pair for pair in left if pair not in touching]


def graphs_of(edges: Sequence[tuple[str, str]], target: str) -> list[Graph]:
    """Every connected graph with the target, from the smallest."""
    sizes = range(1, len(edges) + 1)
    return [
        graph for size in sizes for graph in combinations(edges, size) if reaches(graph, target)
    ]


def _search(bench: _Bench, rules: Sequence[str], most: int) -> tuple[list[Trial], bool]:
    """All graphs, or as many as are allowed, grown from the best; and whether they were grown."""
    edges = edges_of(bench.links)
    target = bench.links.target
    labeled = bench.known is not None
    if len(bench.links.populations) <= _POPULATIONS:
        graphs = graphs_of(edges, target)
        if len(graphs) <= most:
            return bench.tried(graphs, rules, 0), False
    trials = list[Trial]()
    left = most
    before = 0
    front: list[Graph] = [(pair,) for pair in edges if target in pair]
    while front and left > 0:
        trials += bench.tried(front[:left], rules, len(trials))
        left -= len(front[:left])
        top = GraphChoice.of(trials, target, labeled).rows[0].graph
        if len(top) <= before:
            break
        before = len(top)
        front = [
            (*top, pair) for pair in edges if pair not in top and reaches((*top, pair), target)
        ]
    return trials, True


@dataclass(frozen=True, slots=True, eq=False)
class _Bench:
    """Everything a graph is tried on."""

    links: Links
    wishes: Wishes
    search: Search
    deals: tuple[
        tuple[tuple[Links, Links], tuple[Links, Links]], ...
    ]  # halves of the members, halves of the counts
    known: np.ndarray | None  # labels to rank by
    seed: int

    def tried(self, graphs: Sequence[Graph], rules: Sequence[str], first: int) -> list[Trial]:
        """A trial of every graph and rule; a single table has one weight, whatever the rule."""
        pairs = [
            (graph, rule)
            for graph in graphs
            for at, rule in enumerate(rules)
            if at == 0 or len(graph) > 1
        ]
        tasks = [(first + at, graph, rule) for at, (graph, rule) in enumerate(pairs)]
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # what a half of the counts lacks is in the notes
            return list(in_order(self._trial, tasks, "choose graph"))

    def _trial(self, task: tuple[int, Graph, str]) -> Trial:
        at, graph, rule = task
        begun = time.perf_counter()
        notes = list[str]()
        agreed = list[float]()
        told = list[list[list[tuple[float, float]]]]()
        for split, (members, counts) in enumerate(self.deals):
            draw = stream(self.seed, 3, at, split)
            found = [
                self._clustered(half, graph, rule, small_seed(draw), notes)
                for half in (*members, *counts)
            ]
            ways = ((found[0], found[1], members[1]), (found[1], found[0], members[0]))
            agreed.append(
                float(
                    np.mean([agreement(other.groups, one.given(half)) for one, other, half in ways])
                )
            )
            told.append([_told(found[2 + side].groups, counts[1 - side], draw) for side in (0, 1)])
        accuracy = None
        alone = None
        if self.known is not None or len(graph) == 1:
            draw = stream(self.seed, 3, at, len(self.deals))
            whole = self._clustered(self.links, graph, rule, small_seed(draw), notes).groups
            accuracy = None if self.known is None else matched(whole, self.known)
            alone = np.array(_told(whole, self.links, draw, _SHUFFLES)) if len(graph) == 1 else None
        shares, chance = np.moveaxis(np.array(told), 3, 0)  # splits x sides x tables
        names = tuple("-".join((self.links.target, name)) for name, _ in _tables(self.links))
        return Trial(
            graph,
            rule,
            names,
            np.array(agreed),
            shares.mean(axis=1),
            np.sqrt((chance**2).mean(axis=(0, 1))),
            alone,
            time.perf_counter() - begun,
            accuracy,
            tuple(dict.fromkeys(notes)),
        )

    def _clustered(
        self, links: Links, graph: Graph, rule: str, seed: int, notes: list[str]
    ) -> _Groups:
        """The target clustered on these counts; nobody is in a cluster where they are too few."""
        there = {name for pair in graph for name in pair}
        wanted = {name: count for name, count in self.wishes.n_groups.items() if name in there}
        try:
            net = net_of(
                links, replace(self.wishes, graph=list(graph), n_groups=wanted, weights=rule)
            )
        except DataError as error:
            notes.append("with a part of the counts, " + error.plain)
            return _Groups(np.full(len(links), -1))
        found = polished(
            net, climb(net, ready_made(net, 4, 4), self.search, seed, _OWNER), "raw", seed
        )
        return _Groups(found.state.labels[net.target], net, found.state)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Clusters of the target and, where there are any, the graph and the clusters of all others."""

    groups: np.ndarray
    net: Net | None = None
    state: State | None = None

    def given(self, links: Links) -> np.ndarray:
        """The cluster of other members with the same columns: where the objective would be highest; -1 where nothing is known."""
        if self.net is None or self.state is None:
            return np.full(len(links), -1)
        seen = unclustered(self.net, self.state)  # the last sweeps were against these
        return placed(self.net, seen, *new_tables(self.net, seen, links))


def _tables(links: Links) -> list[tuple[str, Cooccurrence]]:
    """The tables of the target, by the name of the other side."""
    found = [(name, links.between(links.target, name)) for name in links.populations]
    return [(name, table) for name, table in found if table is not None]


def _told(
    groups: np.ndarray, other: Links, generator: np.random.Generator, shuffles: int = 5
) -> list[tuple[float, float]]:
    return [
        held_out(groups, Counts.of(table.counts), generator, shuffles)
        for _, table in _tables(other)
    ]
