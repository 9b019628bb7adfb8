"""Compiled neighbor orders: who comes first for every point and set, and k-th distances."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always", fastmath={"nnan", "nsz"})
def least(some: np.ndarray) -> float:
    """The smallest value."""
    value = np.inf
    for c in range(some.size):
        value = min(value, some[c])
    return value


@njit(cache=True, nogil=True, inline="always")
def below(some: np.ndarray, top: float) -> int:
    """How many values are smaller than `top`."""
    count = np.uint64(0)
    for c in range(some.size):
        count += np.uint64(some[c] < top)
    return np.int64(count)  # type: ignore[return-value]


@njit(cache=True, nogil=True, inline="always")
def upto(some: np.ndarray, top: float) -> int:
    """How many values are not larger than `top`."""
    count = np.uint64(0)
    for c in range(some.size):
        count += np.uint64(some[c] <= top)
    return np.int64(count)  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def rank(row: np.ndarray, top: float, equal: bool) -> int:
    """The same for a whole row that is sorted."""
    low = 0
    high = row.size
    while low < high:
        middle = (low + high) // 2
        if row[middle] < top or (equal and row[middle] == top):
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def spread(t: int, u: int, hist: np.ndarray) -> None:
    """Add the law of how many of t come before the first of u in random order."""
    share = u / (t + u)
    for k in range(t + 1):
        hist[k] += share
        if k < t:
            share *= (t - k) / (t + u - k - 1)


@njit(cache=True, nogil=True)
def first_orders(
    own: np.ndarray,
    keys: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    which: np.ndarray,
    bases: np.ndarray,
    skip: np.ndarray,
    tie: float,
    ordered: bool,
    out_own: np.ndarray,
    out_other: np.ndarray,
    twins: np.ndarray,
) -> None:
    """For every row: count, per set of columns, how many of the own set come before its first, and the other way round.

    `own` holds the keys into the own set (infinite at the point itself), sorted where `ordered`; `which` and `bases` say
    where the numbers of a row go, and `skip` which set of columns is its own. `out_own` is transposed: (sets, points).
    """
    for x in range(keys.shape[0]):
        mine = own[x]
        row = keys[x]
        i = which[x]
        nearest = mine[0] if ordered else least(mine)
        low = nearest * (1.0 - tie)
        high = nearest * (1.0 + tie)
        end = 0
        for j in range(sizes.size):
            begin = end
            end = end + sizes[j] + 1
            if j == skip[x]:
                continue
            others = row[starts[j] : starts[j + 1]]
            value = least(others)
            twins[i, j] += value == 0.0
            if nearest == np.inf:
                out_own[j, bases[x]] += 1.0
                out_other[i, begin + sizes[j]] += 1.0
            elif value > high:
                out_other[i, begin] += 1.0
                bottom = value * (1.0 - tie)
                top = value * (1.0 + tie)
                c = rank(mine, bottom, False) if ordered else below(mine, bottom)
                t = (rank(mine, top, True) if ordered else upto(mine, top)) - c
                if t == 0:
                    out_own[j, bases[x] + c] += 1.0
                else:
                    spread(t, upto(others, top), out_own[j, bases[x] + c :])
            elif value < low:
                out_own[j, bases[x]] += 1.0
                c = below(others, low)
                t = upto(others, high) - c
                if t == 0:
                    out_other[i, begin + c] += 1.0
                else:
                    spread(
                        t,
                        rank(mine, high, True) if ordered else upto(mine, high),
                        out_other[i, begin + c :],
                    )
            else:
                top = max(high, value * (1.0 + tie))
                t = rank(mine, top, True) if ordered else upto(mine, top)
                u = upto(others, top)
                spread(t, u, out_own[j, bases[x] :])
                spread(u, t, out_other[i, begin:])


@njit(cache=True, nogil=True)
def smallest_of(some: np.ndarray, kept: np.ndarray) -> None:
    """The smallest values, rising; infinite where there are fewer."""
    kept[:] = np.inf
    deep = kept.size - 1
    for c in range(some.size):
        value = some[c]
        if value < kept[deep]:
            k = deep
            while k > 0 and kept[k - 1] > value:
                kept[k] = kept[k - 1]
                k -= 1
            kept[k] = value


@njit(cache=True, nogil=True)
def kth_logs(
    own: np.ndarray,
    keys: np.ndarray,
    starts: np.ndarray,
    which: np.ndarray,
    skip: np.ndarray,
    k: int,
    deep: int,
    far: np.ndarray,
    near: np.ndarray,
    kept: np.ndarray,
    kept_inside: np.ndarray,
) -> None:
    """Sums of log keys of the k-th neighbors in every other set and, for the same points, in the own set.

    A point where one of the two is zero takes the next k at which both are positive, up to `deep`, or is left out;
    `kept` counts the others. `kept_inside` counts those with a positive distance inside the own set.
    """
    mine = np.empty(deep)
    theirs = np.empty(deep)
    for x in range(keys.shape[0]):
        i = which[x]
        smallest_of(own[x], mine)
        for q in range(k - 1, deep):
            if 0.0 < mine[q] < np.inf:
                kept_inside[i] += 1
                break
        for j in range(starts.size - 1):
            if j == skip[x]:
                continue
            smallest_of(keys[x, starts[j] : starts[j + 1]], theirs)
            for q in range(k - 1, deep):
                if mine[q] > 0.0 and theirs[q] > 0.0 and mine[q] < np.inf and theirs[q] < np.inf:
                    far[i, j] += np.log(theirs[q])
                    near[i, j] += np.log(mine[q])
                    kept[i, j] += 1
                    break
