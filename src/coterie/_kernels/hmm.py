"""Hidden Markov models, compiled: likelihoods of sequences under many models side by side, and best paths.

Rows of emission log-densities hold all states of all models, state after state: column k * n_models + m. A step of a
banded model (each state, the next, the one after) is then one pass over the row and two shifted copies of the last.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

FUSED = {
    "contract"
}  # nothing that reorders sums: the exponential below rounds by adding a large number
LN2 = math.log(2.0)
NONE = -1e300  # stands for the logarithm of zero where -inf would give NaN
FAINT = 1e-150  # shares (and links) below this may be lost on the way


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def lane_exp(x: float) -> float:
    """exp(x) for x <= 0 without a branch, so that it runs in lanes; 0 for what is below the smallest number."""
    low = max(x, -708.0)
    n = (
        low * 1.4426950408889634 + 6755399441055744.0
    )  # the nearest whole number stands in the last bits
    k = np.float64(n).view(np.int64)
    n = n - 6755399441055744.0
    r = (low - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10
    p = (r * (1.0 / 6227020800.0) + 1.0 / 479001600.0) * r + 1.0 / 39916800.0
    p = ((p * r + 1.0 / 3628800.0) * r + 1.0 / 362880.0) * r + 1.0 / 40320.0
    p = ((p * r + 1.0 / 5040.0) * r + 1.0 / 720.0) * r + 1.0 / 120.0
    p = ((p * r + 1.0 / 24.0) * r + 1.0 / 6.0) * r + 0.5
    p = (p * r + 1.0) * r + 1.0
    scale = np.int64((k + np.int64(1023)) << np.int64(52))
    return p * scale.view(np.float64) if x >= -708.0 else 0.0


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def lane_log(y: float) -> float:
    """log(y) for ordinary y above 0 without a branch: power of two, and a series in (m - 1) / (m + 1)."""
    bits = np.float64(y).view(np.int64)
    shifted = bits - np.int64(
        0x3FE6A09E667F3BCD
    )  # of sqrt(1/2), so that m is between it and sqrt(2)
    e = shifted >> np.int64(52)
    m = np.int64(bits - (e << np.int64(52))).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    p = (q * (1.0 / 23.0) + 1.0 / 21.0) * q + 1.0 / 19.0
    p = ((p * q + 1.0 / 17.0) * q + 1.0 / 15.0) * q + 1.0 / 13.0
    p = ((p * q + 1.0 / 11.0) * q + 1.0 / 9.0) * q + 1.0 / 7.0
    p = (p * q + 1.0 / 5.0) * q + 1.0 / 3.0
    power = np.float64(e)
    return power * 6.93147180369123816490e-01 + (
        2.0 * s + (2.0 * s * q * p + power * 1.90821492927058770002e-10)
    )


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def lane_power(y: float) -> np.int64:
    """The power of two in an ordinary number above 0; -1023 for 0."""
    return np.int64((np.float64(y).view(np.int64) >> np.int64(52)) - np.int64(1023))


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def lane_two(power: np.int64) -> float:
    """Two to minus that power."""
    return np.int64((np.int64(1023) - power) << np.int64(52)).view(np.float64)


@njit(cache=True, nogil=True)
def best_paths(b, offsets, lo, hi, start, links, reach, old, new, out):  # type: ignore[no-untyped-def]
    """Viterbi log-likelihoods of the sequences in frames lo..hi under all models; `b[t - lo]` is the row of frame t.

    `start` is (K * M,); `links` is (reach + 1, K * M), into each state from 0, 1, 2 states before, when reach is below K,
    else (K, K * M), from each state. `old` carries a sequence that goes on in the next block; it and `new` have
    reach * M (or no) columns of -inf in front.
    """
    width = start.size
    n_models = out.shape[1]
    banded = reach < width // n_models
    pad = reach * n_models if banded else 0
    n = np.searchsorted(offsets, lo, side="right") - 1
    while n < offsets.size - 1 and offsets[n] < hi:
        for t in range(max(offsets[n], lo), min(offsets[n + 1], hi)):
            row = b[t - lo]
            if t == offsets[n]:
                for c in range(width):
                    old[pad + c] = start[c] + row[c]
                continue
            size = width if banded else n_models
            for at in range(0, width, size):
                _best_into(
                    old,
                    pad + at if banded else 0,
                    -n_models if banded else n_models,
                    links,
                    at,
                    new[pad + at : pad + at + size],
                )
            for c in range(width):
                old[pad + c] = new[pad + c] + row[c]
        out[n] = -np.inf if offsets[n] < offsets[n + 1] else 0.0
        for k in range(width // n_models if offsets[n] < offsets[n + 1] else 0):
            at = pad + k * n_models
            for m in range(n_models):
                out[n, m] = old[at + m] if old[at + m] > out[n, m] else out[n, m]
        n += 1


@njit(cache=True, nogil=True)
def _best_into(old, origin, stride, links, at, out):  # type: ignore[no-untyped-def]
    """The best over all sources s of old + links: the columns of source s begin `stride` after those of the one before."""
    size = out.size
    for s in range(links.shape[0]):
        before = old[origin + s * stride :][:size]
        link = links[s, at : at + size]
        if s == 0:
            for c in range(size):
                out[c] = before[c] + link[c]
        else:
            for c in range(size):
                v = before[c] + link[c]
                out[c] = v if v > out[c] else out[c]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _sum_into(old, origin, stride, links, at, out):  # type: ignore[no-untyped-def]
    """The sum over all sources of old * links, laid out as in `_best_into`, two sources at a time."""
    n = links.shape[0]
    size = out.size
    first = old[origin:][:size]
    link = links[0, at : at + size]
    for c in range(size):
        out[c] = first[c] * link[c]
    for s in range(1, n - 1, 2):
        one = old[origin + s * stride :][:size]
        two = old[origin + (s + 1) * stride :][:size]
        to_one = links[s, at : at + size]
        to_two = links[s + 1, at : at + size]
        for c in range(size):
            out[c] += one[c] * to_one[c] + two[c] * to_two[c]
    if n % 2 == 0:
        one = old[origin + (n - 1) * stride :][:size]
        to_one = links[n - 1, at : at + size]
        for c in range(size):
            out[c] += one[c] * to_one[c]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def all_paths(b, offsets, lo, hi, start, links, reach, old, new, power, gone, out):  # type: ignore[no-untyped-def]
    """Forward log-likelihoods, laid out as in `best_paths`, but `start` and `links` are probabilities.

    Shares are rescaled at every frame by a power of two, the sum of which `power` (M,) carries on. `gone` (n, M) tells how
    far, in powers of two, the likelihood fell since a share became too small to be carried on; not filled when empty.
    """
    width = start.size
    n_models = out.shape[1]
    banded = reach < width // n_models
    pad, size = (reach * n_models, width) if banded else (0, n_models)
    top = np.empty(n_models)
    total = np.empty(n_models)
    scale = np.empty(n_models)
    on = np.empty(n_models, dtype=np.int64)
    n = np.searchsorted(offsets, lo, side="right") - 1
    while n < offsets.size - 1 and offsets[n] < hi:
        for t in range(max(offsets[n], lo), min(offsets[n + 1], hi)):
            row = b[t - lo]
            if t == offsets[n]:
                new[pad:] = start
                out[n] = 0.0
                power[:] = 0
            else:
                for at in range(0, width, size):
                    into = new[pad + at : pad + at + size]
                    _sum_into(
                        old,
                        pad + at if banded else 0,
                        -n_models if banded else n_models,
                        links,
                        at,
                        into,
                    )
            if gone.size:
                _count_on(row, new[pad:], on)
            _weighed(new[pad:], row, top, total)
            for m in range(n_models):
                two = lane_power(total[m])
                power[m] += two
                scale[m] = lane_two(two)
                out[n, m] += top[m]
            for k in range(width // n_models):
                at = pad + k * n_models
                for m in range(n_models):
                    old[at + m] = new[at + m] * scale[m]
            if gone.size:
                _note_gone(row, on, old[pad:], top, total, gone[n])
        if offsets[n] < offsets[n + 1] <= hi:
            total[:] = 0.0
            for k in range(width // n_models):
                at = pad + k * n_models
                for m in range(n_models):
                    total[m] += old[at + m]
            for m in range(n_models):
                out[n, m] = (
                    out[n, m] + power[m] * LN2 + math.log(total[m]) if total[m] > 0.0 else -np.inf
                )
        n += 1


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _weighed(new, row, top, total):  # type: ignore[no-untyped-def]
    """Shares times the densities of a frame over the largest of a state that has a share; that, and the sum per model."""
    n_models = top.size
    top[:] = NONE
    total[:] = 0.0
    n_states = row.size // n_models
    for k in range(
        n_states
    ):  # from 0 by 1: other steps could turn negative for all the compiler knows, and no lanes are used
        at = k * n_models
        for m in range(n_models):
            v = row[at + m] if new[at + m] > 0.0 else NONE
            top[m] = v if v > top[m] else top[m]
    for k in range(n_states):
        at = k * n_models
        for m in range(n_models):
            new[at + m] *= lane_exp(min(row[at + m] - top[m], 0.0))
            total[m] += new[at + m]


@njit(cache=True, nogil=True)
def _note_gone(row, on, shares, top, total, gone):  # type: ignore[no-untyped-def]
    """Follows what could have been lost, from the first share that is next to nothing though its state could be `on`.

    A path that is lost gains on the others, per frame, no more than the largest density of all over what they kept.
    """
    n_models = gone.size
    for k in range(row.size // n_models):
        at = k * n_models
        for m in range(n_models):
            on[m] -= np.int64(shares[at + m] >= FAINT)
    for m in range(n_models):
        if gone[m] < 0.0 or on[m] > 0:
            most = NONE
            for k in range(row.size // n_models):
                most = max(most, row[k * n_models + m])
            gone[m] += min(lane_power(total[m]) - (most - top[m]) / LN2, 0.0) - 1e-9


@njit(cache=True, nogil=True)
def _count_on(row, shares, on):  # type: ignore[no-untyped-def]
    """Per model, how many states have a share and could have made this frame."""
    on[:] = 0
    for k in range(row.size // on.size):
        at = k * on.size
        for m in range(on.size):
            on[m] += np.int64((shares[at + m] > 0.0) & (row[at + m] > -np.inf))


@njit(cache=True, nogil=True)
def log_total(terms):  # type: ignore[no-untyped-def]
    """The logarithm of the sum of exp(terms)."""
    top = terms.max()
    return top + math.log(np.exp(terms - top).sum()) if top > -np.inf else top


@njit(cache=True, nogil=True)
def side_by_side(members, offsets, models, start, links, b, begin, shift, first, link, e):  # type: ignore[no-untyped-def]
    """Lays sequences side by side, one per lane and ending together: their rows b into e (t, k, lane), and their models.

    Returns the length; a shorter sequence begins at `begin`, and its frame t is row shift + t of b. Lanes left over repeat
    the last sequence.
    """
    length = 0
    for n in members:
        length = max(length, offsets[n + 1] - offsets[n])
    for c in range(begin.size):
        n = members[min(c, members.size - 1)]
        begin[c] = length - (offsets[n + 1] - offsets[n])
        shift[c] = offsets[n + 1] - length
        for i in range(first.shape[0]):
            first[i, c] = start[models[n], i]
            for k in range(first.shape[0]):
                link[i, k, c] = links[models[n], i, k]
    for t in range(length):
        for c in range(begin.size):
            for k in range(first.shape[0]):
                e[t, k, c] = b[shift[c] + t, k] if t >= begin[c] else -np.inf
    return length


@njit(cache=True, nogil=True)
def paths_in_logs(b, offsets, longest, order, width, models, start, links, reach, out):  # type: ignore[no-untyped-def]
    """Forward log-likelihoods of sequences under one model each, all in logarithms, so that no path is ever lost.

    Sequences, in the order given, stand side by side in lanes. `links` are those into a state, (M, to, from).
    """
    n_states = start.shape[1]
    e = np.empty((longest, n_states, width))
    link = np.empty((n_states, n_states, width))
    old = np.empty((n_states, width))
    new = np.empty((n_states, width))
    first = np.empty((n_states, width))
    begin = np.empty(width, dtype=np.int64)
    shift = np.empty(width, dtype=np.int64)
    top = np.empty(width)
    total = np.empty(width)
    for at in range(0, order.size, width):
        members = order[at : at + width]
        length = side_by_side(
            members, offsets, models, start, links, b, begin, shift, first, link, e
        )
        for t in range(length):
            for k in range(n_states if t > 0 else 0):
                from_, to = (max(0, k - reach), k + 1) if reach < n_states else (0, n_states)
                log_into(old[from_:to], link[k, from_:to], top, total, new[k])
            for k in range(n_states):
                for c in range(width):
                    old[k, c] = (new[k, c] if t > begin[c] else first[k, c]) + e[t, k, c]
        for c in range(members.size):
            out[members[c]] = log_total(old[:, c])


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def log_into(old, link, top, total, out):  # type: ignore[no-untyped-def]
    """Per lane the logarithm of the sum over sources of exp(old + link)."""
    top[:] = NONE
    total[:] = 0.0
    for i in range(old.shape[0]):
        for c in range(out.size):
            v = old[i, c] + link[i, c]
            top[c] = v if v > top[c] else top[c]
    for i in range(old.shape[0]):
        for c in range(out.size):
            total[c] += lane_exp(old[i, c] + link[i, c] - top[c])
    for c in range(out.size):
        out[c] = top[c] + lane_log(total[c]) if total[c] > 0.0 else -np.inf
