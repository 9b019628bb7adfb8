"""Rounds of exact t-SNE in the plane: every pair is looked at in every round, many members at once.

The plane is in single precision, which doubles the members of a step. The sum of a row is dealt out over the lanes of the
processor, always in the same way, and rows are added one after the other: the same bits whoever works.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FAR = np.float32(
    1e18
)  # away from everything, and its square is still a number in single precision
_ONE = np.float32(1.0)
_NONE = np.float32(0.0)


@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "reassoc"}, error_model="numpy")
def rounds(
    near: np.ndarray,
    plane: np.ndarray,
    steps: np.ndarray,
    gains: np.ndarray,
    rate: float,
    momentum: float,
    stress: float,
    count: int,
) -> None:
    """Move the members `count` times down the slope of the divergence; changes `plane`, `steps` and `gains`, all 2 x members.

    `near` has the affinities, symmetric, with sum 1 and nothing on the diagonal; `stress` multiplies them.
    """
    x = plane[0]
    y = plane[1]
    n = x.size
    pull = np.empty((2, n))
    push = np.empty((2, n))
    for _ in range(count):
        total = 0.0
        for i in range(n):
            row = near[i]
            a = x[i]
            b = y[i]
            x[i] = (
                _FAR  # a member does not push itself; without this the loop would need to ask who it is
            )
            pull_x = _NONE
            pull_y = _NONE
            push_x = _NONE
            push_y = _NONE
            mass = _NONE
            for j in range(n):
                dx = a - x[j]
                dy = b - y[j]
                close = _ONE / (_ONE + dx * dx + dy * dy)
                drawn = row[j] * close
                pull_x += drawn * dx
                pull_y += drawn * dy
                mass += close
                close *= close
                push_x += close * dx
                push_y += close * dy
            x[i] = a
            pull[0, i] = pull_x
            pull[1, i] = pull_y
            push[0, i] = push_x
            push[1, i] = push_y
            total += float(mass)
        for axis in range(2):
            for i in range(n):
                slope = 4.0 * (stress * pull[axis, i] - push[axis, i] / total)
                gain = (
                    gains[axis, i] + 0.2
                    if slope * steps[axis, i] < 0.0
                    else max(gains[axis, i] * 0.8, 0.01)
                )
                step = momentum * steps[axis, i] - rate * gain * slope
                gains[axis, i] = gain
                steps[axis, i] = step
                plane[axis, i] += step
