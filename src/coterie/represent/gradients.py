"""HOG: pictures as histograms of oriented gradients, and the helpers that bring a picture to one size and upright."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.table import Table
from coterie.represent.pixels import each_picture

_LUMA = np.array([0.299, 0.587, 0.114])  # of red, green and blue in what looks bright
_FLOOR = 0.01  # added to the sum of squares of a block
_MOST = 0.2  # what one bin of a block counts at most, before it is normalized again
_STEEPEST = 1.0  # a picture is sheared by no more than this


class HOG(Representer):
    """Pictures as histograms of oriented gradients: the directions of edges in each cell, normalized by block.

    Pictures are brought to `size` x `size` shades of gray. Blocks are two by two cells and overlap; they are brought to length
    one, values above .2 cut, and brought to length one again. Nothing is learned from the members.
    """

    takes: ClassVar[type] = Pictures
    gives: ClassVar[type] = Table

    size: int = param(32, "Height and width that pictures are brought to.", ge=8)
    cell: int = param(8, "Height and width of a cell; the size is a multiple of it.", ge=2)
    bins: int = param(9, "Directions, without their sign.", ge=2)
    deskew: bool = param(
        False,
        "Whether what differs from the border is first sheared upright, as handwriting asks for.",
        choices=(False, True),
    )

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range."""
        super().check_params()
        if self.size % self.cell or self.size < 2 * self.cell:
            raise ParameterError(
                f"HOG: size must be a multiple of cell ({self.cell}), twice that or more, and was {self.size}."
            )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the pictures; nothing else is learned."""
        self.check(X)
        self.n_features_out_ = (self.size // self.cell - 1) ** 2 * 4 * self.bins
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row per picture: the directions of the cells of every block."""
        pictures = self.check(X, new=True)

        def work(picture: np.ndarray) -> np.ndarray:
            gray = gray_square(picture, self.size)
            return oriented(upright(gray) if self.deskew else gray, self.cell, self.bins)

        return np.array(list(each_picture(work, pictures, "gradients")))


def oriented(gray: np.ndarray, cell: int, bins: int) -> np.ndarray:
    """The histograms of oriented gradients of a square of gray, block after block."""
    down, right = np.gradient(gray)
    size = np.hypot(right, down)
    place = (np.arctan2(down, right) % np.pi) / np.pi * bins
    lower = np.floor(place).astype(np.int64) % bins
    share = place - np.floor(place)
    many = gray.shape[0] // cell
    votes = np.zeros((*gray.shape, bins))
    rows, columns = np.indices(gray.shape)
    votes[rows, columns, lower] += size * (1.0 - share)
    votes[rows, columns, (lower + 1) % bins] += size * share
    cells = votes.reshape(many, cell, many, cell, bins).sum(axis=(1, 3))
    blocks = np.lib.stride_tricks.sliding_window_view(cells, (2, 2), axis=(0, 1))
    rows_of = blocks.transpose(0, 1, 3, 4, 2).reshape((many - 1) ** 2, 4 * bins)
    return _normal(np.minimum(_normal(rows_of), _MOST)).ravel()


def _normal(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.sqrt((rows**2).sum(axis=1, keepdims=True) + _FLOOR))


def gray_square(picture: np.ndarray, size: int) -> np.ndarray:
    """A picture as size x size shades of gray from 0 to 1."""
    return to_square(picture.astype(np.float64) @ _LUMA / 255.0, size)


def to_square(values: np.ndarray, size: int) -> np.ndarray:
    """(height, width, ...) brought to a square: averaged over areas along a side that is longer, else interpolated."""
    return _along(_along(values, size, 0), size, 1)


def _along(values: np.ndarray, size: int, axis: int) -> np.ndarray:
    many = values.shape[axis]
    if many == size:
        return values
    return np.moveaxis(np.tensordot(_weights(many, size), values, axes=(1, axis)), 0, axis)


def _weights(many: int, size: int) -> np.ndarray:
    """(size, many): which old pixels make each new one: areas where there are more, else the two nearest centers."""
    if many > size:
        edges = np.linspace(0, many, size + 1)
        low = np.maximum(edges[:-1, None], np.arange(many)[None, :])
        high = np.minimum(edges[1:, None], np.arange(1, many + 1)[None, :])
        return np.asarray(np.maximum(high - low, 0.0) * (size / many))
    at = np.clip((np.arange(size) + 0.5) * many / size - 0.5, 0, many - 1)
    left = np.minimum(at.astype(np.int64), max(many - 2, 0))
    found = np.zeros((size, many))
    found[np.arange(size), left] = 1.0 - (at - left)
    found[np.arange(size), np.minimum(left + 1, many - 1)] += at - left
    return found


def upright(gray: np.ndarray) -> np.ndarray:
    """A picture sheared and shifted so that what differs from its border stands upright in the middle.

    The weight of a pixel is its distance from the median of the border; the shear is their covariance of row and column
    over the variance of the row.
    """
    from scipy.ndimage import affine_transform

    border = float(np.median(np.concatenate([gray[0], gray[-1], gray[:, 0], gray[:, -1]])))
    weight = np.abs(gray - border)
    total = weight.sum()
    if total < 1e-6:
        return gray
    height, width = gray.shape
    down, right = np.mgrid[:height, :width]
    row = (weight * down).sum() / total
    column = (weight * right).sum() / total
    variance = (weight * (down - row) ** 2).sum() / total
    covariance = (weight * (down - row) * (right - column)).sum() / total
    shear = float(np.clip(covariance / (variance + 1e-9), -_STEEPEST, _STEEPEST))
    turn = np.array([[1.0, 0.0], [shear, 1.0]])
    middle = np.array([(height - 1) / 2, (width - 1) / 2])
    offset = np.array([row, column]) - turn @ middle
    return np.asarray(affine_transform(gray, turn, offset=offset, order=1, cval=border))
