"""States with whole covariances, compiled: Cholesky factors of many, densities and sums, and frames with missing values.

A frame with missing values is read off the factor of the covariance whose known values come first: its upper left part
gives the density of what is known, its lower left part what is expected of the rest, its last part what stays unsure.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from coterie._kernels.emissions import LOOSE

_LOG_2PI = math.log(2 * math.pi)


@njit(cache=True, nogil=True)
def _root(spread, order, root):  # type: ignore[no-untyped-def]
    """The lower Cholesky factor of a covariance with its values in another order; False if there is none."""
    good = True
    for i in range(order.size):
        for j in range(i + 1):
            s = spread[order[i], order[j]]
            for n in range(j):
                s -= root[i, n] * root[j, n]
            if i > j:
                root[i, j] = s / root[j, j]
            else:
                if not s > 0.0:
                    good = False
                    s = max(1e-16 * abs(spread[order[i], order[i]]), 1e-300)
                root[i, i] = math.sqrt(s)
    return good


@njit(cache=True, nogil=True)
def inverse_roots(spreads, inverses, sizes):  # type: ignore[no-untyped-def]
    """Inverse Cholesky factors and log(det(2 pi covariance)) of many; the position of the first without one, or -1."""
    width = spreads.shape[1]
    order = np.arange(width)
    root = np.zeros((width, width))
    inverses[:] = 0.0
    for c in range(spreads.shape[0]):
        if not _root(spreads[c], order, root):
            return c
        sizes[c] = width * _LOG_2PI
        for i in range(width):
            sizes[c] += 2.0 * math.log(root[i, i])
            inverses[c, i, i] = 1.0 / root[i, i]
            for j in range(i):
                s = 0.0
                for n in range(j, i):
                    s += root[i, n] * inverses[c, n, j]
                inverses[c, i, j] = -s / root[i, i]
    return -1


@njit(cache=True, nogil=True)
def without_root(spreads, out):  # type: ignore[no-untyped-def]
    """Which of many symmetric matrices have no Cholesky factor, that is, an eigenvalue not above 0."""
    width = spreads.shape[1]
    order = np.arange(width)
    root = np.zeros((width, width))
    for c in range(spreads.shape[0]):
        out[c] = not _root(spreads[c], order, root)


@njit(cache=True, nogil=True, fastmath=LOOSE)
def squared(z, shifts, sizes, out):  # type: ignore[no-untyped-def]
    """Log-densities from z (T, d * columns), value after value: the sum of the squares of z less its shift, with the sizes."""
    n = sizes.size
    for t in range(z.shape[0]):
        row = out[t]
        for c in range(n):
            row[c] = sizes[c]
        for j in range(shifts.shape[0]):
            part = z[t, j * n : (j + 1) * n]
            shift = shifts[j]
            for c in range(n):
                gap = part[c] - shift[c]
                row[c] += gap * gap
        for c in range(n):
            row[c] *= -0.5


@njit(cache=True, nogil=True, fastmath=LOOSE)
def own_whole(x, owners, means, inverses, sizes, out):  # type: ignore[no-untyped-def]
    """Log-densities of complete frames in the states of their own model, by the inverse factors."""
    width = x.shape[1]
    gap = np.empty(width)
    for t in range(x.shape[0]):
        m = owners[t]
        for k in range(means.shape[1]):
            for j in range(width):
                gap[j] = x[t, j] - means[m, k, j]
            total = sizes[m, k]
            for i in range(width):
                z = 0.0
                for j in range(i + 1):
                    z += inverses[m, k, i, j] * gap[j]
                total += z * z
            out[t, k] = -0.5 * total


@njit(cache=True, nogil=True, fastmath=LOOSE)
def add_whole(x, owners, shares, means, seen, total, square):  # type: ignore[no-untyped-def]
    """Per model and state: share of the complete frames, sum of their gaps to the mean and of the products (lower half)."""
    width = x.shape[1]
    gap = np.empty(width)
    for t in range(x.shape[0]):
        m = owners[t]
        for k in range(shares.shape[1]):
            share = shares[t, k]
            if share == 0.0:
                continue
            seen[m, k] += share
            for j in range(width):
                gap[j] = x[t, j] - means[m, k, j]
                total[m, k, j] += share * gap[j]
            for i in range(width):
                part = share * gap[i]
                for j in range(i + 1):
                    square[m, k, i, j] += part * gap[j]


@njit(cache=True, nogil=True)
def _known_first(x, order):  # type: ignore[no-untyped-def]
    """Fills the order of the values, known ones first; how many are known."""
    count = 0
    for j in range(x.size):
        if not math.isnan(x[j]):
            order[count] = j
            count += 1
    at = count
    for j in range(x.size):
        if math.isnan(x[j]):
            order[at] = j
            at += 1
    return count


@njit(cache=True, nogil=True)
def _solved(x, mean, order, count, root, z):  # type: ignore[no-untyped-def]
    """The known values of a frame in units of the factor; the sum of their squares."""
    total = 0.0
    for i in range(count):
        s = x[order[i]] - mean[order[i]]
        for j in range(i):
            s -= root[i, j] * z[j]
        z[i] = s / root[i, i]
        total += z[i] * z[i]
    return total


@njit(cache=True, nogil=True)
def gap_densities(x, kinds, mean, spread, out):  # type: ignore[no-untyped-def]
    """Log-densities of what is known of frames in one state; frames of one kind (the same values known) stand together."""
    width = x.shape[1]
    order = np.empty(width, dtype=np.int64)
    root = np.zeros((width, width))
    z = np.empty(width)
    count = 0
    size = 0.0
    for t in range(x.shape[0]):
        if t == 0 or kinds[t] != kinds[t - 1]:
            count = _known_first(x[t], order)
            _root(spread, order[:count], root)
            size = count * _LOG_2PI
            for i in range(count):
                size += 2.0 * math.log(root[i, i])
        out[t] = -0.5 * (_solved(x[t], mean, order, count, root, z) + size) if count > 0 else 0.0


@njit(cache=True, nogil=True)
def gap_sums(x, kinds, owners, shares, means, spreads, seen, total, square):  # type: ignore[no-untyped-def]
    """As `add_whole`, for frames with missing values: what is missing is expected from what is known.

    Frames stand in the order of their owners and, within them, of their kinds; those that know nothing are left out.
    """
    width = x.shape[1]
    order = np.empty(width, dtype=np.int64)
    root = np.zeros((width, width))
    z = np.empty(width)
    gap = np.empty(width)
    for k in range(shares.shape[1]):
        lo = 0
        while lo < x.shape[0]:
            m = owners[lo]
            hi = lo
            weight = 0.0
            count = _known_first(x[lo], order)
            _root(spreads[m, k], order, root)
            while hi < x.shape[0] and owners[hi] == m and kinds[hi] == kinds[lo]:
                hi += 1
            for t in range(lo, hi if count > 0 else lo):
                _solved(x[t], means[m, k], order, count, root, z)
                for i in range(width):
                    gap[order[i]] = 0.0
                    for j in range(min(i + 1, count)):
                        gap[order[i]] += root[i, j] * z[j]
                share = shares[t, k]
                weight += share
                for i in range(width):
                    total[m, k, i] += share * gap[i]
                    for j in range(i + 1):
                        square[m, k, i, j] += share * gap[i] * gap[j]
            seen[m, k] += weight
            for i in range(count, width):
                for j in range(count, i + 1):
                    s = 0.0
                    for n in range(count, j + 1):
                        s += root[i, n] * root[j, n]
                    square[m, k, max(order[i], order[j]), min(order[i], order[j])] += weight * s
            lo = hi
