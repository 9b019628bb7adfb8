"""The graph of populations: which are clustered, which are observed, which tables tie them and how much each counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.partition import Partition
from coterie.parts.contingency import Counts, raw_information


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One population: hidden (to be clustered) or observed (its clusters are given: all apart, or known groups)."""

    name: str
    ids: Sequence[str]
    known: np.ndarray | None = None  # clusters of an observed population
    n_groups: int | None = None  # clusters to end with, where they were asked for
    upward: bool = False  # starts with everyone apart and unites; otherwise starts as one and splits

    @property
    def hidden(self) -> bool:
        return self.known is None

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """Two populations that occur together, from both sides, and the weight of their mutual information."""

    ends: tuple[int, int]
    counts: Counts
    flipped: Counts
    beta: float = 1.0

    def seen_from(self, node: int) -> Counts:
        return self.counts if node == self.ends[0] else self.flipped

    def across(self, node: int) -> int:
        return self.ends[1] if node == self.ends[0] else self.ends[0]


@dataclass(frozen=True, slots=True, eq=False)
class Net:
    """Nodes and edges; `target` is the node a person asks about."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    target: int
    notes: tuple[str, ...] = field(default=())

    def around(self, node: int) -> list[Edge]:
        """The edges of a node, in their order."""
        return [edge for edge in self.edges if node in edge.ends]

    @property
    def hidden(self) -> list[int]:
        return [at for at, node in enumerate(self.nodes) if node.hidden]

    def called(self, edge: Edge) -> str:
        """The two names of an edge."""
        return f"{self.nodes[edge.ends[0]].name}-{self.nodes[edge.ends[1]].name}"

    def place(self, name: str) -> int:
        """Where a population stands."""
        return next(at for at, node in enumerate(self.nodes) if node.name == name)


@dataclass(frozen=True, slots=True, eq=False)
class Wishes:
    """What a person says of the graph; the estimator's parameters, in one hand."""

    owner: str
    graph: Any = None
    n_groups: Any = 8
    observed: Any = ()
    weights: Any = "mass"
    upward: Any = None
    reverse: bool = False  # the target splits and all others unite


def net_of(links: Links, wishes: Wishes) -> Net:
    """The graph a person asked for over these links: every table of the target where nothing was said."""
    owner, notes = wishes.owner, list[str]()
    tables = _tables(links, wishes, notes)
    names = list(dict.fromkeys(name for pair in tables for name in pair))
    if links.target not in names:
        raise DataError(f"{owner}: '{links.target}' is tied to nothing: no table with a count is left for it.")
    names = [links.target, *(name for name in names if name != links.target)]
    known = _observed(links, wishes, names)
    counts = _n_groups(wishes, links, names, known)
    upward = _upward(wishes, links.target, names)
    nodes = tuple(Node(name, links.ids[name], known.get(name), counts.get(name), name in upward) for name in names)
    edges, dropped = [], []
    for (one, other), table in tables.items():
        ends = names.index(one), names.index(other)
        if not nodes[ends[0]].hidden and not nodes[ends[1]].hidden:
            dropped.append(f"{one}-{other}")
            continue
        edges.append(Edge(ends, table, table.flipped()))
    if dropped:
        notes.append(f"{', '.join(dropped)}: both sides are observed, so this table can change nothing and is left out.")
    found = Net(nodes, tuple(edges), 0, tuple(notes))
    _check_whole(found, wishes)
    return weighted(found, wishes)


def _tables(links: Links, wishes: Wishes, notes: list[str]) -> dict[tuple[str, str], Counts]:
    """The tables of the edges asked for; one between two helpers that is not there is made over the members of both."""
    found: dict[tuple[str, str], Counts] = {}
    for one, other in _asked(links, wishes):
        table = links.between(one, other)
        counts = Counts.of(over_members(links, one, other, wishes.owner) if table is None else table.counts)
        if counts.total <= 0:
            notes.append(f"{one}-{other} holds no count and was left out.")
        elif min(len(counts), counts.width) < 2:
            notes.append(f"{one}-{other} was left out: a population of one element tells nothing.")
        else:
            found[one, other] = counts
    if not found:
        raise DataError(f"{wishes.owner}: there is no table with a count between '{links.target}' and anything else.")
    return found


def over_members(links: Links, one: str, other: str, owner: str) -> Any:
    """How often two populations meet in the members: the number of members that hold both, counted by occurrence."""
    left, right = links.between(links.target, one), links.between(links.target, other)
    if left is None or right is None:
        raise ParameterError(
            f"{owner}: graph asks for {one}-{other}, and there is no such table, nor one of '{links.target}' with both."
        )
    import scipy.sparse as sp

    sides = [sp.csr_array((np.ones(table.nnz), table.indices, table.indptr), shape=table.shape) for table in (left.counts, right.counts)]
    return sides[0].T @ sides[1]


def _asked(links: Links, wishes: Wishes) -> list[tuple[str, str]]:
    if wishes.graph is None:
        return list(links.tables)
    asked = wishes.graph
    if isinstance(asked, str):
        asked = [part.strip() for part in asked.replace(";", ",").split(",") if part.strip()]
    if not isinstance(asked, Sequence) or not asked:
        raise ParameterError(f"{wishes.owner}: graph must be pairs of populations, such as 'members-words', and was {wishes.graph!r}.")
    pairs = [_pair(part, links.populations, wishes.owner) for part in asked]
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        if frozenset(pair) in seen:
            raise ParameterError(f"{wishes.owner}: graph names {pair[0]}-{pair[1]} twice.")
        seen.add(frozenset(pair))
    return pairs


def _pair(part: Any, known: Sequence[str], owner: str) -> tuple[str, str]:
    """The two populations of 'members-subject words' or ('members', 'subject words')."""
    if not isinstance(part, str):
        ends = [tuple(part)] if isinstance(part, Sequence) and len(part) == 2 else []
    else:
        cuts = [at for at, letter in enumerate(part) if letter == "-"]
        ends = [(part[:at].strip(), part[at + 1 :].strip()) for at in cuts]
    for one, other in ends:
        if one in known and other in known and one != other:
            return one, other
    raise ParameterError(
        f"{owner}: graph must name pairs of {', '.join(known)}, such as '{known[0]}-{known[-1]}', and names {part!r}."
    )


def _observed(links: Links, wishes: Wishes, names: Sequence[str]) -> dict[str, np.ndarray]:
    asked = wishes.observed
    asked = [asked] if isinstance(asked, str) else asked
    given: dict[str, Any] = dict(asked) if isinstance(asked, Mapping) else dict.fromkeys(asked or ())
    found = {}
    for name, groups in given.items():
        if name not in names or name == links.target:
            others = ", ".join(n for n in names if n != links.target)
            raise ParameterError(f"{wishes.owner}: observed must name populations beside the target ({others}), and names '{name}'.")
        size = len(links.ids[name])
        if groups is None:
            found[name] = np.arange(size)
            continue
        known = groups if isinstance(groups, Partition) else Partition.of(groups)
        if len(known) != size:
            raise DataError(f"{wishes.owner}: observed gives {len(known)} groups for the {size} elements of '{name}'.")
        found[name] = known.labels
    return found


def _n_groups(wishes: Wishes, links: Links, names: Sequence[str], known: Mapping[str, Any]) -> dict[str, int]:
    given, owner = wishes.n_groups, wishes.owner
    counts = dict(given) if isinstance(given, Mapping) else {links.target: given}
    for name, count in counts.items():
        if name not in names:
            raise ParameterError(f"{owner}: n_groups names '{name}', and the populations are {', '.join(names)}.")
        if name in known:
            raise ParameterError(f"{owner}: n_groups names '{name}', which is observed and not clustered.")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ParameterError(f"{owner}: n_groups of '{name}' must be a whole number from 1, and was {count!r}.")
        size = len(links.ids[name])
        if count > size:
            raise DataError(f"{owner}: n_groups of '{name}' is {count} and there are only {size} of them.")
    if links.target not in counts:
        raise ParameterError(f"{owner}: n_groups must say how many groups of '{links.target}' there are, and names {', '.join(counts) or 'nothing'}.")
    return {name: int(count) for name, count in counts.items()}


def _upward(wishes: Wishes, target: str, names: Sequence[str]) -> tuple[str, ...]:
    if wishes.upward is None:
        return tuple(name for name in names if name != target) if wishes.reverse else (target,)
    found = (wishes.upward,) if isinstance(wishes.upward, str) else tuple(wishes.upward)
    for name in found:
        if name not in names:
            raise ParameterError(f"{wishes.owner}: upward must name populations ({', '.join(names)}), and names '{name}'.")
    return found


def _check_whole(net: Net, wishes: Wishes) -> None:
    target = net.nodes[net.target].name
    if not net.around(net.target):
        raise DataError(f"{wishes.owner}: '{target}' is tied to nothing: no table with a count is left for it.")
    usable = int((~empty_rows(net, net.target)).sum())
    wanted = net.nodes[net.target].n_groups or 1
    if wanted > usable:
        raise DataError(f"{wishes.owner}: n_groups of '{target}' is {wanted} and only {usable} of them have any count.")


def empty_rows(net: Net, node: int) -> np.ndarray:
    """Which elements of a population meet nothing on any edge."""
    found = np.ones(len(net.nodes[node]), dtype=bool)
    for edge in net.around(node):
        found &= np.diff(edge.seen_from(node).ptr) == 0
    return found


def weighted(net: Net, wishes: Wishes) -> Net:
    """The graph with the weights of its edges: one, mass, raw, cap, or given by name."""
    return Net(net.nodes, tuple(_with_betas(net, wishes)), net.target, net.notes)


def _with_betas(net: Net, wishes: Wishes) -> Iterator[Edge]:
    rule = wishes.weights
    given = _given(net, wishes) if isinstance(rule, Mapping) else {}
    main = max(edge.counts.total for edge in net.around(net.target))
    for edge in net.edges:
        if rule == "mass":
            beta = edge.counts.total / main
        elif rule == "raw":
            beta = 1.0 / max(raw_information(edge.counts), 1e-12)
        elif rule == "cap":
            sizes = [min(net.nodes[end].n_groups or len(net.nodes[end]), len(net.nodes[end])) for end in edge.ends]
            beta = 1.0 / max(np.log(min(sizes)), 1e-12)
        else:
            beta = given.get(net.called(edge), 1.0)
        yield Edge(edge.ends, edge.counts, edge.flipped, float(beta))


def _given(net: Net, wishes: Wishes) -> dict[str, float]:
    names = [node.name for node in net.nodes]
    edges = {frozenset(names[end] for end in edge.ends): net.called(edge) for edge in net.edges}
    found = {}
    for key, beta in wishes.weights.items():
        pair = _pair(key, names, wishes.owner)
        if frozenset(pair) not in edges:
            raise ParameterError(f"{wishes.owner}: weights names {pair[0]}-{pair[1]}, which is no edge of the net.")
        if not np.isfinite(beta) or beta < 0:
            raise ParameterError(f"{wishes.owner}: the weight of {pair[0]}-{pair[1]} must be a number from 0, and was {beta!r}.")
        found[edges[frozenset(pair)]] = float(beta)
    return found
