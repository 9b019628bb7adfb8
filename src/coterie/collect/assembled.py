"""What was read in pieces as one collection: texts that stay in files, numbers as one array, other columns as they were held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.collect.columns import Column, Named, codes, compared_columns, numbers
from coterie.collect.files import Loaded
from coterie.collect.tables import checked, ends_of, ids_of, named_by, with_columns
from coterie.core.collection import Collection, View
from coterie.core.table import Table, row_blocks
from coterie.core.text import Text
from coterie.core.workplace import roomy
from coterie.messages.notes import Note, note_empty


def assembled(
    kept: Any,
    n: int,
    texts: Sequence[tuple[str, Text, int]],
    values: np.ndarray,
    numeric: Sequence[str],
    order: Sequence[str],
    loaded: Loaded,
    named: Named,
) -> Collection:
    """A collection of what was read in pieces: texts (the main one first, with gaps), numbers as one array, and other columns.

    `order` names the columns that are no texts as they stand in the file.
    """
    where = loaded.where
    columns = (
        compared_columns(kept, _those(named, kept.column_names), where, "table", whole=False)
        if kept is not None
        else []
    )
    ids = ids_of(columns, n, where)
    notes = [*loaded.notes, *named_by(columns, named, n)]
    notes += [note_empty(gaps, n, name) for name, _, gaps in texts if gaps]
    views: dict[str, View] = {name: view for name, view, _ in texts}
    low, high = ends_of(values)
    still = [name for j, name in enumerate(numeric) if not low[j] < high[j]]
    other = {c.name: c for c in columns if c.role in ("number", "date", "category")}
    names = [name for name in order if name in other or (name in numeric and name not in still)]
    if still:
        listed = ", ".join(repr(name) for name in still[:12])
        notes.append(Note(f"Dropped, empty or the same for every member: {listed}.", "dropped"))
    table = _united(values, list(numeric), other, names) if names else None
    if table is not None:
        notes += checked(table.values, table.names, ids)
    return with_columns(loaded, ids, columns, views, table, notes)


def _those(named: Named, there: Sequence[str]) -> Named:
    """What was named, of the columns that are there."""
    some = {
        role: name if name in ("", None) or name in there else None
        for role, name in (("id", named.id), ("time", named.time))
    }
    return Named(
        None,
        some["id"],
        some["time"],
        tuple(name for name in named.truth if name in there),
        use=tuple(name for name in named.use if name in there),
    )


def _united(
    values: np.ndarray, numeric: list[str], other: dict[str, Column], names: Sequence[str]
) -> Table:
    """Numbers and the columns that were held, in this order; the numbers stay in their file where they are all."""
    if list(names) == numeric:
        return Table(values, tuple(names))
    out = roomy((len(values), len(names)))
    categories: dict[int, tuple[str, ...]] = {}
    for at, name in enumerate(names):
        if name in other and other[name].role == "category":
            out[:, at], categories[at] = codes(other[name].values)
        elif name in other:
            out[:, at] = numbers(other[name].values)
    mine = [(at, numeric.index(name)) for at, name in enumerate(names) if name not in other]
    for rows in row_blocks(*values.shape) if mine else ():
        out[rows, [at for at, _ in mine]] = values[rows][:, [j for _, j in mine]]
    dates = frozenset(
        at for at, name in enumerate(names) if name in other and other[name].role == "date"
    )
    return Table(out, tuple(names), categories, dates)
