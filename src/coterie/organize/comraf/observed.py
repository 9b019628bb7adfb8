"""What a person knows, in the graph: labels as an observed population, members held together, bonds and starting groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie.core.cooccurrence import Cooccurrence
from coterie.core.errors import DataError
from coterie.core.hints import Hints
from coterie.core.links import Links
from coterie.organize.comraf.graph import Net
from coterie.organize.comraf.inference import Found
from coterie.organize.comraf.wishes import Wishes, pairs_asked
from coterie.parts.bonds import Bonds
from coterie.parts.contingency import Counts

LABELS = "labels"


def told(links: Links, wishes: Wishes, hints: Hints | None) -> tuple[Links, Wishes]:
    """Links and wishes with the labels as one more population, tied to the members and to all that these are tied to.

    A labeled member meets its label once; another population meets a label as often as it occurs in members of that label.
    """
    if hints is None or hints.scheme != "intrinsic" or not len(hints.known):
        return links, wishes
    import scipy.sparse as sp

    name, known = _free(LABELS, links.populations), hints.known
    shape = (len(links), len(hints.names))
    own = sp.csr_array((np.ones(len(known), dtype=np.int64), (known, hints.labels[known])), shape=shape)
    asked = pairs_asked(links, wishes)
    tables = {(links.target, name): Cooccurrence(own, links.ids[links.target], list(hints.names))}
    for other in dict.fromkeys(end for pair in asked if links.target in pair for end in pair if end != links.target):
        table = links.between(links.target, other)
        if table is not None:
            met = sp.csr_array(table.counts.T @ own)
            tables[other, name] = Cooccurrence(met, table.cols, list(hints.names))
    observed = wishes.observed
    if isinstance(observed, Mapping):
        observed = {**observed, name: None}
    else:
        observed = (*([observed] if isinstance(observed, str) else observed or ()), name)
    known_pairs = [pair for pair in tables if pair[0] == links.target or not _is_observed(pair[0], wishes.observed)]
    graph = [*asked, *known_pairs]
    asked_for = replace(wishes, graph=graph, observed=observed, labels=name, label_weight=hints.trust)
    return Links({**links.tables, **{pair: tables[pair] for pair in known_pairs}}, links.target), asked_for


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
        state = found.state.with_node(target, found.state.labels[target][self.place], found.state.sizes[target])
        levels = tuple(level[self.place] for level in found.levels)
        return replace(found, state=state, levels=levels, runs=tuple(run[self.place] for run in found.runs))


def bound(net: Net, hints: Hints | None, owner: str) -> Held:
    """The graph under these hints; itself where there are none."""
    n = len(net.nodes[net.target])
    if hints is None or not hints:
        return Held(net, np.arange(n))
    law = hints.scheme == "constrained" and np.isinf(hints.trust)
    chunks = hints.chunks(labels=law) if np.isinf(hints.pair_weight) else _by_label(hints) if law else np.arange(n)
    tags = None
    if hints.scheme == "constrained":
        tags = np.full(int(chunks.max(initial=-1)) + 1, -1, dtype=np.int64)
        tags[chunks[hints.known]] = hints.labels[hints.known]
    share = 1.0 / n  # of one member, in nats
    pull = (0.0, np.inf) if law else (hints.trust * share, hints.trust * share)
    weight = hints.pair_weight * share
    together = np.zeros((0, 2), dtype=np.int64) if np.isinf(hints.pair_weight) else chunks[hints.together]
    apart = chunks[hints.apart]
    pairs = np.concatenate([together, apart])
    weights = np.concatenate([np.full(len(together), weight), np.full(len(apart), -weight)])
    held = _contracted(net, chunks, owner)
    bonds = Bonds.of(len(held.nodes[held.target]), tags, pull, pairs, weights)
    return Held(replace(held, bonds=bonds if bonds else None, seeds=_seeds(net, hints, chunks, owner)), chunks)


def _by_label(hints: Hints) -> np.ndarray:
    return replace(hints, together=np.zeros((0, 2), dtype=np.int64)).chunks(labels=True)


def _seeds(net: Net, hints: Hints, chunks: np.ndarray, owner: str) -> np.ndarray | None:
    """The groups elements start in, where labels only say that."""
    if hints.scheme != "seeded" or not len(hints.known):
        return None
    wanted = net.nodes[net.target].n_groups
    if wanted is not None and len(hints.names) > wanted:
        raise DataError(f"{owner}: {len(hints.names)} labels cannot start in {wanted} groups; ask for as many groups.")
    seeds = np.full(int(chunks.max(initial=-1)) + 1, -1, dtype=np.int64)
    seeds[chunks[hints.known]] = hints.labels[hints.known]
    return seeds


def _contracted(net: Net, chunks: np.ndarray, owner: str) -> Net:
    """The graph with the members of every chunk as one element, their rows added."""
    import scipy.sparse as sp

    count, target = int(chunks.max(initial=-1)) + 1, net.target
    node = net.nodes[target]
    if count == len(node):
        return net
    if node.n_groups is not None and node.n_groups > count:
        raise DataError(f"{owner}: {node.n_groups} groups were asked for, and the hints leave {count} parts that may differ.")
    held = sp.csr_array((np.ones(len(chunks)), (chunks, np.arange(len(chunks)))), shape=(count, len(chunks)))
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
    """Refuse laws that so few groups cannot keep, before any work."""
    if hints.scheme == "constrained" and np.isinf(hints.trust) and wanted is not None and len(hints.names) > wanted:
        raise DataError(
            f"{owner}: {len(hints.names)} labels must be kept apart, and only {wanted} groups were asked for; ask for as many "
            "groups, or give labels a weight."
        )


def unkept(hints: Hints, groups: np.ndarray, owner: str) -> list[str]:
    """What these groups do not keep, as notes; a broken law is an error."""
    broken = hints.broken(groups)
    mixed = 0
    if hints.scheme == "constrained" and np.isinf(hints.trust):
        labels, own = hints.labels[hints.known], groups[hints.known]
        pairs = np.unique(np.stack([labels, own], axis=1)[own >= 0], axis=0)
        mixed = len(pairs) - len(np.unique(pairs[:, 1]))
    if mixed or (len(broken) and np.isinf(hints.pair_weight)):
        one, other = broken[0] if len(broken) else (-1, -1)
        what = f"members {one} and {other}" if one >= 0 else "members of different labels"
        many = int(groups.max(initial=-1)) + 1
        raise DataError(
            f"{owner}: {what} are not as the hints say, though these are laws: {many} groups could not keep them; ask for more "
            "groups, or give the hints a weight."
        )
    total = len(hints.together) + len(hints.apart)
    return [f"{len(broken)} of {total} pairs are not kept."] if len(broken) else []
