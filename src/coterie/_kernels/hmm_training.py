"""Training of hidden Markov models, compiled: best paths, and shares of states over all paths, of every sequence.

Every sequence belongs to one model; rows `b` hold log-densities in its states. `reach`: as in `_kernels.hmm`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from coterie._kernels.hmm import (
    FUSED,
    LN2,
    NONE,
    lane_exp,
    lane_power,
    lane_two,
    log_into,
    log_total,
    side_by_side,
)

_LOST = 1e-280  # a sum of shares below this is not safe: the sequence is done again in logarithms
_SMALL = 1e-150  # the logarithm of a product of scales is taken before it falls below this
_HUGE = 1e250  # what was lost, below 1e-307 each, times what could follow it must stay nothing
_TRUST = 1e-285  # times what could follow: shares above it are right to the last digits


@njit(cache=True, nogil=True)
def _path(b, start, links, reach, score, back, states):  # type: ignore[no-untyped-def]
    """The best path of one sequence and its log-likelihood; at a tie the later state comes first."""
    length, n_states = b.shape
    score[0] = start + b[0]
    for t in range(1, length):
        for k in range(n_states):
            first = max(0, k - reach) if reach < n_states else 0
            last = k if reach < n_states else n_states - 1
            best = -np.inf
            come = last
            for i in range(last, first - 1, -1):
                v = score[t - 1, i] + links[i, k]
                if v > best:
                    best = v
                    come = i
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
def best_states(b, offsets, longest, models, start, links, reach, states, out):  # type: ignore[no-untyped-def]
    """The best path of every sequence under its own model (`start`, `links` in logarithms) and its log-likelihood."""
    score = np.empty((longest, start.shape[1]))
    back = np.zeros((longest, start.shape[1]), dtype=np.int64)
    for n in range(offsets.size - 1):
        lo = offsets[n]
        hi = offsets[n + 1]
        m = models[n]
        if hi > lo:
            out[n] = _path(b[lo:hi], start[m], links[m], reach, score, back, states[lo:hi])


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _total(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(x.size):
        total += x[k]
    return total


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "nnan"})
def _most(x, least):  # type: ignore[no-untyped-def]
    for k in range(x.size):
        least = x[k] if x[k] > least else least
    return least


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _exp_all(x):  # type: ignore[no-untyped-def]
    for c in range(x.size):
        x[c] = lane_exp(x[c])


@njit(cache=True, nogil=True)
def all_shares(b, offsets, order, models, start, links, turned, shares, ahead, out, least):  # type: ignore[no-untyped-def]
    """Forward and backward over all paths, rescaled at every frame; sequences of one model step by step together.

    `b` holds log-densities; in the end, density times what follows over the scale, so that the expected steps into frame t
    are links * outer(ahead[t - 1], b[t]). `shares` gets posteriors, `ahead` the forward shares, `out` log-likelihoods, NaN
    where the scale was lost, `least` what a sum of shares over a sequence must be above to be trusted. `turned` are the
    links into a state, (M, to, from). `order` has the sequences by model, the longest of a model first.
    """
    at = 0
    while at < order.size:
        last = at + 1
        m = models[order[at]]
        while last < order.size and models[order[last]] == m:
            last += 1
        _together(
            b, offsets, order[at:last], start[m], links[m], turned[m], shares, ahead, out, least
        )
        at = last


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _together(b, offsets, members, start, links, turned, shares, ahead, out, least):  # type: ignore[no-untyped-def]
    """`all_shares` of the sequences of one model: row place[t] + j of e and a is frame t of the j-th."""
    n_states = start.size
    n = members.size
    length = offsets[members[0] + 1] - offsets[members[0]]
    place = np.zeros(length + 1, dtype=np.int64)
    for t in range(length):
        while offsets[members[n - 1] + 1] - offsets[members[n - 1]] <= t:
            n -= 1
        place[t + 1] = place[t] + n
    e = np.empty((place[length], n_states))
    a = np.empty((place[length], n_states))
    scales = np.empty(place[length])
    value = np.zeros(members.size)
    product = np.ones(members.size)
    follow = np.ones(members.size)
    row = np.ones((members.size, 1)) * start
    for t in range(length):
        if t > 0:
            np.dot(
                a[place[t - 1] : place[t - 1] + place[t + 1] - place[t]],
                links,
                row[: place[t + 1] - place[t]],
            )
        block = e[place[t] : place[t + 1]]
        for j in range(block.shape[0]):
            logs = b[offsets[members[j]] + t]
            top = _most(logs, NONE)
            value[j] += top
            for k in range(n_states):
                block[j, k] = logs[k] - top
        _exp_all(block.reshape(-1))
        for j in range(block.shape[0]):
            at = place[t] + j
            here = row[j]
            for k in range(n_states):
                here[k] *= block[j, k]
            scale = _total(here)
            if not scale > _LOST:
                follow[j] = np.inf
                scale = 1.0
            if product[j] * scale < _SMALL:
                value[j] += math.log(product[j])
                product[j] = 1.0
            product[j] *= scale
            scales[at] = 1.0 / scale
            for k in range(n_states):
                a[at, k] = here[k] * scales[at]
                block[j, k] *= scales[at]
    row[:] = 1.0
    for t in range(length - 1, -1, -1):
        for j in range(place[t + 1] - place[t]):
            at = place[t] + j
            to = offsets[members[j]] + t
            here = row[j]
            follow[j] = max(follow[j], _most(here, 0.0) * scales[at])
            if not follow[j] < _HUGE:
                here[:] = 0.0
            for k in range(n_states):
                ahead[to, k] = a[at, k]
                shares[to, k] = a[at, k] * here[k]
                e[at, k] *= here[k]
                b[to, k] = e[at, k]
        if t > 0:
            np.dot(e[place[t] : place[t + 1]], turned, row[: place[t + 1] - place[t]])
    for j in range(members.size):
        out[members[j]] = value[j] + math.log(product[j]) if follow[j] < _HUGE else np.nan
        least[members[j]] = _TRUST * follow[j]


@njit(cache=True, nogil=True)
def lane_shares(b, offsets, longest, order, width, models, start, links, shares, steps, out, least):  # type: ignore[no-untyped-def]
    """What `all_shares` finds, for few states: sequences, in the order given, side by side in lanes.

    `b` holds log-densities; `steps` (n, K, K) gets the expected steps of every sequence. Scales are powers of two.
    """
    n_states = start.shape[1]
    e = np.empty((longest, n_states, width))
    a = np.empty((longest, n_states, width))
    squares = np.empty((3, n_states, n_states, width))
    link = squares[0]
    turned = squares[1]
    sums = squares[2]
    first = np.empty((n_states, width))
    behind = np.empty((n_states, width))
    scales = np.empty((longest, width))
    begin = np.empty(width, np.int64)
    shift = np.empty(width, np.int64)
    value = np.empty(width)
    follow = np.empty(width)
    for at in range(0, order.size, width):
        members = order[at : at + width]
        length = side_by_side(
            members, offsets, models, start, links, b, begin, shift, first, link, e
        )
        for i in range(n_states):
            turned[:, i] = link[i]
        _lanes_ahead(e[:length], begin, first, link, behind, a[:length], scales, value)
        _lanes_behind(e[:length], a[:length], begin, turned, scales, behind, sums, follow)
        for c in range(members.size):
            n = members[c]
            out[n] = value[c] if follow[c] < _HUGE else np.nan
            least[n] = _TRUST * follow[c]
            for i in range(n_states):
                for k in range(n_states):
                    steps[n, i, k] = sums[i, k, c] * link[i, k, c]
        for t in range(length):
            for c in range(members.size):
                if t >= begin[c]:
                    for k in range(n_states):
                        shares[shift[c] + t, k] = a[t, k, c]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _lanes_ahead(e, begin, first, link, row, a, scales, value):  # type: ignore[no-untyped-def]
    """Forward: log-densities e become densities over the scale, `a` the shares; in the end `row` holds 1 / their sum."""
    length, n_states, width = e.shape
    top = np.empty(width)
    total = np.empty(width)
    power = np.zeros(width, dtype=np.int64)
    value[:] = 0.0
    for t in range(length):
        here = e[t]
        share = a[t]
        scale = scales[t]
        top[:] = NONE
        total[:] = 0.0
        if t > 0:
            _lane_times(a[t - 1], link, row)
        for k in range(n_states):
            for c in range(width):
                top[c] = here[k, c] if here[k, c] > top[c] else top[c]
        for k in range(n_states):
            for c in range(width):
                here[k, c] = lane_exp(here[k, c] - top[c])
            for c in range(width):
                share[k, c] = here[k, c] * (row[k, c] if t > begin[c] else first[k, c])
                total[c] += share[k, c]
        for c in range(width):
            two = lane_power(total[c])
            scale[c] = lane_two(two)
            power[c] += two if t >= begin[c] else np.int64(0)
            value[c] += top[c] if t >= begin[c] else 0.0
            value[c] = np.nan if t >= begin[c] and not total[c] > _LOST else value[c]
        for k in range(n_states):
            for c in range(width):
                share[k, c] *= scale[c]
                here[k, c] *= scale[c]
    total[:] = 0.0
    for k in range(n_states):
        for c in range(width):
            total[c] += a[length - 1, k, c]
    for c in range(width):
        value[c] += power[c] * LN2 + math.log(total[c])
        row[:, c] = 1.0 / total[c]


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _lanes_behind(e, a, begin, turned, scales, behind, sums, follow):  # type: ignore[no-untyped-def]
    """Backward: `a` becomes the posteriors, `sums` the sums of outer(a[t - 1], density times what follows over the scale)."""
    length, n_states, width = e.shape
    follow[:] = 1.0
    sums[:] = 0.0
    for back in range(length):
        t = length - 1 - back
        here = e[t]
        share = a[t]
        scale = scales[t]
        for k in range(n_states):
            for c in range(width):
                much = behind[k, c] * scale[c] if t >= begin[c] else 1.0
                follow[c] = much if much > follow[c] else follow[c]
            for c in range(width):
                share[k, c] *= behind[k, c]
                here[k, c] *= behind[k, c]
        if t > 0:
            before = a[t - 1]
            for i in range(n_states):
                for k in range(n_states):
                    for c in range(width):
                        sums[i, k, c] += before[i, c] * here[k, c]
            _lane_times(here, turned, behind)


@njit(cache=True, nogil=True, fastmath=FUSED, error_model="numpy")
def _lane_times(x, a, out):  # type: ignore[no-untyped-def]
    """out = x @ a, each lane for itself, two rows of `a` at a time."""
    n_states, width = out.shape
    for k in range(n_states):
        into = out[k]
        for c in range(width):
            into[c] = x[0, c] * a[0, k, c]
        for i in range(1, n_states - 1, 2):
            for c in range(width):
                into[c] += x[i, c] * a[i, k, c] + x[i + 1, c] * a[i + 1, k, c]
        for i in range(n_states - 1, n_states - n_states % 2):
            for c in range(width):
                into[c] += x[i, c] * a[i, k, c]


@njit(cache=True, nogil=True)
def shares_in_logs(b, start, links, turned, wanted, shares, steps, sizes):  # type: ignore[no-untyped-def]
    """One sequence in logarithms (`start`, `links`, `b`): posteriors, and the log-likelihood, which is returned.

    The expected steps out of the states `wanted` are steps * exp(sizes): the largest term of a row is near one, so that
    rows are right however seldom their state is visited; `sizes` is -inf for a state that is never left.
    """
    length, n_states = b.shape
    ahead = np.empty((length, n_states))
    behind = np.zeros((length, n_states))
    top = np.empty(n_states)
    total = np.empty(n_states)
    old = np.empty((n_states, n_states))
    ahead[0] = start + b[0]
    for t in range(1, length):
        old.T[:] = ahead[t - 1]
        log_into(old, links, top, total, ahead[t])
        ahead[t] += b[t]
    for t in range(length - 2, -1, -1):
        old.T[:] = b[t + 1] + behind[t + 1]
        log_into(old, turned, top, total, behind[t])
    value = log_total(ahead[length - 1])
    steps[:] = 0.0
    sizes[:] = -np.inf
    if value == -np.inf:
        shares[:] = 0.0
        return value
    shares[:] = np.exp(ahead + behind - value)
    for i in np.flatnonzero(wanted):
        through = ahead[: length - 1, i] + behind[: length - 1, i]
        most = _most(through, -np.inf)
        sizes[i] = most - value
        for t in range(length - 1):
            if through[t] - most > -700.0:
                step = np.minimum(links[i] + b[t + 1] + behind[t + 1] - behind[t, i], 0.0)
                steps[i] += math.exp(through[t] - most) * np.exp(step)
    return value
