"""Ranks: a table as trees read it; numbers by their order alone, so that no monotone change of a column matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.compare.sic.columns import ranked, refuse_infinite
from coterie.compare.sic.roles import Reason
from coterie.core.errors import DataError
from coterie.core.table import Table
from coterie.parts.levels import recoded

_LEVELS = 32  # words with more levels are read as codes in the order of their names


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Columns of ranks, of 0 and 1 (one per level of a word), or of codes; `steps` are the values behind the ranks."""

    table: Table
    rows: Any  # (n, m) of float32, or a sparse array of the values themselves
    source: np.ndarray  # (m,): the column of the table
    level: np.ndarray  # (m,): the level a column stands for, or -1
    fill: np.ndarray  # (m,): what a gap is read as; NaN leaves it to the tree
    steps: tuple[np.ndarray, ...]  # per column of the table

    def words(self, column: int, low: float, high: float) -> str:
        """What it means that a column lies above `low` and at most at `high`."""
        name = self.table.names[int(self.source[column])]
        place = int(self.source[column])
        if self.level[column] >= 0:
            return f"{name} is {'' if low >= 0 else 'not '}{self.table.categories[place][int(self.level[column])]}"
        if place in self.table.categories:
            return f"{name} among {self._levels(place, low, high)}"
        edges = [self._value(place, edge) for edge in (low, high) if np.isfinite(edge)]
        relation = "between" if len(edges) == 2 else "above" if np.isfinite(low) else "at most"
        if place in self.table.dates:
            days = " and ".join(self.table.level(place, edge) for edge in edges)
            return f"{name} {relation} {days}"
        return Reason(f"{name} {relation}", edges)

    def _value(self, place: int, edge: float) -> float:
        if self.table.sparse or not np.isfinite(edge):
            return float(edge)
        steps = self.steps[place]
        return float(np.interp(edge, np.arange(len(steps)), steps))

    def _levels(self, place: int, low: float, high: float) -> str:
        names = [
            name for code, name in enumerate(self.table.categories[place]) if low < code <= high
        ]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def ranks(table: Table, gaps: str, owner: str, like: Ranks | None = None) -> Ranks:
    """The table by order alone; `gaps` are read as the median (words: as none of the levels), or left to the tree (own)."""
    refuse_infinite(table, owner)
    if table.sparse:
        m = table.shape[1]
        return Ranks(table, table.values, np.arange(m), np.full(m, -1), np.zeros(m), ())
    known = like.table.categories if like is not None else table.categories
    values = recoded(table, known, owner) if known else np.asarray(table.values)
    steps = (
        like.steps
        if like is not None
        else tuple(np.unique(column[~np.isnan(column)]) for column in values.T)
    )
    if any(not len(s) for s in steps):
        empty = next(j for j, s in enumerate(steps) if not len(s))
        raise DataError(
            f"column '{table.names[empty]}' has no value in any row; drop it first.", owner=owner
        )
    parts = []
    source = []
    level = []
    for j in range(table.shape[1]):
        if j in known and len(known[j]) <= _LEVELS:
            part = np.where(
                np.isnan(values[:, [j]]), np.nan, values[:, [j]] == np.arange(len(known[j]))
            )
            level.append(np.arange(len(known[j])))
        else:
            part = values[:, [j]] if j in known else ranked(values[:, j], steps[j])[:, None]
            level.append(np.array([-1]))
        parts.append(part)
        source.append(np.full(part.shape[1], j, dtype=np.int64))
    rows = np.hstack(parts)
    kinds = np.concatenate(level)
    fill = like.fill if like is not None else _fill(rows, kinds, gaps)
    rows = np.where(np.isnan(rows), fill, rows).astype(np.float32)
    return Ranks(
        like.table if like is not None else table, rows, np.concatenate(source), kinds, fill, steps
    )


def _fill(rows: np.ndarray, level: np.ndarray, gaps: str) -> np.ndarray:
    if gaps == "own":
        return np.full(rows.shape[1], np.nan)
    middle = np.nanmedian(rows, axis=0)
    return np.where(level >= 0, 0.0, middle)
