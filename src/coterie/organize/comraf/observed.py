"""What a person knows, in the graph: labels as an observed population, members held together, bonds and starting groups."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.hints import Hints
from coterie.core.links import Cooccurrence, Links
from coterie.core.random import stream
from coterie.messages.notes import Note
from coterie.organize.comraf.graph import Net, empty_rows
from coterie.organize.comraf.inference import Found, objective, rows_of, settled
from coterie.organize.comraf.wishes import Wishes, pairs_asked
from coterie.parts.colored import clique, colored
from coterie.parts.contingency import Counts
from coterie.parts.moves import Bonds, Clusters

LABELS = "labels"
_SWEEPS = 30  # from a coloring, until nobody moves


def told(links: Links, wishes: Wishes, hints: Hints | None) -> tuple[Links, Wishes]:
    """Links and wishes with the labels as one more population, tied to the members and to all that these are tied to.

    A labeled member meets its label once; another population meets a label as often as it occurs in members of that label.
    """
    if hints is None or hints.scheme != "intrinsic" or not len(hints.known):
        return links, wishes
    if len(np.unique(hints.labels[hints.known])) < 2:
        warnings.warn(
            f"{wishes.owner}: all {len(hints.known)} labels are '{hints.names[hints.labels[hints.known[0]]]}', which tells "
            "nothing here; as constraints (scheme='constrained') they keep these members together.",
            UserWarning,
            stacklevel=4,
        )
        return links, wishes
    import scipy.sparse as sp

    name = _free(LABELS, links.populations)
    known = hints.known
    shape = (len(links), len(hints.names))
    own = sp.csr_array(
        (np.ones(len(known), dtype=np.int64), (known, hints.labels[known])), shape=shape
    )
    asked = pairs_asked(links, wishes)
    tables = {(links.target, name): Cooccurrence(own, links.ids[links.target], list(hints.names))}
    for other in dict.fromkeys(
        end for pair in asked if links.target in pair for end in pair if end != links.target
    ):
        table = links.between(links.target, other)
        if table is not None:
            met = sp.csr_array(table.counts.T @ own)
            tables[other, name] = Cooccurrence(met, table.cols, list(hints.names))
    observed = wishes.observed
    if isinstance(observed, Mapping):
        observed = {**observed, name: None}
    else:
        observed = (*([observed] if isinstance(observed, str) else observed or ()), name)
    known_pairs = [
        pair
        for pair in tables
        if pair[0] == links.target or not _is_observed(pair[0], wishes.observed)
    ]
    graph = [*asked, *known_pairs]
    asked_for = replace(
        wishes, graph=graph, observed=observed, labels=name, label_weight=hints.trust
    )
    return Links(
        {**links.tables, **{pair: tables[pair] for pair in known_pairs}}, links.target
    ), asked_for


def _free(name: str, taken: Any) -> str:
    return name if name not in taken else _free(f"given {name}", taken)


def _is_observed(name: str, observed: Any) -> bool:
    return name == observed if isinstance(observed, str) else name in (observed or ())


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The graph in which members that belong together by law are one element, and the element of every member."""

    net: Net
    place: np.ndarray

    def spread(self, found: Found) -> Found:
        """What was found of the elements, for the members."""
        target = self.net.target
        state = found.state.with_node(
            target, found.state.labels[target][self.place], found.state.sizes[target]
        )
        levels = tuple(level[self.place] for level in found.levels)
        return replace(
            found, state=state, levels=levels, runs=tuple(run[self.place] for run in found.runs)
        )


def bound(net: Net, hints: Hints | None, owner: str) -> Held:
    """The graph under these hints; itself where there are none."""
    n = len(net.nodes[net.target])
    if hints is None or not hints:
        return Held(net, np.arange(n))
    law = hints.scheme == "constrained" and np.isinf(hints.trust)
    chunks = (
        hints.chunks(labels=law)
        if np.isinf(hints.pair_weight)
        else _by_label(hints)
        if law
        else np.arange(n)
    )
    tags = None
    if hints.scheme == "constrained":
        tags = np.full(int(chunks.max(initial=-1)) + 1, -1, dtype=np.int64)
        tags[chunks[hints.known]] = hints.labels[hints.known]
    share = 1.0 / n  # of one member, in nats
    pull = (0.0, np.inf) if law else (hints.trust * share, hints.trust * share)
    weight = hints.pair_weight * share
    together = (
        np.zeros((0, 2), dtype=np.int64) if np.isinf(hints.pair_weight) else chunks[hints.together]
    )
    apart = chunks[hints.apart]
    pairs = np.concatenate([together, apart])
    weights = np.concatenate([np.full(len(together), weight), np.full(len(apart), -weight)])
    held = _contracted(net, chunks, owner)
    bonds = Bonds.of(len(held.nodes[held.target]), tags, pull, pairs, weights)
    return Held(
        replace(held, bonds=bonds if bonds else None, seeds=_seeds(net, hints, chunks, owner)),
        chunks,
    )


def _by_label(hints: Hints) -> np.ndarray:
    return replace(hints, together=np.zeros((0, 2), dtype=np.int64)).chunks(labels=True)


def _seeds(net: Net, hints: Hints, chunks: np.ndarray, owner: str) -> np.ndarray | None:
    """The groups elements start in, where labels only say that."""
    if hints.scheme != "seeded" or not len(hints.known):
        return None
    wanted = net.nodes[net.target].n_groups
    if wanted is not None and len(hints.names) > wanted:
        raise DataError(
            f"{len(hints.names)} labels cannot start in {wanted} groups; ask for as many groups.",
            owner=owner,
        )
    seeds = np.full(int(chunks.max(initial=-1)) + 1, -1, dtype=np.int64)
    seeds[chunks[hints.known]] = hints.labels[hints.known]
    return seeds


def _contracted(net: Net, chunks: np.ndarray, owner: str) -> Net:
    """The graph with the members of every chunk as one element, their rows added."""
    import scipy.sparse as sp

    count = int(chunks.max(initial=-1)) + 1
    target = net.target
    node = net.nodes[target]
    if count == len(node):
        return net
    usable = len(np.unique(chunks[~empty_rows(net, target)]))
    if node.n_groups is not None and node.n_groups > usable:
        raise DataError(
            f"{node.n_groups} groups were asked for, and the hints leave {usable} parts that may differ.",
            owner=owner,
        )
    held = sp.csr_array(
        (np.ones(len(chunks)), (chunks, np.arange(len(chunks)))), shape=(count, len(chunks))
    )
    first = np.unique(chunks, return_index=True)[1]
    nodes = list(net.nodes)
    nodes[target] = replace(node, ids=[node.ids[i] for i in first])
    edges = []
    for edge in net.edges:
        if target in edge.ends:
            rows = Counts.of(held @ edge.seen_from(target).matrix)
            sides = (rows, rows.flipped()) if edge.ends[0] == target else (rows.flipped(), rows)
            edge = replace(edge, counts=sides[0], flipped=sides[1])
        edges.append(edge)
    return replace(net, nodes=tuple(nodes), edges=tuple(edges))


def check_feasible(hints: Hints, wanted: int | None, owner: str) -> None:
    """Refuse laws that so few groups cannot keep, before any work, in a sentence that names who is in the way."""
    if wanted is None:
        return
    laws = hints.laws
    if len(np.unique(laws.labels[laws.known])) > wanted:
        raise DataError(
            f"{len(hints.names)} labels must be kept apart, and {_groups(wanted)} asked for; ask for as many "
            "groups, or give labels a weight.",
            owner=owner,
        )
    chunks = laws.chunks(labels=True)
    among = clique(chunks[laws.apart], len(hints))
    if len(among) > wanted:
        first = [hints.called(int(np.argmax(chunks == one))) for one in among]
        raise DataError(
            f"{', '.join(first[:-1])} and {first[-1]} belong apart from each other, which takes {len(among)} groups, "
            f"and {_groups(wanted)} asked for.",
            owner=owner,
        )


def _groups(wanted: int) -> str:
    return f"only {wanted} group{' was' if wanted == 1 else 's were'}"


def mended(held: Held, found: Found, hints: Hints, seed: int, owner: str) -> Found:
    """What was found, with laws kept that unions and moves one by one could not keep: by coloring, then sweeps.

    Every element that a law names gets the best of the clusters that a coloring of the laws leaves it; sweeps from there break
    no law. Where there is no coloring two members that are in the way are named.
    """
    net, target = held.net, held.net.target
    wanted = net.nodes[target].n_groups or found.state.sizes[target]
    labels = found.state.labels[target]
    size = found.state.sizes[target]
    if net.bonds is None or (size <= wanted and np.isfinite(net.bonds.value(labels, size))):
        return found
    order = np.argsort(-np.bincount(labels[labels >= 0], minlength=size), kind="stable")
    rank = np.full(size, -1, dtype=np.int64)
    rank[order[:wanted]] = np.arange(min(wanted, size))
    kept = np.where(labels >= 0, rank[labels], -1)
    state = found.state.with_node(target, kept, wanted)
    rows = rows_of(net, target, state)
    clusters = Clusters(rows, kept, wanted)
    placed = np.where(labels >= 0, clusters.assign(), -1)
    fixed, stuck = colored(net.bonds.laws(), -Clusters(rows, placed, wanted).gains())
    if stuck:
        one, other = (hints.called(int(np.argmax(held.place == at))) for at in (stuck * 2)[:2])
        raise DataError(
            f"{one} and {other} could not be kept apart in {wanted} groups with all that was said; ask for more groups, "
            "or give the pairs a weight.",
            owner=owner,
        )
    first = np.where((fixed >= 0) & (placed >= 0), fixed, placed)
    done, _ = settled(rows, first, wanted, stream(seed, 1 << 24), _SWEEPS, "laws", net.bonds)
    state = state.with_node(target, done, wanted)
    return replace(
        found,
        state=state,
        history=(*found.history, (net.nodes[target].name, wanted, objective(net, state))),
    )


def unkept(hints: Hints, groups: np.ndarray, owner: str) -> list[str]:
    """How many pairs with a weight these groups do not keep, as a note; a broken law is an error."""
    laws = hints.laws
    labels = laws.labels[laws.known]
    own = groups[laws.known]
    pairs = np.unique(np.stack([labels, own], axis=1)[own >= 0], axis=0)
    broken = laws.broken(groups)
    if len(broken) or len(pairs) > len(np.unique(pairs[:, 1])):
        named = [hints.called(int(at)) for at in (broken[0] if len(broken) else laws.known[:2])]
        raise DataError(
            f"{named[0]} and {named[1]} are not grouped as was said, though it is a law; give the hints a weight, or "
            "ask for another number of groups.",
            owner=owner,
        )
    lost = len(hints.broken(groups))
    total = len(hints.together) + len(hints.apart)
    said = Note(f"{lost} of {total} pairs are not kept.", "broken_pairs", count=lost, total=total)
    return [said] if lost else []
