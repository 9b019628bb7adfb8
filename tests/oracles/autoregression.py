"""One window at a time, one equation at a time: the slow twin of Integration."""

from __future__ import annotations

import numpy as np


def starts(steps: int, length: int, hop: float) -> list[int]:
    """Where the full windows of a sequence begin, one by one."""
    found = []
    turn = 0
    while int(turn * hop + 1e-6) + length <= steps:
        found.append(int(turn * hop + 1e-6))
        turn += 1
    return found or [0]


def regressed(window: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B (order, d, d), v (d,) and the covariance of the errors (d, d) by plain least squares."""
    steps, d = window.shape
    rows = [
        [1.0, *(value for p in range(1, order + 1) for value in window[t - p])]
        for t in range(order, steps)
    ]
    design = np.array(rows)
    found = np.linalg.lstsq(design, window[order:], rcond=None)[0]
    errors = window[order:] - design @ found
    matrices = np.array(
        [[[found[1 + p * d + j, i] for j in range(d)] for i in range(d)] for p in range(order)]
    )
    return matrices, found[0], errors.T @ errors / len(errors)


def vector(window: np.ndarray, order: int) -> list[float]:
    """Coefficients lag by lag and row by row, then the intercept, then the upper triangle row by row."""
    matrices, intercept, spread = regressed(window, order)
    d = window.shape[1]
    numbers = [float(matrices[p][i][j]) for p in range(order) for i in range(d) for j in range(d)]
    return (
        numbers
        + [float(v) for v in intercept]
        + [float(spread[i][j]) for i in range(d) for j in range(i, d)]
    )


def integrated(sequence: np.ndarray, order: int, length: int, hop: float) -> np.ndarray:
    """The vectors of all windows of one sequence."""
    length = min(length, len(sequence))
    return np.array(
        [
            vector(sequence[start : start + length], order)
            for start in starts(len(sequence), length, hop)
        ]
    )
