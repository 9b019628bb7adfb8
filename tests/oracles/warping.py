"""A slow, obvious twin of dynamic time warping: one table per pair, filled cell by cell."""

from __future__ import annotations

import numpy as np


def warped(
    one: np.ndarray,
    other: np.ndarray,
    *,
    measure: str = "dtw",
    window: float | None = None,
    inner: str = "euclidean",
    normalize: str = "length",
    open_ends: float = 0.0,
    penalty: float = 0.0,
) -> float:
    """The distance of two sequences, each an array (length, channels)."""
    a, b = (known(slopes(s) if measure == "derivative" else s) for s in (one, other))
    n = len(a)
    m = len(b)
    cost = costs(a, b, inner)
    extra = penalty**2 if inner == "squared" else penalty
    reach = max(n, m) if window is None else int(window * max(n, m) + 1e-9)
    free_a = int(open_ends * n + 1e-9)
    free_b = int(open_ends * m + 1e-9)
    table = np.full((n + 1, m + 1), np.inf)
    table[0, : free_b + 1] = table[: free_a + 1, 0] = 0.0
    for i in range(n):
        for j in range(m):
            if -max(0, n - m) - reach <= j - i <= max(0, m - n) + reach:
                table[i + 1, j + 1] = cost[i, j] + min(
                    table[i, j], table[i, j + 1] + extra, table[i + 1, j] + extra
                )
    total = min(table[n, m - free_b :].min(), table[n - free_a :, m].min())
    total = total / (n + m) if normalize == "length" else total
    return float(np.sqrt(total) if inner == "squared" else total)


def costs(a: np.ndarray, b: np.ndarray, inner: str) -> np.ndarray:
    """Distances of all pairs of steps on the channels both have; their mean where there is no common channel."""
    gaps = a[:, None, :] - b[None, :, :]
    both = (~np.isnan(gaps)).sum(axis=2)
    squares = np.nansum(gaps**2, axis=2) * a.shape[1] / np.maximum(both, 1)
    out = squares if inner == "squared" else np.sqrt(squares)
    return np.where(both > 0, out, out[both > 0].mean()) if not both.all() else out


def slopes(values: np.ndarray) -> np.ndarray:
    """The slopes of Keogh and Pazzani; the first and the last step take those next to them."""
    if len(values) < 3:
        return np.repeat(values[-1:] - values[:1], len(values), axis=0)
    inside = [
        ((q - p) + (r - p) / 2) / 2 for p, q, r in zip(values, values[1:], values[2:], strict=False)
    ]
    return np.array([inside[0], *inside, inside[-1]])


def known(values: np.ndarray) -> np.ndarray:
    """The steps that have any value."""
    return values[~np.isnan(values).all(axis=1)]


def all_pairs(rows: list[np.ndarray], cols: list[np.ndarray], **settings: object) -> np.ndarray:
    return np.array([[warped(a, b, **settings) for b in cols] for a in rows])  # type: ignore[arg-type]
