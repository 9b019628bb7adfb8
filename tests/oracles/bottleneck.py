"""The information bottleneck family slowly, each from its definition: objective, sweeps, unions by Jensen-Shannon, ITCC by KL."""

from __future__ import annotations

import numpy as np


def information(table) -> float:
    """sum p log(p / (p_row p_col)) over the cells, in nats."""
    table = np.asarray(table, dtype=float)
    joint = table / table.sum()
    rows = joint.sum(axis=1)
    cols = joint.sum(axis=0)
    found = 0.0
    for a in range(joint.shape[0]):
        for b in range(joint.shape[1]):
            if joint[a, b] > 0:
                found += joint[a, b] * np.log(joint[a, b] / (rows[a] * cols[b]))
    return found


def grouped(table, labels, k):
    """The rows summed by their clusters."""
    out = np.zeros((k, np.shape(table)[1]))
    for row, label in zip(np.asarray(table, dtype=float), labels, strict=True):
        if label >= 0:
            out[label] += row
    return out


def kept(tables, betas, labels, k) -> float:
    """The weighted sum of the informations that the clusters keep of the columns of every table."""
    return sum(
        beta * information(grouped(table, labels, k))
        for table, beta in zip(tables, betas, strict=True)
    )


def sweeps(tables, betas, labels, k, orders):
    """Each element, in each order, put where the objective, worked out in full, is highest; stops when nobody moved."""
    labels = np.array(labels)
    for order in orders:
        moved = 0
        now = kept(tables, betas, labels, k)
        for x in order:
            own = labels[x]
            values = []
            for c in range(k):
                labels[x] = c
                values.append(kept(tables, betas, labels, k))
            best = int(np.argmax(values))
            labels[x] = best if values[best] - values[own] > 1e-12 * max(1.0, abs(now)) else own
            moved += labels[x] != own
        if not moved:
            break
    return labels


def union_cost(one, other, total) -> float:
    """(p_1 + p_2) times the Jensen-Shannon divergence of two rows of counts with their masses as weights."""
    one = np.asarray(one, dtype=float)
    other = np.asarray(other, dtype=float)
    masses = np.array([one.sum(), other.sum()]) / total
    if not masses.all():
        return 0.0
    p = one / one.sum()
    q = other / other.sum()
    share = masses / masses.sum()
    middle = share[0] * p + share[1] * q
    return masses.sum() * (share[0] * divergence(p, middle) + share[1] * divergence(q, middle))


def divergence(p, q) -> float:
    """KL(p || q)."""
    return float(sum(a * np.log(a / b) for a, b in zip(p, q, strict=True) if a > 0))


def unions(tables, betas):
    """All pairs worked out anew before every union, the cheapest united; (first member of each side, loss) one by one."""
    clusters = [
        (i, [np.asarray(table, dtype=float)[i] for table in tables]) for i in range(len(tables[0]))
    ]
    found = []
    while len(clusters) > 1:
        costs = {
            (a, b): sum(
                beta * union_cost(clusters[a][1][e], clusters[b][1][e], np.sum(table))
                for e, (table, beta) in enumerate(zip(tables, betas, strict=True))
            )
            for a in range(len(clusters))
            for b in range(a + 1, len(clusters))
        }
        a, b = min(costs, key=lambda pair: costs[pair])
        found.append((clusters[a][0], clusters[b][0], costs[a, b]))
        joined = [one + other for one, other in zip(clusters[a][1], clusters[b][1], strict=True)]
        clusters[a] = (clusters[a][0], joined)
        del clusters[b]
    return found


def after(n, pairs):
    """The clusters of n elements after some unions, as a set of sets."""
    groups = {i: {i} for i in range(n)}
    for a, b, *_ in pairs:
        groups[a] |= groups.pop(b)
    return {frozenset(group) for group in groups.values()}


def reassigned(table, labels, k, share=1e-6):
    """Every row to the cluster of least KL(p(y|x) || q(y|c)), q with a share of the overall one; empty clusters refilled."""
    table = np.asarray(table, dtype=float)
    overall = table.sum(axis=0) / table.sum()
    sums = grouped(table, labels, k)
    new = np.array(labels)
    misfit = np.full(len(labels), -np.inf)
    for x, own in enumerate(labels):
        if own < 0:
            continue
        p = table[x] / table[x].sum()
        gaps = []
        for c in range(k):
            q = (
                (1 - share) * sums[c] / sums[c].sum() + share * overall
                if sums[c].sum() > 0
                else None
            )
            gaps.append(np.inf if q is None else divergence(p, q))
        best = int(np.argmin(gaps))
        new[x] = best if gaps[own] - gaps[best] > 1e-10 else own
        misfit[x] = table[x].sum() * gaps[new[x]]
    for c in range(k):
        if not (new == c).any():
            free = [x for x in range(len(new)) if new[x] >= 0 and (new == new[x]).sum() > 1]
            x = max(free, key=lambda i: misfit[i])
            new[x] = c
            misfit[x] = -np.inf
    return new


def itcc(table, rows, cols, k, width, rounds=100):
    """Rows and columns reassigned in turn until nothing changes."""
    table = np.asarray(table, dtype=float)
    rows = np.array(rows)
    cols = np.array(cols)
    for _ in range(rounds):
        new_rows = reassigned(grouped(table.T, cols, width).T, rows, k)
        new_cols = reassigned(grouped(table, new_rows, k).T, cols, width)
        same = np.array_equal(rows, new_rows) and np.array_equal(cols, new_cols)
        rows = new_rows
        cols = new_cols
        if same:
            break
    return rows, cols


def lost(table, rows, cols, k, width) -> float:
    """KL(p || q) with q(x, y) = p(x~, y~) p(x | x~) p(y | y~): what co-clustering gives up, by definition."""
    joint = np.asarray(table, dtype=float) / np.sum(table)
    both = grouped(grouped(joint, rows, k).T, cols, width).T
    by_row = joint.sum(axis=1)
    by_col = joint.sum(axis=0)
    found = 0.0
    for x in range(joint.shape[0]):
        for y in range(joint.shape[1]):
            if joint[x, y] > 0:
                a = rows[x]
                b = cols[y]
                q = both[a, b] * by_row[x] / both[a].sum() * by_col[y] / both[:, b].sum()
                found += joint[x, y] * np.log(joint[x, y] / q)
    return found
