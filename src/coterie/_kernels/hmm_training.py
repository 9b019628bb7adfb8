"""Training of hidden Markov models, compiled: sums over the sequences of each model, by best paths or over all paths.

Every sequence belongs to one model. A state is followed from the states `reach` before it to itself, or from all
states when `reach` is the number of states.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LOOSE = {"contract", "reassoc", "nsz"}  # sums over values may be taken in lanes; infinities keep their meaning


@njit(cache=True, nogil=True, fastmath=LOOSE)
def _densities(x, means, precisions, constants, b):  # type: ignore[no-untyped-def]
    """Emission log-densities of one sequence under one model."""
    for t in range(x.shape[0]):
        for k in range(means.shape[0]):
            total = 0.0
            for j in range(x.shape[1]):
                gap = x[t, j] - means[k, j]
                total += gap * gap * precisions[k, j]
            b[t, k] = constants[k] - 0.5 * total


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
def best_states(x, offsets, models, start, links, reach, means, precisions, constants, states, out):  # type: ignore[no-untyped-def]
    """The best path of every sequence under its own model (`start`, `links` in logarithms) and its log-likelihood."""
    n_states = start.shape[1]
    most = _longest(offsets)
    b, score = np.empty((most, n_states)), np.empty((most, n_states))
    back = np.zeros((most, n_states), dtype=np.int64)
    for n in range(offsets.size - 1):
        lo, hi, m = offsets[n], offsets[n + 1], models[n]
        if hi > lo:
            _densities(x[lo:hi], means[m], precisions[m], constants[m], b)
            out[n] = _path(b[: hi - lo], start[m], links[m], reach, score, back, states[lo:hi])


@njit(cache=True, nogil=True)
def hard_sums(x, offsets, models, states, first, moves, count, total, square):  # type: ignore[no-untyped-def]
    """Of given states: how often each begins a sequence and follows another; number, sum and squares of its frames."""
    for n in range(offsets.size - 1):
        m = models[n]
        for t in range(offsets[n], offsets[n + 1]):
            k = states[t]
            if t == offsets[n]:
                first[m, k] += 1.0
            else:
                moves[m, states[t - 1], k] += 1.0
            count[m, k] += 1.0
            for j in range(x.shape[1]):
                total[m, k, j] += x[t, j]
                square[m, k, j] += x[t, j] * x[t, j]


@njit(cache=True, nogil=True)
def soft_sums(  # type: ignore[no-untyped-def]
    x, offsets, models, start, links, reach, means, precisions, constants, first, moves, count, total, square, out
):
    """The same as expected values over all paths (forward and backward, in logarithms), and the log-likelihoods."""
    n_states = start.shape[1]
    most = _longest(offsets)
    b, ahead, behind = np.empty((most, n_states)), np.empty((most, n_states)), np.empty((most, n_states))
    for n in range(offsets.size - 1):
        lo, hi, m = offsets[n], offsets[n + 1], models[n]
        if hi == lo:
            continue
        length = hi - lo
        _densities(x[lo:hi], means[m], precisions[m], constants[m], b)
        out[n] = _forward(b[:length], start[m], links[m], reach, ahead)
        _backward(b[:length], links[m], reach, behind)
        for t in range(length):
            for k in range(n_states):
                share = math.exp(ahead[t, k] + behind[t, k] - out[n])
                if share == 0.0:
                    continue
                if t == 0:
                    first[m, k] += share
                else:
                    low = max(0, k - reach) if reach < n_states else 0
                    high = k if reach < n_states else n_states - 1
                    for i in range(low, high + 1):
                        moves[m, i, k] += math.exp(ahead[t - 1, i] + links[m, i, k] + b[t, k] + behind[t, k] - out[n])
                count[m, k] += share
                for j in range(x.shape[1]):
                    part = share * x[lo + t, j]
                    total[m, k, j] += part
                    square[m, k, j] += part * x[lo + t, j]


@njit(cache=True, nogil=True)
def _forward(b, start, links, reach, ahead):  # type: ignore[no-untyped-def]
    length, n_states = b.shape
    for k in range(n_states):
        ahead[0, k] = start[k] + b[0, k]
    for t in range(1, length):
        for k in range(n_states):
            first = max(0, k - reach) if reach < n_states else 0
            last = k if reach < n_states else n_states - 1
            top = -np.inf
            for i in range(first, last + 1):
                top = max(top, ahead[t - 1, i] + links[i, k])
            total = 0.0
            if top > -np.inf:
                for i in range(first, last + 1):
                    total += math.exp(ahead[t - 1, i] + links[i, k] - top)
            ahead[t, k] = top + math.log(total) + b[t, k] if total > 0.0 else -np.inf
    top = ahead[length - 1].max()
    total = 0.0
    for k in range(n_states):
        total += math.exp(ahead[length - 1, k] - top)
    return top + math.log(total)


@njit(cache=True, nogil=True)
def _backward(b, links, reach, behind):  # type: ignore[no-untyped-def]
    length, n_states = b.shape
    for k in range(n_states):
        behind[length - 1, k] = 0.0
    for t in range(length - 2, -1, -1):
        for i in range(n_states):
            first = i if reach < n_states else 0
            last = min(n_states - 1, i + reach)
            top = -np.inf
            for k in range(first, last + 1):
                top = max(top, links[i, k] + b[t + 1, k] + behind[t + 1, k])
            total = 0.0
            if top > -np.inf:
                for k in range(first, last + 1):
                    total += math.exp(links[i, k] + b[t + 1, k] + behind[t + 1, k] - top)
            behind[t, i] = top + math.log(total) if total > 0.0 else -np.inf
