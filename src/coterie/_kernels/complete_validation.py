"""Compiled complete cross-validation: the exact mean error of a nearest neighbor rule over all training parts."""

from __future__ import annotations

import numpy as np
from numba import njit

from coterie._kernels.orders import least


@njit(cache=True, nogil=True, inline="always")
def counted(some: np.ndarray, low: float, high: float) -> tuple[int, int]:
    """How many values are below `low`, and how many are not above `high`."""
    under = np.uint64(0)
    upto = np.uint64(0)
    for c in range(some.size):
        under += np.uint64(some[c] < low)
        upto += np.uint64(some[c] <= high)
    return np.int64(under), np.int64(upto)  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def tie_groups(
    own: np.ndarray, tie: float, most: int, low: np.ndarray, high: np.ndarray, ends: np.ndarray
) -> int:
    """The groups of tied values of a sorted row: from where to where each reaches, and how many values lie up to its end.

    Behind `most` values no group begins.
    """
    count = 0
    for k in range(own.size):
        tied = count > 0 and own[k] <= high[count - 1]
        if own[k] == np.inf or (k >= most and not tied):
            break
        if tied:
            high[count - 1] = own[k] * (1.0 + tie)
            ends[count - 1] = k + 1
        else:
            low[count] = own[k] * (1.0 - tie)
            high[count] = own[k] * (1.0 + tie)
            ends[count] = k + 1
            count += 1
    return count


@njit(cache=True, nogil=True, inline="always")
def start_of(nearest: float, high: np.ndarray, groups: int) -> int:
    """The first group of own points that does not lie before the nearest of the others."""
    group = 0
    while group < groups and high[group] < nearest:
        group += 1
    return group


@njit(cache=True, nogil=True)
def pooled_error(
    others: np.ndarray,
    nearest: float,
    m: int,
    groups: tuple[np.ndarray, np.ndarray, np.ndarray, int],
    survive: np.ndarray,
    deepest: int,
) -> float:
    """How often the nearest training point is one of the m others, all training parts of one size being as likely.

    `survive[r]` is the probability that none of the r nearest points trains: nothing from `deepest` on. Others between two
    groups of own points have consecutive ranks, so that a difference of two survivals is all they add.
    """
    low, high, ends, last = groups
    group = start_of(nearest, high, last)
    before = ends[group - 1] if group > 0 else 0
    seen = 0
    error = 0.0
    while group < last and before + seen < deepest and seen < m:
        under, upto = counted(others, low[group], high[group])
        start = min(before + under, deepest)
        error += survive[before + seen] - survive[start]
        if upto > under:
            tied = upto - under + ends[group] - before
            error += (
                (upto - under)
                / tied
                * (survive[start] - survive[min(before + under + tied, deepest)])
            )
        before = ends[group]
        seen = upto
        group += 1
    if before + seen < deepest:
        error += survive[before + seen] - survive[min(before + m, deepest)]
    return error


@njit(cache=True, nogil=True)
def parted_error(
    others: np.ndarray,
    nearest: float,
    m: int,
    groups: tuple[np.ndarray, np.ndarray, np.ndarray, int],
    mine: np.ndarray,
    depth: int,
    theirs: np.ndarray,
    deepest: int,
) -> float:
    """The same where so many training points are drawn from each of the two sets: one table of survival for each."""
    low, high, ends, last = groups
    group = start_of(nearest, high, last)
    before = ends[group - 1] if group > 0 else 0
    seen = 0
    error = 0.0
    while group < last and before < depth and seen < min(m, deepest):
        under, upto = counted(others, low[group], high[group])
        error += mine[before] * (theirs[seen] - theirs[min(under, deepest)])
        if upto > under:
            law = tied_law(before, ends[group] - before, upto - under, mine, depth)
            for rank in range(under, upto):
                error += law[rank - under] * (
                    theirs[min(rank, deepest)] - theirs[min(rank + 1, deepest)]
                )
        before = ends[group]
        seen = upto
        group += 1
    if before < depth and seen < deepest:
        error += mine[before] * (theirs[seen] - theirs[min(m, deepest)])
    return error


@njit(cache=True, nogil=True)
def tied_law(before: int, t: int, u: int, mine: np.ndarray, depth: int) -> np.ndarray:
    """Of u others tied with t own points, in random order: the mean survival of the own points before each other."""
    law = np.zeros(u)
    reach = np.zeros(t + 1)  # probability that q own points come before this other
    reach[0] = 1.0
    for rank in range(u):
        left = u - rank
        carried = 0.0
        for q in range(
            t + 1
        ):  # after q own points the next is an other with probability left / (t - q + left)
            here = carried + reach[q]
            stop = here * left / (t - q + left)
            carried = here - stop
            reach[q] = stop
            law[rank] += stop * mine[min(before + q, depth)]
    return law


@njit(cache=True, nogil=True)
def errors(
    own: np.ndarray,
    keys: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    which: np.ndarray,
    skip: np.ndarray,
    tie: float,
    tables: np.ndarray,
    depths: np.ndarray,
    most: np.ndarray,
    mine: np.ndarray,
    theirs: np.ndarray,
    parted: bool,
    out: np.ndarray,
    twins: np.ndarray,
) -> None:
    """Add every row's error against every set of columns, and whether it has a twin there; own keys are sorted.

    `tables[mine[i, j]]` is the survival of the two sets together or, where they are drawn from apart, of the own set, and
    `tables[theirs[i, j]]` that of the other; behind `most[i]` own points no other is ever the nearest.
    """
    wide = own.shape[1]
    low = np.empty(wide)
    high = np.empty(wide)
    ends = np.empty(wide, np.int64)
    for x in range(keys.shape[0]):
        i = which[x]
        row = keys[x]
        groups = (low, high, ends, tie_groups(own[x], tie, most[i], low, high, ends))
        for j in range(sizes.size):
            if j == skip[x]:
                continue
            a = mine[i, j]
            b = theirs[i, j]
            others = row[starts[j] : starts[j + 1]]
            nearest = least(others)
            twins[i, j] += nearest == 0.0
            if parted:
                out[i, j] += parted_error(
                    others, nearest, sizes[j], groups, tables[a], depths[a], tables[b], depths[b]
                )
            else:
                out[i, j] += pooled_error(others, nearest, sizes[j], groups, tables[a], depths[a])
