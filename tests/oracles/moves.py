"""Clusters of populations by mutual information as they are defined: everything recomputed, one plain loop after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Side:
    """One edge seen from one end: a dense table, the clusters of its columns, how many there are, and its weight."""

    table: np.ndarray
    groups: np.ndarray
    size: int
    beta: float = 1.0


def phi(value: float) -> float:
    return value * math.log(value) if value > 0 else 0.0


def aggregated(
    table: np.ndarray, rows: np.ndarray, n_rows: int, cols: np.ndarray, n_cols: int
) -> np.ndarray:
    """Clusters x clusters: two products with tables that say who is where."""
    left = (rows[:, None] == np.arange(n_rows)).astype(table.dtype)
    right = (cols[:, None] == np.arange(n_cols)).astype(table.dtype)
    return left.T @ table @ right


def mutual(table: np.ndarray) -> float:
    """The sum over all cells of p log(p / (row share * column share))."""
    total = float(table.sum())
    if total <= 0:
        return 0.0
    joint = table / total
    rows = joint.sum(axis=1)
    cols = joint.sum(axis=0)
    a, b = np.nonzero(joint)
    return math.fsum(joint[a, b] * np.log(joint[a, b] / (rows[a] * cols[b])))


def objective(
    edges: list[tuple[int, int, np.ndarray, float]], labels: list[np.ndarray], sizes: list[int]
) -> float:
    """Weight times mutual information over all edges (node, node, table, weight)."""
    return math.fsum(
        beta * mutual(aggregated(t, labels[i], sizes[i], labels[j], sizes[j]))
        for i, j, t, beta in edges
    )


def value(sides: list[Side], labels: np.ndarray, k: int) -> float:
    """The part of the objective one population has a share in."""
    return math.fsum(
        s.beta * mutual(aggregated(s.table, labels, k, s.groups, s.size)) for s in sides
    )


def gains(sides: list[Side], labels: np.ndarray, k: int, x: int) -> np.ndarray:
    """What element x brings to every cluster after it was pulled out, all tables made anew for each."""

    def kept(cluster: int) -> float:
        moved = labels.copy()
        moved[x] = cluster
        found = []
        for side in sides:
            cells = aggregated(side.table, moved, k, side.groups, side.size)
            inside = math.fsum(phi(float(c)) for c in cells.ravel()) - math.fsum(
                phi(float(r)) for r in cells.sum(axis=1)
            )
            found.append(side.beta * inside / float(side.table.sum()))
        return math.fsum(found)

    out = kept(-1)
    return np.array([kept(c) - out for c in range(k)])


def stacked(side: Side, x: int) -> dict[int, float]:
    """The row of an element over the clusters of the other side, in the order it meets them."""
    row: dict[int, float] = {}
    for y in np.flatnonzero(side.table[x]):
        group = int(side.groups[y])
        if group >= 0:
            row[group] = row.get(group, 0) + side.table[x, y]
    return row


def sweep(
    sides: list[Side], labels: np.ndarray, k: int, order: np.ndarray, logs: np.ndarray, slack: float
) -> tuple[np.ndarray, list[np.ndarray], int]:
    """Pull out, score every cluster, put back: labels, tables (columns x clusters, one per edge) and how many moved.

    `logs` is n log n of the whole numbers; where a column may hold more than that, or numbers are not whole, differences are
    taken in the form that keeps its digits.
    """
    labels = labels.copy()
    tables = [aggregated(s.table, labels, k, s.groups, s.size).T.copy() for s in sides]
    columns = [
        np.bincount(s.groups[s.groups >= 0], s.table.sum(axis=0)[s.groups >= 0], minlength=s.size)
        for s in sides
    ]
    moved = 0
    for x in order:
        own = labels[x]
        rows = [stacked(side, int(x)) for side in sides]
        if own < 0 or not any(rows):
            continue
        for table, row in zip(tables, rows, strict=True):
            for b, v in row.items():
                table[b, own] -= v
        score = np.zeros(k)
        for side, table, row, column in zip(sides, tables, rows, columns, strict=True):
            if row:
                wide = {b for b in row if column[b] >= len(logs) - 1}
                score += side.beta / float(side.table.sum()) * _part(table, row, wide, logs)
        best = int(np.argmax(score))
        best = own if score[best] - score[own] <= slack else best
        for table, row in zip(tables, rows, strict=True):
            for b, v in row.items():
                table[b, best] += v
        moved += best != own
        labels[x] = best
    return labels, tables, moved


def _part(table: np.ndarray, row: dict[int, float], wide: set[int], logs: np.ndarray) -> np.ndarray:
    mass = sum(row.values())
    sums = table.sum(axis=0)
    out = np.array(
        [
            -_rise(s, mass) if s + mass >= len(logs) else logs[int(s)] - logs[int(s + mass)]
            for s in sums.tolist()
        ]
    )
    for b, v in row.items():
        if b in wide:
            out += [_rise(t, v) for t in table[b].tolist()]
        else:
            out += logs[(table[b] + v).astype(int)] - logs[table[b].astype(int)]
    return out


def _rise(t: float, v: float) -> float:
    """(t + v) log(t + v) - t log t."""
    if t <= 0:
        return phi(v)
    return v * math.log(t + v) + t * math.log1p(v / t)


def loss(sides: list[Side], labels: np.ndarray, k: int, a: int, c: int) -> float:
    """Mass times Jensen-Shannon divergence of two clusters, summed over the edges (Bekkerman 2008 as corrected)."""
    found = []
    for side in sides:
        joint = aggregated(side.table, labels, k, side.groups, side.size) / float(side.table.sum())
        mass = joint[a].sum(), joint[c].sum()
        if min(mass) <= 0:
            continue
        shares = np.array(mass) / sum(mass)
        p = joint[a] / mass[0]
        q = joint[c] / mass[1]
        middle = shares[0] * p + shares[1] * q
        found.append(
            side.beta
            * sum(mass)
            * (shares[0] * _divergence(p, middle) + shares[1] * _divergence(q, middle))
        )
    return math.fsum(found)


def _divergence(p: np.ndarray, q: np.ndarray) -> float:
    return math.fsum(
        a * math.log(a / b) for a, b in zip(p.tolist(), q.tolist(), strict=True) if a > 0
    )


def paired(
    sides: list[Side], labels: np.ndarray, k: int, visits: np.ndarray, floor: int
) -> np.ndarray:
    """Clusters in this order unite with the closest that has no peer yet, until `floor` are left; the new labels."""
    peer: dict[int, int] = {}
    for a in visits.tolist():
        free = [c for c in range(k) if c != a and c not in peer]
        if a in peer or not free or k - len(peer) // 2 == floor:
            continue
        mate = min(free, key=lambda c: loss(sides, labels, k, a, c))
        peer[a] = mate
        peer[mate] = a
    heads = [min(c, peer.get(c, c)) for c in range(k)]
    place = {head: at for at, head in enumerate(sorted(set(heads)))}
    return np.array([-1 if c < 0 else place[heads[c]] for c in labels.tolist()])


def cheapest(sides: list[Side], labels: np.ndarray, k: int) -> tuple[int, int, float]:
    """The pair whose union loses least, and what it loses."""
    pairs = [(loss(sides, labels, k, a, c), a, c) for a in range(k) for c in range(a + 1, k)]
    least, a, c = min(pairs)
    return a, c, least


def halved(labels: np.ndarray, k: int, most: int) -> list[tuple[int, int]]:
    """Sizes of what every cluster is split into, in the order they are split: the largest first, until there are `most`."""
    sizes = [int((labels == c).sum()) for c in range(k)]
    order = sorted(range(k), key=lambda c: (-sizes[c], c))
    chosen = [c for c in order if sizes[c] >= 2][: max(most - k, 0)]
    return [(sizes[c] - sizes[c] // 2, sizes[c] // 2) for c in chosen]
