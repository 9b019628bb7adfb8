"""Training of hidden Markov models, compiled: best paths, and shares of states over all paths, of every sequence.

Every sequence belongs to one model. Rows `b` hold the log-densities of a frame in the states of its own model. A state
is followed from the states `reach` before it to itself, or from all states when `reach` is the number of states.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from coterie._kernels.hmm import FUSED, lane_exp, log_mix, log_total

_LOST = 1e-280  # a sum of shares below this is not safe: the sequence is done again in logarithms
_SMALL = 1e-150  # the logarithm of a product of scales is taken before it falls below this
_HUGE = 1e250  # what was lost, below 1e-307 each, times what could follow it must stay nothing
_TRUST = 1e-285  # times what could follow: shares above it are right to the last digits


@njit(cache=True, nogil=True)
def _path(b, start, links, reach, score, back, states):  # type: ignore[no-untyped-def]
    """The best path of one sequence and its log-likelihood; at a tie the later state comes first."""
    length, n_states = b.shape
    for k in range(n_states):
        score[0, k] = start[k] + b[0, k]
    for t in range(1, length):
        for k in range(n_states):
            first = max(0, k - reach) if reach < n_states else 0
            last = k if reach < n_states else n_states - 1
            best, come = -np.inf, last
            for i in range(last, first - 1, -1):
                v = score[t - 1, i] + links[i, k]
                if v > best:
                    best, come = v, i
            score[t, k] = best + b[t, k]
            back[t, k] = come
    end = n_states - 1
    for k in range(n_states - 2, -1, -1):
        if score[length - 1, k] > score[length - 1, end]:
            end = k
    best = score[length - 1, end]
    for t in range(length - 1, -1, -1):
        states[t] = end
        end = back[t, end]
    return best


@njit(cache=True, nogil=True)
def _longest(offsets):  # type: ignore[no-untyped-def]
    most = 1
    for n in range(offsets.size - 1):
        most = max(most, offsets[n + 1] - offsets[n])
    return most


@njit(cache=True, nogil=True)
def best_states(b, offsets, models, start, links, reach, states, out):  # type: ignore[no-untyped-def]
    """The best path of every sequence under its own model (`start`, `links` in logarithms) and its log-likelihood."""
    most, n_states = _longest(offsets), start.shape[1]
    score = np.empty((most, n_states))
    back = np.zeros((most, n_states), dtype=np.int64)
    for n in range(offsets.size - 1):
        lo, hi, m = offsets[n], offsets[n + 1], models[n]
        if hi > lo:
            out[n] = _path(b[lo:hi], start[m], links[m], reach, score, back, states[lo:hi])


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def to_shares(b, top):  # type: ignore[no-untyped-def]
    """Rows of log-densities as densities over the largest of the row, in place; `top` gets the largest."""
    for t in range(b.shape[0]):
        most = -np.inf
        for k in range(b.shape[1]):
            most = max(most, b[t, k])
        top[t] = most
        if most == -np.inf:
            b[t] = 0.0
            continue
        for k in range(b.shape[1]):
            b[t, k] = lane_exp(b[t, k] - most)


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _times(x, a, out):  # type: ignore[no-untyped-def]
    """out = x @ a, four rows of `a` at a time, in lanes over its columns."""
    n = out.size
    out[:] = 0.0
    for i in range(0, n - 3, 4):
        one, two, three, four = x[i], x[i + 1], x[i + 2], x[i + 3]
        for k in range(n):
            out[k] += (one * a[i, k] + two * a[i + 1, k]) + (three * a[i + 2, k] + four * a[i + 3, k])
    for i in range(n - n % 4, n):
        one = x[i]
        for k in range(n):
            out[k] += one * a[i, k]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def all_shares(e, top, offsets, models, start, links, turned, shares, ahead, out, least):  # type: ignore[no-untyped-def]
    """Forward and backward over all paths, rescaled at every frame.

    `e` holds densities as `to_shares` leaves them; in the end it holds, per frame and state, density times what follows
    over the scale, so that the expected steps into frame t are links * outer(ahead[t - 1], e[t]). `shares` gets the
    posterior of each state, `ahead` the forward shares, `out` the log-likelihoods; NaN where the scale was lost.
    `turned` holds the links the other way about, (M, to, from). `least` gets what a sum of shares of a state over the
    sequence must be above to be trusted; `top` is used up.
    """
    n_states = start.shape[1]
    row, behind = np.empty(n_states), np.empty(n_states)
    for n in range(offsets.size - 1):
        lo, hi, m = offsets[n], offsets[n + 1], models[n]
        a = links[m]
        value, product, safe = 0.0, 1.0, True
        for t in range(lo, hi):
            if t == lo:
                row[:] = start[m]
            else:
                _times(ahead[t - 1], a, row)
            scale = 0.0
            for k in range(n_states):
                row[k] *= e[t, k]
                scale += row[k]
            if not scale > _LOST:
                safe = False
                break
            value += top[t]
            if product * scale < _SMALL:
                value += math.log(product)
                product = 1.0
            product *= scale
            scale = 1.0 / scale
            top[t] = scale
            for k in range(n_states):
                ahead[t, k] = row[k] * scale
                e[t, k] *= scale
        out[n] = value + math.log(product) if safe else np.nan
        if not safe:
            continue
        behind[:] = 1.0
        follow = 1.0
        for t in range(hi - 1, lo - 1, -1):
            most = 0.0
            for k in range(n_states):
                shares[t, k] = ahead[t, k] * behind[k]
                e[t, k] *= behind[k]
                most = max(most, behind[k])
            follow = max(follow, most * top[t])
            if not follow < _HUGE:
                break
            if t > lo:
                _times(e[t], turned[m], behind)
        least[n] = _TRUST * follow
        if not follow < _HUGE:
            out[n] = np.nan


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def add_steps(ahead, e, offsets, models, steps):  # type: ignore[no-untyped-def]
    """Adds outer(ahead[t - 1], e[t]) over the frames of every sequence to the steps of its model (not yet times links)."""
    n_states = ahead.shape[1]
    for n in range(offsets.size - 1):
        sums = steps[models[n]]
        for t in range(offsets[n] + 1, offsets[n + 1]):
            for i in range(n_states):
                share = ahead[t - 1, i]
                if share > 0.0:
                    for k in range(n_states):
                        sums[i, k] += share * e[t, k]


@njit(cache=True, nogil=True)
def shares_in_logs(b, start, links, turned, wanted, shares, steps, sizes):  # type: ignore[no-untyped-def]
    """One sequence in logarithms (`start`, `links`, `b`): posteriors, and the log-likelihood, which is returned.

    The expected steps out of the states `wanted` are steps * exp(sizes): the largest term of a row is near one, so that
    rows are right however seldom their state is visited; `sizes` is -inf for a state that is never left.
    """
    length, n_states = b.shape
    ahead, behind = np.empty((length, n_states)), np.zeros((length, n_states))
    top, total, row = np.empty(n_states), np.empty(n_states), np.empty(n_states)
    ahead[0] = start + b[0]
    for t in range(1, length):
        log_mix(ahead[t - 1], links, n_states, top, total, ahead[t])
        ahead[t] += b[t]
    for t in range(length - 2, -1, -1):
        row[:] = b[t + 1] + behind[t + 1]
        log_mix(row, turned, n_states, top, total, behind[t])
    value = log_total(ahead[length - 1])
    steps[:] = 0.0
    sizes[:] = -np.inf
    if value == -np.inf:
        shares[:] = 0.0
        return value
    for t in range(length):
        for k in range(n_states):
            shares[t, k] = math.exp(ahead[t, k] + behind[t, k] - value)
    for i in range(n_states):
        if wanted[i]:
            sizes[i] = _row_in_logs(b, ahead[:, i] + behind[:, i], behind, links[i], i, steps[i]) - value
    return value


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _row_in_logs(b, through, behind, links, i, steps):  # type: ignore[no-untyped-def]
    """Adds up the steps out of state i over the largest of its posteriors, the logarithm of which is returned."""
    most = -np.inf
    for t in range(b.shape[0] - 1):
        most = max(most, through[t])
    if most == -np.inf:
        return most
    for t in range(b.shape[0] - 1):
        if through[t] - most > -700.0:
            weight = math.exp(through[t] - most)
            for k in range(steps.size):
                steps[k] += weight * lane_exp(min(links[k] + b[t + 1, k] + behind[t + 1, k] - behind[t, i], 0.0))
    return most
