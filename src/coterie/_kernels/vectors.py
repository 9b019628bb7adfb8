"""Compiled distances between the rows of two tables."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def finish_squares(
    a: np.ndarray,
    b: np.ndarray,
    a2: np.ndarray,
    b2: np.ndarray,
    near: float,
    snap: float,
    out: np.ndarray,
) -> None:
    """Turn inner products in `out` into squared distances; where the subtraction would cancel they are summed anew.

    That is where a square is below `near` of both squared lengths; it is then 0 if not above `snap`. Most rows have no such
    pair, so that the first loop, which has no branch, is all there is to do. Rows of infinite length are infinitely far.
    """
    for i in range(a.shape[0]):
        length = a2[i]
        row = out[i]
        one = a[i]
        bad = np.uint64(0)
        for j in range(row.size):
            both = length + b2[j]
            square = both - 2.0 * row[j]
            row[j] = square
            bad += np.uint64(square < near * both)
        if bad == 0:
            continue
        for j in range(row.size):
            if row[j] < near * (length + b2[j]):
                square = 0.0
                other = b[j]
                for k in range(one.size):
                    gap = one[k] - other[k]
                    square += gap * gap
                row[j] = square if square > snap else 0.0


@njit(cache=True, nogil=True)
def manhattan(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Sum of absolute differences."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                total += abs(a[i, k] - b[j, k])
            out[i, j] = total


@njit(cache=True, nogil=True)
def chebyshev(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Largest absolute difference."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            largest = 0.0
            for k in range(a.shape[1]):
                gap = abs(a[i, k] - b[j, k])
                if gap > largest:
                    largest = gap
            out[i, j] = largest


@njit(cache=True, nogil=True)
def minkowski(a: np.ndarray, b: np.ndarray, p: float, out: np.ndarray) -> None:
    """The p-th root of the sum of p-th powers, scaled by the largest difference so that no power overflows."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            largest = 0.0
            for k in range(a.shape[1]):
                gap = abs(a[i, k] - b[j, k])
                if gap > largest:
                    largest = gap
            total = 0.0
            if largest > 0.0:
                for k in range(a.shape[1]):
                    total += (abs(a[i, k] - b[j, k]) / largest) ** p
            out[i, j] = largest * total ** (1.0 / p)


@njit(cache=True, nogil=True)
def jensen_shannon(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """The Jensen-Shannon divergence in nats of rows that sum to one; near-equal shares use a series and not a logarithm."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                p = a[i, k]
                q = b[j, k]
                both = p + q
                if both <= 0.0 or p == q:
                    continue
                t = (p - q) / both
                t2 = t * t
                if t2 >= 1.0:  # one of them is zero, or as good as zero beside the other
                    total += both * 1.3862943611198906  # 2 ln 2
                    continue
                if t2 < 0.0025:
                    total += (
                        both
                        * t2
                        * (
                            1.0
                            + t2 * (1.0 / 6.0 + t2 * (1.0 / 15.0 + t2 * (1.0 / 28.0 + t2 / 45.0)))
                        )
                    )
                else:
                    total += both * ((1.0 + t) * np.log1p(t) + (1.0 - t) * np.log1p(-t))
            out[i, j] = 0.25 * total


@njit(cache=True, nogil=True)
def chi_square(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Half the sum of (p - q)^2 / (p + q) over the columns where either is above zero."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                both = a[i, k] + b[j, k]
                if both > 0.0:
                    gap = a[i, k] - b[j, k]
                    total += gap * gap / both
            out[i, j] = 0.5 * total


@njit(cache=True, nogil=True)
def hamming(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """The share of columns in which two rows differ."""
    width = max(a.shape[1], 1)
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            different = 0
            for k in range(a.shape[1]):
                if a[i, k] != b[j, k]:
                    different += 1
            out[i, j] = different / width


@njit(cache=True, nogil=True)
def gower(
    a: np.ndarray, b: np.ndarray, width: np.ndarray, weight: np.ndarray, out: np.ndarray
) -> None:
    """Weighted mean difference over the columns both rows have; `width` 0 means that any difference counts as one."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            shared = 0.0
            for k in range(a.shape[1]):
                gap = abs(a[i, k] - b[j, k])
                if gap != gap:
                    continue
                shared += weight[k]
                if gap > 0.0:
                    total += weight[k] * (gap / width[k] if gap < width[k] else 1.0)
            out[i, j] = total / shared if shared > 0.0 else 1.0
