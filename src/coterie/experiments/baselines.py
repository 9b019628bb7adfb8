"""Baselines: what people would use instead, as plain functions from a view to an affinity."""

from __future__ import annotations

import numpy as np

from coterie.core.affinity import Dense
from coterie.core.errors import need
from coterie.core.ragged import Ragged
from coterie.core.workplace import steady


def dtw(ragged: Ragged, window: int | None = None) -> Dense:
    """Dynamic time warping: the least sum of Euclidean distances between matched frames, over the sum of the lengths.

    Steps are (1, 0), (0, 1) and (1, 1), all of weight one, and both ends are matched; `window` is a Sakoe-Chiba band.
    """
    library = need("dtaidistance.dtw_ndim", extra="series")
    traces = [np.ascontiguousarray(trace, dtype=np.float64) for trace in ragged]
    with steady():
        cost = library.distance_matrix_fast(traces, window=window, parallel=False, inner_dist="euclidean")
    cost = np.where(np.isfinite(cost), cost, 0.0)
    cost = np.maximum(cost, cost.T)
    np.fill_diagonal(cost, 0.0)
    return Dense(cost / (ragged.lengths[:, None] + ragged.lengths[None, :]), "distance")
