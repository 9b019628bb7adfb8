"""Long tables: many rows per member (id, time, values ...), as sequences when there is a time and as sets when not.

Which columns say whose row it is and when is found, where nobody names them, by how their values repeat and rise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.collect.columns import (
    ID_NAMES,
    TIME_NAMES,
    TRUTH_NAMES,
    Column,
    Named,
    codes,
    columns_of,
    numbers,
    plain,
    truth_of,
    words,
)
from coterie.collect.files import Loaded
from coterie.collect.sequences import whole
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.messages.notes import Note

LEAST_ROWS = 5  # per member, on average
LEAST_STEPS = 20  # per member, on average, where the order is not called like a time
_GAPS = 0.2  # share of the values of a column that may be missing in sequences
MOST_COLUMNS = 60  # a wider table is not searched
_TIMES = {
    *TIME_NAMES,
    "day",
    "days",
    "hour",
    "hours",
    "minute",
    "minutes",
    "week",
    "month",
    "year",
    "ms",
    "clock",
    "epoch",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """The column that repeats, the column that orders its rows, and whether that is certain enough to act on."""

    owner: str
    time: str
    sure: bool


def pair_of(columns: Sequence[Column], named: Named) -> Pair | None:
    """The best pair of columns of a long table, or None when nothing looks like one."""
    if len(columns) > MOST_COLUMNS or any(c.role == "text" for c in columns):
        return None
    owners = [(c, codes) for c in columns if (codes := _owners(c, named)) is not None]
    words = any(_is_words(c) for c, _ in owners)
    clocks = [
        c for c in columns if owners and _may_order(c, named) and (words or _called(c, named))
    ]
    found: list[Pair] = []
    for clock in clocks:
        times = np.unique(numbers(clock.values), return_inverse=True)[1]
        for owner, codes in owners:
            values = [c for c in columns if c.role == "number" and c not in (owner, clock)]
            if clock is owner or not values or not (_is_words(owner) or _called(clock, named)):
                continue
            verdict = _verdict(codes, times, clock, named)
            if verdict is not None:
                filled = all(c.values.null_count <= _GAPS * len(c.values) for c in values)
                found.append(
                    Pair(
                        owner.name, clock.name, verdict and filled and _answers_fit(columns, codes)
                    )
                )
    return max(found, key=lambda pair: (pair.sure, time_like(pair.time))) if found else None


def time_like(name: str) -> bool:
    """Whether a column is called like a time: one of the words of its name is.

    >>> time_like("start_time"), time_like("timely")
    (True, False)
    """
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return bool(_TIMES & set(re.split(r"[^a-z]+", spaced.lower())))


def _owners(column: Column, named: Named) -> np.ndarray | None:
    """The codes of a column of words or whole numbers that repeats often enough to hold members, else None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if (
        column.role in ("truth", "constant", "empty", "date")
        or column.values.null_count
        or column.name == named.time
    ):
        return None
    if not (_is_words(column) or pa.types.is_integer(column.values.type)) or time_like(column.name):
        return None
    members = pc.unique(column.values)
    if len(members) < 2 or len(column.values) < LEAST_ROWS * len(members):
        return None
    return np.asarray(pc.index_in(column.values, value_set=members).to_numpy(), dtype=np.int64)


def _is_words(column: Column) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.values.type))


def _called(clock: Column, named: Named) -> bool:
    """Whether it is known to be a time: named so by the user, called so, or a date."""
    return clock.name == named.time or clock.role == "date" or time_like(clock.name)


def _may_order(column: Column, named: Named) -> bool:
    return (
        column.role in ("number", "date")
        and column.values.null_count == 0
        and named.time in (None, column.name)
    )


def _verdict(codes: np.ndarray, times: np.ndarray, clock: Column, named: Named) -> bool | None:
    """True: sequences. False: it looks like them. None: it does not.

    No time may come twice for a member. Either the members share one clock (the same times for nearly all), or
    each has its rows in one block in which the time rises and after which it begins anew.
    """
    counts = np.bincount(codes)
    members = len(counts)
    steps = int(times.max()) + 1
    called = _called(clock, named)
    shared = steps <= 2 * counts.max() and 2 * steps <= len(codes)
    if (
        steps < counts.max()
        or not (called or shared)
        or len(np.unique(codes * steps + times)) < len(codes)
    ):
        return None
    order = np.argsort(codes, kind="stable")
    rising = bool(np.all((np.diff(times[order]) > 0) | (np.diff(codes[order]) != 0)))
    if not shared:
        blocks = int(np.sum(np.diff(codes) != 0)) + 1 == members
        anew = bool(np.all(np.diff(times)[np.diff(codes) != 0] < 0))
        return clock.name == named.time if rising and blocks and anew and members > 2 else None
    if not rising and not (called and 5 * len(codes) >= 4 * members * steps):
        return None
    return members > 2 and (called or (len(codes) >= LEAST_STEPS * members and _even(clock, codes)))


def _even(clock: Column, codes: np.ndarray) -> bool:
    """Whether nearly all steps of the members are of one length."""
    order = np.lexsort((numbers(clock.values), codes))
    steps = np.diff(numbers(clock.values)[order])[np.diff(codes[order]) == 0]
    return len(steps) > 0 and float(np.mean(np.isclose(steps, np.median(steps)))) > 0.8


def _answers_fit(columns: Sequence[Column], codes: np.ndarray) -> bool:
    """What was named as truth is one value per member; where it changes with the rows, the rows are the members."""
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(np.diff(codes[order]) == 0)
    rows: Any
    for column in columns:
        if column.role == "truth":
            rows = column.values.to_pylist()
            if any(rows[order[at]] != rows[order[at + 1]] for at in same):
                return False
    return True


OWNER_NAMES = (
    *(name for name in ID_NAMES if name),
    "case",
    "series",
    "member",
    "bag",
    "set",
    "sequence",
    "recording",
    "trace",
)


def owner_of(table: Any, named: Named) -> str | None:
    """The column that says whose row it is: the named one, else one with a telling name."""
    if named.id:
        return named.id
    low = {name.lower(): name for name in reversed(table.column_names) if name not in named.truth}
    told = next((low[name] for name in OWNER_NAMES if name in low), None)
    return told or next((low[name] for name in low if name.endswith("_id")), None)


def time_of(columns: Sequence[Column], named: Named) -> str | None:
    """The column that orders the rows of a member: the named one, else one with a telling name."""
    if named.time:
        return named.time
    able = {c.name.lower(): c.name for c in reversed(columns) if c.role in ("number", "date")}
    return next((able[name] for name in TIME_NAMES if name in able), None)


def long_kind(loaded: Loaded, named: Named) -> tuple[str, str] | None:
    """("long" or "sets", why) when the table has several rows per member, None when not; ("table", a hint) when half so."""
    import pyarrow.compute as pc

    table = loaded.table
    owner = owner_of(table, named)
    if named.id == "" or named.text or table.num_rows < 2:
        return None
    if owner is None:
        return _unnamed(loaded, named)
    if owner not in table.column_names:
        return None
    owners = plain(table.column(owner))
    distinct = pc.count_distinct(owners).as_py() if owners.null_count < len(owners) else 0
    if distinct == 0 or 2 * distinct > table.num_rows or (owners.null_count and not named.id):
        return None
    columns = _columns(table, named, owner, loaded.where)
    time = time_of(columns, named)
    if not any(c.role == "number" and c.name not in (owner, time) for c in columns):
        return None
    if any(c.role == "text" for c in columns):
        return None
    if time is None:
        return (
            "sets",
            f"'{owner}' repeats and no column is a time: read as sets of vectors, one set per '{owner}'",
        )
    return (
        "long",
        f"'{owner}' repeats and '{time}' orders its rows: read as sequences, one per '{owner}'",
    )


def _unnamed(loaded: Loaded, named: Named) -> tuple[str, str] | None:
    pair = _guessed(loaded, named)
    if pair is None:
        return None
    owner = pair.owner
    time = pair.time
    if not pair.sure:
        return (
            "table",
            f"This looks like a long table of sequences; try id {_quoted(owner)} and time {_quoted(time)}.",
        )
    why = f"'{owner}' repeats and '{time}' rises within each of its values: read as sequences, one per '{owner}'"
    return "long", f"{why} (kind table reads the rows as members)"


def _guessed(loaded: Loaded, named: Named) -> Pair | None:
    blank = Named(named.text, "", named.time, named.truth, use=named.use)
    return pair_of(columns_of(loaded.table, blank, loaded.where), named)


def _quoted(name: str) -> str:
    return name if name.replace("_", "").isalnum() else f'"{name}"'


def _columns(table: Any, named: Named, owner: str, name: str) -> list[Column]:
    return columns_of(table, Named(named.text, owner, named.time, named.truth, use=named.use), name)


def from_long(loaded: Loaded, named: Named, ordered: bool = True) -> Collection:
    """Rows gathered by id in order of first appearance and sorted by time."""
    table = loaded.table
    name = loaded.where
    if table.num_rows == 0:
        raise DataError(f"'{name}' has a header and no rows.")
    owner = owner_of(table, named)
    if owner is None and (pair := _guessed(loaded, named)) is not None:
        owner = pair.owner
        named = Named(
            named.text,
            owner,
            named.time or (pair.time if ordered else None),
            named.truth,
            use=named.use,
        )
    if owner is None:
        there = ", ".join(table.column_names[:12])
        raise DataError(
            f"'{name}' has no column that says whose row it is; name it as id (columns: {there})."
        )
    columns = _columns(table, named, owner, name)
    time = time_of(columns, named) if ordered else None
    members = words(next(c for c in columns if c.name == owner).values)
    if "" in members:
        raise DataError(
            f"Row {members.index('')} of '{name}' (counting from 0) has no id in column '{owner}'."
        )
    place = {member: code for code, member in enumerate(dict.fromkeys(members))}
    code = np.fromiter((place[m] for m in members), dtype=np.int64, count=len(members))
    notes = list(loaded.notes)
    order, said = _order(columns, time, code, name)
    if not ordered and named.time:
        notes.append(f"The order by '{named.time}' was not used: a set has none.")
    aside = {owner, time, named.time, *_answers(columns, code)}
    values = [c for c in columns if c.role == "number" and c.name not in aside]
    if not values:
        raise DataError(
            f"'{name}' has no column of numbers beside '{owner}'"
            + (f" and '{time}'." if time else ".")
        )
    names = tuple(c.name for c in values)
    matrix = np.stack([numbers(c.values) for c in values], axis=1)[order]
    ragged = Ragged(
        matrix,
        np.concatenate([[0], np.cumsum(np.bincount(code, minlength=len(place)))]),
        ordered,
        names,
    )
    ids = list(place)
    gaps = whole(ragged, ids, name)
    first = np.unique(code, return_index=True)[1]
    truth, cards, more = _steady(
        [c for c in columns if c not in values and c.name not in (owner, time)], code, first
    )
    notes += [
        *said,
        f"Values per {'step' if ordered else 'vector'}: {', '.join(names)}.",
        *gaps,
        *more,
    ]
    view = "sequences" if ordered else "sets"
    return Collection(
        ids, {view: ragged}, truth=truth, name=loaded.name, notes=tuple(notes), cards=cards
    )


def _order(
    columns: Sequence[Column], time: str | None, code: np.ndarray, name: str
) -> tuple[np.ndarray, list[str]]:
    """Rows by member, then by time; rows at the same time keep the order of the file."""
    if time is None:
        return np.argsort(code, kind="stable"), []
    column = next(c for c in columns if c.name == time)
    if column.role == "constant":
        return np.argsort(code, kind="stable"), [
            f"The time '{time}' never changes: rows were kept in the order of the file."
        ]
    if column.role not in ("number", "date"):
        raise DataError(
            f"The time column '{time}' of '{name}' must hold numbers or dates, and holds words."
        )
    clock = numbers(column.values)
    if np.isnan(clock).any():
        raise DataError(
            f"Row {int(np.argmax(np.isnan(clock)))} of '{name}' (counting from 0) has no time in column '{time}'."
        )
    order = np.lexsort((clock, code))
    ties = int(np.sum((np.diff(code[order]) == 0) & (np.diff(clock[order]) == 0)))
    return order, [
        f"{ties} rows have the same '{time}' as another row of their member."
    ] if ties else []


def _answers(columns: Sequence[Column], code: np.ndarray) -> list[str]:
    """Columns of numbers that are called like an answer and have one value per member: never compared unasked."""
    first = np.unique(code, return_index=True)[1]
    called = [c for c in columns if c.role == "number" and c.name.lower() in TRUTH_NAMES]
    rows = {c.name: numbers(c.values) for c in called}
    return [
        name for name, row in rows.items() if np.array_equal(row, row[first][code], equal_nan=True)
    ]


def _steady(
    columns: Sequence[Column], code: np.ndarray, first: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, list[str]], list[str]]:
    """Columns with one value per member: truth where named so, cards otherwise; other words are left out and told."""
    truth: dict[str, np.ndarray] = {}
    cards: dict[str, list[str]] = {}
    notes: list[str] = []
    for column in columns:
        if column.role in ("constant", "empty"):
            notes.append(
                Note(f"Dropped, the same everywhere or empty: '{column.name}'.", "dropped")
            )
            continue
        levels = codes(_as_words(column.values))[0]
        same = np.array_equal(levels, levels[first][code], equal_nan=True)
        if column.role == "truth":
            if not same:
                raise DataError(
                    f"The truth column '{column.name}' must have one value per member, and changes within a member."
                )
            truth[column.name] = truth_of(column.values)[first]
        elif same:
            cards[column.name] = _picked(column.values, first)
        else:
            notes.append(f"Left out, words or dates that change within a member: '{column.name}'.")
    if cards:
        shown = ", ".join(cards)
        notes.append(
            f"The same within every member, shown and not compared: {shown}; name one as truth to judge by it."
        )
    return truth, cards, notes


def _picked(values: Any, rows: np.ndarray) -> list[str]:
    import pyarrow as pa

    return words(values.take(pa.array(rows)))


def _as_words(values: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([pa.array(words(values), pa.string())])
