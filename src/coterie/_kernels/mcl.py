"""Markov clustering, one round for some columns: expand, inflate, prune, make columns sum to one.

Columns are worked on sixteen at a time, as lanes of one row-major block, so that every column of the flow that is read
serves sixteen new ones; it pays when columns with the same entries stand side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 16


@njit(cache=True, nogil=True)
def _add(ptr, idx, val, at, count, x, y):  # type: ignore[no-untyped-def]
    """y += M @ x for the rows `at` of x."""
    lanes = y.shape[1]  # a variable count of lanes is what the compiler turns into vector instructions
    lane = np.empty(lanes, x.dtype)
    for a in range(count):
        k = at[a]
        for b in range(lanes):
            lane[b] = x[k, b]
        for q in range(ptr[k], ptr[k + np.uint64(1)]):
            i, v = idx[q], val[q]
            for b in range(lanes):
                y[i, b] += v * lane[b]


@njit(cache=True, nogil=True)
def _reached(ptr, idx, at, count, seen, rows):  # type: ignore[no-untyped-def]
    """The rows that M @ x can fill, sorted into `rows`: a whole range where the product is dense, else one by one."""
    low, high, work = idx[ptr[at[0]]], idx[ptr[at[0]]], 0
    for a in range(count):
        start, stop = ptr[at[a]], ptr[at[a] + np.uint64(1)]
        low, high = min(low, idx[start]), max(high, idx[stop - np.uint64(1)])
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
    top, total = 0.0, 0.0
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
    top, above = 0.0, 0
    for a in range(count):
        top = max(top, weight[a])
        above += weight[a] >= cutoff
    bar = min(cutoff, top)
    if above > keep:
        bar = np.partition(weight[:count], count - keep)[count - keep]
    above, total = 0, 0.0
    for a in range(count):
        above += weight[a] > bar
        if weight[a] >= bar:
            total += weight[a]
    ties, w = keep - above, 0
    for a in range(count):
        if weight[a] > bar or (weight[a] == bar and ties > 0):
            ties -= weight[a] == bar
            out_idx[w] = at[a]
            out_val[w] = weight[a] / total
            w += 1
    return w


@njit(cache=True, nogil=True)
def round_of(ptr, idx, val, first, last, expansion, inflation, prune, keep, out_idx, out_val, out_count, chaos):  # type: ignore[no-untyped-def]
    """New columns first..last-1 of the flow matrix (held by columns); column j is written from (j - first) * keep on."""
    n = ptr.size - 1
    x, y = np.zeros((n, LANES), np.float32), np.zeros((n, LANES), np.float32)
    seen = np.zeros(n, np.bool_)
    at, touched = np.empty(n, np.uint32), np.empty(n, np.uint32)
    rows, weight = np.empty(n, np.uint32), np.empty(n)
    for left in range(first, last, LANES):
        lanes = min(LANES, last - left)
        count = 0
        for b in range(lanes):
            for q in range(ptr[left + b], ptr[left + b + 1]):
                i = idx[q]
                x[i, b] = val[q]
                if not seen[i]:
                    seen[i] = True
                    at[count] = i
                    count += 1
        at[:count].sort()
        for a in range(count):
            seen[at[a]] = False
        for _ in range(expansion - 1):
            m = _reached(ptr, idx, at, count, seen, touched)
            _add(ptr, idx, val, at, count, x, y)
            for a in range(count):
                x[at[a], :] = 0.0
            x, y, at, touched, count = y, x, touched, at, m
        for b in range(lanes):
            m = 0
            for a in range(count):
                if x[at[a], b] > 0.0:
                    rows[m] = at[a]
                    weight[m] = x[at[a], b]
                    m += 1
            total = _inflate(weight, m, inflation)
            place = left + b - first
            w = _keep(rows, weight, m, prune * total, keep, out_idx[place * keep :], out_val[place * keep :])
            squares, top = 0.0, 0.0
            for a in range(place * keep, place * keep + w):
                squares += out_val[a] * out_val[a]
                top = max(top, out_val[a])
            out_count[place] = w
            chaos[place] = top - squares
        for a in range(count):
            x[at[a], :] = 0.0
