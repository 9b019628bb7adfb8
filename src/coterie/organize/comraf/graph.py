"""The graph of populations: which are clustered, which are observed, which tables tie them and how much each counts."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.params import shown
from coterie.core.workplace import fits
from coterie.organize.comraf.wishes import (
    RULES,
    groups_asked,
    observed_groups,
    pair_named,
    pairs_asked,
    starts_apart,
)
from coterie.organize.comraf.wishes import Wishes as Wishes
from coterie.parts.contingency import Counts, raw_information
from coterie.parts.moves import Bonds

_NOTHING = 1e-12  # nats below which a table holds no information


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One population: hidden (to be clustered) or observed (its clusters are given: all apart, or known groups)."""

    name: str
    ids: Sequence[str]
    known: np.ndarray | None = None  # clusters of an observed population
    n_groups: int | None = None  # clusters to end with, where they were asked for
    upward: bool = (
        False  # starts with everyone apart and unites; otherwise starts as one and splits
    )
    told: bool = False  # labels that a person gave

    @property
    def hidden(self) -> bool:
        return self.known is None

    @property
    def most(self) -> int:
        """The most clusters it can end with."""
        if self.known is not None:
            return int(self.known.max(initial=-1)) + 1
        return min(self.n_groups or len(self), len(self))

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """Two populations that occur together, from both sides, and the weight of their mutual information."""

    ends: tuple[int, int]
    counts: Counts
    flipped: Counts
    beta: float = 1.0
    present: bool = False  # whether counts were taken as there or not

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
    bonds: Bonds | None = None  # what elements of the target owe each other
    seeds: np.ndarray | None = None  # groups some elements of the target start in (-1: none)

    def bonds_of(self, node: int) -> Bonds | None:
        """What the elements of a population owe each other; only those of the target do."""
        return self.bonds if node == self.target else None

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

    def components(self) -> list[list[int]]:
        """Nodes that are tied, directly or by others; the part of the target first."""
        part = list(range(len(self.nodes)))
        for edge in self.edges:
            one, other = (part[end] for end in edge.ends)
            part = [min(one, other) if p in (one, other) else p for p in part]
        first = part[self.target]
        order = sorted(set(part), key=lambda p: (p != first, p))
        return [[at for at, p in enumerate(part) if p == wanted] for wanted in order]


def net_of(links: Links, wishes: Wishes) -> Net:
    """The graph a person asked for over these links: every table there is where nothing was said."""
    owner = wishes.owner
    target = links.target
    notes = list[str]()
    pairs = pairs_asked(links, wishes)
    all_names = list(dict.fromkeys(name for pair in pairs for name in pair))
    known = observed_groups(links, wishes, all_names)
    given = {pair: _counts(links, pair, known, owner) for pair in pairs}
    tables = {
        pair: counts.presence() if wishes.present(counts) else counts
        for pair, counts in given.items()
    }
    tables = _useful(tables, links, known, wishes, notes)
    names = [target, *dict.fromkeys(name for pair in tables for name in pair if name != target)]
    gone = set(all_names) - set(names)
    for name in names:
        _once_each(links.ids[name], name, owner)
    counts = groups_asked(wishes, target, names, gone, known)
    upward = starts_apart(wishes, target, names, gone)
    nodes = tuple(
        Node(
            name,
            links.ids[name],
            known.get(name),
            counts.get(name),
            name in upward,
            name == wishes.labels,
        )
        for name in names
    )
    edges = tuple(
        Edge(
            (names.index(one), names.index(other)),
            table,
            table.flipped(),
            present=wishes.present(given[one, other]),
        )
        for (one, other), table in tables.items()
    )
    net = _apart(Net(nodes, edges, 0), wishes, notes)
    _enough(net, owner)
    dropped = {frozenset(pair) for pair in pairs if pair not in tables}
    return weighted(replace(net, notes=tuple(notes)), wishes, dropped)


def _counts(
    links: Links, pair: tuple[str, str], known: Mapping[str, np.ndarray], owner: str
) -> Counts:
    """The table of an edge (one between two helpers that is not there is made over the members); without those in no group."""
    table = links.between(*pair)
    matrix = over_members(links, *pair, owner) if table is None else table.counts
    for side, name in enumerate(pair):
        if name in known and (known[name] < 0).any():
            import scipy.sparse as sp

            inside = sp.diags_array((known[name] >= 0).astype(np.float64))
            matrix = inside @ matrix if side == 0 else matrix @ inside
    return Counts.of(matrix)


def _useful(
    tables: Mapping[tuple[str, str], Counts],
    links: Links,
    known: Mapping[str, Any],
    wishes: Wishes,
    notes: list[str],
) -> dict[tuple[str, str], Counts]:
    """The tables that can change anything; what is left out is said."""
    owner = wishes.owner
    target = links.target
    found = dict[tuple[str, str], Counts]()
    if len(links) < 2:
        raise DataError(f"there is only one of '{target}', and nothing to group.", owner=owner)
    for (one, other), counts in tables.items():
        if counts.total <= 0:
            _caution(owner, f"{one}-{other} holds no count and was left out.", notes)
        elif min(len(counts), counts.width) < 2:
            _caution(
                owner,
                f"{one}-{other} was left out: a population of one element tells nothing.",
                notes,
            )
        elif one in known and other in known:
            _caution(
                owner,
                f"{one}-{other}: both sides are observed, so this table can change nothing and is left out.",
                notes,
            )
        else:
            found[one, other] = counts
            if not counts.whole:
                notes.append(
                    f"{one}-{other} holds numbers that are not whole; they count as weights, and nothing is rounded."
                )
    if not any(target in pair for pair in found):
        raise DataError(
            f"'{target}' is tied to nothing: no table with a count is left for it.", owner=owner
        )
    return found


def _caution(owner: str, sentence: str, notes: list[str]) -> None:
    """A note the person should see at once."""
    notes.append(sentence)
    warnings.warn(f"{owner}: {sentence}", UserWarning, stacklevel=4)


def _once_each(ids: Sequence[str], name: str, owner: str) -> None:
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        twice = next(i for i in ids if i in seen or seen.add(i))  # type: ignore[func-returns-value]
        raise DataError(
            f"two elements of '{name}' have the id '{twice}'; every id must be there once.",
            owner=owner,
        )


def _apart(net: Net, wishes: Wishes, notes: list[str]) -> Net:
    """Populations that nothing ties to the target are clustered by themselves, and one of them starts apart."""
    nodes = list(net.nodes)
    for part in net.components()[1:]:
        names = ", ".join(f"'{nodes[at].name}'" for at in part)
        _caution(
            wishes.owner,
            f"{names}: no table ties them to '{nodes[net.target].name}', and they are clustered by themselves.",
            notes,
        )
        if wishes.upward is None and not any(
            nodes[at].upward or not nodes[at].hidden for at in part
        ):
            first = min(part, key=lambda at: (nodes[at].n_groups is None, at))
            nodes[first] = replace(nodes[first], upward=True)
    return replace(net, nodes=tuple(nodes))


def _enough(net: Net, owner: str) -> None:
    """No population may be asked for more groups than it has elements that meet anything."""
    for at, node in enumerate(net.nodes):
        if node.n_groups is None or not node.hidden:
            continue
        if node.n_groups > len(node):
            raise DataError(
                f"n_groups of '{node.name}' is {node.n_groups} and there are only {len(node)} of them.",
                owner=owner,
            )
        usable = int((~empty_rows(net, at)).sum())
        if node.n_groups > usable:
            raise DataError(
                f"n_groups of '{node.name}' is {node.n_groups} and only {usable} of them have any count.",
                owner=owner,
            )


def over_members(links: Links, one: str, other: str, owner: str) -> Any:
    """How often two populations meet: the number of members that hold both."""
    left = links.between(links.target, one)
    right = links.between(links.target, other)
    if left is None or right is None:
        raise ParameterError(
            f"graph asks for {one}-{other}, and there is no such table, nor one of '{links.target}' with both.",
            owner=owner,
        )
    held = [np.diff(table.counts.indptr).astype(np.float64) for table in (left, right)]
    fits(
        int(min(held[0] @ held[1], float(len(left.cols)) * len(right.cols))) * 12,
        f"The table of {one} and {other}",
    )
    sides = [(table.counts > 0).astype(np.float64) for table in (left, right)]
    return sides[0].T @ sides[1]


def empty_rows(net: Net, node: int) -> np.ndarray:
    """Which elements of a population meet nothing on any edge."""
    found = np.ones(len(net.nodes[node]), dtype=bool)
    for edge in net.around(node):
        found &= np.diff(edge.seen_from(node).ptr) == 0
    return found


def weighted(net: Net, wishes: Wishes, dropped: Collection[frozenset[str]] = ()) -> Net:
    """The graph with the weights of its edges: mass, root, one, raw, cap, or given by name (edges that were left out aside)."""
    rule = wishes.weights
    if not isinstance(rule, Mapping) and not (isinstance(rule, str) and rule in RULES):
        raise ParameterError(
            f"{wishes.owner}: weights must be {' | '.join(RULES)} or a mapping of pair to number, and was {shown(rule)}."
        )
    return replace(net, edges=tuple(_with_betas(net, wishes, dropped)))


def _with_betas(net: Net, wishes: Wishes, dropped: Collection[frozenset[str]]) -> Iterator[Edge]:
    rule = wishes.weights
    given = _given(net, wishes, dropped) if isinstance(rule, Mapping) else {}
    main = main_table(net)
    for edge in net.edges:
        if any(net.nodes[end].told for end in edge.ends) and net.called(edge) not in given:
            yield replace(
                edge,
                beta=float(wishes.label_weight * _beta(net, main, rule, given, main.counts.total)),
            )
        else:
            yield replace(edge, beta=float(_beta(net, edge, rule, given, main.counts.total)))


def _beta(net: Net, edge: Edge, rule: Any, given: Mapping[str, float], main: float) -> float:
    """The weight of one edge by a rule, or as given."""
    if rule == "mass":
        return _of_mass(net, edge, edge.counts.total / main)
    if rule == "root":
        return _of_mass(net, edge, float(np.sqrt(edge.counts.total / main)))
    if rule == "raw":
        raw = raw_information(edge.counts)
        return 1.0 / raw if raw > _NOTHING else 0.0
    if rule == "cap":
        sizes = [net.nodes[end].most for end in edge.ends]
        return 1.0 / float(np.log(min(sizes))) if min(sizes) > 1 else 0.0
    return given.get(net.called(edge), 1.0)


def _of_mass(net: Net, edge: Edge, share: float) -> float:
    """At most one for a table of the target: pixels would outweigh all words; tables of two helpers are there to be heard."""
    return min(1.0, share) if net.target in edge.ends else share


def main_table(net: Net) -> Edge:
    """The table of the target that others are weighed against: the largest in which most of what is there is there once.

    Tables of words, people and tags are such; those of pixels are not, and count only where there is no other.
    """
    around = net.around(net.target)
    around = [edge for edge in around if not net.nodes[edge.across(net.target)].told] or around
    return max(
        [edge for edge in around if edge.counts.single] or around,
        key=lambda edge: edge.counts.total,
    )


def _given(net: Net, wishes: Wishes, dropped: Collection[frozenset[str]]) -> dict[str, float]:
    names = [node.name for node in net.nodes]
    edges = {frozenset(names[end] for end in edge.ends): net.called(edge) for edge in net.edges}
    known = list(dict.fromkeys([*names, *(name for pair in dropped for name in sorted(pair))]))
    found = {}
    for key, beta in wishes.weights.items():
        pair = pair_named(key, known, "weights", wishes.owner)
        if frozenset(pair) not in edges and frozenset(pair) not in dropped:
            raise ParameterError(
                f"{wishes.owner}: weights names {pair[0]}-{pair[1]}, which is no edge of the graph."
            )
        number = isinstance(beta, (int, float, np.number)) and not isinstance(beta, bool)
        if not number or not 0 <= float(beta) < np.inf:
            raise ParameterError(
                f"{wishes.owner}: the weight of {pair[0]}-{pair[1]} must be a number from 0, and was {beta!r}."
            )
        if edges.get(frozenset(pair)) in found:
            raise ParameterError(f"{wishes.owner}: weights names {pair[0]}-{pair[1]} twice.")
        if frozenset(pair) in edges:
            found[edges[frozenset(pair)]] = float(beta)
    return found
