"""Information-theoretic co-clustering: members and columns in turn, all at once to the cluster whose distribution is nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coterie.core.hints import Hints
from coterie.core.links import Links
from coterie.core.params import param
from coterie.organize.comraf.flat import net_of_own
from coterie.organize.comraf.graph import Net, Wishes, empty_rows, weighted
from coterie.organize.comraf.inference import Found, State, flat, objective, rows_of
from coterie.organize.comraf.role import Populations
from coterie.organize.comraf.wishes import COUNTED, COUNTS, RULES, WEIGHTS
from coterie.parts.iterate import best_of, iterate
from coterie.parts.moves import Clusters, Rows, phi

_SHARE = (
    1e-6  # of the overall distribution in that of every cluster, so that no column is impossible
)
_SLACK = 1e-12  # what counts as no nearer
_BAND = 1 << 16  # elements scored at once


class ITCC(Populations):
    """Information-theoretic co-clustering: members and columns reassigned in turn, all at once, by their distributions."""

    attempts: ClassVar[int] = 3  # a single random start may end anywhere

    n_groups: int = param(8, "How many groups of the members.", ge=1)
    n_columns: int = param(
        64, "How many groups of the columns of each table; no more than there are columns.", ge=1
    )
    weights: Any = param("mass", WEIGHTS, choices=RULES)
    restarts: int = param(10, "Random starts, the best of which is kept.", ge=1)
    rounds: int = param(100, "Most rounds over members and columns in one start.", ge=1)
    counts: str = param("occurrences", COUNTS, choices=COUNTED, advanced=True)
    random_state: int | None = param(None, "Seed of the starts.")

    def wishes(self) -> Wishes:
        """What the parameters say of the graph."""
        return Wishes("ITCC", None, self.n_groups, (), self.weights, counts=self.counts)

    def net_for(self, links: Links, hints: Hints | None = None) -> Net:
        """The members and the columns of all the tables they have, every population with its number of groups."""
        wishes = self.wishes()
        net = net_of_own(links, wishes)
        nodes = list(net.nodes)
        for at in range(1, len(nodes)):
            usable = int((~empty_rows(net, at)).sum())
            nodes[at] = replace(nodes[at], n_groups=min(self.n_columns, usable))
        return weighted(replace(net, nodes=tuple(nodes)), wishes)

    def search(self, net: Net, seed: int) -> Found:
        """Rounds from random even clusters until nothing changes."""
        name = net.nodes[net.target].name

        def attempt(generator: np.random.Generator) -> tuple[float, Found]:
            start = flat(net, generator)
            state, values = alternated(net, start, self.rounds)
            return values[-1], Found(
                state, tuple((name, start.sizes[net.target], value) for value in values)
            )

        _, best = best_of(attempt, self.restarts, random_state=seed, label="ITCC", prefer="higher")
        found: Found = best
        return found


def alternated(net: Net, start: State, rounds: int) -> tuple[State, list[float]]:
    """Rounds over the populations, each reassigned as a whole, until nothing changes; the clusters and the objectives."""

    def step(kept: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], float]:
        state = State(tuple(kept[str(at)] for at in range(len(net.nodes))), start.sizes)
        moved = 0
        for node in net.hidden:
            labels = reassigned(rows_of(net, node, state), state.labels[node], state.sizes[node])
            moved += int((labels != state.labels[node]).sum())
            state = state.with_node(node, labels, state.sizes[node])
        found = {str(at): labels for at, labels in enumerate(state.labels)}
        return {**found, "moved": np.array(moved)}, objective(net, state)

    begun = {str(at): labels for at, labels in enumerate(start.labels)}
    outcome = iterate(
        step,
        {**begun, "moved": np.array(-1)},
        max_iter=rounds,
        tol=0.0,
        label="rounds",
        settled=lambda kept, _: int(kept["moved"]) == 0,
        quiet=True,
    )
    return State(
        tuple(outcome.state[str(at)] for at in range(len(net.nodes))), start.sizes
    ), outcome.history


def reassigned(rows: Rows, labels: np.ndarray, k: int) -> np.ndarray:
    """Every element to the cluster with the nearest distribution, all at once; a cluster left empty gets who fits worst."""
    clusters = Clusters(rows, labels, k)
    matrix = sp.csr_array(
        (rows.vals, rows.cols, rows.ptr[:: rows.n_edges]), shape=(len(rows), int(rows.starts[-1]))
    )
    logs = log_shares(clusters)
    new = labels.copy()
    misfit = np.full(len(labels), -np.inf)
    own = _own_terms(rows)
    empty = np.bincount(labels[labels >= 0], minlength=k) == 0
    slack = _SLACK * max(1.0, float(np.abs(own).max(initial=0.0)))
    for first in range(0, len(labels), _BAND):
        band = np.arange(first, min(first + _BAND, len(labels)))
        band = band[labels[band] >= 0]
        scores = matrix[band] @ logs
        scores[:, empty] = -np.inf
        best = scores.argmax(axis=1)
        stay = labels[band]
        at = np.arange(len(band))
        best = np.where(scores[at, best] - scores[at, stay] > slack, best, stay)
        new[band] = best
        misfit[band] = own[band] - scores[at, best]
    return refilled(new, misfit, k)


def log_shares(clusters: Clusters) -> np.ndarray:
    """Columns x clusters: the log of the share of a column in a cluster, times the weight of its table."""
    rows = clusters.rows
    out = np.empty(clusters.table.shape)
    for e, (lo, hi) in enumerate(zip(rows.starts[:-1], rows.starts[1:], strict=True)):
        overall = rows.column_sums[lo:hi, None] / rows.totals[e]
        sums = clusters.sums[e].astype(np.float64)
        inside = np.where(sums > 0, clusters.table[lo:hi] / np.maximum(sums, 1e-300), overall)
        out[lo:hi] = rows.weights[e] * np.log(
            np.maximum((1.0 - _SHARE) * inside + _SHARE * overall, 1e-300)
        )
    return out


def _own_terms(rows: Rows) -> np.ndarray:
    """What the score of each element would be in a cluster with its very distribution."""
    m = rows.n_edges
    counts = np.diff(rows.ptr)
    owner = np.repeat(np.arange(len(counts)), counts)
    sums = np.bincount(owner, weights=rows.vals, minlength=len(counts))
    inside = np.bincount(owner, weights=phi(rows.vals), minlength=len(counts)) - phi(sums)
    return np.asarray(inside.reshape(-1, m) @ rows.weights)


def refilled(labels: np.ndarray, misfit: np.ndarray, k: int) -> np.ndarray:
    """Every cluster that has nobody gets the element that fits worst where it is, from a cluster of two or more."""
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    misfit = misfit.copy()
    for c in np.flatnonzero(sizes == 0):
        free = (labels >= 0) & (sizes[np.maximum(labels, 0)] > 1)
        if not free.any():
            break
        x = int(np.where(free, misfit, -np.inf).argmax())
        sizes[labels[x]] -= 1
        labels[x] = c
        sizes[c] = 1
        misfit[x] = -np.inf
    return labels
