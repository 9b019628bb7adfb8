"""Markov clustering, one round for a band of columns: expand, inflate, prune, make columns sum to one."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _spread(ptr, idx, val, at, weight, count, acc, seen, touched):  # type: ignore[no-untyped-def]
    """acc += M @ (sparse vector of `count` entries); gives the rows touched (sorted), acc is zero elsewhere."""
    n = acc.size
    work = 0
    for p in range(count):
        work += ptr[at[p] + 1] - ptr[at[p]]
    m = 0
    if work > n:  # nearly every row is reached: add without bookkeeping, then look once
        for p in range(count):
            v = weight[p]
            for q in range(ptr[at[p]], ptr[at[p] + 1]):
                acc[idx[q]] += v * val[q]
        for i in range(n):
            if acc[i] > 0.0:
                touched[m] = i
                m += 1
        return m
    for p in range(count):
        v = weight[p]
        for q in range(ptr[at[p]], ptr[at[p] + 1]):
            i = idx[q]
            if not seen[i]:
                seen[i] = True
                touched[m] = i
                m += 1
            acc[i] += v * val[q]
    touched[:m].sort()
    for a in range(m):
        seen[touched[a]] = False
    return m


@njit(cache=True, nogil=True)
def _keep(at, weight, count, cutoff, keep, out_idx, out_val):  # type: ignore[no-untyped-def]
    """Copy the entries from the cutoff up (the largest always), at most `keep`, ties to the lower row; make them sum to one."""
    top, above = 0.0, 0
    for a in range(count):
        top = max(top, weight[a])
        above += weight[a] >= cutoff
    bar = min(cutoff, top)
    if above > keep:
        bar = np.partition(weight[:count], count - keep)[count - keep]
    above = 0
    for a in range(count):
        above += weight[a] > bar
    ties, w, total = keep - above, 0, 0.0
    for a in range(count):
        if weight[a] > bar or (weight[a] == bar and ties > 0):
            ties -= weight[a] == bar
            out_idx[w] = at[a]
            out_val[w] = weight[a]
            total += weight[a]
            w += 1
    for a in range(w):
        out_val[a] /= total
    return w


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
def round_of(ptr, idx, val, first, last, expansion, inflation, prune, keep, out_idx, out_val, out_count, chaos):  # type: ignore[no-untyped-def]
    """New columns first..last-1 of the flow matrix (held by columns); column j is written from (j - first) * keep on."""
    n = ptr.size - 1
    acc, seen = np.zeros(n), np.zeros(n, np.bool_)
    touched, at, weight = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
    for j in range(first, last):
        count = ptr[j + 1] - ptr[j]
        for p in range(count):
            at[p] = idx[ptr[j] + p]
            weight[p] = val[ptr[j] + p]
        for _ in range(expansion - 1):
            count = _spread(ptr, idx, val, at, weight, count, acc, seen, touched)
            for a in range(count):
                at[a] = touched[a]
                weight[a] = acc[touched[a]]
                acc[touched[a]] = 0.0
        total = _inflate(weight, count, inflation)
        base = (j - first) * keep
        w = _keep(at, weight, count, prune * total, keep, out_idx[base:], out_val[base:])
        squares, top = 0.0, 0.0
        for a in range(base, base + w):
            squares += out_val[a] * out_val[a]
            top = max(top, out_val[a])
        out_count[j - first] = w
        chaos[j - first] = top - squares
