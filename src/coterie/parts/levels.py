"""Levels of categorical columns: the codes of a later table in the levels that were seen at fit time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coterie.core.errors import DataError
from coterie.core.table import Table


def codes_of(
    table: Table, levels: Mapping[int, Sequence[str]], owner: str
) -> dict[int, np.ndarray]:
    """The codes of every categorical column in the numbering of `levels`; words not seen before get new codes."""
    for column in table.categories:
        if column not in levels:
            raise DataError(
                f"column '{table.names[column]}' held numbers when fitted and holds words now.",
                owner=owner,
            )
    found: dict[int, np.ndarray] = {}
    for column, known in levels.items():
        codes, where = np.unique(
            np.asarray(table.values[:, column], dtype=np.float64), return_inverse=True
        )
        place = {level: float(code) for code, level in enumerate(known)}
        renumbered = np.full(len(codes), np.nan)
        for at, code in enumerate(codes[~np.isnan(codes)]):
            name = (
                table.categories[column][int(code)] if column in table.categories else f"{code:g}"
            )
            renumbered[at] = place.setdefault(name, float(len(place)))
        found[column] = renumbered[where.ravel()]
    return found


def recoded(table: Table, levels: Mapping[int, Sequence[str]], owner: str) -> np.ndarray:
    """The values of `table` with every categorical code in the numbering of `levels`."""
    values = np.array(table.values, dtype=np.float64)
    for column, codes in codes_of(table, levels, owner).items():
        values[:, column] = codes
    return values
