"""Contingency: counts of two populations as kernels take them, summed by clusters, and the mutual information they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_LARGEST = 1 << 22  # whole numbers up to here have their n log n in a table


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """One side of a table of counts: the rows of its elements; whole numbers stay whole."""

    ptr: np.ndarray
    idx: np.ndarray
    val: np.ndarray
    width: int
    total: float

    @classmethod
    def of(cls, matrix: Any) -> Counts:
        """From a sparse matrix of non-negative numbers; 32 bits where the sum of all allows it."""
        import scipy.sparse as sp

        rows = sp.csr_array(matrix)
        if not rows.has_canonical_format or not rows.data.all():
            rows = rows.copy()  # the caller's counts stay as they are
            rows.sum_duplicates()
            rows.eliminate_zeros()
        data, total = rows.data, float(rows.data.sum())
        if data.dtype.kind in "iub" or (total < 2**53 and np.array_equal(data, np.rint(data))):
            data = data.astype(np.int32 if total < 2**31 else np.int64)
        else:
            data = data.astype(np.float64)
        return cls(
            rows.indptr.astype(np.int64), rows.indices.astype(np.int32), data, rows.shape[1], total
        )

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        return self.val.dtype.kind == "i"

    @property
    def matrix(self) -> Any:
        """The same as a sparse matrix."""
        import scipy.sparse as sp

        return sp.csr_array((self.val, self.idx, self.ptr), shape=(len(self), self.width))

    @property
    def single(self) -> bool:
        """Whether more than half of what is there is there once."""
        return self.whole and 2 * int(np.count_nonzero(self.val == 1)) > len(self.val)

    def presence(self) -> Counts:
        """Whether there at all: every count above 0 as 1."""
        return Counts(
            self.ptr,
            self.idx,
            np.ones(len(self.idx), dtype=np.int32),
            self.width,
            float(len(self.idx)),
        )

    def flipped(self) -> Counts:
        """The same counts from the other side."""
        rows = self.matrix.T.tocsr()
        rows.sort_indices()
        return Counts(
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            len(self),
            self.total,
        )


def log_table(largest: float) -> tuple[np.ndarray, np.ndarray]:
    """n log n for n from 0 to the largest (no further than four millions), and its differences."""
    n = np.arange(min(int(largest), _LARGEST) + 2, dtype=np.float64)
    logs = np.zeros(len(n))
    logs[1:] = n[1:] * np.log(n[1:])
    return logs, np.diff(logs)


def phi(values: np.ndarray) -> np.ndarray:
    """t log t, 0 at 0."""
    values = np.asarray(values, dtype=np.float64)
    return np.where(values > 0, values * np.log(np.maximum(values, 1e-300)), 0.0)


def information(table: np.ndarray) -> float:
    """Mutual information, in nats, of the rows and columns of a table of counts."""
    total = float(table.sum())
    if total <= 0:
        return 0.0
    inside = phi(table).sum() - phi(table.sum(axis=0)).sum() - phi(table.sum(axis=1)).sum()
    return max(float(inside / total + np.log(total)), 0.0)


def raw_information(counts: Counts) -> float:
    """Mutual information of a sparse table as it is, nobody grouped."""
    if counts.total <= 0:
        return 0.0
    rows = np.add.reduceat(np.append(counts.val, 0), counts.ptr[:-1]) * (np.diff(counts.ptr) > 0)
    cols = np.bincount(counts.idx, weights=counts.val, minlength=counts.width)
    inside = phi(counts.val).sum() - phi(rows).sum() - phi(cols).sum()
    return max(float(inside / counts.total + np.log(counts.total)), 0.0)


def united(
    counts: Counts, rows: np.ndarray, n_rows: int, cols: np.ndarray, n_cols: int
) -> np.ndarray:
    """The table of clusters x clusters: counts summed over the elements of each; -1 is in none."""
    owner = np.repeat(rows, np.diff(counts.ptr))
    other = cols[counts.idx]
    kept = (owner >= 0) & (other >= 0)
    flat = np.bincount(
        owner[kept] * np.int64(n_cols) + other[kept],
        weights=counts.val[kept],
        minlength=n_rows * n_cols,
    )
    return flat.reshape(n_rows, n_cols).astype(np.int64 if counts.whole else np.float64)
