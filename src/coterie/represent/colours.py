"""Colours: pictures as counts of pixels, one column for every colour of a uniform grid in red, green and blue."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.represent.pixels import each_picture


class Colours(Representer):
    """Pictures as sparse counts of pixels of every colour: red, green and blue cut into equal bins.

    A column is named by the colour in the middle of its bin, as #d52a80. Nothing is learned from the members.
    """

    takes: ClassVar[type] = Pictures

    bins: int = param(6, "Bins of red, of green and of blue; 6 make 216 colours.", ge=2, le=64)

    names_: tuple[str, ...]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the pictures; nothing else is learned."""
        self.check(X)
        self.names_ = colour_names(self.bins)
        self.n_features_out_ = len(self.names_)
        return self

    def transform(self, X: Any) -> Any:
        """Pictures x colours, how many pixels, as a sparse array."""
        pictures = self.check(X, new=True)
        rows = list(
            each_picture(
                lambda picture: _counted(colour_codes(picture, self.bins)), pictures, "colours"
            )
        )
        cols, counts = (np.concatenate([row[part] for row in rows]) for part in (0, 1))
        ends = np.concatenate([[0], np.cumsum([len(row[0]) for row in rows])])
        return sp.csr_array(
            (counts.astype(np.float64), cols, ends), shape=(len(rows), self.n_features_out_)
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The colours in the middle of the bins."""
        return np.array(self.names_, dtype=object)


def colour_codes(picture: np.ndarray, bins: int) -> np.ndarray:
    """The number of the colour of every pixel, blue running fastest.

    >>> colour_codes(np.array([[[0, 0, 0], [0, 0, 255], [255, 255, 255]]], dtype=np.uint8), 2).tolist()
    [[0, 1, 7]]
    """
    place = np.arange(256, dtype=np.int64) * bins // 256
    red, green, blue = (place[picture[..., channel]] for channel in range(3))
    return np.asarray((red * bins + green) * bins + blue)


def colour_names(bins: int) -> tuple[str, ...]:
    """The colour in the middle of each bin, in the order of `colour_codes`.

    >>> colour_names(2)[:3]
    ('#404040', '#4040c0', '#40c040')
    """
    middles = [int((2 * b + 1) * 128 / bins) for b in range(bins)]
    return tuple(f"#{r:02x}{g:02x}{b:02x}" for r in middles for g in middles for b in middles)


def _counted(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found, counts = np.unique(codes, return_counts=True)
    return found, counts
