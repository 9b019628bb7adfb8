"""Distances between rows of numbers: Euclidean, Minkowski, Mahalanobis, and the cosine similarity.

Comparers of tables learn, prepare the rows once, and leave the pairs to a tile computed when asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from coterie._kernels.vectors import chebyshev, manhattan, minkowski
from coterie.compare.role import Comparer
from coterie.core.affinity import Affinity, Kind, Lazy, Tile, card_form
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.table import Table, row_blocks
from coterie.core.workplace import roomy, steady
from coterie.parts.near_rows import NearRows, as_cosine, number_rows
from coterie.parts.squares import fitted_rows, squared_norms, squares

Search = Callable[[], NearRows]


class OverTable(Comparer):
    """A comparer of rows; a method gives `prepare` (row-aligned arrays) and `tile` (a function that can be pickled)."""

    kind: ClassVar[Kind] = "distance"
    positive: ClassVar[bool] = False  # whether values below zero are refused

    affinity_: Lazy

    def learn(self, table: Table) -> None:
        """Learn what must be frozen (means, ranges, widths); nothing by default."""

    def prepare(self, table: Table) -> tuple[Any, ...]:
        """Row-aligned arrays that the tile needs."""
        raise NotImplementedError(f"{type(self).__name__} does not define prepare")

    def tile(self) -> Tile:
        """The function from two prepared blocks to the values of their pairs."""
        raise NotImplementedError(f"{type(self).__name__} does not define tile")

    def search(self, rows: tuple[Any, ...]) -> Search | None:
        """How near ones of the prepared rows are found without all pairs; None where they cannot be."""
        return None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the members and set `affinity_`, which computes its values when asked."""
        table = self._checked(X, new=False)
        self.learn(table)
        rows = (*self.prepare(table), np.arange(len(table)))
        self.affinity_ = Lazy(self.tile(), rows, rows, self.kind, True, self.search(rows))
        return self

    def compare(self, X: Any) -> Affinity:
        """How new members relate to the fitted ones: an affinity, queries x members."""
        table = self._checked(X, new=True).held(sparse=hasattr(self.affinity_.cols[0], "tocsr"))
        rows = (*self.prepare(table), np.full(len(table), -1))
        return Lazy(self.affinity_.tile, rows, self.affinity_.cols, self.kind, False)

    def _checked(self, X: Any, *, new: bool) -> Table:
        table: Table = self.check(X, new=new)
        values = table.values.data if table.sparse else table.values
        if self.positive and values.size and np.nanmin(values) < 0:
            row, column = np.argwhere(np.asarray(table.values) < 0)[0]
            raise DataError(
                f"Negative values in data: row {row}, column '{table.names[column]}' is below 0, "
                "and shares or counts are needed.",
                owner=type(self).__name__,
            )
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.positive
        return tags


class Euclidean(OverTable):
    """Euclidean distance: the length of the difference of two rows."""

    sparse: ClassVar[bool] = True

    center_: np.ndarray

    def learn(self, table: Table) -> None:
        self.center_ = (
            np.zeros(table.shape[1]) if table.sparse else np.asarray(table.values).mean(axis=0)
        )

    def prepare(self, table: Table) -> tuple[Any, ...]:
        rows = table.values
        if not table.sparse:
            rows = roomy(table.values.shape)
            for some in row_blocks(*rows.shape):
                rows[some] = table.values[some] - self.center_
        return rows, squared_norms(rows)

    def tile(self) -> Tile:
        return euclidean_tile

    def search(self, rows: tuple[Any, ...]) -> Search:
        return partial(number_rows, rows[0], as_distance)


def as_distance(squared: np.ndarray) -> np.ndarray:
    """Distances from their squares, which are overwritten."""
    return np.sqrt(squared, out=squared)


@card_form("euclidean")
def euclidean_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Distances of two blocks of (rows, squared norms, own)."""
    return as_distance(squares(a[0], b[0], a[1], b[1]))


class Cosine(OverTable):
    """Cosine similarity: the inner product of rows brought to length one; a row of zeros is like itself only."""

    kind: ClassVar[Kind] = "similarity"
    sparse: ClassVar[bool] = True
    largest: ClassVar[float] = np.inf  # rows are brought to length one without their squares

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (unit_rows(table.values),)

    def tile(self) -> Tile:
        return cosine_tile

    def search(self, rows: tuple[Any, ...]) -> Search:
        return partial(number_rows, rows[0], as_cosine, unit=True)


def unit_rows(values: Any) -> Any:
    """Rows of length one; rows of zeros stay."""
    if hasattr(values, "tocsr"):
        import scipy.sparse as sp

        largest = np.asarray(abs(values).max(axis=1).toarray(), dtype=np.float64).ravel()
        scaled = sp.csr_array(sp.diags_array(_over(largest)) @ values)
        return sp.csr_array(sp.diags_array(_over(np.sqrt(squared_norms(scaled)))) @ scaled)
    table = fitted_rows(values)
    out = roomy(table.shape)
    for some in row_blocks(*table.shape):
        out[some] = _dense_unit_rows(table[some])
    return out


def _dense_unit_rows(rows: np.ndarray) -> np.ndarray:
    rows = rows * _over(np.abs(rows).max(axis=1))[:, None]
    return rows * _over(np.sqrt(squared_norms(rows)))[:, None]


def _over(lengths: np.ndarray) -> np.ndarray:
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


@card_form("cosine")
def cosine_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Cosines of two blocks of (unit rows, own); a member with itself is exactly one."""
    product = a[0] @ b[0].T
    out = np.asarray(product.toarray() if hasattr(product, "tocsr") else product, dtype=np.float64)
    np.clip(out, -1.0, 1.0, out=out)
    out[(a[1][:, None] == b[1][None, :]) & (a[1] >= 0)[:, None]] = 1.0
    return out


class Chord(OverTable):
    """Chord distance: sqrt(2 - 2 cos) of two rows, Euclidean between rows of length one; a row of zeros is far from all.

    Between rows brought to length one it equals the Euclidean distance. A row of zeros, such as a document without known
    words, is as far from everybody as an orthogonal row, where Euclidean distance would make it everybody's neighbor.
    """

    sparse: ClassVar[bool] = True
    largest: ClassVar[float] = np.inf

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (unit_rows(table.values),)

    def tile(self) -> Tile:
        return chord_tile

    def search(self, rows: tuple[Any, ...]) -> Search:
        return partial(number_rows, rows[0], as_chord, unit=True)


@card_form("chord")
def chord_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Chord distances of two blocks of (unit rows, own); nothing between equal rows but rounding is taken for zero."""
    out = cosine_tile(a, b)
    np.subtract(2.0, 2.0 * out, out=out)
    return as_chord(out)


def as_chord(squares: np.ndarray) -> np.ndarray:
    """The roots of squared chords, zero where there is nothing but rounding."""
    squares[squares < 1e-14] = 0.0
    return np.sqrt(squares, out=squares)


class Minkowski(OverTable):
    """Minkowski distance: the p-th root of the sum of the p-th powers of the differences."""

    p: float = param(
        1.0,
        "The power: 1 adds the differences, 2 is Euclidean, infinity takes the largest.",
        ge=1,
        infinite=True,
    )

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (fitted_rows(table.values),)

    def tile(self) -> Tile:
        return partial(minkowski_tile, p=float(self.p) if self.p < 1e300 else np.inf)


@card_form("minkowski")
def minkowski_tile(a: tuple[Any, ...], b: tuple[Any, ...], p: float) -> np.ndarray:
    """Minkowski distances of two blocks of (rows, own)."""
    rows = np.ascontiguousarray(a[0])
    cols = np.ascontiguousarray(b[0])
    out = np.empty((len(rows), len(cols)))
    if p == 1.0:
        manhattan(rows, cols, out)
    elif np.isinf(p):
        chebyshev(rows, cols, out)
    else:
        minkowski(rows, cols, p, out)
    return out


class Mahalanobis(OverTable):
    """Mahalanobis distance: Euclidean after the covariance of the members has been taken out."""

    largest: ClassVar[float] = (
        1e50  # its fourth power is looked at when the shrinkage is read off the data
    )

    shrinkage: float | str = param(
        "auto",
        "How far the covariance is drawn towards a multiple of the identity; 'auto' reads it off the data.",
        choices=("auto",),
        ge=0,
        le=1,
    )

    center_: np.ndarray
    shrinkage_: float
    covariance_: np.ndarray
    whitening_: np.ndarray

    def learn(self, table: Table) -> None:
        from sklearn.covariance import ledoit_wolf_shrinkage

        values = np.asarray(table.values)
        self.center_ = values.mean(axis=0)
        with steady():
            centered = values - self.center_
            covariance = centered.T @ centered / len(values)
            several = len(values) > 1 and bool(np.any(covariance))
            if self.shrinkage == "auto":
                self.shrinkage_ = (
                    float(ledoit_wolf_shrinkage(centered, assume_centered=True)) if several else 0.0
                )
            else:
                self.shrinkage_ = float(self.shrinkage)
            level = np.trace(covariance) / len(covariance)
            self.covariance_ = (
                1 - self.shrinkage_
            ) * covariance + self.shrinkage_ * level * np.eye(len(covariance))
            spread, axes = np.linalg.eigh(self.covariance_)
        kept = spread > max(float(spread[-1]), 0.0) * len(spread) * 1e-12
        self.whitening_ = axes[:, kept] / np.sqrt(spread[kept])

    def prepare(self, table: Table) -> tuple[Any, ...]:
        with steady():
            rows = fitted_rows((table.values - self.center_) @ self.whitening_)
        return rows, squared_norms(rows)

    def tile(self) -> Tile:
        return euclidean_tile

    def search(self, rows: tuple[Any, ...]) -> Search:
        return partial(number_rows, rows[0], as_distance)
