"""Communities of a graph: members moved to better groups, groups refined, graphs of groups, and groups in one piece.

A graph is held by rows (`ptr`, `idx`, `val`), the same in both directions, with positive weights and without loops. What a set of
members owes is `resolution` times the product of the masses of each two of them; what it earns is the weight of its links.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_LITTLE = 1e-12  # of a member's links: what a move must earn, so that rounding never moves anything
_VISITS = 1000  # visits per member at most; far more than are ever needed


@njit(cache=True, nogil=True)
def move(ptr, idx, val, mass, resolution, labels, order):  # type: ignore[no-untyped-def]
    """Move members, in this order, to the neighboring group that earns most, until nobody gains; `labels` are changed.

    A member is looked at again when a neighbor of it has gone elsewhere. It may also leave for a group of its own. Of equal
    groups its own stays, then the first among its links. Gives the number of moves.
    """
    n = mass.size
    total = np.zeros(n)
    size = np.zeros(n, np.int32)
    toward = np.zeros(n)
    touched = np.empty(n, np.int32)
    queue = order.copy()
    waiting = np.ones(n, np.bool_)
    for v in range(n):
        total[labels[v]] += mass[v]
        size[labels[v]] += 1
    empty = np.empty(n + 1, np.int32)
    n_empty = 0
    for c in range(n - 1, -1, -1):
        if size[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    first = 0
    left = n
    moves = 0
    visits = 0
    while left > 0 and visits < _VISITS * n:
        v = queue[first]
        first = first + 1 if first + 1 < n else 0
        left -= 1
        visits += 1
        waiting[v] = False
        own = labels[v]
        count = 0
        links = 0.0
        for q in range(ptr[v], ptr[v + 1]):
            c = labels[idx[q]]
            if toward[c] == 0.0:
                touched[count] = c
                count += 1
            toward[c] += val[q]
            links += val[q]
        total[own] -= mass[v]
        size[own] -= 1
        if size[own] == 0:
            total[own] = 0.0
        owed = resolution * mass[v]
        best = own
        most = toward[own] - owed * total[own]
        bar = most + _LITTLE * links
        for a in range(count):
            c = touched[a]
            gain = toward[c] - owed * total[c]
            toward[c] = 0.0
            if gain > bar and gain > most:
                best = c
                most = gain
        if size[own] > 0 and bar < 0.0 and most < 0.0:
            n_empty -= 1
            best = empty[n_empty]
        total[best] += mass[v]
        size[best] += 1
        if best == own:
            continue
        if size[own] == 0:
            empty[n_empty] = own
            n_empty += 1
        labels[v] = best
        moves += 1
        for q in range(ptr[v], ptr[v + 1]):
            u = idx[q]
            if not waiting[u] and labels[u] != best:
                at = first + left
                queue[at if at < n else at - n] = u
                left += 1
                waiting[u] = True
    return moves


@njit(cache=True, nogil=True)
def refine(ptr, idx, val, mass, resolution, labels, order):  # type: ignore[no-untyped-def]
    """Groups within the groups, each in one piece: members begin alone and join, once, where they earn most and no less than 0.

    A member joins only where it is, and what it joins is, linked to the rest of its group as heavily as they owe to it.
    """
    n = mass.size
    parts = np.arange(n).astype(np.int32)
    weight = mass.copy()
    alone = np.ones(n, np.bool_)
    whole = np.zeros(n)
    outside = np.zeros(n)
    toward = np.zeros(n)
    touched = np.empty(n, np.int32)
    for v in range(n):
        whole[labels[v]] += mass[v]
        for q in range(ptr[v], ptr[v + 1]):
            if labels[idx[q]] == labels[v]:
                outside[v] += val[q]
    for v in order:
        group = labels[v]
        if not alone[v] or outside[v] < resolution * mass[v] * (whole[group] - mass[v]):
            continue
        count = 0
        for q in range(ptr[v], ptr[v + 1]):
            u = idx[q]
            if labels[u] == group:
                if toward[parts[u]] == 0.0:
                    touched[count] = parts[u]
                    count += 1
                toward[parts[u]] += val[q]
        best = -1
        most = 0.0
        for a in range(count):
            c = touched[a]
            gain = toward[c] - resolution * mass[v] * weight[c]
            firm = outside[c] >= resolution * weight[c] * (whole[group] - weight[c])
            if firm and (gain > most or (best < 0 and gain == 0.0)):
                best = c
                most = gain
        if best >= 0:
            parts[v] = best
            weight[best] += mass[v]
            outside[best] += outside[v] - 2.0 * toward[best]
            alone[v] = alone[best] = False
        for a in range(count):
            toward[touched[a]] = 0.0
    return parts


@njit(cache=True, nogil=True)
def renumber(labels):  # type: ignore[no-untyped-def]
    """The same groups numbered by their first members, and how many they are."""
    new = np.full(labels.size, -1, np.int32)
    count = 0
    found = np.empty(labels.size, np.int32)
    for v in range(labels.size):
        if new[labels[v]] < 0:
            new[labels[v]] = count
            count += 1
        found[v] = new[labels[v]]
    return found, count


@njit(cache=True, nogil=True)
def gather(ptr, idx, val, mass, parts, count):  # type: ignore[no-untyped-def]
    """The graph of the parts: their masses, and the links between them summed; what is within a part is left out."""
    n = mass.size
    starts = np.zeros(count + 1, np.int64)
    members = np.empty(n, np.int32)
    for v in range(n):
        starts[parts[v] + 1] += 1
    for c in range(count):
        starts[c + 1] += starts[c]
    place = starts[:-1].copy()
    for v in range(n):
        members[place[parts[v]]] = v
        place[parts[v]] += 1
    toward = np.zeros(count)
    touched = np.empty(count, np.int32)
    new_ptr = np.zeros(count + 1, np.int64)
    new_mass = np.zeros(count)
    new_idx = np.empty(idx.size, np.int32)
    new_val = np.empty(idx.size)
    filled = 0
    for c in range(count):
        many = 0
        for a in range(starts[c], starts[c + 1]):
            v = members[a]
            new_mass[c] += mass[v]
            for q in range(ptr[v], ptr[v + 1]):
                other = parts[idx[q]]
                if other != c:
                    if toward[other] == 0.0:
                        touched[many] = other
                        many += 1
                    toward[other] += val[q]
        for a in range(many):
            new_idx[filled] = touched[a]
            new_val[filled] = toward[touched[a]]
            toward[touched[a]] = 0.0
            filled += 1
        new_ptr[c + 1] = filled
    return new_ptr, new_idx[:filled].copy(), new_val[:filled].copy(), new_mass


@njit(cache=True, nogil=True)
def pieces(ptr, idx, labels):  # type: ignore[no-untyped-def]
    """Groups split where they hang together by no path of links within; numbered by their first members."""
    n = labels.size
    found = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int32)
    count = 0
    for start in range(n):
        if found[start] >= 0:
            continue
        found[start] = count
        stack[0] = start
        left = 1
        while left > 0:
            left -= 1
            v = stack[left]
            for q in range(ptr[v], ptr[v + 1]):
                u = idx[q]
                if found[u] < 0 and labels[u] == labels[v]:
                    found[u] = count
                    stack[left] = u
                    left += 1
        count += 1
    return found, count


@njit(cache=True, nogil=True)
def inside(ptr, idx, val, labels):  # type: ignore[no-untyped-def]
    """The weight of each member's links, and of those that stay in its group."""
    n = labels.size
    total = np.zeros(n)
    within = np.zeros(n)
    for v in range(n):
        for q in range(ptr[v], ptr[v + 1]):
            total[v] += val[q]
            if labels[idx[q]] == labels[v]:
                within[v] += val[q]
    return total, within
