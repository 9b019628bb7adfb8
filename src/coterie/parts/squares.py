"""Inner products and squared distances of the rows of two blocks, dense or sparse; what is near is summed anew."""

from __future__ import annotations

from typing import Any

import numpy as np

NEAR = 1e-6  # below this share of the squared lengths a squared distance is summed anew from the differences


def squared_lengths(rows: np.ndarray) -> np.ndarray:
    """The squared length of every row.

    >>> squared_lengths(np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [25.0, 1.0]
    """
    return np.asarray(np.einsum("ij,ij->i", rows, rows), dtype=np.float64)


def squares(
    a: Any, b: Any, a2: np.ndarray | None = None, b2: np.ndarray | None = None
) -> np.ndarray:
    """Squared Euclidean distances of all pairs of rows, dense or sparse; identical rows are at exactly zero.

    `a2` and `b2` are the squared lengths where they are known already.

    >>> squares(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[3.0, 4.0]])).tolist()
    [[25.0], [0.0]]
    """
    from coterie._kernels.vectors import finish_squares

    if hasattr(a, "tocsr"):
        return _sparse_squares(
            a,
            b,
            squared_norms(a) if a2 is None else a2,
            squared_norms(b) if b2 is None else b2,
        )
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


def fitted_rows(X: Any) -> Any:
    """A dense table as one C-contiguous block of float64, a sparse one as it is."""
    return X if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float64)
