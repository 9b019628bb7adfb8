"""Tables: .csv, .tsv, .jsonl, .json and .parquet files and frames in memory, as a Collection of text and columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import (
    Column,
    Named,
    called_id,
    codes,
    compared_columns,
    display_name,
    looks_like,
    numbers,
    spread,
    truth_of,
    uneven_lists,
    words,
)
from coterie.collect.files import Loaded, load
from coterie.core.collection import Collection, View
from coterie.core.errors import DataError
from coterie.core.table import Table, is_mapped, row_blocks
from coterie.core.text import Text
from coterie.core.vectors import GIVEN, Vectors
from coterie.core.workplace import roomy
from coterie.messages.notes import Note, note_answers, note_empty


def read_table(path: Path, *, named: Named | None = None, kind: str | None = None) -> Collection:
    """A table file as a Collection; kind "table" compares no text, kind "text" insists on it."""
    return collection_from(load(path), named or Named(), kind)


def from_frame(
    frame: Any, *, named: Named | None = None, kind: str | None = None, name: str = "frame"
) -> Collection:
    """A pandas, polars or arrow frame as a Collection; the named index of a pandas frame is the id."""
    return collection_from(loaded_frame(frame, name), named or Named(), kind)


def loaded_frame(frame: Any, name: str = "frame") -> Loaded:
    """Any frame narwhals knows, as an arrow table."""
    import narwhals as nw
    import pyarrow as pa

    try:
        eager = nw.from_native(frame, eager_only=True)
        index = nw.maybe_get_index(eager)
        if index is not None and (index.name is not None or not _is_range(index)):
            eager = nw.maybe_reset_index(
                nw.from_native(frame.reset_index(names=index.name or "index"), eager_only=True)
            )
        table = eager.to_arrow()
    except (TypeError, ValueError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise DataError(
            f"The {type(frame).__name__} cannot be read as a table: {reason}."
        ) from None
    return Loaded(table.rename_columns([str(column) for column in table.column_names]), name)


def _is_range(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex"


def collection_from(loaded: Loaded, named: Named, kind: str | None = None) -> Collection:
    """Columns by role: text views first, then the view "columns"; what cannot be compared is put on the cards."""
    where = loaded.where
    if kind in ("views", "mail"):
        raise DataError(
            f"'{where}' is one table and cannot be read as '{kind}', but as text, table, long or sets."
        )
    if loaded.table.num_rows == 0:
        raise DataError(f"'{where}' has a header and no rows.")
    table = spread(loaded.table)
    uneven = uneven_lists(loaded.table)
    columns = compared_columns(table, named, where, kind)
    if kind == "text" and not any(c.role == "text" for c in columns):
        raise DataError(f"'{where}' has no column of words to be read as text.")
    ids = ids_of(columns, table.num_rows, where)
    views: dict[str, View] = {}
    notes = [*loaded.notes, *named_by(columns, named, table.num_rows)]
    for column in _texts(columns, named.text):
        rows = words(column.values)
        views[column.name] = Text.of(rows)
        gaps = rows.count("")
        if gaps:
            notes.append(note_empty(gaps, len(ids), column.name))
    compared, said = _table(columns, ids)
    if uneven and compared is None and not views:
        raise DataError(f"{next(iter(uneven.values()))}, and there is nothing else to compare.")
    notes += [Note(f"{why}; it was left out.", "uneven") for why in uneven.values()]
    return with_columns(loaded, ids, columns, views, compared, [*notes, *said])


def with_columns(
    loaded: Loaded,
    ids: Sequence[str],
    columns: Sequence[Column],
    views: dict[str, View],
    compared: Table | None,
    notes: list[str],
) -> Collection:
    """The collection of these texts and compared columns, with what the other columns are: truth, and cards."""
    if compared is not None:
        views["columns" if "columns" not in views else "other columns"] = compared
    if loaded.vectors is not None and not views:
        views[GIVEN] = Vectors.of(loaded.vectors)
    if not views:
        raise DataError(why_nothing(columns, loaded.where))
    return Collection(
        ids,
        views,
        truth={c.name: truth_of(c.values) for c in columns if c.role == "truth"},
        name=loaded.name,
        notes=tuple(notes) + said_of(columns),
        cards={c.name: words(c.values) for c in columns if c.role in ("card", "answer")},
    )


def ids_of(columns: Sequence[Column], n: int, name: str) -> list[str]:
    """The id column as strings, or the row numbers; a repeated or missing id is named."""
    column = next((c for c in columns if c.role == "id"), None)
    if column is None:
        return [str(row) for row in range(n)]
    ids = words(column.values)
    seen: dict[str, int] = {}
    for row, member in enumerate(ids):
        if not member:
            raise DataError(
                f"Row {row} of '{name}' (counting from 0) has no id in column '{column.name}'."
            )
        if member in seen:
            raise DataError(
                f"The id '{member}' stands in rows {seen[member]} and {row} of '{name}' (counting from 0; "
                f"column '{column.name}'); "
                "name another column as id, or give id='' to number the rows.",
                parameter="id",
                where=column.name,
            )
        seen[member] = row
    return ids


def named_by(columns: Sequence[Column], named: Named, n: int) -> list[str]:
    """What the members are called by: a column, or numbers where the one called like an id cannot be used."""
    column = next((c for c in columns if c.role == "id"), None)
    if column is not None:
        return [
            f"Members are named by the column '{column.name}'."
            if column.name
            else "Members are named by the first column."
        ]
    told = called_id(columns, n) if named.id is None else None
    if told is None:
        return []
    return [
        f"The column '{told.name}' {'has gaps' if told.values.null_count else 'repeats'}, so the rows are numbered."
    ]


def _texts(columns: Sequence[Column], first: str | None) -> list[Column]:
    """Text columns, the main one first: the named one, else the longest of those that few members lack."""
    found = [c for c in columns if c.role == "text"]
    if not found:
        return []
    main = next((c for c in found if c.name == first), None) or max(
        found,
        key=lambda c: (
            c.values.null_count <= 0.01 * len(c.values),
            c.length * (len(c.values) - c.values.null_count),
        ),
    )
    return [main, *(c for c in found if c is not main)]


def _table(columns: Sequence[Column], ids: Sequence[str]) -> tuple[Table | None, list[str]]:
    chosen = [c for c in columns if c.role in ("number", "date", "category")]
    if not chosen:
        return None, []
    values = np.empty((len(ids), len(chosen)), dtype=np.float64)
    categories: dict[int, tuple[str, ...]] = {}
    for j, column in enumerate(chosen):
        if column.role == "category":
            values[:, j], categories[j] = codes(column.values)
        else:
            values[:, j] = numbers(column.values)
    names = tuple(c.name for c in chosen)
    dates = frozenset(j for j, c in enumerate(chosen) if c.role == "date")
    return Table(values, names, categories, dates), checked(values, names, ids)


def checked(values: np.ndarray, names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Raise on an infinity (its row and column named) and say how many gaps there are."""
    gaps = np.zeros(values.shape[1], dtype=np.int64)
    for rows in row_blocks(*values.shape):
        endless = np.argwhere(np.isinf(values[rows]))
        if len(endless):
            row = rows.start + int(endless[0][0])
            column = int(endless[0][1])
            raise DataError(
                f"Column '{names[column]}' holds an infinity in row {row} (counting from 0, id '{ids[row]}'); "
                "leave the cell empty where the value is unknown."
            )
        gaps += np.isnan(values[rows]).sum(axis=0)
    if not gaps.any():
        return []
    where = [f"{names[j]} {gaps[j]}" for j in np.flatnonzero(gaps).tolist()]
    more = f" and {len(where) - 8} more" if len(where) > 8 else ""
    return [
        f"{int(gaps.sum())} gaps in {len(where)} of {len(names)} columns ({', '.join(where[:8])}{more})."
    ]


def said_of(columns: Sequence[Column]) -> tuple[str, ...]:
    """One sentence for each way a column was treated that a user may want to change."""

    def of(role: str) -> str:
        return ", ".join(f"'{c.name}'" for c in columns if c.role == role)

    cards = [c.name for c in columns if c.role == "card"]
    display = display_name(cards)
    rest = ", ".join(f"'{name}'" for name in cards if name != display)
    answers = tuple(c.name for c in columns if c.role == "answer")
    said = (
        (of("constant"), "dropped", "Dropped, the same for every member: {}."),
        (of("empty"), "dropped", "Dropped, empty: {}."),
        (of("date"), "dates", "Read as dates: {}."),
        (
            f"'{display}'" if display else "",
            "display_name",
            "{} is the name that members are shown by, and is not compared.",
        ),
        (rest, "not_compared", "Shown and not compared, too many different words: {}."),
    )
    alike = [(c.name, looks_like(c.values)) for c in columns if c.role in ("card", "category")]
    odd = tuple(
        f"'{name}' looks like {what} and was read as words."
        for name, what in alike
        if what is not None
    )
    told = tuple(Note(words.format(names), code) for names, code, words in said if names)
    return (*told, *((note_answers(answers),) if answers else ()), *odd)


def why_nothing(columns: Sequence[Column], name: str) -> str:
    roles = {c.role for c in columns} - {"id", "truth", "answer"}
    if roles == {"empty"}:
        return f"Every cell of '{name}' is a gap: nothing is known of its members."
    if roles and roles <= {"constant", "empty"}:
        return f"Every column of '{name}' is the same for all members: nothing tells them apart."
    shown = ", ".join(f"'{c.name}'" for c in columns if c.role == "card")
    why = f" ({shown}: too many different words for categories)" if shown else ""
    return f"'{name}' has no column to compare members by{why}."


def from_matrix(
    table: Table, ids: Sequence[str] | None = None, *, name: str = "table", like: Any = ()
) -> Collection:
    """A Table in memory as a Collection: infinities are named, gaps counted, columns that never change dropped.

    With `like`, the columns (and roles) that members before it are compared by are taken, by name.
    """
    n = len(table)
    chosen = [str(row) for row in range(n)] if ids is None else list(ids)
    if n == 0 or table.shape[1] == 0:
        raise DataError(f"'{name}' is empty: it has {n} rows and {table.shape[1]} columns.")
    if table.sparse:
        if not np.all(np.isfinite(table.values.data)):
            raise DataError(
                f"The sparse table '{name}' holds a NaN or an infinity; it must hold finite numbers."
            )
        return Collection(chosen, {"columns": table}, name=name)
    if like:
        table = _picked(table, [column for column, _ in like], name)
    notes = checked(table.values, table.names, chosen)
    low, high = ends_of(table.values)
    if not like and not np.isfinite(low).any():
        raise DataError(f"Every cell of '{name}' is a gap (NaN): nothing is known of its members.")
    if n > 1 and not like:
        varies = np.flatnonzero(low < high)
        if len(varies) == 0:
            raise DataError(
                f"Every column of '{name}' is the same for all members: nothing tells them apart."
            )
        if len(varies) < len(table.names):
            dropped = [f"'{c}'" for j, c in enumerate(table.names) if j not in set(varies.tolist())]
            more = f" and {len(dropped) - 12} more" if len(dropped) > 12 else ""
            listed = f"{', '.join(dropped[:12])}{more}"
            notes.append(Note(f"Dropped, the same for every member: {listed}.", "dropped"))
            categories = {
                k: table.categories[j]
                for k, j in enumerate(varies.tolist())
                if j in table.categories
            }
            table = Table(
                _columns(table.values, varies), tuple(table.names[j] for j in varies), categories
            )
    return Collection(chosen, {"columns": table}, name=name, notes=tuple(notes))


def ends_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest number of every column, gaps aside; infinities where there is none."""
    low = np.full(values.shape[1], np.inf)
    high = np.full(values.shape[1], -np.inf)
    for rows in row_blocks(*values.shape):
        low = np.fmin(low, np.fmin.reduce(values[rows], axis=0))
        high = np.fmax(high, np.fmax.reduce(values[rows], axis=0))
    return low, high


def _columns(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Some columns, in memory or in a file as the table is."""
    if not is_mapped(values):
        return values[:, chosen]
    out = roomy((len(values), len(chosen)))
    for rows in row_blocks(*values.shape):
        out[rows] = values[rows][:, chosen]
    return out


def _picked(table: Table, names: Sequence[str], where: str) -> Table:
    """These columns, in this order."""
    for name in names:
        if name not in table.names:
            raise DataError(
                f"'{where}' has no column '{name}', by which the members before it were compared."
            )
    at = [table.names.index(name) for name in names]
    levels = {place: table.categories[j] for place, j in enumerate(at) if j in table.categories}
    dates = frozenset(place for place, j in enumerate(at) if j in table.dates)
    return Table(np.ascontiguousarray(table.values[:, at]), tuple(names), levels, dates)
