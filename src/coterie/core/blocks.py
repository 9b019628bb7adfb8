"""Rows a block at a time: large tables, also such as lie in files, are looked at without a copy of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

BLOCK = 2_000_000  # values looked at together; a constant, so that sums over blocks never depend on the workplace


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The rows in order, so many at a time that a block holds about two million values.

    >>> [(rows.start, rows.stop) for rows in row_blocks(5, 1_000_000)]
    [(0, 2), (2, 4), (4, 5)]
    """
    height = max(1, BLOCK // max(n_columns, 1))
    for first in range(0, n_rows, height):
        yield slice(first, min(first + height, n_rows))


def column_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The columns in order, some at a time; never one alone beside others, whose sums would be taken in another order.

    >>> [(cols.start, cols.stop) for cols in column_blocks(1_000_000, 5)]
    [(0, 2), (2, 5)]
    """
    pieces = max(1, min(n_columns // 2, -(-n_rows * n_columns // BLOCK)))
    edges = [n_columns * at // pieces for at in range(pieces + 1)]
    return (slice(first, end) for first, end in pairwise(edges))


def is_mapped(values: Any) -> bool:
    """Whether an array, or what it is a part of, lies in a file and not in memory."""
    import mmap

    while values is not None:
        if isinstance(values, mmap.mmap):
            return True
        values = getattr(values, "base", None)
    return False
