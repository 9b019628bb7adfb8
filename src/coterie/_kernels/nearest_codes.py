"""The k members that share most codes with a query, found while the counts are made; no queries x members array is held."""

from __future__ import annotations

import numpy as np
from numba import njit

from coterie._kernels.codes import _LINE, _QUAD, _bits_of, _count_panel, _in_quads, _take_panel

_EMPTY = -2.0  # a free place; below every value
_MISSING = -1.0  # a pair that was never tested together; below every share
_ABOVE = 1.0 + 1e-12  # two different shares of fewer than a million iterations differ by more


@njit(cache=True, nogil=True)
def _worse(value: np.ndarray, index: np.ndarray, a: int, b: int) -> bool:
    """Whether place a holds a smaller value than place b, or the same value of a later member."""
    return value[a] < value[b] or (value[a] == value[b] and index[a] > index[b])


@njit(cache=True, nogil=True)
def _sink(value: np.ndarray, index: np.ndarray, size: int) -> None:
    """Restore the heap whose first place (the worst of all) was changed."""
    a = 0
    while 2 * a + 1 < size:
        b = 2 * a + 1
        if b + 1 < size and _worse(value, index, b + 1, b):
            b += 1
        if not _worse(value, index, b, a):
            return
        value[a], value[b] = value[b], value[a]
        index[a], index[b] = index[b], index[a]
        a = b


@njit(cache=True, nogil=True)
def _finish(value: np.ndarray, index: np.ndarray) -> None:
    """The heap as a list, best first; missing values become NaN."""
    for size in range(value.shape[0] - 1, 0, -1):
        value[0], value[size] = value[size], value[0]
        index[0], index[size] = index[size], index[0]
        _sink(value, index, size)
    for r in range(value.shape[0]):
        if value[r] == _MISSING:
            value[r] = np.nan


@njit(cache=True, nogil=True)
def _both_line(row: np.ndarray, panel: np.ndarray, out: np.ndarray) -> None:
    """In how many iterations a row and each column of a panel were both tested."""
    out[:] = 0
    for w in range(row.shape[0]):
        word = row[w]
        for j in range(panel.shape[1]):
            out[j] += _bits_of(word & panel[w, j])


@njit(cache=True, nogil=True)
def _offer(
    counts: np.ndarray,
    both: np.ndarray,
    start: int,
    width: int,
    itself: int,
    value: np.ndarray,
    index: np.ndarray,
) -> None:
    """Let the columns of a panel compete for the places of one query; earlier members win ties."""
    if value[0] >= 0.0:
        hopeful = 0
        bound = value[0] * _ABOVE
        for j in range(width):
            hopeful += counts[j] > bound * both[j]
        if hopeful == 0:
            return
    for j in range(width):
        if value[0] < 0.0 or counts[j] > value[0] * _ABOVE * both[j]:
            share = counts[j] / both[j] if both[j] > 0 else _MISSING
            if share > value[0] and start + j != itself:
                value[0] = share
                index[0] = start + j
                _sink(value, index, value.shape[0])


@njit(cache=True, nogil=True)
def nearest(
    rows: np.ndarray,
    cols: np.ndarray,
    row_bits: np.ndarray,
    col_bits: np.ndarray,
    own: int,
    value: np.ndarray,
    index: np.ndarray,
) -> None:
    """The columns with the largest share of equal codes for every row, best first, ties to the lower position.

    Row r is column own + r itself and leaves that out, unless own is negative. Bits are (rows, words) and
    (words, columns) of who was tested; without words everybody was tested always.
    """
    n, b = rows.shape
    size = rows.itemsize
    lanes = _LINE // size
    most = min((1 << (8 * size)) - 1, 1 << 30)
    quads = _in_quads(rows)
    panel = np.empty((n, lanes), rows.dtype)
    sums = np.empty((_QUAD, lanes), rows.dtype)
    counts = np.empty((_QUAD * quads.shape[0], lanes), np.int32)
    both = np.full(lanes, n, np.int32)
    tested = np.empty((col_bits.shape[0], lanes), np.uint64)
    value[:] = _EMPTY
    index[:] = cols.shape[1]
    for start in range(0, cols.shape[1], lanes):
        width = _take_panel(cols, start, panel)
        _take_panel(col_bits, start, tested)
        _count_panel(quads, panel, most, sums, counts)
        for p in range(b):
            if row_bits.shape[1]:
                _both_line(row_bits[p], tested, both)
            _offer(counts[p], both, start, width, own + p if own >= 0 else -1, value[p], index[p])
    for p in range(b):
        _finish(value[p], index[p])
