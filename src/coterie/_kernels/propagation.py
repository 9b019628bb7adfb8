"""Labels passed along the links of a graph: each member takes what most of its links say, or a mean of what they say."""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 8  # labels spread at once: one line of the cache for each member


@njit(cache=True, nogil=True)
def adopt(ptr, idx, val, labels, waiting, order, draws):  # type: ignore[no-untyped-def]
    """One round: each member of the order takes the label that most of its links have, and keeps its own where that is as heavy.

    Of other labels that are as heavy one is drawn. `labels` and `waiting` (who is to be looked at again) are changed; gives the
    number of members that changed.
    """
    toward = np.zeros(labels.size)
    touched = np.empty(labels.size, np.int32)
    changed = 0
    for at in range(order.size):
        v = order[at]
        waiting[v] = False
        own = labels[v]
        count = 0
        for q in range(ptr[v], ptr[v + 1]):
            c = labels[idx[q]]
            if toward[c] == 0.0:
                touched[count] = c
                count += 1
            toward[c] += val[q]
        most = 0.0
        equals = 0
        for a in range(count):
            if toward[touched[a]] > most:
                most = toward[touched[a]]
                equals = 1
            elif toward[touched[a]] == most:
                equals += 1
        best = own
        if most > toward[own]:
            pick = draws[at] % equals
            for a in range(count):
                if toward[touched[a]] == most:
                    if pick == 0:
                        best = touched[a]
                    pick -= 1
        for a in range(count):
            toward[touched[a]] = 0.0
        if best != own:
            labels[v] = best
            changed += 1
            for q in range(ptr[v], ptr[v + 1]):
                if labels[idx[q]] != best:
                    waiting[idx[q]] = True
    return changed


@njit(cache=True, nogil=True)
def spread(ptr, idx, val, given, hold, reach, field, backward):  # type: ignore[no-untyped-def]
    """One sweep: each member's row becomes `reach` times the mean of its neighbors' rows, newest values first, and a given label
    the share `hold` of it. `field` is changed; gives the largest change of a value, as a share of its row's sum.
    """
    n, lanes = field.shape
    mean = np.empty(lanes)
    largest = 0.0
    for at in range(n):
        v = n - 1 - at if backward else at
        if hold[v] >= 1.0:
            continue
        degree = 0.0
        for b in range(lanes):
            mean[b] = 0.0
        for q in range(ptr[v], ptr[v + 1]):
            u = idx[q]
            w = val[q]
            degree += w
            for b in range(lanes):
                mean[b] += w * field[u, b]
        share = (1.0 - hold[v]) * reach / degree if degree > 0.0 else 0.0
        total = 0.0
        change = 0.0
        for b in range(lanes):
            value = share * mean[b]
            if given[v] == b:
                value += hold[v]
            change = max(change, abs(value - field[v, b]))
            field[v, b] = value
            total += value
        if total > 0.0:
            largest = max(largest, change / total)
    return largest
