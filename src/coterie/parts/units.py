"""Units: whether the columns of a table seem to share one, so that their spreads may be compared as they are."""

from __future__ import annotations

import numpy as np

FACTOR = 10.0  # a largest spread within so many lower quartiles of spreads is taken for one unit


def same_units(spread: np.ndarray, factor: float = FACTOR) -> bool:
    """Whether columns seem to share one unit: the largest spread is within `factor` of the lower quartile.

    >>> same_units(np.array([1.0, 2.0, 3.0])), same_units(np.array([1.0, 2.0, 300.0]))
    (True, False)
    """
    moving = spread[spread > 1e-12]
    return (
        len(moving) == 0
        or float(moving.max() / np.quantile(moving, 0.25, method="lower")) <= factor
    )
