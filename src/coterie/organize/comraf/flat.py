"""One population clustered alone: a net around it, random starts with sweeps, and unions of the cheapest pair first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.links import Links
from coterie.core.workplace import watched, workplace
from coterie.organize.comraf.graph import Edge, Net, Wishes, net_of, weighted
from coterie.organize.comraf.inference import Found, flat, rows_of, settled
from coterie.parts.contingency import Counts, log_table
from coterie.parts.iterate import best_of
from coterie.parts.moves import Rows
from coterie.parts.workers import in_order

_AT_ONCE = 256  # unions, or rows of first neighbors, between two looks at the watcher


def net_of_own(links: Links, wishes: Wishes) -> Net:
    """The net of the tables that touch the target; other tables are named in the notes and left out."""
    target = links.target
    own = [pair for pair in links.tables if target in pair]
    apart = [f"{one}-{other}" for one, other in links.tables if target not in (one, other)]
    net = net_of(links, replace(wishes, graph=own or None))
    if apart:
        net = replace(
            net, notes=(*net.notes, f"{', '.join(apart)}: not a table of '{target}', and not used.")
        )
    return net


def star_of(
    net: Net,
    node: int,
    known: Mapping[int, np.ndarray],
    wishes: Wishes,
    edges: Sequence[Edge] | None = None,
) -> Net:
    """The net with this node alone hidden: its neighbors observed, by known clusters or each element by itself."""
    nodes = [replace(net.nodes[node], known=None)]
    made = list[Edge]()
    for edge in net.around(node) if edges is None else edges:
        other = edge.across(node)
        labels = (
            np.arange(len(net.nodes[other]))
            if known.get(other) is None
            else np.asarray(known[other], dtype=np.int64)
        )
        counts = edge.seen_from(node)
        flipped = edge.seen_from(other)
        if (labels < 0).any():  # who is in no cluster does not count
            counts = _without(counts, labels < 0)
            flipped = counts.flipped()
        made.append(Edge((0, len(nodes)), counts, flipped, present=edge.present))
        nodes.append(replace(net.nodes[other], known=labels, n_groups=None, upward=False))
    return weighted(Net(tuple(nodes), tuple(made), 0, net.notes), wishes)


def _without(counts: Counts, gone: np.ndarray) -> Counts:
    import scipy.sparse as sp

    return Counts.of(
        counts.matrix @ sp.diags_array((~gone).astype(np.int64), dtype=counts.val.dtype)
    )


def swept(net: Net, restarts: int, sweeps: int, seed: int, owner: str) -> Found:
    """The target dealt at random and evenly, then sweeps until nobody moves; the best of several starts."""
    target, name = net.target, net.nodes[net.target].name

    def attempt(generator: np.random.Generator) -> tuple[float, Found]:
        start = flat(net, generator)
        rows = rows_of(net, target, start)
        k = start.sizes[target]
        done = settled(rows, start.labels[target], k, generator, sweeps, "sweeps", net.bonds)
        state = start.with_node(target, done[0], k)
        return done[1][-1], Found(state, tuple((name, k, value) for value in done[1]))

    _, best = best_of(attempt, restarts, random_state=seed, label=owner, prefer="higher")
    found: Found = best
    return found


def unions(
    rows: Rows, group: np.ndarray | None = None, label: str = "unions"
) -> tuple[np.ndarray, np.ndarray]:
    """Elements united one pair at a time, the pair that loses least of the objective first, until none are left to unite.

    Pairs (the later one goes into the earlier) and their losses, in order. Elements of different `group` are never united, nor
    are those that meet nothing. Of equal losses the one with the lowest position is taken; rows stay sparse throughout.
    """
    from coterie._kernels import agglomerate

    nearest: Any = agglomerate.nearest
    united: Any = agglomerate.unions
    n = len(rows)
    groups = np.zeros(n, dtype=np.int64) if group is None else np.asarray(group, dtype=np.int64)
    tables = (*_tables(rows), groups, np.full(n, np.inf), np.full(n, -1))

    def first(lo: int) -> None:
        nearest(lo, min(lo + _AT_ONCE, n), *tables)

    for _ in in_order(first, list(range(0, n, _AT_ONCE)), ""):
        pass
    pairs = np.empty((n, 2), dtype=np.int64)
    losses = np.empty(n)
    stale = np.zeros(n, dtype=bool)
    here = workplace()
    done = 0
    made = _AT_ONCE
    with watched(here.watch, label, n - 1) as task:
        while made == _AT_ONCE and done < n - 1:
            made = united(min(_AT_ONCE, n - 1 - done), *tables, stale, pairs[done:], losses[done:])
            done += made
            task.advance(made)
            here.stop_if_asked()
    return pairs[:done], np.maximum(losses[:done], 0.0)


def _tables(rows: Rows) -> tuple[Any, ...]:
    """What the kernels of unions take: rows, chains, lists of the columns, sums, who is left, weights and logarithms."""
    import scipy.sparse as sp

    n = len(rows)
    m = rows.n_edges
    whole = rows.vals.dtype.kind == "i"
    kind = np.int64 if whole else np.float64
    matrix = sp.csr_array(
        (rows.vals, rows.cols, rows.ptr[::m]), shape=(n, int(rows.starts[-1]))
    ).tocsc()
    edges = [
        matrix[:, int(lo) : int(hi)]
        for lo, hi in zip(rows.starts[:-1], rows.starts[1:], strict=True)
    ]
    sums = np.array([np.asarray(edge.sum(axis=1)).ravel() for edge in edges], dtype=kind)
    lists = (
        matrix.indptr[:-1].astype(np.int64),
        np.diff(matrix.indptr).astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(kind),
    )
    logs = log_table(float(rows.totals.max()))[0] if whole else np.zeros(0)
    scale = (rows.weights, np.repeat(rows.weights, np.diff(rows.starts)), logs)
    chains = (np.arange(n), np.arange(n), np.full(n, -1))
    return (rows.ptr, rows.cols, rows.vals), chains, lists, sums, ~rows.empty, scale
