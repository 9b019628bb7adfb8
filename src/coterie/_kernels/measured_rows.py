"""Groups of members measured by dense rows of numbers: squared Euclidean distances, from the middle of each group.

A group lies together, so that its rows taken from its own middle lose nothing in single precision. Where rows have length one, a
row of zeros (`empty`) is as far from all others as a row at a right angle; without flags there are no such rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SUMS = {"reassoc", "contract"}  # sums may be taken in the order that fits the registers
_NEAR = np.float32(
    1e-3
)  # squares below this share of the two lengths are summed anew: products lose their digits
APART = 2.0  # the squared chord of two rows at a right angle


@njit(cache=True, nogil=True, fastmath=_SUMS)
def measure(
    rows: np.ndarray,
    empty: np.ndarray,
    scale: float,
    members: np.ndarray,
    sizes: np.ndarray,
    n_new: np.ndarray,
    out: np.ndarray,
) -> None:
    """out[g, a, b] for the first n_new[g] members a of group g and those after them, of rows times `scale`."""
    width = rows.shape[1]
    block = np.empty((members.shape[1], width), np.float32)
    middle = np.empty(width)
    squares = np.empty(members.shape[1], np.float32)
    for g in range(sizes.shape[0]):
        size = sizes[g]
        new = n_new[g]
        if new == 0:
            continue
        middle[:] = 0.0
        for a in range(size):
            row = rows[members[g, a]]
            for c in range(width):
                middle[c] += row[c]
        for c in range(width):
            middle[c] /= size
        for a in range(size):
            row = rows[members[g, a]]
            total = np.float32(0.0)
            for c in range(width):
                value = np.float32((row[c] - middle[c]) * scale)
                block[a, c] = value
                total += value * value
            squares[a] = total
        products = np.dot(block[:new], block[:size].T)
        for a in range(new):
            for b in range(a + 1, size):
                both = squares[a] + squares[b]
                key = both - np.float32(2.0) * products[a, b]
                if key < _NEAR * both:
                    key = np.float32(_apart(rows, members[g, a], members[g, b], scale))
                out[g, a, b] = key
        if empty.shape[0]:
            _set_apart(empty, APART * scale * scale, members[g], size, new, out[g])


@njit(cache=True, nogil=True, inline="always", fastmath=_SUMS)
def _apart(rows: np.ndarray, p: int, q: int, scale: float) -> float:
    """The squared distance of two rows times `scale`, summed without a product."""
    total = 0.0
    for c in range(rows.shape[1]):
        gap = (rows[p, c] - rows[q, c]) * scale
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _set_apart(
    empty: np.ndarray, key: float, group: np.ndarray, size: int, new: int, out: np.ndarray
) -> None:
    for a in range(new):
        for b in range(a + 1, size):
            if empty[group[a]] or empty[group[b]]:
                out[a, b] = key


@njit(cache=True, nogil=True, fastmath=_SUMS)
def margins(
    rows: np.ndarray,
    scale: float,
    order: np.ndarray,
    starts: np.ndarray,
    pivots: np.ndarray,
    out: np.ndarray,
) -> None:
    """On which side of the plane between the two pivots of its node every member is; nodes without pivots stay."""
    width = rows.shape[1]
    across = np.empty(width)
    for g in range(starts.shape[0] - 1):
        a, b = pivots[g]
        if a < 0:
            continue
        middle = 0.0
        for c in range(width):
            across[c] = (rows[a, c] - rows[b, c]) * scale
            middle += across[c] * (rows[a, c] + rows[b, c]) / 2.0
        for m in range(starts[g], starts[g + 1]):
            row = rows[order[m]]
            total = 0.0
            for c in range(width):
                total += across[c] * row[c]
            out[m] = (total - middle) * scale


@njit(cache=True, nogil=True, fastmath=_SUMS)
def squares(
    rows: np.ndarray, empty: np.ndarray, near: np.ndarray, first: int, out: np.ndarray
) -> None:
    """Squared distances of the members listed for rows `first`, first + 1, ... summed without rounding first; NaN for none."""
    for r in range(near.shape[0]):
        p = first + r
        for s in range(near.shape[1]):
            q = near[r, s]
            out[r, s] = np.nan
            if q >= 0:
                apart = empty.shape[0] > 0 and (empty[p] or empty[q])
                out[r, s] = APART if apart else _apart(rows, p, q, 1.0)
