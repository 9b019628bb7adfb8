"""Dilated convolutions of series with sparse kernels, and the share of steps at which they exceed a threshold."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def convolve(series, weights, channels, dilation, out):  # type: ignore[no-untyped-def]
    """Fill `out` (steps) with one kernel's response to one series (channels, steps), zeros around it.

    `weights` (channels used, taps) belong to the rows `channels` of the series.
    """
    steps = series.shape[1]
    taps = weights.shape[1]
    out[:] = 0.0
    for c in range(len(channels)):
        line = series[channels[c]]
        for tap in range(taps):
            weight = weights[c, tap]
            shift = tap * dilation - (taps - 1) * dilation // 2
            first = max(0, -shift)
            last = min(steps, steps - shift)
            for t in range(first, last):
                out[t] += weight * line[t + shift]


@njit(cache=True, nogil=True)
def responses(series, weights, channels, dilation, out):  # type: ignore[no-untyped-def]
    """Fill `out` (members, steps) with the responses of one kernel to all series (members, channels, steps)."""
    for i in range(len(series)):
        convolve(series[i], weights, channels, dilation, out[i])


@njit(cache=True, nogil=True)
def shares_above(series, weights, channels, starts, dilations, thresholds, out):  # type: ignore[no-untyped-def]
    """Fill `out` (members, kernels) with the share of steps at which each kernel's response exceeds its threshold.

    Kernel j has the rows `starts[j]` to `starts[j + 1]` of `weights` and `channels`.
    """
    steps = series.shape[2]
    response = np.empty(steps)
    for i in range(len(series)):
        for j in range(len(dilations)):
            used = slice(starts[j], starts[j + 1])
            convolve(series[i], weights[used], channels[used], dilations[j], response)
            above = 0
            threshold = thresholds[j]
            for t in range(steps):
                if response[t] > threshold:
                    above += 1
            out[i, j] = above / steps
