"""Compiled dynamic time warping: one sequence against eight others at once, and pairs of sequences with gaps.

Sequences are warped in lanes: eight of about the same length lie side by side, `y[:, b * 8 + lane]` is step b of the
sequence in that lane, and shorter ones are padded. Every step of the recursion then works on eight numbers next to each other.
A band keeps |a - b| within `base + share * (the longer length)` beyond the difference of the two lengths.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

LANES = 8
_TINY = 1e-6  # below this share of the squared norms a squared distance is summed anew from the differences


@njit(cache=True, nogil=True)
def reach_of(n: int, m: int, share: float, base: int) -> int:
    """How many steps the matching may lead or lag, beyond the difference of the two lengths."""
    return base + int(share * max(n, m) + 1e-9)


def packed(
    values: np.ndarray, offsets: np.ndarray, width: int
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray, np.ndarray]]:
    """Sequences, shortest first, in lanes: blocks of whole groups of eight, of about `width` columns.

    Of each block: first and last group, the columns, where each group begins in them, and the lengths by group and lane.
    """
    n = len(offsets) - 1
    lengths = np.zeros((-(-n // LANES), LANES), dtype=np.int64)
    lengths.ravel()[:n] = np.diff(offsets)
    bounds = np.concatenate([[0], np.cumsum(lengths.max(axis=1) * LANES)])
    at = np.arange(n)
    place = np.repeat(
        bounds[at // LANES] + at % LANES - LANES * offsets[:-1], np.diff(offsets)
    ) + LANES * np.arange(len(values))
    first = 0
    while first < len(lengths):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + width, side="right")) - 1)
        steps = slice(offsets[first * LANES], offsets[min(last * LANES, n)])
        columns = np.zeros((values.shape[1], bounds[last] - bounds[first]))
        columns[:, place[steps] - bounds[first]] = values[steps].T
        yield first, last, columns, bounds[first : last + 1] - bounds[first], lengths[first:last]
        first = last


def chunks(offsets: np.ndarray, height: int) -> Iterator[tuple[int, int, np.ndarray]]:
    """Runs of at most `height` steps, as first and last step and pieces: several short sequences, or a part of a long one."""
    pieces: list[tuple[int, ...]] = []
    start = 0
    for row, (low, high) in enumerate(
        zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ):
        if pieces and high - start > height:
            yield start, low, np.array(pieces)
            pieces = []
            start = low
        for step in range(low, high, height):
            stop = min(step + height, high)
            pieces.append((step - start, stop - start, step - low, high - low, row, 0))
            if stop < high:
                yield start, stop, np.array(pieces)
                pieces = []
                start = stop
    if pieces:
        yield start, int(offsets[-1]), np.array(pieces)


@njit(cache=True, nogil=True)
def warp_lanes(
    dots: np.ndarray,
    x: np.ndarray,
    x2: np.ndarray,
    y: np.ndarray,
    y2: np.ndarray,
    pieces: np.ndarray,
    bounds: np.ndarray,
    lengths: np.ndarray,
    share: float,
    base: int,
    root: bool,
    state: np.ndarray,
    out: np.ndarray,
) -> None:
    """Least sums of costs of the sequences in `x` against groups of eight in `y`, written to `out` where a sequence ends.

    `pieces` has one line per run of steps of one sequence: first and last row in `x`, the step it begins at, the length of
    the sequence, its row in `out`, and the first group it is wanted for. `state` carries long sequences from call to call.
    `dots` holds the inner products, or has no columns: then the differences themselves are summed.
    """
    work = np.empty((2, y.shape[1]))
    limits = np.empty((2, LANES), np.int64)
    for p in range(pieces.shape[0]):
        start = pieces[p, 0]
        stop = pieces[p, 1]
        step = pieces[p, 2]
        n = pieces[p, 3]
        for g in range(max(pieces[p, 5], 0), bounds.size - 1):
            left = bounds[g]
            right = bounds[g + 1]
            own = state[left + g * LANES : right + (g + 1) * LANES]
            if step == 0:
                own[:] = np.inf
                own[:LANES] = 0.0
            for a in range(start, stop):
                lo, hi = _limits(
                    step + a - start, n, lengths[g], share, base, (right - left) // LANES, limits
                )
                cost = work[0][: (hi - lo) * LANES]
                at = left + lo * LANES
                if dots.shape[1]:
                    inner = dots[a][at : at + cost.size]
                    norms = y2[at : at + cost.size]
                    if _from_products(inner, x2[a], norms, cost):
                        _anew(x[a], y, at, x2[a], norms, cost)
                else:
                    _from_differences(x[a], y, at, cost)
                if root:
                    for f in range(cost.size):
                        cost[f] = np.sqrt(cost[f])
                if share < 1.0:
                    _close(cost, lo, hi, limits)
                _step(own[lo * LANES : (hi + 1) * LANES], cost, work[1])
            if step + stop - start == n:
                for lane in range(LANES):
                    out[pieces[p, 4], g * LANES + lane] = own[lengths[g, lane] * LANES + lane]


@njit(cache=True, nogil=True)
def _limits(
    a: int, n: int, lengths: np.ndarray, share: float, base: int, m: int, limits: np.ndarray
) -> tuple[int, int]:
    """The steps of each lane that step `a` may be matched with, and the span of all of them."""
    if share >= 1.0:
        return 0, m
    lo = m
    hi = 0
    for lane in range(LANES):
        other = lengths[lane]
        if other == 0:
            limits[0, lane] = 0
            limits[1, lane] = m
            continue
        reach = reach_of(n, other, share, base)
        limits[0, lane] = max(0, a - max(0, n - other) - reach)
        limits[1, lane] = min(other, a + max(0, other - n) + reach + 1)
        lo = min(lo, limits[0, lane])
        hi = max(hi, limits[1, lane])
    return lo, hi


@njit(cache=True, nogil=True)
def _close(cost: np.ndarray, lo: int, hi: int, limits: np.ndarray) -> None:
    """Make the steps outside the band of their lane impossible."""
    for lane in range(LANES):
        for b in range(lo, min(limits[0, lane], hi)):
            cost[(b - lo) * LANES + lane] = np.inf
        for b in range(max(limits[1, lane], lo), hi):
            cost[(b - lo) * LANES + lane] = np.inf


@njit(cache=True, nogil=True)
def _from_products(inner: np.ndarray, x2: float, y2: np.ndarray, cost: np.ndarray) -> int:
    """Squared distances from inner products, and how many of them the subtraction has all but canceled."""
    close = 0
    for f in range(cost.size):
        both = x2 + y2[f]
        square = both - 2.0 * inner[f]
        cost[f] = square
        close += square < _TINY * both
    return close


@njit(cache=True, nogil=True)
def _anew(
    x: np.ndarray, y: np.ndarray, at: int, x2: float, y2: np.ndarray, cost: np.ndarray
) -> None:
    """Sum the differences where the subtraction has canceled; equal steps get exactly 0."""
    for f in range(cost.size):
        if cost[f] < _TINY * (x2 + y2[f]):
            square = 0.0
            for k in range(x.size):
                gap = x[k] - y[k, at + f]
                square += gap * gap
            cost[f] = square


@njit(cache=True, nogil=True)
def _from_differences(x: np.ndarray, y: np.ndarray, at: int, cost: np.ndarray) -> None:
    """Squared distances from the differences, channel by channel, from column `at` on."""
    cost[:] = 0.0
    for k in range(x.size):
        here = x[k]
        there = y[k][at : at + cost.size]
        for f in range(cost.size):
            gap = here - there[f]
            cost[f] += gap * gap


@njit(cache=True, nogil=True)
def _step(state: np.ndarray, cost: np.ndarray, near: np.ndarray) -> None:
    """One row of the recursion in all lanes; `state` begins one step before the first cost."""
    for f in range(cost.size):
        slant = state[f]
        up = state[f + LANES]
        near[f] = slant if slant < up else up
    state[:LANES] = np.inf
    for f in range(cost.size):
        before = near[f]
        along = state[f]
        state[f + LANES] = cost[f] + (before if before < along else along)


@njit(cache=True, nogil=True)
def warp_gappy(
    x: np.ndarray,
    x_bounds: np.ndarray,
    y: np.ndarray,
    y_bounds: np.ndarray,
    upper: bool,
    share: float,
    base: int,
    root: bool,
    out: np.ndarray,
) -> None:
    """Least sums of costs where values are missing (NaN); NaN for a pair without any channel in common at any two steps.

    `x` has a row per step and `y` a column per step; `upper` leaves out the pairs below the diagonal.
    """
    longest = 0
    for j in range(y_bounds.size - 1):
        longest = max(longest, y_bounds[j + 1] - y_bounds[j])
    work = np.empty((3, longest + 1))
    for i in range(x_bounds.size - 1):
        one = x[x_bounds[i] : x_bounds[i + 1]]
        for j in range(i if upper else 0, y_bounds.size - 1):
            at = y_bounds[j]
            m = y_bounds[j + 1] - y_bounds[j]
            value = _warp_pair(one, y, at, m, share, base, root, np.nan, work)
            if value != value:
                typical = _mean_cost(one, y, at, m, root, work)
                if typical == typical:
                    value = _warp_pair(one, y, at, m, share, base, root, typical, work)
            out[i, j] = value


@njit(cache=True, nogil=True)
def _warp_pair(
    x: np.ndarray,
    y: np.ndarray,
    at: int,
    m: int,
    share: float,
    base: int,
    root: bool,
    unknown: float,
    work: np.ndarray,
) -> float:
    """One pair, cost by cost; NaN as soon as two steps have no channel in common and `unknown`, their cost, is NaN too."""
    n = x.shape[0]
    reach = reach_of(n, m, share, base)
    state = work[0][: m + 1]
    state[:] = np.inf
    state[0] = 0.0
    for a in range(n):
        lo = max(0, a - max(0, n - m) - reach)
        hi = min(m, a + max(0, m - n) + reach + 1)
        cost = work[1][: hi - lo]
        _from_common(x[a], y, at + lo, root, cost, work[2])
        slant = state[lo]
        along = np.inf
        state[lo] = np.inf
        for b in range(lo, hi):
            here = cost[b - lo]
            if here != here:
                if unknown != unknown:
                    return np.nan
                here = unknown
            up = state[b + 1]
            least = slant if slant < up else up
            along = here + (least if least < along else along)
            state[b + 1] = along
            slant = up
    return state[m]


@njit(cache=True, nogil=True)
def _from_common(
    x: np.ndarray, y: np.ndarray, at: int, root: bool, cost: np.ndarray, common: np.ndarray
) -> None:
    """Distances of one step to others over the channels both have, scaled up to all channels; NaN where there is none."""
    cost[:] = 0.0
    common[: cost.size] = 0.0
    for k in range(x.size):
        here = x[k]
        there = y[k][at : at + cost.size]
        for f in range(cost.size):
            gap = here - there[f]
            known = gap == gap
            cost[f] += gap * gap if known else 0.0
            common[f] += 1.0 if known else 0.0
    for f in range(cost.size):
        square = cost[f] * (x.size / common[f]) if common[f] > 0.0 else np.nan
        cost[f] = np.sqrt(square) if root else square


@njit(cache=True, nogil=True)
def _mean_cost(
    x: np.ndarray, y: np.ndarray, at: int, m: int, root: bool, work: np.ndarray
) -> float:
    """The mean over all pairs of steps with a channel in common; NaN where there is none."""
    total = 0.0
    known = 0
    cost = work[1][:m]
    for a in range(x.shape[0]):
        _from_common(x[a], y, at, root, cost, work[2])
        for b in range(cost.size):
            if cost[b] == cost[b]:
                total += cost[b]
                known += 1
    return total / known if known else np.nan
