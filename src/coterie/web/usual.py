"""What is usual in a group of rows: means and spreads of numbers, and how often each word is there; one pass for all columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coterie.core.table import Table

WIDE = 200  # columns of a full table that are ever shown; of a sparse one any may be
_AT_ONCE = 32  # columns looked at together


@dataclass(frozen=True, slots=True, eq=False)
class Usual:
    """Of every column the members of a group that have it, their mean and spread, and how many have each of its words."""

    known: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    words: Mapping[int, np.ndarray]

    def told(self, view: Table, column: int, value: float) -> tuple[str, bool]:
        """What is usual in a column, in words, and whether a value is unusual beside it."""
        known = int(self.known[column]) if column < len(self.known) else 0
        if not known:
            return "", False
        if column in self.words:
            counts = self.words[column]
            code = int(counts.argmax())
            there = math.isfinite(value) and 0 <= int(value) < len(counts)
            share = counts[int(value)] / known if there else 0.0
            return f"{view.level(column, code)} ({counts[code] / known:.0%})", math.isfinite(
                value
            ) and share < 0.1
        mean = float(self.mean[column])
        spread = float(self.spread[column])
        return view.level(column, mean), math.isfinite(value) and spread > 0 and abs(
            value - mean
        ) > 2 * spread


def usual_of(view: Table, inside: np.ndarray) -> Usual:
    """What is usual among the rows at these places; gaps are left out."""
    return _sparse(view, inside) if view.sparse else _full(view, inside)


def _full(view: Table, inside: np.ndarray) -> Usual:
    wide = min(view.shape[1], WIDE)
    known = np.zeros(wide, dtype=np.int64)
    mean = np.zeros(wide)
    spread = np.zeros(wide)
    words = dict[int, np.ndarray]()
    for begin in range(0, wide, _AT_ONCE):
        some = slice(begin, min(begin + _AT_ONCE, wide))
        rows = np.asarray(view.values[:, some][inside], dtype=np.float64)
        there = np.isfinite(rows)
        known[some] = there.sum(axis=0)
        mean[some] = np.where(there, rows, 0.0).sum(axis=0) / np.maximum(known[some], 1)
        spread[some] = np.sqrt(
            (np.where(there, rows - mean[some], 0.0) ** 2).sum(axis=0) / np.maximum(known[some], 1)
        )
        for column in (c for c in view.categories if some.start <= c < some.stop):
            words[column] = _counted(rows[:, column - begin], view, column)
    return Usual(known, mean, spread, words)


def _sparse(view: Table, inside: np.ndarray) -> Usual:
    rows = view.values[inside].tocsr()
    wide = view.shape[1]
    there = np.isfinite(rows.data)
    columns = rows.indices[there]
    data = rows.data[there]
    known = len(inside) - np.bincount(rows.indices[~there], minlength=wide)
    filled = np.bincount(columns, minlength=wide)
    mean = np.bincount(columns, weights=data, minlength=wide) / np.maximum(known, 1)
    away = (
        np.bincount(columns, weights=(data - mean[columns]) ** 2, minlength=wide)
        + (known - filled) * mean**2
    )
    words = {
        column: _counted(rows[:, [column]].toarray().ravel(), view, column)
        for column in view.categories
    }
    return Usual(known, mean, np.sqrt(away / np.maximum(known, 1)), words)


def _counted(codes: np.ndarray, view: Table, column: int) -> np.ndarray:
    """How many members have each word of a column."""
    found: np.ndarray = np.bincount(
        codes[np.isfinite(codes)].astype(np.int64), minlength=len(view.categories[column])
    )
    return found
