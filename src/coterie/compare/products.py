"""Inner products and squared distances between two blocks of rows, dense or sparse: the arithmetic under several measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.parts.squares import NEAR, squared_lengths
from coterie.parts.squares import squares as dense_squares

_AT_ONCE = 4096  # sparse pairs summed anew at once


def inner(a: Any, b: Any) -> np.ndarray:
    """All inner products of the rows of two blocks."""
    if hasattr(a, "tocsr"):
        return np.asarray((a @ b.T).toarray(), dtype=np.float64)
    return np.asarray(a @ b.T, dtype=np.float64)


def squared_norms(rows: Any) -> np.ndarray:
    """The squared length of every row."""
    if hasattr(rows, "tocsr"):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return squared_lengths(rows)


def squares(a: Any, b: Any, a2: np.ndarray, b2: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances: one matrix product, then the pairs that are close compared to their length summed anew.

    Identical rows get exactly zero.
    """
    return _sparse_squares(a, b, a2, b2) if hasattr(a, "tocsr") else dense_squares(a, b, a2, b2)


def _sparse_squares(a: Any, b: Any, a2: np.ndarray, b2: np.ndarray) -> np.ndarray:
    out = inner(a, b)
    both = a2[:, None] + b2[None, :]
    out *= -2.0
    out += both
    i, j = np.nonzero(out < NEAR * both)
    for start in range(0, len(i), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        out[i[some], j[some]] = squared_norms(a[i[some]] - b[j[some]])
    return np.maximum(out, 0.0, out=out)
