"""Distances between rows read as distributions: Jensen-Shannon and chi-square."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._kernels.vectors import chi_square, jensen_shannon
from coterie.compare.vectors import OverTable
from coterie.core.affinity import Tile
from coterie.core.params import param
from coterie.core.table import Table
from coterie.parts.squares import fitted_rows


class JensenShannon(OverTable):
    """Jensen-Shannon distance: the square root of the divergence, in bits, of two rows from their mean; from 0 to 1."""

    positive: ClassVar[bool] = True

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (shares(table.values),)

    def tile(self) -> Tile:
        return jensen_shannon_tile


def jensen_shannon_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Jensen-Shannon distances of two blocks of (shares, own)."""
    rows = np.ascontiguousarray(a[0])
    cols = np.ascontiguousarray(b[0])
    out = np.empty((len(rows), len(cols)))
    jensen_shannon(rows, cols, out)
    return np.sqrt(np.minimum(out / np.log(2.0), 1.0))


class ChiSquare(OverTable):
    """Chi-square distance: half the sum of (p - q)^2 / (p + q) over the columns of two histograms."""

    positive: ClassVar[bool] = True

    normalize: bool = param(
        True, "Whether rows are first brought to sum one; the distance then goes from 0 to 1."
    )

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (shares(table.values) if self.normalize else fitted_rows(table.values),)

    def tile(self) -> Tile:
        return chi_square_tile


def chi_square_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Chi-square distances of two blocks of (rows, own)."""
    rows = np.ascontiguousarray(a[0])
    cols = np.ascontiguousarray(b[0])
    out = np.empty((len(rows), len(cols)))
    chi_square(rows, cols, out)
    return out


def shares(values: np.ndarray) -> np.ndarray:
    """Rows that sum to one; a last column holds the whole of a row of zeros, so that it is farthest from all others."""
    rows = fitted_rows(values)
    largest = rows.max(axis=1, keepdims=True)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    total = rows.sum(axis=1, keepdims=True)
    return np.hstack(
        [np.divide(rows, total, out=rows, where=total > 0), (total == 0).astype(np.float64)]
    )
