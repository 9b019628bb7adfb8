"""Exact t-SNE in the plane for some thousands of members: affinities of one perplexity, and the rounds that place the members.

L. van der Maaten, G. Hinton: Visualizing data using t-SNE. Journal of Machine Learning Research 9 (2008). Time and memory grow
with the square of the members. The schedule is the usual one: affinities times 12 for the first 250 rounds, then 250 as they are.
"""

from __future__ import annotations

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.workplace import steady, workplace
from coterie.parts.squares import squares

STRESS = 12.0  # affinities are multiplied by it at first, so that groups find together before they are pushed apart
PHASES = (
    (250, 0.5, STRESS),
    (250, 0.8, 1.0),
)  # rounds, momentum, what affinities are multiplied by
_BLOCK = 50  # rounds between two looks at whether a stop is wanted
_CELLS = 2**16  # distances calibrated together: they stay in the cache
_CLOSE = 1e-5  # the entropy of a row is found to this
_MOST = 100  # steps of the search for it
_WIDEST = 600.0  # logarithms of precisions lie between minus this and this
_STRIDE = 5.0  # the most that one step changes such a logarithm by
_LEAST = 1e-12  # affinities below this move nothing, and cost time where they are too small for single precision


def laid_out(points: np.ndarray, start: np.ndarray, perplexity: float) -> np.ndarray:
    """(n, 2) positions of the rows of `points`, from those of `start`; the same bits on any number of workers."""
    from coterie._kernels.tsne import rounds

    near = affinities(points, perplexity)
    plane = np.ascontiguousarray(start.T, dtype=np.float32)
    rate = max(len(points) / STRESS / 4.0, 50.0)
    for length, momentum, stress in PHASES:
        steps = np.zeros_like(plane)
        gains = np.ones_like(plane)
        for _ in range(length // _BLOCK):
            workplace().stop_if_asked()
            rounds(near, plane, steps, gains, rate, momentum, stress, _BLOCK)
    return plane.T.astype(np.float64)


def affinities(points: np.ndarray, perplexity: float) -> np.ndarray:
    """Members x members, single precision: Gaussian weights of one perplexity in each row, made symmetric, with sum 1.

    >>> affinities(np.array([[0.0], [1.0], [5.0]]), 1.2).astype(float).round(2).tolist()
    [[0.0, 0.32, 0.01], [0.32, 0.0, 0.17], [0.01, 0.17, 0.0]]
    """
    n = len(points)
    if not 1.0 <= perplexity <= n - 1:
        raise ParameterError(
            f"affinities: perplexity must lie between 1 and {n - 1} for {n} members, and was {perplexity}."
        )
    points = of_one_size(points)
    near = np.zeros((n, n), dtype=np.float32)
    height = max(1, _CELLS // n)
    with steady():
        for first in range(0, n, height):
            gaps = squares(points[first : first + height], points)
            others = np.arange(first, first + len(gaps))[:, None] != np.arange(n)
            gaps = gaps[others].reshape(-1, n - 1)
            near[first : first + height][others] = calibrated(gaps, perplexity).ravel()
    near += near.T
    near /= 2 * n
    near[near < _LEAST] = 0.0
    return near


def calibrated(gaps: np.ndarray, perplexity: float) -> np.ndarray:
    """Weights exp(-precision * gap) of each row over their sum, the precision such that their entropy is log(perplexity).

    The logarithm of the precision goes by Newton steps, and by halves where those leave what is known to enclose it. Where at
    least as many members as the perplexity are nearest, they share the weight.

    >>> calibrated(np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 4.0]]), 1.5).round(4).tolist()
    [[0.5, 0.5, 0.0], [0.8617, 0.1377, 0.0006]]
    """
    gaps = gaps - gaps.min(axis=1, keepdims=True)
    nearest = gaps == 0.0
    equal = nearest.sum(axis=1)
    weights = nearest / equal[:, None]
    rows = np.flatnonzero(equal < perplexity)
    gaps = gaps[rows]
    at = np.clip(-np.log(np.maximum(gaps.mean(axis=1), 1e-300)), -_WIDEST, _WIDEST)
    low = np.full(len(rows), -_WIDEST)
    high = np.full(len(rows), _WIDEST)
    for _ in range(_MOST):
        if not len(rows):
            break
        scaled = gaps * np.exp(at)[:, None]
        found = np.exp(-scaled)
        total = found.sum(axis=1)
        weights[rows] = found / total[:, None]
        found *= scaled
        mean = found.sum(axis=1) / total
        fall = np.einsum("ij,ij->i", found, scaled) / total - mean**2
        over = np.log(total) + mean - np.log(perplexity)  # the entropy is log(total) + mean
        low = np.where(over > 0.0, at, low)
        high = np.where(over > 0.0, high, at)
        at = at + np.clip(over / np.maximum(fall, 1e-300), -_STRIDE, _STRIDE)
        at = np.where((at > low) & (at < high), at, (low + high) / 2.0)
        still = np.abs(over) > _CLOSE
        if not still.all():
            rows, gaps, at, low, high = (part[still] for part in (rows, gaps, at, low, high))
    return weights


def of_one_size(points: np.ndarray) -> np.ndarray:
    """About their middle, the largest number 1: weights of one perplexity do not depend on either."""
    points = np.asarray(points, dtype=np.float64)
    points = points / (np.abs(points).max(initial=0.0) or 1.0)
    points = points - points.mean(axis=0)
    return np.asarray(points / (np.abs(points).max(initial=0.0) or 1.0))
