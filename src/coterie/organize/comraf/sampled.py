"""Large collections: the schedule on a random part of the members, everyone else placed by the same objective, then sweeps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from coterie.core.random import stream
from coterie.core.workplace import once, stage, watched, workplace
from coterie.organize.comraf.consensus import repeated
from coterie.organize.comraf.graph import Net, empty_rows
from coterie.organize.comraf.inference import Found, Search, State, objective, rows_of
from coterie.organize.comraf.schedule import ready_made
from coterie.parts.contingency import Counts
from coterie.parts.moves import Clusters

_SWEEPS = 2  # passes over every population when all members are there


def sampled(net: Net, size: int, search: Search, runs: int, seed: int, owner: str) -> Found:
    """The ready-made schedule on `size` members, the others placed where the objective is highest, and passes over everyone."""
    target = net.target
    usable = np.flatnonzero(~empty_rows(net, target))
    chosen = np.sort(stream(seed, 1 << 21).choice(usable, min(size, len(usable)), replace=False))
    chosen = np.union1d(chosen, np.intersect1d(usable, _told(net)))
    part = _part(net, chosen)
    found = repeated(part, ready_made(part, 4, 4), search, runs, seed, owner)
    here = workplace()
    state = _everyone(net, part, chosen, found.state)
    history = list(found.history)
    others = [node for node in net.hidden if node != target]
    with (
        watched(here.watch, f"{owner}, everyone", _SWEEPS * len(net.hidden)) as task,
        stage(f"{owner}-everyone"),
    ):
        for round_ in range(_SWEEPS):
            for node in (*others, target):
                swept = once("sweep", partial(_swept, net, node, state, seed, round_))
                state = state.with_node(node, swept["labels"], state.sizes[node])
                history.append((net.nodes[node].name, state.sizes[node], objective(net, state)))
                here.watch.measure(owner, len(history), history[-1][2])
                task.advance()
                here.stop_if_asked()
    return Found(state, tuple(history))


def _part(net: Net, chosen: np.ndarray) -> Net:
    """The graph with these members only."""
    target = net.target
    nodes = list(net.nodes)
    nodes[target] = replace(nodes[target], ids=[nodes[target].ids[i] for i in chosen])
    edges = []
    for edge in net.edges:
        if target in edge.ends:
            rows = Counts.of(edge.seen_from(target).matrix[chosen])
            sides = (rows, rows.flipped()) if edge.ends[0] == target else (rows.flipped(), rows)
            edge = replace(edge, counts=sides[0], flipped=sides[1])
        edges.append(edge)
    bonds = None if net.bonds is None else net.bonds.take(chosen)
    seeds = None if net.seeds is None else net.seeds[chosen]
    return replace(net, nodes=tuple(nodes), edges=tuple(edges), bonds=bonds, seeds=seeds)


def _told(net: Net) -> np.ndarray:
    """The members a person said anything of, who are never left out."""
    found = [] if net.bonds is None else [net.bonds.touched]
    found += [] if net.seeds is None else [np.flatnonzero(net.seeds >= 0)]
    for edge in net.around(net.target):
        if net.nodes[edge.across(net.target)].told:
            found.append(np.flatnonzero(np.diff(edge.seen_from(net.target).ptr) > 0))
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _everyone(net: Net, part: Net, chosen: np.ndarray, state: State) -> State:
    """The state with all members placed by the clusters of the sample."""
    target = net.target
    labels = np.full(len(net.nodes[target]), -1, dtype=np.int64)
    labels[chosen] = state.labels[target]
    clusters = Clusters(rows_of(part, target, state), state.labels[target], state.sizes[target])
    return state.with_node(
        target, clusters.assign(rows_of(net, target, state), labels), state.sizes[target]
    )


def _swept(net: Net, node: int, state: State, seed: int, round_: int) -> dict[str, np.ndarray]:
    """One pass over a population, those that had no cluster yet placed first."""
    rows = rows_of(net, node, state)
    labels = Clusters(rows, state.labels[node], state.sizes[node]).assign()
    clusters = Clusters(rows, labels, state.sizes[node], net.bonds_of(node))
    clusters.sweep(stream(seed, 1 << 21, round_, node))
    return {"labels": clusters.labels}
