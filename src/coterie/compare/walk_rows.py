"""Rows of shared models as a search reads them: transitions of all models side by side, measured by SSD's own distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie.parts.near_rows import DenseRows


class WalkRows(DenseRows):
    """Members by the roots of their transitions under every model; -log of the mean product is searched by the mean distance.

    The mean of -log(x) over models and 1 - the mean of x go together where x is near one, which is where near members are.
    """

    def __init__(self, roots: Sequence[np.ndarray], least: float) -> None:
        super().__init__(np.hstack(list(roots)) / np.sqrt(len(roots)), np.sqrt, unit=True)
        self.roots = tuple(roots)
        self.least = least

    def values(self, near: np.ndarray, first: int, out: np.ndarray) -> None:
        out[:] = 0.0
        some = slice(first, first + len(near))
        for place in range(near.shape[1]):
            other = np.maximum(near[:, place], 0)
            for rows in self.roots:
                alike = np.einsum("ij,ij->i", rows[some], rows[other])
                out[:, place] -= np.log(np.clip(alike, self.least, 1.0))
        out /= len(self.roots)
        out[near < 0] = np.nan
