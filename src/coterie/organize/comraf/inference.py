"""Inference: one population at a time against all its edges (ICM), or one edge at a time (clique-wise), with restarts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from coterie.core.random import small_seed, stream
from coterie.core.workplace import fits, once, stage, watched, workplace
from coterie.organize.comraf.graph import Edge, Net, empty_rows, main_table
from coterie.organize.comraf.schedule import Step
from coterie.parts.contingency import information, united
from coterie.parts.iterate import best_of, iterate
from coterie.parts.moves import Bonds, Clusters, Rows, dealt, halved

_ENOUGH = 0.001  # polish ends when fewer elements than this share move
_ROUNDS = 10  # rounds of polish
_RAW = 30  # sweeps of the raw polish
_LEVELS = 1024  # clusters from which down those on the way to the last are kept


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The clusters of every population."""

    labels: tuple[np.ndarray, ...]
    sizes: tuple[int, ...]  # number of clusters

    def with_node(self, node: int, labels: np.ndarray, size: int) -> State:
        """The same with other clusters of one population."""
        found = list(self.labels)
        sizes = list(self.sizes)
        found[node] = labels
        sizes[node] = size
        return State(tuple(found), tuple(sizes))


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How the clusters of one population are improved."""

    restarts: int = 10
    passes: float = 2.0
    optimize: str = "sequential"  # passes over all elements, single trials (shuffled), or passes over shards (sharded)
    trials: int | None = None  # of the shuffled search; passes * elements * clusters when left out
    balance: float = 0.0
    anneal: float = (
        1.0  # weight of the edges beside the main one at the first step, as a multiple of the last
    )


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a search ended: the clusters, the objective after every iteration, and the target's clusters on the way down."""

    state: State
    history: tuple[tuple[str, int, float], ...]  # population, its number of clusters, objective
    levels: tuple[np.ndarray, ...] = field(
        default=()
    )  # clusters of the target, one union after the other
    runs: tuple[np.ndarray, ...] = field(
        default=()
    )  # clusters of the target in each of several independent runs


def started(net: Net) -> State:
    """Everyone apart where a population unites, all together where it splits, known groups where it is observed."""
    labels = []
    sizes = []
    for at, node in enumerate(net.nodes):
        if node.known is not None:
            labels.append(np.asarray(node.known, dtype=np.int64))
            sizes.append(int(node.known.max(initial=-1)) + 1)
            continue
        empty = empty_rows(net, at)
        own = np.cumsum(~empty) - 1 if node.upward else np.zeros(len(node), dtype=np.int64)
        if at == net.target and net.seeds is not None and node.upward:
            first = np.where(net.seeds >= 0, len(node) + net.seeds, np.arange(len(node)))
            own[~empty] = np.unique(first[~empty], return_inverse=True)[1]
        labels.append(np.where(empty, -1, own).astype(np.int64))
        sizes.append(int(own[~empty].max(initial=-1)) + 1 if node.upward else 1)
    return State(tuple(labels), tuple(sizes))


def clusters_of(net: Net, node: int, state: State, edges: Sequence[Edge] | None = None) -> Clusters:
    """The elements of a population in their clusters, with what they owe each other."""
    return Clusters(
        rows_of(net, node, state, edges), state.labels[node], state.sizes[node], net.bonds_of(node)
    )


def informations(net: Net, state: State) -> np.ndarray:
    """The mutual information of every edge."""
    found = []
    for edge in net.edges:
        found.append(information(table_of(edge, state)))
    return np.array(found)


def table_of(edge: Edge, state: State) -> np.ndarray:
    """Clusters x clusters of the two ends of an edge."""
    one, other = edge.ends
    return united(
        edge.counts, state.labels[one], state.sizes[one], state.labels[other], state.sizes[other]
    )


def objective(net: Net, state: State) -> float:
    """The sum over the edges of weight times mutual information."""
    return float(informations(net, state) @ np.array([edge.beta for edge in net.edges]))


def worth(net: Net, state: State) -> float:
    """The objective and what the bonds of the target add; minus infinity where a law is broken."""
    owed = (
        0.0
        if net.bonds is None
        else net.bonds.value(state.labels[net.target], state.sizes[net.target])
    )
    return objective(net, state) + owed


def rows_of(net: Net, node: int, state: State, edges: Sequence[Edge] | None = None) -> Rows:
    """The elements of a population against the clusters of its neighbors."""
    around = net.around(node) if edges is None else edges
    across = [edge.across(node) for edge in around]
    return Rows.of(
        [edge.seen_from(node) for edge in around],
        [state.labels[other] for other in across],
        [state.sizes[other] for other in across],
        [edge.beta for edge in around],
    )


def climb(net: Net, schedule: Sequence[Step], search: Search, seed: int, owner: str) -> Found:
    """Iterated conditional modes over a schedule; each iteration is tried `restarts` times and kept when it is done."""
    state = started(net)
    history = list[tuple[str, int, float]]()
    levels = list[np.ndarray]()
    here = workplace()
    with watched(here.watch, owner, len(schedule)) as task, stage(owner):
        for at, step in enumerate(schedule):
            eased = _eased(
                net, search.anneal, at / (len(schedule) - 1) if len(schedule) > 1 else 1.0
            )
            found = once("iteration", partial(_iteration, eased, state, step, search, seed, at))
            state = state.with_node(step.node, found["labels"], int(found["size"]))
            value = objective(net, state)
            history.append((net.nodes[step.node].name, state.sizes[step.node], value))
            if step.exhaustive and step.node == net.target:
                levels = list(found["levels"])
            here.watch.measure(owner, at + 1, value)
            task.advance()
            here.stop_if_asked()
    return Found(state, tuple(history), tuple(levels))


def _eased(net: Net, anneal: float, share: float) -> Net:
    """The edges beside the main one with a weight on the way from `anneal` times theirs to theirs."""
    if anneal == 1.0:
        return net
    main = main_table(net)
    factor = anneal ** (1.0 - share)
    edges = tuple(
        edge if edge is main else replace(edge, beta=edge.beta * factor) for edge in net.edges
    )
    return replace(net, edges=edges)


def _iteration(
    net: Net, state: State, step: Step, search: Search, seed: int, at: int
) -> dict[str, np.ndarray]:
    """The best of several attempts from the same state."""
    rows = rows_of(net, step.node, state)
    labels = state.labels[step.node]
    size = state.sizes[step.node]
    cells = (
        int(rows.starts[-1])
        * (size if net.nodes[step.node].upward else 2 * size)
        * rows.vals.itemsize
    )
    fits(
        min(workplace().workers, search.restarts) * 7 * cells,
        f"The counts of {size} clusters by {int(rows.starts[-1])} columns",
        "cluster its neighbors too",
    )

    def attempt(generator: np.random.Generator) -> tuple[float, dict[str, np.ndarray]]:
        if step.exhaustive:
            return _brought(net, rows, labels, size, step.node, search, generator)
        return _halfway(net, rows, labels, size, step.node, search, generator)

    _, found = best_of(
        attempt,
        search.restarts,
        random_state=small_seed(stream(seed, at)),
        label="",
        prefer="higher",
    )
    return found


def _halfway(
    net: Net,
    rows: Rows,
    labels: np.ndarray,
    size: int,
    node: int,
    search: Search,
    generator: np.random.Generator,
) -> tuple[float, dict[str, np.ndarray]]:
    """Every cluster split, or united with its closest peer; then the elements move."""
    wanted = net.nodes[node].n_groups
    taking = _taking(labels, size, search.balance, net.nodes[node].upward, generator)
    if net.nodes[node].upward:
        labels = Clusters(rows, labels, size, net.bonds_of(node)).pair(
            generator, wanted or 1, taking
        )
        size = int(labels.max(initial=-1)) + 1
    else:
        most = (
            len(labels)
            if wanted is None
            else 2 ** int(np.ceil(np.log2(wanted)))
            if node == net.target
            else wanted
        )
        labels, size = halved(labels, size, most, generator, taking)
    clusters = Clusters(rows, labels, size, net.bonds_of(node))
    improve(clusters, search, generator)
    return clusters.value(), {"labels": clusters.labels, "size": np.array(clusters.k)}


def _taking(
    labels: np.ndarray, size: int, balance: float, upward: bool, generator: np.random.Generator
) -> np.ndarray | None:
    """Which clusters take part: large ones less often in unions, small ones less often in splits."""
    if not balance:
        return None
    counts = np.bincount(labels[labels >= 0], minlength=size)
    share = counts / counts.mean()
    chance = np.minimum(1.0, (1.0 / np.maximum(share, 1e-12) if upward else share) ** balance)
    return generator.random(size) < chance


def _brought(
    net: Net,
    rows: Rows,
    labels: np.ndarray,
    size: int,
    node: int,
    search: Search,
    generator: np.random.Generator,
) -> tuple[float, dict[str, np.ndarray]]:
    """One union at a time, the cheapest, with moves after each, down to the number of groups asked for."""
    clusters = Clusters(rows, labels, size, net.bonds_of(node))
    wanted = net.nodes[node].n_groups or size
    while clusters.k < wanted:  # clusters of one could not split
        new, k = halved(clusters.labels, clusters.k, wanted, generator)
        if k == clusters.k:
            break
        clusters = Clusters(rows, new, k, net.bonds_of(node))
        improve(clusters, search, generator)
    if clusters.k == wanted == size:
        improve(clusters, search, generator)
    levels = [clusters.labels.copy()]
    while clusters.k > wanted:
        if clusters.unite()[2] == np.inf:  # laws stand in the way of every union
            break
        improve(clusters, search, generator)
        levels = [*(levels if clusters.k < _LEVELS else ()), clusters.labels.copy()]
    return clusters.value(), {
        "labels": clusters.labels,
        "size": np.array(clusters.k),
        "levels": np.array(levels, dtype=np.int32),
    }


def improve(clusters: Clusters, search: Search, generator: np.random.Generator) -> None:
    """The local search: passes over all elements one after the other or in shards, or single trials."""
    if search.optimize == "shuffled":
        trials = search.trials or int(search.passes * len(clusters.labels) * clusters.k)
        clusters.shuffle(generator, trials)
    elif search.optimize == "sharded":
        clusters.shards(generator, search.passes)
    else:
        clusters.sweep(generator, search.passes)


def cliquewise(net: Net, search: Search, rounds: int, seed: int, owner: str) -> Found:
    """Flat random clusters, then one edge after the other: a pass over each hidden end for that edge alone."""

    def attempt(
        generator: np.random.Generator,
    ) -> tuple[float, tuple[State, list[tuple[str, int, float]]]]:
        state = flat(net, generator)
        history = list[tuple[str, int, float]]()
        for _ in range(rounds):
            moved = 0
            for edge in net.edges:
                for node in edge.ends:
                    if net.nodes[node].hidden:
                        clusters = clusters_of(net, node, state, [edge])
                        moved += clusters.sweep(generator)
                        state = state.with_node(node, clusters.labels, clusters.k)
            history.append(
                (net.nodes[net.target].name, state.sizes[net.target], objective(net, state))
            )
            if not moved:
                break
        return worth(net, state), (state, history)

    _, (state, history) = best_of(
        attempt, search.restarts, random_state=seed, label=owner, prefer="higher"
    )
    return Found(state, tuple(history))


def flat(net: Net, generator: np.random.Generator) -> State:
    """Every hidden population dealt at random and evenly over its clusters."""
    state = started(net)
    for node in net.hidden:
        wanted = net.nodes[node].n_groups or 1
        labels = np.full(len(net.nodes[node]), -1, dtype=np.int64)
        usable = np.flatnonzero(state.labels[node] >= 0)
        labels[usable] = dealt(len(usable), wanted, generator)
        if node == net.target and net.seeds is not None:
            labels[usable] = np.where(net.seeds[usable] >= 0, net.seeds[usable], labels[usable])
        state = state.with_node(node, labels, wanted)
    return state


def polished(net: Net, found: Found, how: str | None, seed: int) -> Found:
    """Further sweeps at the end: over all populations in turn (icm), or of the target against its neighbors unclustered (raw)."""
    if how is None:
        return found
    generator = stream(seed, 1 << 20)
    state = (
        _against_raw(net, found.state, generator)
        if how == "raw"
        else _in_turn(net, found.state, generator)
    )
    target = net.target
    return replace(
        found,
        state=state,
        history=(
            *found.history,
            (net.nodes[target].name, state.sizes[target], objective(net, state)),
        ),
    )


def _in_turn(net: Net, state: State, generator: np.random.Generator) -> State:
    total = sum(len(net.nodes[node]) for node in net.hidden)
    for _ in range(_ROUNDS):
        moved = 0
        for node in net.hidden:
            clusters = clusters_of(net, node, state)
            moved += clusters.sweep(generator)
            state = state.with_node(node, clusters.labels, clusters.k)
        if moved < _ENOUGH * total:
            break
    return state


def unclustered(net: Net, state: State) -> State:
    """The state with every clustered population but the target each element by itself."""
    for node in net.hidden:
        if node != net.target:
            size = len(net.nodes[node])
            state = state.with_node(node, np.arange(size), size)
    return state


def _against_raw(net: Net, state: State, generator: np.random.Generator) -> State:
    size = state.sizes[net.target]
    rows = rows_of(net, net.target, unclustered(net, state))
    labels, _ = settled(rows, state.labels[net.target], size, generator, _RAW, "polish", net.bonds)
    return state.with_node(net.target, labels, size)


def settled(
    rows: Rows,
    labels: np.ndarray,
    k: int,
    generator: np.random.Generator,
    sweeps: int,
    label: str,
    bonds: Bonds | None = None,
) -> tuple[np.ndarray, list[float]]:
    """Sweeps from these clusters until nobody moves: the clusters, and the objective after every sweep."""
    held: list[Clusters] = []
    drawn = [0]
    whole = rows.vals.dtype.kind == "i"

    def step(state: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        if not held or not whole or held[0].labels is not state["labels"]:
            held[:] = [
                Clusters(rows, state["labels"], k, bonds)
            ]  # sums of real numbers are made anew, so that nothing drifts
        done = int(state["sweep"])
        while drawn[0] < done:  # a run that goes on draws what the one before it had drawn
            generator.permutation(len(labels))
            drawn[0] += 1
        moved = held[0].sweep(generator)
        drawn[0] += 1
        now = {"labels": held[0].labels, "sweep": np.array(done + 1), "moved": np.array(moved)}
        return now, held[0].value()

    start = {
        "labels": np.asarray(labels, dtype=np.int64),
        "sweep": np.array(0),
        "moved": np.array(-1),
    }
    outcome = iterate(
        step,
        start,
        max_iter=sweeps,
        tol=0.0,
        label=label,
        settled=lambda state, _: int(state["moved"]) == 0,
        quiet=True,
    )
    return np.asarray(outcome.state["labels"]), outcome.history
