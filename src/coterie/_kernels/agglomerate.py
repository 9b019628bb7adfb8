"""Unions of many clusters of sparse rows, the cheapest pair first: costs by lists of who has each column, kept up at every union.

`rows` are (ptr, cols, vals), stacked over the edges of a node as for the kernels of moves. Cluster `a` is a chain of elements:
head[a], after[head[a]], and so on until -1; `chains` are (head, tail, after). `lists` are (first, length, who, count): the
clusters that have column b are who[first[b] : first[b] + length[b]], with their counts. `scale` is (weight of every edge,
weight of every column, n log n of whole numbers, empty for real weights). Uniting two clusters loses
sum_e w_e {J(R_a, R_c) - sum_b J(C_ab, C_cb)} with J(v, u) = (v + u) log(v + u) - v log v - u log u, so that only columns
both have are looked at.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _joint(v, u, logs):  # type: ignore[no-untyped-def]
    """What n log n of a sum has above its parts."""
    if v <= 0 or u <= 0:
        return 0.0
    if v + u < logs.size:
        return logs[int(v + u)] - logs[int(v)] - logs[int(u)]
    return v * math.log1p(u / v) + u * math.log1p(v / u)


@njit(cache=True, nogil=True)
def _gathered(a, rows, n_edges, chains, row, touched):  # type: ignore[no-untyped-def]
    """The row of a cluster summed into `row`, the columns it has in `touched`; how many they are."""
    (ptr, cols, vals) = rows
    (head, _, after) = chains
    found = 0
    x = head[a]
    while x >= 0:
        for p in range(ptr[x * n_edges], ptr[(x + 1) * n_edges]):
            b = cols[p]
            if row[b] == 0:
                touched[found] = b
                found += 1
            row[b] += vals[p]
        x = after[x]
    return found


@njit(cache=True, nogil=True)
def _costs(a, rows, chains, lists, sums, alive, scale, row, touched, out):  # type: ignore[no-untyped-def]
    """The loss of uniting cluster `a` with every other one that is left, in `out`; `row` is zero before and after."""
    (first, length, who, count) = lists
    (weights, shares, logs) = scale
    found = _gathered(a, rows, weights.size, chains, row, touched)
    for c in range(alive.size):
        out[c] = np.inf
        if alive[c] and c != a:
            cost = 0.0
            for e in range(weights.size):
                cost += weights[e] * _joint(sums[e, a], sums[e, c], logs)
            out[c] = cost
    for t in range(found):
        b = touched[t]
        v = row[b]
        w = shares[b]
        row[b] = 0
        for p in range(first[b], first[b] + length[b]):
            if who[p] != a:
                out[who[p]] -= w * _joint(v, count[p], logs)


@njit(cache=True, nogil=True)
def _nearest(a, group, out, best, mate):  # type: ignore[no-untyped-def]
    """The cheapest later cluster of the same group."""
    best[a] = np.inf
    mate[a] = -1
    for c in range(a + 1, out.size):
        if out[c] < best[a] and group[c] == group[a]:
            best[a] = out[c]
            mate[a] = c


@njit(cache=True, nogil=True)
def nearest(lo, hi, rows, chains, lists, sums, alive, scale, group, best, mate):  # type: ignore[no-untyped-def]
    """The cheapest later cluster of every cluster from `lo` to `hi`."""
    row = np.zeros(scale[1].size, rows[2].dtype)
    touched = np.empty(scale[1].size, np.int64)
    out = np.empty(alive.size)
    for a in range(lo, hi):
        if alive[a]:
            _costs(a, rows, chains, lists, sums, alive, scale, row, touched, out)
            _nearest(a, group, out, best, mate)


@njit(cache=True, nogil=True)
def _relisted(a, b, found, row, touched, lists):  # type: ignore[no-untyped-def]
    """The lists of the columns of `b` after it went into `a`; `row` is cleared."""
    first, length, who, count = lists
    for t in range(found):
        j = touched[t]
        row[j] = 0
        at_a = -1
        at_b = -1
        last = first[j] + length[j] - 1
        for p in range(first[j], last + 1):
            if who[p] == a:
                at_a = p
            elif who[p] == b:
                at_b = p
        if at_a < 0:
            who[at_b] = a
        else:
            count[at_a] += count[at_b]
            who[at_b] = who[last]
            count[at_b] = count[last]
            length[j] -= 1


@njit(cache=True, nogil=True)
def unions(most, rows, chains, lists, sums, alive, scale, group, best, mate, stale, pairs, losses):  # type: ignore[no-untyped-def]
    """Up to `most` unions, each the cheapest there is, into `pairs` and `losses`; how many were made.

    best[a] is exact, or, where `stale`, a bound from below: then it is worked out again when it comes first.
    """
    row = np.zeros(scale[1].size, rows[2].dtype)
    touched = np.empty(scale[1].size, np.int64)
    out = np.empty(alive.size)
    head, tail, after = chains
    made = 0
    while made < most:
        a = 0
        for c in range(1, alive.size):
            if best[c] < best[a]:
                a = c
        if best[a] == np.inf:
            break
        if stale[a]:
            _costs(a, rows, chains, lists, sums, alive, scale, row, touched, out)
            _nearest(a, group, out, best, mate)
            stale[a] = False
            continue
        b = mate[a]
        pairs[made, 0] = a
        pairs[made, 1] = b
        losses[made] = best[a]
        made += 1
        found = _gathered(b, rows, sums.shape[0], chains, row, touched)
        _relisted(a, b, found, row, touched, lists)
        after[tail[a]] = head[b]
        tail[a] = tail[b]
        alive[b] = False
        best[b] = np.inf
        for e in range(sums.shape[0]):
            sums[e, a] += sums[e, b]
        _costs(a, rows, chains, lists, sums, alive, scale, row, touched, out)
        _nearest(a, group, out, best, mate)
        stale[a] = False
        for c in range(b):
            if not alive[c] or c == a:
                continue
            if c < a and group[c] == group[a] and out[c] <= best[c]:
                best[c] = out[c]
                mate[c] = a
                stale[c] = False
            elif mate[c] == b or mate[c] == a:
                stale[c] = True
    return made
