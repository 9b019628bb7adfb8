"""Squared distances of the rows of two dense blocks: one matrix product, and what is near is summed anew."""

from __future__ import annotations

import numpy as np

NEAR = 1e-6  # below this share of the squared lengths a squared distance is summed anew from the differences


def squared_lengths(rows: np.ndarray) -> np.ndarray:
    """The squared length of every row.

    >>> squared_lengths(np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [25.0, 1.0]
    """
    return np.asarray(np.einsum("ij,ij->i", rows, rows), dtype=np.float64)


def squares(
    a: np.ndarray, b: np.ndarray, a2: np.ndarray | None = None, b2: np.ndarray | None = None
) -> np.ndarray:
    """Squared Euclidean distances of all pairs of rows; identical rows are at exactly zero.

    `a2` and `b2` are the squared lengths where they are known already.

    >>> squares(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[3.0, 4.0]])).tolist()
    [[25.0], [0.0]]
    """
    from coterie._kernels.vectors import finish_squares

    a = np.ascontiguousarray(a, dtype=np.float64)
    b = np.ascontiguousarray(b, dtype=np.float64)
    out = np.asarray(a @ b.T)
    finish_squares(
        a,
        b,
        squared_lengths(a) if a2 is None else a2,
        squared_lengths(b) if b2 is None else b2,
        NEAR,
        0.0,
        out,
    )
    return out
