"""Columns: a table as the nearest neighbor and other classifiers of numbers read it; one column per level of a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.table import Table
from coterie.parts.levels import recoded
from coterie.parts.units import same_units


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rows of numbers, where a gap holds the mean of its column; `known` says which cells were seen (None: all)."""

    table: Table
    rows: Any  # (n, m) of float64, or a sparse array
    known: np.ndarray | None  # (n, m) bool
    source: np.ndarray  # (m,): the column of the table each one came from
    spread: np.ndarray  # (m,): variance of the cells seen
    same: np.ndarray  # (n,): the first member with the very same row
    place: Place

    @property
    def names(self) -> tuple[str, ...]:
        """One name per column: the table's own, or column=level."""
        levels: dict[int, int] = {}
        found = []
        for column in self.source.tolist():
            level = levels[column] = levels.get(column, -1) + 1
            known = self.place.levels.get(column)
            found.append(
                f"{self.table.names[column]}={known[level]}" if known else self.table.names[column]
            )
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where the columns lie and how wide they are: learned once, applied to later members."""

    numeric: np.ndarray
    levels: Mapping[int, tuple[str, ...]]
    center: np.ndarray  # per column of the result
    scale: np.ndarray
    fill: np.ndarray  # what stands at gaps: the mean, which is 0 in centered columns
    steps: (
        tuple[np.ndarray, ...] | None
    )  # the sorted values of every numeric column, where ranks are read


def columns(table: Table, scale: str, owner: str, like: Columns | None = None) -> Columns:
    """The table as rows of comparable numbers; `scale` is auto, standard, rank, center or raw (which is not centered)."""
    refuse_infinite(table, owner)
    if table.sparse:
        return _sparse(table)
    empty = np.flatnonzero(np.isnan(table.values).all(axis=1))
    if len(empty):
        raise DataError(f"row {empty[0]} has no value in any column; drop it first.", owner=owner)
    place = _learned(table, scale) if like is None else like.place
    cells, source = _cells(table, place, owner)
    known = ~np.isnan(cells)
    rows = np.where(known, (cells - place.center) * place.scale, place.fill) + 0.0
    spread = (
        like.spread
        if like is not None
        else _means(np.where(known, np.square(rows - place.fill), 0.0), known)
    )
    whole = bool(known.all())
    marked = rows if whole else np.hstack([rows, known])
    return Columns(table, rows, None if whole else known, source, spread, _same(marked), place)


def refuse_infinite(table: Table, owner: str) -> None:
    """One sentence for a cell that holds infinity (or, in a sparse table, NaN)."""
    if table.sparse:
        if not np.isfinite(table.values.data).all():
            raise DataError("input contains NaN or infinity.", owner=owner)
        return
    bad = np.isinf(table.values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise DataError(
            f"input contains infinity at row {row}, column '{table.names[column]}'; fill or drop it first.",
            owner=owner,
        )


def _learned(table: Table, scale: str) -> Place:
    values = np.asarray(table.values)
    numeric = table.numeric
    steps = (
        tuple(np.unique(values[~np.isnan(values[:, j]), j]) for j in numeric)
        if scale == "rank"
        else None
    )
    bare = Place(numeric, dict(table.categories), np.zeros(1), np.ones(1), np.zeros(1), steps)
    cells, source = _cells(table, bare, "")
    known = ~np.isnan(cells)
    center = _means(np.where(known, cells, 0.0), known)
    spread = _means(np.square(np.where(known, cells - center, 0.0)), known)
    flat = spread <= np.square(
        1e-14 * np.maximum(np.abs(np.where(known, cells, 0.0)).max(axis=0, initial=0.0), 1e-290)
    )
    spread[flat] = 0.0
    none = np.zeros_like(center)
    if scale == "raw":
        return Place(numeric, bare.levels, none, np.ones_like(center), center, steps)
    if scale == "center" or (
        scale == "auto" and not table.categories and same_units(np.sqrt(spread))
    ):
        return Place(numeric, bare.levels, center, (~flat).astype(np.float64), none, steps)
    total = np.bincount(source, weights=spread, minlength=table.shape[1])[
        source
    ]  # all levels of a word weigh one deviation
    width = np.divide(1.0, np.sqrt(total), out=np.zeros_like(total), where=total > 0)
    return Place(numeric, bare.levels, center, width, none, steps)


def _cells(table: Table, place: Place, owner: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers (or their ranks), then one column of 0 and 1 per level, with NaN at gaps; and where each came from."""
    values = recoded(table, place.levels, owner) if place.levels else np.asarray(table.values)
    numbers = values[:, place.numeric]
    if place.steps is not None:
        numbers = np.stack(
            [ranked(column, steps) for column, steps in zip(numbers.T, place.steps, strict=True)]
            or [numbers[:, :0]],
            axis=-1,
        ).reshape(len(values), len(place.numeric))
    parts = [numbers]
    source = [place.numeric]
    for column, known in place.levels.items():
        codes = values[:, [column]]
        parts.append(np.where(np.isnan(codes), np.nan, codes == np.arange(len(known))))
        source.append(np.full(len(known), column, dtype=np.int64))
    return np.hstack(parts), np.concatenate(source)


def ranked(column: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Values as positions among the sorted `steps`, between two of them in proportion; gaps stay."""
    if not len(steps):
        return np.full(len(column), np.nan)
    at = np.interp(column, steps, np.arange(len(steps), dtype=np.float64))
    return np.where(np.isnan(column), np.nan, at)


def _means(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The mean of each column over its known cells, which alone are other than zero; 0 where none is known."""
    return np.asarray(values.sum(axis=0) / np.maximum(known.sum(axis=0), 1), dtype=np.float64)


def _same(rows: np.ndarray) -> np.ndarray:
    """For every row the first row that is the same to the bit."""
    cells = np.ascontiguousarray(rows, dtype=np.float64)
    whole = cells.view(np.dtype((np.void, cells.dtype.itemsize * cells.shape[1]))).ravel()
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return np.asarray(first[which.ravel()], dtype=np.int64)


def _sparse(table: Table) -> Columns:
    rows = table.values.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    seen: dict[bytes, int] = {}
    same = np.array(
        [
            seen.setdefault(rows.indices[a:b].tobytes() + rows.data[a:b].tobytes(), i)
            for i, (a, b) in enumerate(zip(rows.indptr[:-1], rows.indptr[1:], strict=True))
        ],
        dtype=np.int64,
    )
    n, m = table.shape
    mean = np.asarray(rows.sum(axis=0)).ravel() / n
    spread = np.asarray(rows.multiply(rows).sum(axis=0)).ravel() / n - np.square(mean)
    place = Place(np.arange(m), {}, np.zeros(m), np.ones(m), np.zeros(m), None)
    return Columns(table, rows, None, np.arange(m), np.maximum(spread, 0.0), same, place)
