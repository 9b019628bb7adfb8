"""Comraf*: one population clustered with all its neighbors observed, and chains of such steps, one population after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from coterie.core.collection import as_view
from coterie.core.errors import ParameterError
from coterie.core.hints import Hints
from coterie.core.links import Links, replace_target
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.random import seed_of, small_seed, stream
from coterie.core.workplace import steady
from coterie.organize.comraf.flat import star_of, swept
from coterie.organize.comraf.graph import Edge, Net, Wishes, net_of
from coterie.organize.comraf.inference import Found, Search, State, climb, polished
from coterie.organize.comraf.role import Populations, columns_of
from coterie.organize.comraf.schedule import ready_made
from coterie.organize.comraf.wishes import COUNTED, COUNTS, GRAPH, RULES, WEIGHTS, pairs_asked
from coterie.parts.contingency import Counts

_CELLS = 50_000_000  # counts of everyone apart, members x columns, up to which unions begin there
_LOOKUPS = 1e11  # work of such a search up to which it is chosen
_SWEEPS = 30  # of a flat start

_GROUPS = "How many groups of the members, or a mapping of their name to that."
_FIRST = "Populations clustered before the members, and into how many: {'regions': 200}."
_START = "Everyone apart and unions, one group and splits, or a random deal; auto: the first of these that is not too much work."


@dataclass(frozen=True, slots=True)
class Star:
    """One step of a chain: the population clustered, the tables it is clustered by, and the neighbors whose clusters are used."""

    target: str
    tables: tuple[tuple[str, str], ...]
    clustered: tuple[str, ...] = ()


def as_star_chain(links: Links, order: Sequence[str], graph: Any = None) -> tuple[Star, ...]:
    """A graph of populations as a chain of Comraf*: each population of `order` is clustered in turn, all its neighbors observed.

    A table counts when the later of its two populations is clustered: the earlier one is then observed by its clusters.
    Populations that are not in `order` are observed as they are. A population whose neighbors all come later is clustered by
    them as they are. A name may come twice: the second time all tables to populations clustered by then are used.

    >>> tables = {("members", "regions"): [[1, 0], [0, 1]], ("regions", "colours"): [[3, 0], [0, 2]]}
    >>> for star in as_star_chain(Links.of(tables), ["regions", "members"]):
    ...     print(star)
    Star(target='regions', tables=(('regions', 'colours'),), clustered=())
    Star(target='members', tables=(('members', 'regions'),), clustered=('regions',))
    """
    links = as_view(links, (Links,), "as_star_chain")
    order = [order] if isinstance(order, str) else order
    if not isinstance(order, Sequence) or not all(isinstance(name, str) for name in order):
        raise ParameterError(
            f"order must be names of populations, and was {order!r}.", owner="as_star_chain"
        )
    net, _ = _tied(links, Wishes("as_star_chain", graph, {links.target: 1}), order)
    return tuple(step.star for step in _chain(net, order, "as_star_chain: order"))


def _tied(links: Links, wishes: Wishes, order: Sequence[str]) -> tuple[Net, list[str]]:
    """The net of all tables that anything in `order` is tied to, by others too; and the populations that are then left out."""
    pairs = pairs_asked(links, wishes)
    reached = {links.target, *order}
    for _ in pairs:
        reached |= {name for pair in pairs if reached & set(pair) for name in pair}
    used = [pair for pair in pairs if reached & set(pair)]
    left = list(dict.fromkeys(name for pair in pairs for name in pair if name not in reached))
    return net_of(links, replace(wishes, graph=used or None)), left


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One step as places in the graph, and as a person reads it."""

    node: int
    edges: list[Edge]
    known: frozenset[int]  # nodes that have clusters by then
    star: Star


def _chain(net: Net, order: Sequence[str], what: str) -> list[_Step]:
    steps = list[_Step]()
    known = frozenset[int]()
    names = [node.name for node in net.nodes]
    for name in order:
        if name not in names:
            raise ParameterError(
                f"{what} must name populations of the graph ({', '.join(names)}), and names {name!r}."
            )
        node = names.index(name)
        around = net.around(node)
        ready = [
            edge
            for edge in around
            if edge.across(node) in known or names[edge.across(node)] not in order
        ]
        edges = ready or around
        pairs = tuple((names[edge.ends[0]], names[edge.ends[1]]) for edge in edges)
        clustered = tuple(names[edge.across(node)] for edge in edges if edge.across(node) in known)
        steps.append(_Step(node, edges, known, Star(name, pairs, clustered)))
        known |= {node}
    return steps


class ComrafStar(Populations):
    """Members clustered by all their tables at once, all others observed, as they are or by clusters found first (Comraf*)."""

    n_groups: Any = param(8, _GROUPS, ge=1)
    graph: Any = param(None, GRAPH)
    weights: Any = param("mass", WEIGHTS, choices=RULES)
    first: Any = param(None, _FIRST)
    start: str = param("auto", _START, choices=("auto", "up", "down", "flat"))
    restarts: int = param(
        10,
        "Attempts at every iteration (up, down) or whole attempts (flat); the best is kept.",
        ge=1,
    )
    passes: float = param(2.0, "Passes over the members after each split or union.", gt=0, le=100)
    counts: str = param("occurrences", COUNTS, choices=COUNTED, advanced=True)
    random_state: int | None = param(None, "Seed of orders, splits and starts.")

    chain_: tuple[Star, ...]
    firsts_: dict[str, ComrafStar]

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        return Wishes("ComrafStar", self.graph, self.n_groups, (), self.weights, counts=self.counts)

    def net_for(self, links: Links, hints: Hints | None = None) -> Net:
        """The graph of all steps."""
        return self._whole(links, self._plan(links))[0]

    def groups_of(self, links: Links, seed: int, hints: Hints | None = None) -> np.ndarray:
        """The groups of the members alone, after all steps before."""
        return clone(self).set_params(random_state=seed).fit(links).labels_

    def _whole(self, links: Links, plan: Sequence[tuple[str, int]]) -> tuple[Net, list[str]]:
        wishes = Wishes("ComrafStar", self.graph, dict(plan), (), "one", counts=self.counts)
        return _tied(links, wishes, [name for name, _ in plan])

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Cluster the populations named in `first`, one after the other, then the members."""
        links: Links = self.check(X)
        self.check_hints(hints, len(links))
        plan = self._plan(links)
        whole, left = self._whole(links, plan)
        steps = _chain(whole, [name for name, _ in plan], "ComrafStar: first")
        seed = seed_of(self.random_state)
        self.chain_ = tuple(step.star for step in steps)
        self.firsts_ = {}
        notes = [*whole.notes, *self._unused([*(node.name for node in whole.nodes), *left])]
        known = dict[int, np.ndarray]()
        history = list[tuple[str, int, float]]()
        with steady():
            for at, (step, (name, count)) in enumerate(zip(steps, plan, strict=True)):
                one = self if at == len(steps) - 1 else self._like(count)
                net = star_of(
                    whole,
                    step.node,
                    {n: known[n] for n in step.known},
                    self._step_wishes(at),
                    step.edges,
                )
                net = replace(
                    net, nodes=(replace(net.nodes[0], n_groups=count), *net.nodes[1:]), notes=()
                )
                found = one.search(net, seed if one is self else small_seed(stream(seed, at)))
                notes += one.starting(net)[1]
                history += found.history
                if one is self:
                    self._keep(net, replace(found, history=tuple(history)))
                else:
                    one.learned(net, found, dict(self.firsts_))
                    known[step.node] = one.partition_.labels
                    self.firsts_[name] = one
        self.partitions_ |= {
            name: step.partition_ for name, step in self.firsts_.items() if name != links.target
        }
        self.notes_ = (*notes, *self.notes_)
        return self

    def _unused(self, names: Sequence[str]) -> list[str]:
        used = {name for star in self.chain_ for pair in star.tables for name in pair}
        names = [name for name in names if name not in used]
        return (
            [f"{', '.join(names)}: tied to nothing that is clustered, and not used."]
            if names
            else []
        )

    def starting(self, net: Net) -> tuple[str, list[str]]:
        """Where the search begins, and what there is to say of it."""
        if self.start != "auto":
            return self.start, []
        n = len(net.nodes[0])
        k = net.nodes[0].n_groups or 1
        passes = self.passes
        width = sum(
            int(node.known.max(initial=-1)) + 1 for node in net.nodes[1:] if node.known is not None
        )
        each = self.restarts * sum(
            len(edge.counts.val) for edge in net.edges
        )  # look-ups of one pass for every cluster there is
        if (
            n * width <= _CELLS
            and each * (n * (0.25 + passes) + k * k * (6.0 + 7.5 * passes)) <= _LOOKUPS
        ):
            return "up", []
        finest = 2 ** ceil(log2(k))
        start = (
            "down"
            if each * finest * (2 * passes + (finest - k) * (0.5 + passes)) <= _LOOKUPS
            else "flat"
        )
        how = "from one group by splits" if start == "down" else "from a random deal"
        what = (
            f"{n} {net.nodes[0].name} by {width} columns are too many to begin with everyone apart"
        )
        return start, [f"{what}; the search began {how} (start='{start}')."]

    def search(self, net: Net, seed: int) -> Found:
        """The clusters of the only hidden population."""
        start, _ = self.starting(net)
        if start == "flat":
            return swept(net, self.restarts, _SWEEPS, seed, "ComrafStar")
        net = replace(net, nodes=(replace(net.nodes[0], upward=start == "up"), *net.nodes[1:]))
        found = climb(
            net,
            ready_made(net, 4, 4),
            Search(self.restarts, float(self.passes)),
            seed,
            "ComrafStar",
        )
        return polished(net, found, "raw", seed)

    def learned(self, net: Net, found: Found, firsts: dict[str, ComrafStar]) -> None:
        """Keep what a step before the last needs to place new elements."""
        self.partition_, _ = numbered(found.state.labels[0])
        self.net_ = net
        self.state_ = State((self.partition_.labels, *found.state.labels[1:]), found.state.sizes)
        self.partitions_ = {net.nodes[0].name: self.partition_}
        self.firsts_ = firsts
        self.raw_ = False

    def _plan(self, links: Links) -> list[tuple[str, int]]:
        """All populations that are clustered, in their order, the members last, and into how many."""
        given = () if self.first is None else self.first
        pairs = (
            list(given.items())
            if isinstance(given, Mapping)
            else list(given)
            if isinstance(given, Sequence)
            else [given]
        )
        for pair in pairs:
            if not isinstance(pair, Sequence) or len(pair) != 2 or not isinstance(pair[0], str):
                raise ParameterError(
                    f"first must be a mapping of population to number, as {{'regions': 200}}, and was {self.first!r}.",
                    owner="ComrafStar",
                )
        own = self.n_groups if isinstance(self.n_groups, Mapping) else {links.target: self.n_groups}
        if list(own) != [links.target]:
            raise ParameterError(
                f"n_groups must be a number or name '{links.target}' alone (others are named in first), and was "
                f"{self.n_groups!r}.",
                owner="ComrafStar",
            )
        return [*((name, count) for name, count in pairs), (links.target, own[links.target])]

    def _like(self, n_groups: int) -> ComrafStar:
        return ComrafStar(
            n_groups=n_groups,
            weights=self.weights,
            start=self.start,
            restarts=self.restarts,
            passes=self.passes,
            counts=self.counts,
        )

    def _step_wishes(self, at: int) -> Wishes:
        """The weights of one step are those given for its tables; the last gets those of no step besides, and refuses them."""
        if not isinstance(self.weights, Mapping):
            return self.wishes()
        spelled = [_spellings(star.tables) for star in self.chain_]
        mine = [
            key in spelled[at] or (at + 1 == len(spelled) and not any(key in s for s in spelled))
            for key in self.weights
        ]
        given = {
            key: beta for (key, beta), own in zip(self.weights.items(), mine, strict=True) if own
        }
        return replace(self.wishes(), weights=given)

    def _new_tables(self, links: Links) -> tuple[list[Counts], list[np.ndarray]]:
        """The tables of new members; elements of a population clustered before are placed by their own tables, if any."""
        tables, groups = super()._new_tables(links)
        for at, edge in enumerate(self.net_.edges):
            other = self.net_.nodes[edge.ends[1]].name
            size = self.state_.sizes[edge.ends[1]]
            table = links.between(links.target, other)
            step = self.firsts_.get(other)
            if table is not None and step is not None and step.placeable(links):
                counts = columns_of(table, table.cols, len(links), edge.present)
                tables[at] = _by_cluster(counts, step.predict(replace_target(links, other)), size)
                groups[at] = np.arange(size)
        return tables, groups

    def placeable(self, links: Links) -> bool:
        """Whether these links have a table to place the elements of this step by."""
        name = self.net_.nodes[0].name
        return any(links.between(name, leaf.name) is not None for leaf in self.net_.nodes[1:])


def _spellings(pairs: Sequence[tuple[str, str]]) -> set[Any]:
    return {key for a, b in pairs for key in ((a, b), (b, a), f"{a}-{b}", f"{b}-{a}")}


def _by_cluster(counts: Counts, groups: np.ndarray, k: int) -> Counts:
    """The columns summed by their clusters; those in none are left out."""
    import scipy.sparse as sp

    kept = np.flatnonzero(groups >= 0)
    return Counts.of(
        counts.matrix
        @ sp.csr_array((np.ones(len(kept)), (kept, groups[kept])), shape=(len(groups), k))
    )
