"""Tiles and bands of an affinity: how large they are, and the nearest members in one band of rows."""

from __future__ import annotations

import numpy as np

from coterie.core.affinity import Affinity

ROWS = 512  # rows of a tile; a constant, so that results never depend on the workplace
COLS = 2048  # columns of a tile


def band_rows(n_columns: int) -> int:
    """Rows of a band over all columns; a constant for so many columns, so that results never depend on the workplace."""
    return max(1, min(ROWS, (ROWS * COLS * 8) // max(n_columns, 1)))


def nearest_in(
    values: np.ndarray, rows: slice, affinity: Affinity, *, k: int, itself: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Of one band: positions and values of each row's k nearest, nearest first, ties to the lower position."""
    keys = -values if affinity.kind == "similarity" else values.copy()
    if not itself:
        own = np.arange(len(keys)), np.arange(rows.start, rows.stop)
        keys[own] = values[own] = np.nan
    keys[np.isnan(keys)] = np.inf
    near = smallest(keys, k)
    return near, np.take_along_axis(values, near, axis=1)


def smallest(keys: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k smallest values of each row, rising; equal values by column."""
    if k == 0:
        return np.empty((len(keys), 0), dtype=np.int64)
    if k >= keys.shape[1]:
        return np.argsort(keys, axis=1, kind="stable")
    last = np.partition(keys, k - 1, axis=1)[:, k - 1 : k]
    take = keys <= last
    if np.any(take.sum(axis=1) > k):
        below = keys < last
        tied = keys == last
        room = k - below.sum(axis=1, keepdims=True)
        take = below | (tied & (np.cumsum(tied, axis=1) <= room))
    chosen = np.nonzero(take)[1].reshape(len(keys), k)
    order = np.argsort(np.take_along_axis(keys, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)
