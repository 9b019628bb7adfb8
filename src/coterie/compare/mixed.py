"""Distances between rows of numbers and words with gaps: Hamming and Gower."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from coterie._kernels.vectors import gower, hamming
from coterie.compare.vectors import OverTable
from coterie.core.affinity import Tile
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.table import Table
from coterie.parts.levels import recoded


class Hamming(OverTable):
    """Hamming distance: the share of columns in which two rows differ."""

    categories: ClassVar[bool] = True

    levels_: dict[int, Any]

    def learn(self, table: Table) -> None:
        self.levels_ = dict(table.categories)

    def prepare(self, table: Table) -> tuple[Any, ...]:
        return (recoded(table, self.levels_, "Hamming"),)

    def tile(self) -> Tile:
        return hamming_tile


def hamming_tile(a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
    """Hamming distances of two blocks of (values or codes, own)."""
    rows = np.ascontiguousarray(a[0])
    cols = np.ascontiguousarray(b[0])
    out = np.empty((len(rows), len(cols)))
    hamming(rows, cols, out)
    return out


class Gower(OverTable):
    """Gower distance: the mean difference over the columns both rows have; numbers by their range, words by equality."""

    gaps: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    weights: dict[str, float] | None = param(
        None, "Weight of some columns by name; the others weigh 1.", advanced=True
    )

    levels_: dict[int, Any]
    weights_: np.ndarray
    range_: np.ndarray

    def learn(self, table: Table) -> None:
        self.levels_ = dict(table.categories)
        self.weights_ = self._weights(table)
        values = np.asarray(table.values)
        known = ~np.isnan(values)
        low = np.where(known, values, np.inf).min(axis=0)
        high = np.where(known, values, -np.inf).max(axis=0)
        self.range_ = np.where(high > low, high - low, 0.0)
        self.range_[table.categorical] = 0.0

    def prepare(self, table: Table) -> tuple[Any, ...]:
        values = recoded(table, self.levels_, "Gower")
        empty = np.flatnonzero(np.isnan(values).all(axis=1))
        if len(empty):
            raise DataError(
                f"row {empty[0]} has no value in any column; drop it first.", owner="Gower"
            )
        return (values,)

    def tile(self) -> Tile:
        return partial(gower_tile, width=self.range_, weight=self.weights_)

    def _weights(self, table: Table) -> np.ndarray:
        weights = np.ones(table.shape[1])
        given: Mapping[str, float] = self.weights or {}
        for name, weight in given.items():
            if name not in table.names:
                raise ParameterError(
                    f"weights names a column '{name}', and the table has {', '.join(table.names[:12])}.",
                    owner="Gower",
                )
            if not (isinstance(weight, numbers.Real) and 0 <= weight < np.inf):
                raise ParameterError(
                    f"the weight of column '{name}' must be from 0, and was {weight!r}.",
                    owner="Gower",
                )
            weights[table.names.index(name)] = weight
        if not weights.any():
            raise ParameterError("weights must leave at least one column above 0.", owner="Gower")
        return weights


def gower_tile(
    a: tuple[Any, ...], b: tuple[Any, ...], width: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Gower distances of two blocks of (values, own); a pair without a common column is at distance one."""
    rows = np.ascontiguousarray(a[0])
    cols = np.ascontiguousarray(b[0])
    out = np.empty((len(rows), len(cols)))
    gower(rows, cols, width, weight, out)
    return out
