"""LabHistogram: pictures as the shares of their pixels in bins of lightness and of the two axes of color."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.table import Table
from coterie.represent.gradients import to_square
from coterie.represent.pixels import each_picture, lab

_WIDE = (
    60.0  # a and b are cut between minus and plus this; what lies beyond belongs to the outer bins
)


class LabHistogram(Representer):
    """Pictures as roots of the shares of their pixels in bins of CIE Lab; distances are Hellinger's.

    Pictures are brought to `size` x `size` pixels first. Nothing is learned from the members.
    """

    takes: ClassVar[type] = Pictures
    gives: ClassVar[type] = Table

    lightness: int = param(4, "Bins of L, from 0 to 100.", ge=1)
    axis_bins: int = param(6, "Bins of a and of b, from -60 to 60.", ge=1)
    size: int = param(32, "Height and width that pictures are brought to.", ge=1)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the pictures; nothing else is learned."""
        self.check(X)
        self.n_features_out_ = self.lightness * self.axis_bins**2
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row per picture, the roots of shares that sum to one; b runs fastest, then a."""
        pictures = self.check(X, new=True)
        return np.array(list(each_picture(self._row, pictures, "colors")))

    def _row(self, picture: np.ndarray) -> np.ndarray:
        brought = np.rint(to_square(picture.astype(np.float64), self.size)).astype(np.uint8)
        values = lab(brought).reshape(-1, 3)
        light = _bin(values[:, 0] / 100.0, self.lightness)
        green = _bin((values[:, 1] + _WIDE) / (2 * _WIDE), self.axis_bins)
        blue = _bin((values[:, 2] + _WIDE) / (2 * _WIDE), self.axis_bins)
        codes = (light * self.axis_bins + green) * self.axis_bins + blue
        counts = np.bincount(codes, minlength=self.n_features_out_)
        return np.sqrt(counts / len(values))


def _bin(values: np.ndarray, bins: int) -> np.ndarray:
    return np.clip(np.floor(values * bins).astype(np.int64), 0, bins - 1)
