"""Groups of members measured by sparse rows of numbers: squared Euclidean distances, one row spread out at a time.

Rows come as the three arrays of a compressed sparse matrix and their squared lengths; `empty` as for dense rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coterie._kernels.measured_rows import APART, _set_apart


@njit(cache=True, nogil=True, inline="always")
def _along(
    starts: np.ndarray, columns: np.ndarray, values: np.ndarray, row: int, spread: np.ndarray
) -> float:
    total = 0.0
    for t in range(starts[row], starts[row + 1]):
        total += values[t] * spread[columns[t]]
    return total


@njit(cache=True, nogil=True)
def measure(
    starts: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    lengths: np.ndarray,
    width: int,
    empty: np.ndarray,
    scale: float,
    members: np.ndarray,
    sizes: np.ndarray,
    n_new: np.ndarray,
    out: np.ndarray,
) -> None:
    """out[g, a, b] for the first n_new[g] members a of group g and those after them, of rows times `scale`."""
    spread = np.zeros(width)
    for g in range(sizes.shape[0]):
        for a in range(n_new[g]):
            p = members[g, a]
            for t in range(starts[p], starts[p + 1]):
                spread[columns[t]] = values[t]
            for b in range(a + 1, sizes[g]):
                q = members[g, b]
                key = lengths[p] + lengths[q] - 2.0 * _along(starts, columns, values, q, spread)
                out[g, a, b] = np.float32(max(key, 0.0) * scale * scale)
            for t in range(starts[p], starts[p + 1]):
                spread[columns[t]] = 0.0
        if empty.shape[0]:
            _set_apart(empty, APART * scale * scale, members[g], sizes[g], n_new[g], out[g])


@njit(cache=True, nogil=True)
def margins(
    starts: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    lengths: np.ndarray,
    width: int,
    scale: float,
    order: np.ndarray,
    nodes: np.ndarray,
    pivots: np.ndarray,
    out: np.ndarray,
) -> None:
    """On which side of the plane between the two pivots of its node every member is; nodes without pivots stay."""
    across = np.zeros(width)
    for g in range(nodes.shape[0] - 1):
        a, b = pivots[g]
        if a < 0:
            continue
        for t in range(starts[a], starts[a + 1]):
            across[columns[t]] += values[t]
        for t in range(starts[b], starts[b + 1]):
            across[columns[t]] -= values[t]
        middle = (lengths[a] - lengths[b]) / 2.0
        for m in range(nodes[g], nodes[g + 1]):
            out[m] = (_along(starts, columns, values, order[m], across) - middle) * scale * scale
        for p in (a, b):
            for t in range(starts[p], starts[p + 1]):
                across[columns[t]] = 0.0


@njit(cache=True, nogil=True)
def squares(
    starts: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    empty: np.ndarray,
    near: np.ndarray,
    first: int,
    out: np.ndarray,
) -> None:
    """Squared distances of the members listed for rows `first`, first + 1, ...; the columns of a row rise. NaN for none."""
    for r in range(near.shape[0]):
        p = first + r
        for s in range(near.shape[1]):
            q = near[r, s]
            out[r, s] = np.nan
            if q >= 0:
                apart = empty.shape[0] > 0 and (empty[p] or empty[q])
                out[r, s] = 2.0 if apart else _apart(starts, columns, values, p, q)


@njit(cache=True, nogil=True)
def _apart(starts: np.ndarray, columns: np.ndarray, values: np.ndarray, p: int, q: int) -> float:
    """The squared distance of two rows, merged column by column."""
    total = 0.0
    s = starts[p]
    t = starts[q]
    while s < starts[p + 1] or t < starts[q + 1]:
        here = columns[s] if s < starts[p + 1] else np.iinfo(np.int64).max
        there = columns[t] if t < starts[q + 1] else np.iinfo(np.int64).max
        gap = 0.0
        if here <= there:
            gap += values[s]
            s += 1
        if there <= here:
            gap -= values[t]
            t += 1
        total += gap * gap
    return total
