"""What states emit, compiled: log-densities of frames under their own model, and sums weighted by shares of states."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LOOSE = {"contract", "reassoc", "nsz"}  # sums over values may be taken in lanes; NaN keeps its meaning


@njit(cache=True, nogil=True, fastmath=LOOSE)
def own_densities(x, owners, means, precisions, logs, out):  # type: ignore[no-untyped-def]
    """Diagonal Gaussian log-densities in the states of the frame's own model; `logs` are log(2 pi variance) per value."""
    n_states, width = means.shape[1], means.shape[2]
    constants = np.empty((means.shape[0], n_states))
    for m in range(means.shape[0]):
        for k in range(n_states):
            constants[m, k] = logs[m, k].sum()
    for t in range(x.shape[0]):
        m = owners[t]
        for k in range(n_states):
            total = constants[m, k]
            for j in range(width):
                gap = x[t, j] - means[m, k, j]
                total += gap * gap * precisions[m, k, j]
            if math.isnan(total):
                total = 0.0
                for j in range(width):
                    gap = x[t, j] - means[m, k, j]
                    if not math.isnan(gap):
                        total += logs[m, k, j] + gap * gap * precisions[m, k, j]
            out[t, k] = -0.5 * total


@njit(cache=True, nogil=True, fastmath=LOOSE)
def add_shares(x, owners, shares, seen, total, square):  # type: ignore[no-untyped-def]
    """Per model, state and value: the share of frames that have it, their sum and the sum of their squares."""
    n_states, width = shares.shape[1], x.shape[1]
    for t in range(x.shape[0]):
        m = owners[t]
        whole = 0.0
        for j in range(width):
            whole += x[t, j]
        if math.isnan(whole):
            for k in range(n_states):
                for j in range(width):
                    v = x[t, j]
                    if not math.isnan(v):
                        seen[m, k, j] += shares[t, k]
                        total[m, k, j] += shares[t, k] * v
                        square[m, k, j] += shares[t, k] * v * v
            continue
        for k in range(n_states):
            share = shares[t, k]
            if share == 0.0:
                continue
            for j in range(width):
                part = share * x[t, j]
                seen[m, k, j] += share
                total[m, k, j] += part
                square[m, k, j] += part * x[t, j]
