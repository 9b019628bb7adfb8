"""Moves of elements between clusters by mutual information: aggregation, sweeps and single trials; counts or real weights.

Rows are stacked over the edges of a node: the entries of element x on edge e are ptr[x * E + e] to ptr[x * E + e + 1], and
the columns of all edges are numbered through. `table` holds C[column, cluster], `sums` R[edge, cluster] and `known` n log n
of it. `logs` holds n log n of whole numbers and `steps` its differences; columns marked in `wide` may hold more than that. Real
weights come with empty `logs` and all columns wide.

What elements owe each other comes as `tags` (a number per element, -1 is none), `held` (how many of each tag a cluster holds,
and of any in the last column), `pull` (what two equal tags in one cluster add, and what two others take away) and pairs: those
of element x are ptr[x] to ptr[x + 1], positive weights for together and negative ones, down to minus infinity, for apart.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def phi(n, logs):  # type: ignore[no-untyped-def]
    """n log n."""
    if n <= 0:
        return 0.0
    if n < logs.size:
        return logs[int(n)]
    return n * math.log(n)


@njit(cache=True, nogil=True, inline="always")
def rise(t, v):  # type: ignore[no-untyped-def]
    """(t + v) log(t + v) - t log t without the loss of a difference of large numbers."""
    if t <= 0:
        return v * math.log(v) if v > 0 else 0.0
    return v * math.log(t + v) + t * math.log1p(v / t)


@njit(cache=True, nogil=True)
def distinct(ptr, idx, groups, n_groups, n_edges, edge, out):  # type: ignore[no-untyped-def]
    """How many clusters of the other side each element meets on this edge, into out[x * E + e + 1]."""
    seen = np.full(n_groups, -1, np.int64)
    for x in range(ptr.size - 1):
        found = 0
        for p in range(ptr[x], ptr[x + 1]):
            b = groups[idx[p]]
            if b >= 0 and seen[b] != x:
                seen[b] = x
                found += 1
        out[x * n_edges + edge + 1] = found


@njit(cache=True, nogil=True)
def gather(ptr, idx, val, groups, n_groups, n_edges, edge, first, stacked, cols, vals):  # type: ignore[no-untyped-def]
    """The rows of an edge with the columns of one cluster summed, into their places of the stacked rows."""
    seen = np.full(n_groups, -1, np.int64)
    place = np.zeros(n_groups, np.int64)
    for x in range(ptr.size - 1):
        at = stacked[x * n_edges + edge]
        for p in range(ptr[x], ptr[x + 1]):
            b = groups[idx[p]]
            if b < 0:
                continue
            if seen[b] != x:
                seen[b] = x
                place[b] = at
                cols[at] = first + b
                vals[at] = 0
                at += 1
            vals[place[b]] += val[p]


@njit(cache=True, nogil=True)
def fill(ptr, cols, vals, n_edges, labels, table, sums):  # type: ignore[no-untyped-def]
    """Tables of the clusters from the rows of their elements."""
    for x in range(labels.size):
        c = labels[x]
        if c < 0:
            continue
        for e in range(n_edges):
            for p in range(ptr[x * n_edges + e], ptr[x * n_edges + e + 1]):
                table[cols[p], c] += vals[p]
                sums[e, c] += vals[p]


@njit(cache=True, nogil=True)
def phi_sums(table, logs, out):  # type: ignore[no-untyped-def]
    """The sum of n log n over the clusters, for every column."""
    for b in range(table.shape[0]):
        total = 0.0
        for t in range(table.shape[1]):
            total += phi(table[b, t], logs)
        out[b] = total


@njit(cache=True, nogil=True)
def _scores(  # type: ignore[no-untyped-def]
    ptr, cols, vals, base, n_edges, weights, table, sums, known, wide, logs, steps, k, part, g
):
    """What the objective gains when the element (pulled out) is put into each cluster, in `g`."""
    for t in range(k):
        g[t] = 0.0
    for e in range(n_edges):
        lo = ptr[base + e]
        hi = ptr[base + e + 1]
        if lo == hi:
            continue
        r = 0
        for p in range(lo, hi):
            r += vals[p]
        for t in range(k):
            n = sums[e, t] + r
            part[t] = known[e, t] - logs[int(n)] if n < logs.size else -rise(sums[e, t], r)
        for p in range(lo, hi):
            row = table[cols[p]]
            v = vals[p]
            if wide[cols[p]]:
                for t in range(k):
                    part[t] += rise(row[t], v)
            elif v == 1:
                for t in range(k):
                    part[t] += steps[int(row[t])]
            else:
                for t in range(k):
                    part[t] += logs[int(row[t] + v)] - logs[int(row[t])]
        w = weights[e]
        for t in range(k):
            g[t] += w * part[t]


@njit(cache=True, nogil=True)
def _add(ptr, cols, vals, base, n_edges, c, sign, table, sums, known, logs):  # type: ignore[no-untyped-def]
    """Put an element into a cluster (sign 1) or take it out (sign -1)."""
    for e in range(n_edges):
        r = 0
        for p in range(ptr[base + e], ptr[base + e + 1]):
            table[cols[p], c] += sign * vals[p]
            r += vals[p]
        if r:
            sums[e, c] += sign * r
            known[e, c] = phi(sums[e, c], logs)


@njit(cache=True, nogil=True)
def owed(x, labels, tags, held, pull, bound, mates, ties, g):  # type: ignore[no-untyped-def]
    """What element x, pulled out, owes to the elements of each cluster, added to `g`."""
    t = tags[x]
    if t >= 0:
        last = held.shape[1] - 1
        for c in range(g.size):
            same = held[c, t]
            others = held[c, last] - same
            if same > 0:
                g[c] += pull[0] * same
            if others > 0:
                g[c] -= pull[1] * others
    for p in range(bound[x], bound[x + 1]):
        c = labels[mates[p]]
        if c >= 0:
            g[c] += ties[p]


@njit(cache=True, nogil=True)
def _tag(x, c, sign, tags, held):  # type: ignore[no-untyped-def]
    """The tag of an element counted in its cluster, or no longer."""
    if tags[x] >= 0:
        held[c, tags[x]] += sign
        held[c, held.shape[1] - 1] += sign


@njit(cache=True, nogil=True)
def sweep(  # type: ignore[no-untyped-def]
    ptr,
    cols,
    vals,
    n_edges,
    weights,
    order,
    labels,
    table,
    sums,
    known,
    wide,
    logs,
    steps,
    slack,
    bonds,
):
    """Each element in this order is pulled out and put where the objective is highest; how many moved."""
    tags, held, pull, bound, mates, ties = bonds
    k = table.shape[1]
    g = np.empty(k)
    part = np.empty(k)
    moved = 0
    for x in order:
        a = labels[x]
        base = x * n_edges
        if a < 0 or ptr[base] == ptr[base + n_edges]:
            continue
        _add(ptr, cols, vals, base, n_edges, a, -1, table, sums, known, logs)
        _scores(
            ptr,
            cols,
            vals,
            base,
            n_edges,
            weights,
            table,
            sums,
            known,
            wide,
            logs,
            steps,
            k,
            part,
            g,
        )
        _tag(x, a, -1, tags, held)
        owed(x, labels, tags, held, pull, bound, mates, ties, g)
        best = 0
        for t in range(1, k):
            if g[t] > g[best]:
                best = t
        if not g[best] > g[a] or g[best] - g[a] <= slack:
            best = a
        _add(ptr, cols, vals, base, n_edges, best, 1, table, sums, known, logs)
        _tag(x, best, 1, tags, held)
        if best != a:
            labels[x] = best
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def assign(ptr, cols, vals, n_edges, weights, table, sums, known, wide, logs, steps, labels):  # type: ignore[no-untyped-def]
    """The best cluster of every element that has none (-1) and meets anything, the tables as they are."""
    k = table.shape[1]
    g = np.empty(k)
    part = np.empty(k)
    for x in range(labels.size):
        base = x * n_edges
        if labels[x] < 0 and ptr[base] < ptr[base + n_edges]:
            _scores(
                ptr,
                cols,
                vals,
                base,
                n_edges,
                weights,
                table,
                sums,
                known,
                wide,
                logs,
                steps,
                k,
                part,
                g,
            )
            labels[x] = np.argmax(g)


@njit(cache=True, nogil=True)
def gains(ptr, cols, vals, n_edges, weights, labels, table, sums, known, wide, logs, steps, out):  # type: ignore[no-untyped-def]
    """What the objective gains when each element is put into each cluster, after it was pulled out of its own, if it has one."""
    k = table.shape[1]
    part = np.empty(k)
    for x in range(out.shape[0]):
        base = x * n_edges
        if labels[x] >= 0:
            _add(ptr, cols, vals, base, n_edges, labels[x], -1, table, sums, known, logs)
        _scores(
            ptr,
            cols,
            vals,
            base,
            n_edges,
            weights,
            table,
            sums,
            known,
            wide,
            logs,
            steps,
            k,
            part,
            out[x],
        )
        if labels[x] >= 0:
            _add(ptr, cols, vals, base, n_edges, labels[x], 1, table, sums, known, logs)


@njit(cache=True, nogil=True)
def trials(  # type: ignore[no-untyped-def]
    ptr,
    cols,
    vals,
    n_edges,
    weights,
    who,
    where,
    labels,
    table,
    sums,
    known,
    wide,
    logs,
    sizes,
    slack,
    bonds,
):
    """Elements `who` tried in clusters `where`, one after the other; moved where the objective rises. How many moved."""
    tags, held, pull, bound, mates, ties = bonds
    moved = 0
    debt = np.zeros(sizes.size)
    for i in range(who.size):
        x = who[i]
        c = where[i]
        a = labels[x]
        base = x * n_edges
        if a < 0 or a == c or sizes[a] == 1 or ptr[base] == ptr[base + n_edges]:
            continue
        gain = 0.0
        for e in range(n_edges):
            r = 0
            change = 0.0
            for p in range(ptr[base + e], ptr[base + e + 1]):
                v = vals[p]
                r += v
                out = table[cols[p], a] - v
                into = table[cols[p], c]
                if wide[cols[p]]:
                    change += rise(into, v) - rise(out, v)
                else:
                    change += (
                        logs[int(into + v)] - logs[int(into)] - logs[int(out + v)] + logs[int(out)]
                    )
            if r:
                change -= rise(sums[e, c], r) - rise(sums[e, a] - r, r)
            gain += weights[e] * change
        if tags[x] >= 0 or bound[x + 1] > bound[x]:
            debt[:] = 0.0
            _tag(x, a, -1, tags, held)
            owed(x, labels, tags, held, pull, bound, mates, ties, debt)
            _tag(x, a, 1, tags, held)
            gain = gain + debt[c] - debt[a] if debt[c] > -np.inf else -np.inf
        if gain > slack:
            _tag(x, a, -1, tags, held)
            _tag(x, c, 1, tags, held)
            _add(ptr, cols, vals, base, n_edges, a, -1, table, sums, known, logs)
            _add(ptr, cols, vals, base, n_edges, c, 1, table, sums, known, logs)
            labels[x] = c
            sizes[a] -= 1
            sizes[c] += 1
            moved += 1
    return moved
