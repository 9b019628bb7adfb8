"""Series step by step: convolutions by sums, thresholds, quantiles, spectra by sums, averages over stretches."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from itertools import pairwise


def convolution(
    series: Sequence[Sequence[float]],
    weights: Sequence[Sequence[float]],
    channels: Sequence[int],
    dilation: int,
) -> list[float]:
    """One kernel's response at every step of a series (steps x channels), which is zero beyond its ends."""
    steps = len(series)
    found = []
    for t in range(steps):
        total = 0.0
        for own, channel in zip(weights, channels, strict=True):
            middle = (len(own) - 1) * dilation // 2
            for tap, weight in enumerate(own):
                at = t + tap * dilation - middle
                if 0 <= at < steps:
                    total += weight * series[at][channel]
        found.append(total)
    return found


def share_above(response: Sequence[float], threshold: float) -> float:
    """The share of steps above a threshold."""
    return sum(value > threshold for value in response) / len(response)


def stretched(values: Sequence[float], steps: int) -> list[float]:
    """A channel at another length: on the lines between its steps, or averaged over equal stretches of time."""
    many = len(values)
    if many <= steps:
        found = []
        for i in range(steps):
            at = i * (many - 1) / (steps - 1) if many > 1 else 0.0
            left = min(int(at), many - 1)
            right = min(left + 1, many - 1)
            found.append(values[left] + (at - left) * (values[right] - values[left]))
        return found
    width = many / steps
    found = []
    for i in range(steps):
        low, high = i * width, (i + 1) * width
        total = 0.0
        for j, value in enumerate(values):
            total += value * max(0.0, min(high, j + 1) - max(low, j))
        found.append(total / width)
    return found


def quantile(values: Sequence[float], level: float) -> float:
    """The quantile on the line between the two nearest of the sorted values."""
    ranked = sorted(values)
    at = level * (len(ranked) - 1)
    left = min(int(at), len(ranked) - 1)
    right = min(left + 1, len(ranked) - 1)
    return ranked[left] + (at - left) * (ranked[right] - ranked[left])


def power(values: Sequence[float]) -> list[float]:
    """The power of each frequency of a series without its mean, under a Hann window."""
    steps = len(values)
    mean = sum(values) / steps
    wave = [
        (value - mean) * (0.5 - 0.5 * math.cos(2 * math.pi * t / (steps - 1)))
        for t, value in enumerate(values)
    ]
    return [
        abs(sum(x * cmath.exp(-2j * math.pi * f * t / steps) for t, x in enumerate(wave))) ** 2
        / steps
        for f in range(steps // 2 + 1)
    ]


def bands(powers: Sequence[float], edges: Sequence[int], floor: float) -> list[float]:
    """The logarithm of the mean power between neighboring edges."""
    return [math.log(sum(powers[low:high]) / (high - low) + floor) for low, high in pairwise(edges)]
