"""Unions of clusters by the information they lose: the cost of one cluster with all others, closest peers, the cheapest pair.

Tables are those of the kernels of moves; `starts` are the first columns of the edges, and one more. What clusters owe each
other comes as there: `held` and `pull` of tags, and pairs of clusters with their weights.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coterie._kernels.moves import phi, rise


@njit(cache=True, nogil=True)
def costs(a, first, width, starts, weights, table, sums, known, wide, logs, steps, part, out):  # type: ignore[no-untyped-def]
    """The loss of the objective when cluster `a` is united with each cluster from `first` to `width`, in `out`."""
    for t in range(first, width):
        out[t] = 0.0
    for e in range(weights.size):
        r = sums[e, a]
        if r <= 0:
            continue
        own = -known[e, a]
        for t in range(first, width):
            n = sums[e, t] + r
            part[t] = known[e, t] - logs[int(n)] if n < logs.size else -rise(sums[e, t], r)
        for b in range(starts[e], starts[e + 1]):
            v = table[b, a]
            if v <= 0:
                continue
            own += phi(v, logs)
            row = table[b]
            if wide[b]:
                for t in range(first, width):
                    part[t] += rise(row[t], v)
            elif v == 1:
                for t in range(first, width):
                    part[t] += steps[int(row[t])]
            else:
                for t in range(first, width):
                    part[t] += logs[int(row[t] + v)] - logs[int(row[t])]
        w = weights[e]
        for t in range(first, width):
            out[t] += w * (own - part[t])


@njit(cache=True, nogil=True)
def debts(a, width, names, place, held, pull, bound, others, ties, out):  # type: ignore[no-untyped-def]
    """What cluster `a` owes to the others, taken from the cost of a union with each; an infinite one forbids it."""
    last = held.shape[1] - 1
    if held[a, last] > 0:
        for t in range(width):
            b = names[t]
            if b == a or held[b, last] == 0:
                continue
            same = 0
            for tag in range(last):
                same += held[a, tag] * held[b, tag]
            unlike = held[a, last] * held[b, last] - same
            if same > 0:
                out[t] -= pull[0] * same
            if unlike > 0:
                out[t] += pull[1] * unlike
    for p in range(bound[a], bound[a + 1]):
        t = place[others[p]]
        if t < width and names[t] == others[p]:
            out[t] -= ties[p]


@njit(cache=True, nogil=True)
def peers(  # type: ignore[no-untyped-def]
    visits,
    most,
    starts,
    weights,
    table,
    sums,
    known,
    wide,
    logs,
    steps,
    mates,
    held,
    pull,
    bound,
    others,
    ties,
):
    """Clusters in this order pair with the closest that has no mate yet, until `most` pairs; mates[a] is the peer or a itself.

    The tables are used up: clusters that have a mate are moved out of the way. One that may unite with nobody is passed over.
    """
    k = table.shape[1]
    width = k
    pairs = 0
    dead = 0
    names = np.arange(k)
    place = np.arange(k)
    alive = np.ones(k, np.bool_)
    part = np.empty(k)
    out = np.empty(k)
    for at in range(visits.size):
        a = visits[at]
        if mates[a] != a or pairs == most:
            continue
        here = place[a]
        costs(here, 0, width, starts, weights, table, sums, known, wide, logs, steps, part, out)
        debts(a, width, names, place, held, pull, bound, others, ties, out)
        best = -1
        for t in range(width):
            if alive[t] and t != here and (best < 0 or out[t] < out[best]):
                best = t
        if best < 0:
            break
        if out[best] == np.inf:
            continue
        mates[a] = names[best]
        mates[names[best]] = a
        alive[here] = False
        alive[best] = False
        pairs += 1
        dead += 2
        if 4 * dead >= width:
            left = 0
            for t in range(width):
                if alive[t]:
                    for b in range(table.shape[0]):
                        table[b, left] = table[b, t]
                    for e in range(weights.size):
                        sums[e, left] = sums[e, t]
                        known[e, left] = known[e, t]
                    names[left] = names[t]
                    place[names[t]] = left
                    alive[left] = True
                    left += 1
            width = left
            dead = 0
    return pairs


@njit(cache=True, nogil=True)
def cheapest(starts, weights, table, sums, known, wide, logs, steps, owed, best):  # type: ignore[no-untyped-def]
    """The pair of clusters whose union loses least, in best[0] < best[1], and its cost; owed[a, t] is taken from it."""
    k = table.shape[1]
    part = np.empty(k)
    out = np.empty(k)
    least = np.inf
    for a in range(k - 1):
        costs(a, a + 1, k, starts, weights, table, sums, known, wide, logs, steps, part, out)
        for t in range(a + 1, k):
            if out[t] - owed[a, t] < least:
                least = out[t] - owed[a, t]
                best[0] = a
                best[1] = t
    return least
