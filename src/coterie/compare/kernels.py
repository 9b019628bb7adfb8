"""Kernels between rows of numbers: linear, polynomial, Gaussian and Laplacian; larger means more alike."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from coterie.compare.vectors import Euclidean, OverTable, Search, minkowski_tile
from coterie.core.affinity import Affinity, Kind, Lazy, Tile, card_form
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.table import Table
from coterie.core.workplace import steady
from coterie.parts.near_rows import number_rows
from coterie.parts.neighbors import squarable
from coterie.parts.pairwise import median_distance, sampled
from coterie.parts.squares import fitted_rows, inner, squared_norms, squares

_LARGEST_LOG = float(np.log(1e300))  # of values that may still be added up
_SAMPLE = 1000  # members looked at when no pair lies at a positive median distance


class Linear(OverTable):
    """Linear kernel: the inner product of two rows."""

    kind: ClassVar[Kind] = "similarity"
    sparse: ClassVar[bool] = True

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (fitted_rows(table.values),)

    def tile(self) -> Tile:
        return linear_tile


@card_form("linear")
def linear_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Inner products of two blocks of (rows, own)."""
    return inner(a[0], b[0])


def _longest(table: Table) -> float:
    """The length of the longest row, which no inner product of two rows passes when squared."""
    return float(np.sqrt(squared_norms(table.values).max(initial=0.0)))


class Polynomial(Linear):
    """Polynomial kernel: (scale * inner product + offset) to a power."""

    degree: int = param(2, "The power.", ge=1)
    scale: float | str = param(
        "auto",
        "Factor of the inner product; 'auto' is one over the number of columns.",
        choices=("auto",),
        gt=0,
    )
    offset: float = param(1.0, "Added before the power is taken.", ge=0)

    scale_: float
    reach_: float

    def learn(self, table: Table) -> None:
        self.scale_ = 1.0 / table.shape[1] if self.scale == "auto" else float(self.scale)
        self.reach_ = _longest(table)

    def prepare(self, table: Table) -> tuple[Any, ...]:
        with np.errstate(over="ignore"):
            base = self.scale_ * _longest(table) * self.reach_ + float(self.offset)
        if int(self.degree) * np.log(max(base, 1.0)) > _LARGEST_LOG:
            raise DataError(
                f"inner products to the power of {self.degree} are too large for a number; scale the rows, or lower "
                "degree, scale or offset.",
                owner="Polynomial",
            )
        return super().prepare(table)

    def tile(self) -> Tile:
        return partial(
            polynomial_tile, scale=self.scale_, offset=float(self.offset), degree=int(self.degree)
        )


@card_form("polynomial")
def polynomial_tile(
    a: tuple[Any, ...], b: tuple[Any, ...], scale: float, offset: float, degree: int
) -> np.ndarray:
    """Polynomial kernel of two blocks of (rows, own)."""
    out = inner(a[0], b[0])
    out *= scale
    out += offset
    return np.asarray(np.power(out, degree, out=out))


class Gaussian(Euclidean):
    """Gaussian kernel: exp(-d^2 / (2 width^2)) of the Euclidean distance d."""

    kind: ClassVar[Kind] = "similarity"

    width: float | str = param(
        "median",
        "Distance at which likeness is 0.61; 'median' is the median distance.",
        choices=("median",),
        gt=0,
    )

    width_: float

    def learn(self, table: Table) -> None:
        super().learn(table)
        width = (
            typical(super().tile(), self.prepare(table))
            if self.width == "median"
            else float(self.width)
        )
        self.width_ = squarable(width)

    def tile(self) -> Tile:
        return partial(gaussian_tile, width=self.width_)

    def search(self, rows: tuple[Any, ...]) -> Search:
        return partial(number_rows, rows[0], partial(gaussian_of, width=self.width_))


@card_form("gaussian")
def gaussian_tile(a: tuple[Any, ...], b: tuple[Any, ...], width: float) -> np.ndarray:
    """Gaussian kernel of two blocks of (rows, squared norms, own)."""
    return gaussian_of(squares(a[0], b[0], a[1], b[1]), width)


def gaussian_of(squared: np.ndarray, width: float) -> np.ndarray:
    """Gaussian kernel of squared distances, which are overwritten."""
    with np.errstate(over="ignore"):  # what is far beyond a very small width is at 0
        squared *= -0.5 / width**2
    return np.exp(squared, out=squared)


class Laplacian(OverTable):
    """Laplacian kernel: exp(-d / width) of the Manhattan distance d; less ruled by single large differences."""

    kind: ClassVar[Kind] = "similarity"

    width: float | str = param(
        "median",
        "Distance at which likeness is 0.37; 'median' is the median distance.",
        choices=("median",),
        gt=0,
    )

    width_: float

    def learn(self, table: Table) -> None:
        far = partial(minkowski_tile, p=1.0)
        self.width_ = squarable(
            typical(far, self.prepare(table)) if self.width == "median" else float(self.width)
        )

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (fitted_rows(table.values),)

    def tile(self) -> Tile:
        return partial(laplacian_tile, width=self.width_)


@card_form("laplacian")
def laplacian_tile(a: tuple[Any, ...], b: tuple[Any, ...], width: float) -> np.ndarray:
    """Laplacian kernel of two blocks of (rows, own)."""
    out = minkowski_tile(a, b, p=1.0)
    with np.errstate(over="ignore"):
        out *= -1.0 / width
    return np.exp(out, out=out)


def typical(tile: Tile, rows: tuple[Any, ...]) -> float:
    """The median distance; where most pairs are identical the mean of those that are not, and one without any."""
    distances: Affinity = Lazy(tile, rows, rows, "distance")
    with steady():
        median = median_distance(distances)
        if median > 0:
            return median
        values = sampled(distances, _SAMPLE)
    positive = values[values > 0]
    return float(positive.mean()) if positive.size else 1.0
