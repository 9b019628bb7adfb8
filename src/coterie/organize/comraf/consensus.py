"""Consensus: several runs of one schedule from different seeds, and the groups of the target that tell most of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coterie.core.random import small_seed, stream
from coterie.organize.comraf.graph import Net
from coterie.organize.comraf.inference import Found, Search, climb, objective, settled, worth
from coterie.organize.comraf.schedule import Step
from coterie.parts.moves import Counts, Rows

_SWEEPS = 30  # over the members, against the groups of all runs


def repeated(
    net: Net, schedule: Sequence[Step], search: Search, runs: int, seed: int, owner: str
) -> Found:
    """The schedule run several times and brought to one result; the first run has the seed itself."""
    seeds = [seed, *(small_seed(stream(seed, 1 << 22, at)) for at in range(1, runs))]
    names = [owner if runs == 1 else f"{owner} {at + 1} of {runs}" for at in range(runs)]
    founds = [
        climb(net, schedule, search, own, name) for own, name in zip(seeds, names, strict=True)
    ]
    kept = tuple(found.state.labels[net.target] for found in founds)
    return replace(founds[0] if runs == 1 else agreed(net, founds, seed), runs=kept)


def agreed(net: Net, founds: Sequence[Found], seed: int) -> Found:
    """The run with the highest objective, its members regrouped: the groups that keep most information on those of all runs.

    Starting from the groups of each run in turn, members move to where the sum of the mutual informations with the groups of
    all runs is highest, until nobody moves; the best of these wins.
    """
    target = net.target
    rows = _runs(net, founds)
    best: tuple[float, np.ndarray, int] | None = None
    for at, found in enumerate(founds):
        labels = found.state.labels[target]
        size = found.state.sizes[target]
        told = settled(
            rows, labels, size, stream(seed, 1 << 23, at), _SWEEPS, "consensus", net.bonds
        )
        if best is None or told[1][-1] > best[0]:
            best = told[1][-1], told[0], size
    first = max(founds, key=lambda found: worth(net, found.state))
    state = first.state if best is None else first.state.with_node(target, best[1], best[2])
    name = net.nodes[target].name
    size = state.sizes[target]
    return replace(
        first, state=state, history=(*first.history, (name, size, objective(net, state)))
    )


def _runs(net: Net, founds: Sequence[Found]) -> Rows:
    """Members x (run, group), one each per run."""
    import scipy.sparse as sp

    labels = [f.state.labels[net.target] for f in founds]
    sizes = [f.state.sizes[net.target] for f in founds]
    tables = []
    for own, size in zip(labels, sizes, strict=True):
        inside = np.flatnonzero(own >= 0)
        ones = np.ones(len(inside), dtype=np.int64)
        tables.append(
            Counts.of(sp.csr_array((ones, (inside, own[inside])), shape=(len(own), size)))
        )
    return Rows.of(tables, [None] * len(tables), sizes, [1.0] * len(tables))
