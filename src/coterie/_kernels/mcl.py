"""Markov clustering, one round for some columns: expand, inflate, prune, make columns sum to one.

Columns are worked on sixteen at a time, as lanes of one row-major block, so that every column of the flow that is read
serves sixteen new ones; it pays when columns with the same entries stand side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 16
SHARED = 4.0  # columns to a row, in the mean, from which working on sixteen at once pays;
LONG = 128  # so it does for columns of that many entries, in the mean


def bench_of(n: int) -> tuple[np.ndarray, ...]:
    """Room for the columns that are worked on at once: blocks of lanes, single columns, marks, lists of rows, and weights."""
    lists = [np.empty(n, dtype=np.uint32) for _ in range(3)]
    blocks = [np.zeros(shape, dtype=np.float32) for shape in ((n, LANES), (n, LANES), (n,), (n,))]
    return (*blocks, np.zeros(n, dtype=np.bool_), *lists, np.empty(n))


@njit(cache=True, nogil=True)
def _add(ptr, idx, val, at, count, x, y):  # type: ignore[no-untyped-def]
    """y += M @ x for the rows `at` of x."""
    lanes = y.shape[
        1
    ]  # a variable count of lanes is what the compiler turns into vector instructions
    lane = np.empty(lanes, x.dtype)
    for a in range(count):
        k = at[a]
        for b in range(lanes):
            lane[b] = x[k, b]
        for q in range(ptr[k], ptr[k + np.uint64(1)]):
            i = idx[q]
            v = val[q]
            for b in range(lanes):
                y[i, b] += v * lane[b]


@njit(cache=True, nogil=True)
def _reached(ptr, idx, at, count, seen, rows):  # type: ignore[no-untyped-def]
    """The rows that M @ x can fill, sorted into `rows`: a whole range where the product is dense, else one by one."""
    low = idx[ptr[at[0]]]
    high = idx[ptr[at[0]]]
    work = 0
    for a in range(count):
        start = ptr[at[a]]
        stop = ptr[at[a] + np.uint64(1)]
        low = min(low, idx[start])
        high = max(high, idx[stop - np.uint64(1)])
        work += stop - start
    m = 0
    if work > (high - low) // np.uint32(4):
        for i in range(low, high + np.uint64(1)):
            rows[m] = i
            m += 1
        return m
    for a in range(count):
        for q in range(ptr[at[a]], ptr[at[a] + np.uint64(1)]):
            if not seen[idx[q]]:
                seen[idx[q]] = True
                rows[m] = idx[q]
                m += 1
    rows[:m].sort()
    for a in range(m):
        seen[rows[a]] = False
    return m


@njit(cache=True, nogil=True)
def _inflate(weight, count, power):  # type: ignore[no-untyped-def]
    """Raise to the power, relative to the largest so that nothing underflows; gives the new sum."""
    top = 0.0
    total = 0.0
    for a in range(count):
        top = max(top, weight[a])
    for a in range(count):
        u = weight[a] / top
        u = u * u if power == 2.0 else u**power
        weight[a] = u
        total += u
    return total


@njit(cache=True, nogil=True)
def _keep(at, weight, count, cutoff, keep, out_idx, out_val):  # type: ignore[no-untyped-def]
    """Copy the entries from the cutoff up (the largest always), at most `keep`, ties to the lower row; they sum to one."""
    top = 0.0
    above = 0
    for a in range(count):
        top = max(top, weight[a])
        above += weight[a] >= cutoff
    bar = min(cutoff, top)
    if above > keep:
        bar = np.partition(weight[:count], count - keep)[count - keep]
    above = 0
    for a in range(count):
        above += weight[a] > bar
    ties = keep - above
    w = 0
    total = 0.0
    for a in range(count):
        if weight[a] > bar or (weight[a] == bar and ties > 0):
            ties -= weight[a] == bar
            at[w] = at[a]
            weight[w] = weight[a]
            total += weight[a]
            w += 1
    for a in range(w):
        out_idx[a] = at[a]
        out_val[a] = weight[a] / total
    return w


@njit(cache=True, nogil=True)
def _together(ptr, idx, val, left, lanes, count, expansion, x, y, at, touched, seen):  # type: ignore[no-untyped-def]
    """Expand columns left..left+lanes-1 at once; gives the block and the rows it fills (`count` of them), and what is spare."""
    for b in range(lanes):
        for q in range(ptr[left + b], ptr[left + b + 1]):
            x[idx[q], b] = val[q]
    for _ in range(expansion - 1):
        m = _reached(ptr, idx, at, count, seen, touched)
        _add(ptr, idx, val, at, count, x, y)
        for a in range(count):
            x[at[a], :] = 0.0
        x, y, at, touched, count = y, x, touched, at, m
    return x, y, at, touched, count


@njit(cache=True, nogil=True)
def _alone(ptr, idx, val, column, expansion, x, y, at, touched, seen, rows, weight):  # type: ignore[no-untyped-def]
    """Expand one column: its rows and weights, and how many; sums in the same order as among others, so the same bits."""
    count = 0
    for q in range(ptr[column], ptr[column + 1]):
        x[idx[q]] = val[q]
        at[count] = idx[q]
        count += 1
    for _ in range(expansion - 1):
        m = _reached(ptr, idx, at, count, seen, touched)
        for a in range(count):
            k = at[a]
            own = x[k]
            x[k] = 0.0
            for q in range(ptr[k], ptr[k + np.uint64(1)]):
                y[idx[q]] += val[q] * own
        x, y, at, touched, count = y, x, touched, at, m
    m = 0
    for a in range(count):
        if x[at[a]] > 0.0:
            rows[m] = at[a]
            weight[m] = x[at[a]]
            m += 1
        x[at[a]] = 0.0
    return m


@njit(cache=True, nogil=True)
def _write(  # type: ignore[no-untyped-def]
    rows, weight, m, place, filled, inflation, prune, keep, out_idx, out_val, out_count, chaos
):
    """Inflate and prune one expanded column, and write it behind what is filled; gives how much is filled then."""
    total = _inflate(weight, m, inflation)
    w = _keep(rows, weight, m, prune * total, keep, out_idx[filled:], out_val[filled:])
    squares = 0.0
    top = 0.0
    for a in range(filled, filled + w):
        squares += out_val[a] * out_val[a]
        top = max(top, out_val[a])
    out_count[place] = w
    chaos[place] = top - squares
    return filled + w


@njit(cache=True, nogil=True)
def round_of(  # type: ignore[no-untyped-def]
    ptr,
    idx,
    val,
    first,
    last,
    expansion,
    inflation,
    prune,
    keep,
    room,
    out_idx,
    out_val,
    out_count,
    chaos,
):
    """New columns first..last-1 of the flow matrix (held by columns); written one behind the other.

    `room` is a bench of `bench_of`, all zeros where it must be, and left so: to clear one for every few columns would be work
    of n x n. Short columns that share few rows are expanded one by one. Gives how many entries were written.
    """
    x, y, one, other, seen, at, touched, rows, weight = room
    filled = 0
    for left in range(first, last, LANES):
        lanes = min(LANES, last - left)
        count = 0
        entries = 0
        for b in range(lanes):
            for q in range(ptr[left + b], ptr[left + b + 1]):
                i = idx[q]
                entries += 1
                if not seen[i]:
                    seen[i] = True
                    at[count] = i
                    count += 1
        for a in range(count):
            seen[at[a]] = False
        if entries < SHARED * count and entries < LONG * lanes:
            for b in range(lanes):
                m = _alone(
                    ptr, idx, val, left + b, expansion, one, other, at, touched, seen, rows, weight
                )
                filled = _write(
                    rows,
                    weight,
                    m,
                    left + b - first,
                    filled,
                    inflation,
                    prune,
                    keep,
                    out_idx,
                    out_val,
                    out_count,
                    chaos,
                )
            continue
        at[:count].sort()
        x, y, at, touched, count = _together(
            ptr, idx, val, left, lanes, count, expansion, x, y, at, touched, seen
        )
        for b in range(lanes):
            m = 0
            for a in range(count):
                if x[at[a], b] > 0.0:
                    rows[m] = at[a]
                    weight[m] = x[at[a], b]
                    m += 1
            filled = _write(
                rows,
                weight,
                m,
                left + b - first,
                filled,
                inflation,
                prune,
                keep,
                out_idx,
                out_val,
                out_count,
                chaos,
            )
        for a in range(count):
            x[at[a], :] = 0.0
    return filled
