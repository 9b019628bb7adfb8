"""Figures that the rows of a table give: bars of one measure by method, and curves of it over a number in their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from coterie.core.findings import Bars, Lines
from coterie_papers.experiment import Row


def bars(
    rows: Sequence[Row],
    title: str,
    measure: str,
    called: Mapping[str, str] | Callable[[str], str | None] | None = None,
) -> list[Bars]:
    """A panel for every data set and a bar for every method with this measure; nothing where there is none.

    `called` gives the names of the bars: methods that it does not have are left out. A value below 0 is a bar of no length.
    """
    name = called.get if isinstance(called, Mapping) else called or str
    panels: dict[str, list[tuple[str, float]]] = {}
    for row in rows:
        word = name(row.method)
        if row.measure == measure and word and math.isfinite(row.ours):
            panels.setdefault(row.data, []).append((word, max(row.ours, 0.0)))
    return [Bars(title, {data: tuple(found) for data, found in panels.items()})] if panels else []


def curves(
    rows: Sequence[Row],
    title: str,
    place: Callable[[Row], tuple[str, float] | None],
    x_name: str,
    y_name: str,
) -> list[Lines]:
    """A curve for every name that `place` gives, over the numbers that it gives; nothing where there is none."""
    found: dict[str, dict[float, float]] = {}
    for row in rows:
        at = place(row)
        if at is not None:
            found.setdefault(at[0], {})[at[1]] = row.ours
    over = sorted({x for line in found.values() for x in line})
    if not over:
        return []
    lines = {name: tuple(line.get(x, math.nan) for x in over) for name, line in found.items()}
    return [Lines(title, tuple(over), lines, x_name, y_name)]
