"""Segments of a row of vectors: the exact best cut into every number of segments at once, and which number to take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie.core.errors import ParameterError

FLOOR = 1e-9  # what a scatter is taken as at least


@dataclass(frozen=True, eq=False)
class Cuts:
    """The best cuts of n rows into 1, 2, ... segments: `costs[k - 1]` is the least scatter of k; inf where k is too many."""

    costs: np.ndarray
    back: np.ndarray  # (k, n + 1): where the last of k segments of the first j rows begins
    dim: int  # values per row

    @property
    def n_rows(self) -> int:
        return int(self.back.shape[1]) - 1

    def boundaries(self, k: int) -> np.ndarray:
        """Where the k segments begin, and the end of the last: k + 1 rising numbers from 0 to n."""
        if not (1 <= k <= len(self.costs) and np.isfinite(self.costs[k - 1])):
            most = int(np.isfinite(self.costs).sum())
            raise ParameterError(f"n_segments must be from 1 to {most} here, and was {k}.")
        found = np.empty(k + 1, dtype=np.int64)
        found[k] = self.n_rows
        for q in range(k - 1, -1, -1):
            found[q] = self.back[q, found[q + 1]]
        return found

    def bic(self, noise: float = 0.0) -> np.ndarray:
        """n m log(cost / (n m)) + k (m + 1) log n for every k; `noise` is the least variance per value believed in."""
        n = self.n_rows
        m = self.dim
        k = np.arange(1, len(self.costs) + 1)
        spread = np.maximum(np.maximum(self.costs, FLOOR) / (n * m), noise)
        return np.asarray(n * m * np.log(spread) + k * (m + 1) * np.log(n))


def segments(rows: np.ndarray, most: int, least: int = 1) -> Cuts:
    """The best cuts of the rows into 1..most segments of at least `least` rows: least sum of squared distances to their means.

    By dynamic programming over sums from the front; n^2 (m + most) steps and n x most numbers for n rows of m values.

    >>> segments(np.array([[0.0], [0.1], [5.0], [5.1], [9.0]]), 3).boundaries(3).tolist()
    [0, 2, 4, 5]
    """
    from coterie._kernels.segments import best_cuts

    n, dim = rows.shape
    least = max(1, min(least, n))
    most = max(1, min(most, n // least))
    centered = rows - rows.mean(axis=0)
    sums = np.zeros((n + 1, dim))
    squares = np.zeros(n + 1)
    np.cumsum(centered, axis=0, out=sums[1:])
    np.cumsum(np.einsum("ij,ij->i", centered, centered), out=squares[1:])
    costs = np.empty((most, n + 1))
    back = np.zeros((most, n + 1), dtype=np.int32)
    best_cuts(sums, squares, least, costs, back)
    return Cuts(costs[:, n].copy(), back, dim)


def along(away: np.ndarray, penalty: float) -> np.ndarray:
    """One source per row: the least sum of `away` (rows, sources), where every change of source costs `penalty`."""
    from coterie._kernels.segments import best_labels

    labels = np.zeros(len(away), dtype=np.int64)
    best_labels(np.ascontiguousarray(away, dtype=np.float64), float(penalty), labels)
    return labels
