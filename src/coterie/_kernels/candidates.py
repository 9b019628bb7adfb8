"""Lists of the nearest found so far: pairs offered to them, partitions into leaves, and neighbors of neighbors.

Lists are (members, width): positions `near` (-1: free), `keys` (smaller is nearer, rising along a row) and `fresh` (whether an
entry is new to the rounds). Everything that can be done by several workers at once either writes rows that no other writes, or
hands back offers that are applied in one order, so that no bit depends on how many workers there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coterie._kernels.codes import _GOLDEN, _mixed


@njit(cache=True, nogil=True)
def _insert(near: np.ndarray, keys: np.ndarray, fresh: np.ndarray, member: int, key: float) -> bool:
    """Put a member into one list where it is nearer than the last; the first of equal keys stays before the later."""
    last = keys.shape[0] - 1
    if not key < keys[last]:
        return False
    for r in range(keys.shape[0]):
        if near[r] == member:
            return False
    r = last
    while r > 0 and key < keys[r - 1]:
        near[r] = near[r - 1]
        keys[r] = keys[r - 1]
        fresh[r] = fresh[r - 1]
        r -= 1
    near[r] = member
    keys[r] = key
    fresh[r] = 1
    return True


@njit(cache=True, nogil=True)
def join_leaves(
    members: np.ndarray,
    sizes: np.ndarray,
    measured: np.ndarray,
    near: np.ndarray,
    keys: np.ndarray,
    fresh: np.ndarray,
) -> None:
    """Offer all pairs inside every leaf to both sides; leaves that lie apart may be joined at once."""
    for g in range(sizes.shape[0]):
        for a in range(sizes[g]):
            p = members[g, a]
            for b in range(a + 1, sizes[g]):
                q = members[g, b]
                key = measured[g, a, b]
                _insert(near[p], keys[p], fresh[p], q, key)
                _insert(near[q], keys[q], fresh[q], p, key)


@njit(cache=True, nogil=True)
def offers(
    members: np.ndarray,
    sizes: np.ndarray,
    n_new: np.ndarray,
    measured: np.ndarray,
    worst: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a group, at least one of them new there, that are nearer than the last in the list of either: (m, 2) and keys."""
    most = 0
    for g in range(sizes.shape[0]):
        most += n_new[g] * sizes[g]
    pairs = np.empty((most, 2), np.int32)
    found = np.empty(most, np.float32)
    m = 0
    for g in range(sizes.shape[0]):
        for a in range(n_new[g]):
            p = members[g, a]
            bound = worst[p]
            for b in range(a + 1, sizes[g]):
                key = measured[g, a, b]
                if key < bound or key < worst[members[g, b]]:
                    pairs[m, 0] = p
                    pairs[m, 1] = members[g, b]
                    found[m] = key
                    m += 1
    return pairs[:m].copy(), found[:m].copy()


@njit(cache=True, nogil=True)
def take(
    pairs: np.ndarray,
    found: np.ndarray,
    first: int,
    last: int,
    near: np.ndarray,
    keys: np.ndarray,
    fresh: np.ndarray,
    worst: np.ndarray,
) -> int:
    """Take offers into the lists of the members from `first` to `last`, in their order; gives how many were taken."""
    changed = 0
    for m in range(found.shape[0]):
        key = found[m]
        for side in range(2):
            p = pairs[m, side]
            if (
                first <= p < last
                and key < worst[p]
                and _insert(near[p], keys[p], fresh[p], pairs[m, 1 - side], key)
            ):
                worst[p] = keys[p, keys.shape[1] - 1]
                changed += 1
    return changed


@njit(cache=True, nogil=True)
def chosen(
    near: np.ndarray, fresh: np.ndarray, first: int, last: int, new: np.ndarray, old: np.ndarray
) -> None:
    """The nearest of every list, those that are new and those that are not, as many as fit; the chosen are new no more."""
    most = new.shape[1]
    for p in range(first, last):
        a = 0
        b = 0
        for r in range(near.shape[1]):
            if near[p, r] < 0:
                break
            if fresh[p, r]:
                if a < most:
                    new[p, a] = near[p, r]
                    fresh[p, r] = 0
                    a += 1
            elif b < most:
                old[p, b] = near[p, r]
                b += 1
        new[p, a:most] = -1
        old[p, b:most] = -1


@njit(cache=True, nogil=True)
def reversed_of(forward: np.ndarray, first: int, last: int, seed: int, out: np.ndarray) -> None:
    """Who chose each of the members from `first` to `last`; of too many those with the smallest numbers drawn for the pair."""
    most = out.shape[1]
    drawn = np.full((last - first, most), np.uint64(0xFFFFFFFFFFFFFFFF))
    start = _mixed(np.uint64(seed) + _GOLDEN)
    out[first:last] = -1
    for p in range(forward.shape[0]):
        for r in range(forward.shape[1]):
            q = forward[p, r]
            if q < 0:
                break
            if not first <= q < last:
                continue
            number = _mixed(start + np.uint64(p) * _GOLDEN + np.uint64(q))
            mine = drawn[q - first]
            if number < mine[most - 1]:
                s = most - 1
                while s > 0 and number < mine[s - 1]:
                    mine[s] = mine[s - 1]
                    out[q, s] = out[q, s - 1]
                    s -= 1
                mine[s] = number
                out[q, s] = p


@njit(cache=True, nogil=True)
def gathered(
    at: np.ndarray,
    new: np.ndarray,
    old: np.ndarray,
    new_back: np.ndarray,
    old_back: np.ndarray,
    members: np.ndarray,
    sizes: np.ndarray,
    n_new: np.ndarray,
) -> None:
    """The groups of these members: those they chose and those that chose them, each once, the new ones first."""
    for g in range(at.shape[0]):
        v = at[g]
        m = 0
        m = _added(new[v], members[g], m)
        m = _added(new_back[v], members[g], m)
        n_new[g] = m
        if m:
            m = _added(old[v], members[g], m)
            m = _added(old_back[v], members[g], m)
        sizes[g] = m


@njit(cache=True, nogil=True)
def _added(some: np.ndarray, group: np.ndarray, m: int) -> int:
    for r in range(some.shape[0]):
        if some[r] < 0:
            break
        known = False
        for s in range(m):
            known |= group[s] == some[r]
        if not known:
            group[m] = some[r]
            m += 1
    return m


@njit(cache=True, nogil=True)
def pivots(order: np.ndarray, starts: np.ndarray, leaf: int, seed: int, out: np.ndarray) -> None:
    """Two members of every node that is larger than a leaf, drawn; -1 for the others."""
    start = _mixed(np.uint64(seed) + _GOLDEN)
    for g in range(starts.shape[0] - 1):
        size = starts[g + 1] - starts[g]
        if size <= leaf:
            out[g] = -1
            continue
        a = np.int64(_mixed(start + np.uint64(2 * starts[g]) * _GOLDEN) % np.uint64(size))
        b = np.int64(
            _mixed(start + np.uint64(2 * starts[g] + 1) * _GOLDEN) % np.uint64(max(size - 1, 1))
        )
        out[g, 0] = order[starts[g] + a]
        out[g, 1] = order[starts[g] + (b if b < a else min(b + 1, size - 1))]


@njit(cache=True, nogil=True)
def split(
    order: np.ndarray,
    starts: np.ndarray,
    margins: np.ndarray,
    leaf: int,
    level: int,
    most_levels: int,
    seed: int,
    into: np.ndarray,
) -> np.ndarray:
    """Part every node larger than a leaf by the sign of the margins; ties, and nodes that do not part, by drawn numbers.

    `into` becomes the new order; gives the new starts.
    """
    out = np.empty(2 * starts.shape[0], np.int64)
    start = _mixed(np.uint64(seed) + np.uint64(level) * _GOLDEN)
    n_nodes = 0
    for g in range(starts.shape[0] - 1):
        first = starts[g]
        last = starts[g + 1]
        out[n_nodes] = first
        n_nodes += 1
        if last - first <= leaf:
            into[first:last] = order[first:last]
            continue
        plain = level >= most_levels
        middle = _parted(order, margins, first, last, start, plain, into)
        if middle in (first, last):
            middle = _parted(order, margins, first, last, start, True, into)
        if middle in (first, last):  # drawn numbers all on one side: hardly ever
            middle = (first + last) // 2
        out[n_nodes] = middle
        n_nodes += 1
    out[n_nodes] = order.shape[0]
    return out[: n_nodes + 1].copy()


@njit(cache=True, nogil=True)
def _parted(
    order: np.ndarray,
    margins: np.ndarray,
    first: int,
    last: int,
    start: np.uint64,
    plain: bool,
    into: np.ndarray,
) -> int:
    """Members of one node with a positive margin first, in their order; gives where the others begin."""
    low = first
    high = last
    for m in range(first, last):
        drawn = (_mixed(start + np.uint64(order[m]) * _GOLDEN) & np.uint64(1)) == np.uint64(1)
        here = drawn if plain or margins[m] == 0.0 else margins[m] > 0.0
        if here:
            into[low] = order[m]
            low += 1
        else:
            high -= 1
            into[high] = order[m]
    into[high:last] = into[high:last][::-1].copy()
    return low
