"""t-SNE slowly: precisions by halving, row by row, and the gradient as it is written, in double precision."""

from __future__ import annotations

import math

import numpy as np


def entropy(weights) -> float:
    """Of one row, in nats."""
    return -sum(w * math.log(w) for w in weights if w > 0)


def weights_of(gaps, precision):
    """exp(-precision * gap) over their sum."""
    found = [math.exp(-precision * (gap - min(gaps))) for gap in gaps]
    return [one / sum(found) for one in found]


def calibrated(gaps, perplexity):
    """The weights of one row whose entropy is log(perplexity), by halvings of the logarithm of the precision."""
    low = -40.0
    high = 40.0
    for _ in range(200):
        middle = (low + high) / 2
        if entropy(weights_of(gaps, math.exp(middle))) > math.log(perplexity):
            low = middle
        else:
            high = middle
    return weights_of(gaps, math.exp(low))


def affinities(points, perplexity):
    """Members x members, symmetric, with sum 1."""
    n = len(points)
    found = np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        found[i, others] = calibrated(
            [float(((points[i] - points[j]) ** 2).sum()) for j in others], perplexity
        )
    return (found + found.T) / (2 * n)


def closeness(plane):
    """1 / (1 + squared distance) of all pairs, none of a member with itself."""
    gaps = ((plane[:, None] - plane[None]) ** 2).sum(axis=2)
    found = 1 / (1 + gaps)
    np.fill_diagonal(found, 0)
    return found


def divergence(near, plane) -> float:
    """Kullback-Leibler divergence of the affinities in the plane from those that are given."""
    near = np.asarray(near, dtype=np.float64)
    close = closeness(np.asarray(plane, dtype=np.float64))
    there = near > 0
    return float((near[there] * np.log(near[there] / (close / close.sum())[there])).sum())


def rounds(near, plane, steps, gains, rate, momentum, stress, count):
    """Positions, steps and gains (all members x 2) after so many rounds."""
    for _ in range(count):
        close = closeness(plane)
        force = 4 * (stress * near - close / close.sum()) * close
        slope = (force[:, :, None] * (plane[:, None] - plane[None])).sum(axis=1)
        turned = slope * steps < 0
        gains = np.maximum(np.where(turned, gains + 0.2, gains * 0.8), 0.01)
        steps = momentum * steps - rate * gains * slope
        plane = plane + steps
    return plane, steps, gains
