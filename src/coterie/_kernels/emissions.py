"""What states emit, compiled: log-densities of frames under their own model, and sums weighted by shares of states."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from coterie._kernels.hmm import FUSED, lane_exp, lane_log

LOOSE = {
    "contract",
    "reassoc",
    "nsz",
}  # sums over values may be taken in lanes; NaN keeps its meaning


@njit(cache=True, nogil=True, fastmath=LOOSE)
def own_densities(x, owners, means, precisions, logs, out):  # type: ignore[no-untyped-def]
    """Diagonal Gaussian log-densities in the states of the frame's own model; `logs` are log(2 pi variance) per value."""
    n_states = means.shape[1]
    width = means.shape[2]
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
def add_shares(x, owners, shares, means, seen, total, square):  # type: ignore[no-untyped-def]
    """Per model, state and value: the share of frames that have it, the sum of their gaps to the mean, and of squared gaps."""
    n_states = shares.shape[1]
    width = x.shape[1]
    complete = np.zeros(seen.shape[:2])
    for t in range(x.shape[0]):
        m = owners[t]
        whole = 0.0
        for j in range(width):
            whole += x[t, j]
        if math.isnan(whole):
            for k in range(n_states):
                for j in range(width):
                    gap = x[t, j] - means[m, k, j]
                    if not math.isnan(gap):
                        seen[m, k, j] += shares[t, k]
                        total[m, k, j] += shares[t, k] * gap
                        square[m, k, j] += shares[t, k] * gap * gap
            continue
        for k in range(n_states):
            share = shares[t, k]
            if share == 0.0:
                continue
            complete[m, k] += share
            mean = means[m, k]
            first = total[m, k]
            second = square[m, k]
            for j in range(width):
                gap = x[t, j] - mean[j]
                part = share * gap
                first[j] += part
                second[j] += part * gap
    for m in range(seen.shape[0]):
        for k in range(n_states):
            for j in range(width):
                seen[m, k, j] += complete[m, k]


@njit(cache=True, nogil=True)
def own_counts(x, owners, rates, logs, last, out):  # type: ignore[no-untyped-def]
    """Poisson log-probabilities in the states of the frame's own model; `last` are the log-factorials of each frame."""
    for t in range(x.shape[0]):
        m = owners[t]
        for k in range(rates.shape[1]):
            total = -last[t]
            for j in range(x.shape[1]):
                if not math.isnan(x[t, j]):
                    total += x[t, j] * logs[m, k, j] - rates[m, k, j]
            out[t, k] = total


@njit(cache=True, nogil=True)
def add_rows(rows, owners, out):  # type: ignore[no-untyped-def]
    """Adds every row to that of its owner."""
    for t in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            out[owners[t], c] += rows[t, c]


@njit(cache=True, nogil=True)
def add_symbols(codes, owners, shares, out):  # type: ignore[no-untyped-def]
    """Adds the shares of the states of every frame to the count of each of its symbols; codes beyond the last are missing."""
    for t in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            if codes[t, j] < out.shape[2]:
                for k in range(shares.shape[1]):
                    out[owners[t], k, codes[t, j]] += shares[t, k]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def mixed(parts, n_parts, n_models, out):  # type: ignore[no-untyped-def]
    """The logarithm of the sum over the parts of each state: columns (k, part, m) in `parts`, (k, m) in `out`."""
    n_states = out.shape[1] // n_models
    total = np.empty(n_models)
    for t in range(parts.shape[0]):
        for k in range(n_states):
            top = out[t, k * n_models : (k + 1) * n_models]
            top[:] = -1e300
            total[:] = 0.0
            for c in range(n_parts):
                row = parts[t, (k * n_parts + c) * n_models : (k * n_parts + c + 1) * n_models]
                for m in range(n_models):
                    top[m] = row[m] if row[m] > top[m] else top[m]
            for c in range(n_parts):
                row = parts[t, (k * n_parts + c) * n_models : (k * n_parts + c + 1) * n_models]
                for m in range(n_models):
                    total[m] += lane_exp(min(row[m] - top[m], 0.0))
            for m in range(n_models):
                top[m] = top[m] + lane_log(total[m]) if top[m] > -1e300 else -np.inf
