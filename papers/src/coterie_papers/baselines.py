"""Baselines: what people would use instead, as plain functions from a view to an affinity."""

from __future__ import annotations

from functools import partial

import numpy as np

from coterie.core.affinity import Dense
from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.parts.pairwise import pairwise


def dtw(ragged: Ragged, window: int | None = None) -> Dense:
    """Dynamic time warping: the least sum of Euclidean distances between matched frames, over the sum of the lengths.

    Steps are (1, 0), (0, 1) and (1, 1), all of weight one, and both ends are matched; `window` is a Sakoe-Chiba band: the
    matching leads or lags by less than so many frames, beyond the difference of the two lengths.
    """
    from coterie.compare.alignment import Alignment, checked, warped_tile

    if window is None:
        return Alignment().fit(ragged).affinity_
    if window < 1:
        raise ParameterError(f"dtw: window must be from 1, and was {window}.")
    tile = partial(warped_tile, share=0.0, base=window - 1, squared=False, by_length=True)
    return pairwise(tile, (checked(ragged), np.arange(len(ragged))), kind="distance")
