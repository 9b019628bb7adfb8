"""The map: members as points in the plane, near ones near each other; most of a large collection is placed by its neighbors."""

from __future__ import annotations

import numpy as np

from coterie.core.random import stream
from coterie.core.workplace import steady
from coterie.parts.neighbors import nearest_rows
from coterie.parts.tsne import laid_out, of_one_size

LANDMARKS = 2000  # members laid out together; the others are placed between them
_NEAR = 5


def lay_out(points: np.ndarray, seed: int) -> np.ndarray:
    """(n, 2) positions from coordinates; t-SNE on at most LANDMARKS members, the others between their nearest landmarks."""
    n = len(points)
    if n < 8:
        return _spread(_axes(points))
    chosen = (
        np.arange(n)
        if n <= LANDMARKS
        else np.sort(stream(seed, 71).choice(n, LANDMARKS, replace=False))
    )
    with steady():
        placed = _neighborly(points[chosen], seed)
    if len(chosen) == n:
        return placed
    found = np.empty((n, 2))
    found[chosen] = placed
    rest = np.setdiff1d(np.arange(n), chosen)
    found[rest] = between(points[rest], points[chosen], placed, seed)
    return found


def between(new: np.ndarray, fitted: np.ndarray, places: np.ndarray, seed: int) -> np.ndarray:
    """Positions of new members: the weighted middle of their nearest fitted members, moved a little apart."""
    near, gaps = nearest_rows(fitted, _NEAR, new)
    gaps = gaps**2
    weight = 1.0 / (gaps + 1e-3 * gaps.mean(axis=1, keepdims=True) + 1e-12) ** 2
    weight /= weight.sum(axis=1, keepdims=True)
    jitter = (
        stream(seed, 72).normal(size=(len(new), 2)) * 0.004 * (np.ptp(places, axis=0).max() + 1e-12)
    )
    return np.asarray((weight[:, :, None] * places[near]).sum(axis=1) + jitter)


def _neighborly(points: np.ndarray, seed: int) -> np.ndarray:
    points = of_one_size(points)
    start = _axes(points)
    start = start / max(float(start.std(axis=0).max()), 1e-12) * 1e-4
    start = start + stream(seed, 73).normal(size=start.shape) * 1e-6
    perplexity = float(min(30, max(2, (len(points) - 1) // 4)))
    return _spread(laid_out(points, start, perplexity))


def _axes(points: np.ndarray) -> np.ndarray:
    """The first two principal axes, signs fixed."""
    off = points - points.mean(axis=0)
    with steady():
        u, s, _ = np.linalg.svd(off, full_matrices=False)
    flat = np.zeros((len(points), 2))
    width = min(2, u.shape[1])
    flat[:, :width] = u[:, :width] * s[:width]
    for axis in range(width):
        top = int(np.argmax(np.abs(flat[:, axis])))
        flat[:, axis] *= 1.0 if flat[top, axis] >= 0 else -1.0
    return flat


def _spread(plane: np.ndarray) -> np.ndarray:
    """Centred, and within [-1, 1]."""
    plane = plane - (plane.max(axis=0) + plane.min(axis=0)) / 2
    return plane / max(float(np.abs(plane).max()), 1e-12)
