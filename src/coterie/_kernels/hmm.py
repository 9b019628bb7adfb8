"""Hidden Markov models, compiled: likelihoods under many models side by side, and the sums that training needs.

Rows of emission log-densities hold all states of all models, state after state: column k * n_models + m. A step of a
banded model (each state, the next, the one after) is then one pass over the row and two shifted copies of the last.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FUSED = {"contract"}  # nothing that reorders sums: the exponential below rounds by adding a large number


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def lane_exp(x: float) -> float:
    """exp(x) for x <= 0 without a branch, so that it runs in lanes; 0 for what is below the smallest number."""
    low = max(x, -708.0)
    n = low * 1.4426950408889634 + 6755399441055744.0  # the nearest whole number stands in the last bits
    k = np.float64(n).view(np.int64)
    n = n - 6755399441055744.0
    r = (low - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    scale = np.int64((k + np.int64(1023)) << np.int64(52))
    return p * scale.view(np.float64) if x >= -708.0 else 0.0


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def lane_log(y: float) -> float:
    """log(y) for ordinary y above 0 without a branch: power of two, and a series in (m - 1) / (m + 1)."""
    bits = np.float64(y).view(np.int64)
    shifted = bits - np.int64(0x3FE6A09E667F3BCD)  # of sqrt(1/2), so that m is between it and sqrt(2)
    e = shifted >> np.int64(52)
    m = np.int64(bits - (e << np.int64(52))).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    p = 1.0 / 23.0
    p = p * q + 1.0 / 21.0
    p = p * q + 1.0 / 19.0
    p = p * q + 1.0 / 17.0
    p = p * q + 1.0 / 15.0
    p = p * q + 1.0 / 13.0
    p = p * q + 1.0 / 11.0
    p = p * q + 1.0 / 9.0
    p = p * q + 1.0 / 7.0
    p = p * q + 1.0 / 5.0
    p = p * q + 1.0 / 3.0
    power = np.float64(e)
    return power * 6.93147180369123816490e-01 + (2.0 * s + (2.0 * s * q * p + power * 1.90821492927058770002e-10))


@njit(cache=True, nogil=True)
def best_paths(b, offsets, lo, hi, start, links, reach, old, new, out):  # type: ignore[no-untyped-def]
    """Viterbi log-likelihoods of the sequences in frames lo..hi under all models; `b[t - lo]` is the row of frame t.

    `start` is (K * M,); `links` is (reach + 1, K * M), into each state from 0, 1, 2 states before, when reach is below K,
    else (K, K * M), from each state. `old` carries a sequence that goes on in the next block; it and `new` have
    reach * M (or no) columns of -inf in front.
    """
    width = start.size
    n_models = out.shape[1]
    n_states = width // n_models
    banded = reach < n_states
    pad = reach * n_models if banded else 0
    n = np.searchsorted(offsets, lo, side="right") - 1
    while n < offsets.size - 1 and offsets[n] < hi:
        for t in range(max(offsets[n], lo), min(offsets[n + 1], hi)):
            row = b[t - lo]
            if t == offsets[n]:
                for c in range(width):
                    old[pad + c] = start[c] + row[c]
                continue
            if banded:
                _band_step(row, links, n_models, reach, old, new)
            else:
                _full_step(row, links, n_models, n_states, old, new)
            old, new = new, old
        for m in range(n_models):
            out[n, m] = old[pad + m]
        for k in range(1, n_states):
            at = pad + k * n_models
            for m in range(n_models):
                v = old[at + m]
                out[n, m] = v if v > out[n, m] else out[n, m]
        n += 1
    return old, new


@njit(cache=True, nogil=True)
def _band_step(row, links, n_models, reach, old, new):  # type: ignore[no-untyped-def]
    width = row.size
    pad = reach * n_models
    stay = links[0]
    if reach == 0:
        for c in range(width):
            new[c] = old[c] + stay[c] + row[c]
    elif reach == 1:
        one = links[1]
        for c in range(width):
            v = old[pad + c] + stay[c]
            w = old[c] + one[c]
            new[pad + c] = (v if v > w else w) + row[c]
    else:
        one, two = links[1], links[2]
        for c in range(width):
            v = old[pad + c] + stay[c]
            w = old[n_models + c] + one[c]
            u = old[c] + two[c]
            v = v if v > w else w
            new[pad + c] = (v if v > u else u) + row[c]


@njit(cache=True, nogil=True)
def _full_step(row, links, n_models, n_states, old, new):  # type: ignore[no-untyped-def]
    for k in range(n_states):
        at = k * n_models
        for m in range(n_models):
            new[at + m] = old[m] + links[0, at + m]
        for i in range(1, n_states):
            before = i * n_models
            for m in range(n_models):
                v = old[before + m] + links[i, at + m]
                new[at + m] = v if v > new[at + m] else new[at + m]
        for m in range(n_models):
            new[at + m] += row[at + m]


@njit(cache=True, nogil=True)
def all_paths(b, offsets, lo, hi, start, links, reach, old, new, out):  # type: ignore[no-untyped-def]
    """Forward log-likelihoods, laid out as in `best_paths`; all in logarithms, so that no path is ever lost."""
    width = start.size
    n_models = out.shape[1]
    n_states = width // n_models
    banded = reach < n_states
    pad = reach * n_models if banded else 0
    even, total = np.zeros((n_states, n_models)), np.empty(n_models)
    n = np.searchsorted(offsets, lo, side="right") - 1
    while n < offsets.size - 1 and offsets[n] < hi:
        for t in range(max(offsets[n], lo), min(offsets[n + 1], hi)):
            row = b[t - lo]
            if t == offsets[n]:
                for c in range(width):
                    old[pad + c] = start[c] + row[c]
                continue
            if banded:
                _band_sum(row, links, n_models, reach, old, new)
            else:
                for k in range(n_states):
                    at = k * n_models
                    _sum_over(old, 0, links, at, n_states, n_models, total, new[at : at + n_models])
                for c in range(width):
                    new[c] += row[c]
            old, new = new, old
        _sum_over(old, pad, even, 0, n_states, n_models, total, out[n])
        n += 1
    return old, new


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _band_sum(row, links, n_models, reach, old, new):  # type: ignore[no-untyped-def]
    width = row.size
    pad = reach * n_models
    stay = links[0]
    if reach == 0:
        for c in range(width):
            new[c] = old[c] + stay[c] + row[c]
    elif reach == 1:
        one = links[1]
        for c in range(width):
            v = old[pad + c] + stay[c]
            w = old[c] + one[c]
            top = max(max(v, w), -1e300)
            new[pad + c] = top + lane_log(lane_exp(v - top) + lane_exp(w - top)) + row[c]
    else:
        one, two = links[1], links[2]
        for c in range(width):
            v = old[pad + c] + stay[c]
            w = old[n_models + c] + one[c]
            u = old[c] + two[c]
            top = max(max(max(v, w), u), -1e300)
            new[pad + c] = top + lane_log(lane_exp(v - top) + lane_exp(w - top) + lane_exp(u - top)) + row[c]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _sum_over(old, pad, links, at, n_states, n_models, total, out):  # type: ignore[no-untyped-def]
    """Per model the logarithm of the sum over states of exp(old + links)."""
    for m in range(n_models):
        out[m] = -1e300
        total[m] = 0.0
    for i in range(n_states):
        here = pad + i * n_models
        for m in range(n_models):
            v = old[here + m] + links[i, at + m]
            out[m] = v if v > out[m] else out[m]
    for i in range(n_states):
        here = pad + i * n_models
        for m in range(n_models):
            total[m] += lane_exp(old[here + m] + links[i, at + m] - out[m])
    for m in range(n_models):
        out[m] += lane_log(total[m])


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def all_paths_scaled(b, offsets, lo, hi, start, links, old, new, out):  # type: ignore[no-untyped-def]
    """Forward log-likelihoods of models in which every state follows every state: shares, rescaled frame by frame.

    `start` and `links` are probabilities here, none of the links near 0; `old` carries the shares.
    """
    width = start.size
    n_models = out.shape[1]
    n_states = width // n_models
    top, total = np.empty(n_models), np.empty(n_models)
    n = np.searchsorted(offsets, lo, side="right") - 1
    while n < offsets.size - 1 and offsets[n] < hi:
        for t in range(max(offsets[n], lo), min(offsets[n + 1], hi)):
            row = b[t - lo]
            if t == offsets[n]:
                out[n] = 0.0
                new[:] = start
            else:
                _mix(links, n_models, n_states, old, new)
            top[:] = -np.inf
            total[:] = 0.0
            for k in range(n_states):
                at = k * n_models
                for m in range(n_models):
                    v = row[at + m] if new[at + m] > 0.0 else -np.inf
                    top[m] = v if v > top[m] else top[m]
            for k in range(n_states):
                at = k * n_models
                for m in range(n_models):
                    new[at + m] *= lane_exp(min(row[at + m] - top[m], 0.0))
                    total[m] += new[at + m]
            for m in range(n_models):
                out[n, m] += top[m] + lane_log(total[m])
                total[m] = 1.0 / total[m]
            for k in range(n_states):
                at = k * n_models
                for m in range(n_models):
                    old[at + m] = new[at + m] * total[m]
        n += 1


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _mix(links, n_models, n_states, old, new):  # type: ignore[no-untyped-def]
    for k in range(n_states):
        at = k * n_models
        for m in range(n_models):
            new[at + m] = old[m] * links[0, at + m]
        for i in range(1, n_states):
            before = i * n_models
            for m in range(n_models):
                new[at + m] += old[before + m] * links[i, at + m]
