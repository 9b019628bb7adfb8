"""Recordings: which sound is read, from where to where, and what an index or a table of intervals says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import (
    END_NAMES,
    FILE_NAMES,
    START_NAMES,
    Named,
    find_column,
    is_interval_table,
    numbers,
    plain,
    truth_of,
    words,
)
from coterie.collect.files import (
    BESIDE_NAMES,
    TABLE_SUFFIXES,
    Loaded,
    load_quietly,
    stem_of,
    suffix_of,
)
from coterie.collect.text import first_folder, folders_as_truth, left_out, printable
from coterie.collect.waves import AUDIO_SUFFIXES
from coterie.core.errors import DataError

_ID_NAMES = ("id", "_id", "key", "uid")


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What is to be read, in order: a file, a span in seconds (to its end where that is None), and columns of a table."""

    where: str
    keys: list[str]  # what notes call them
    ids: list[str]
    files: list[Path]
    spans: list[tuple[float, float | None]]
    cards: dict[str, list[str]]
    columns: dict[str, Any] = field(
        default_factory=dict
    )  # name -> arrow column, one cell per piece
    notes: tuple[str, ...] = ()
    truth: dict[str, np.ndarray] = field(default_factory=dict)

    def told(
        self, kept: np.ndarray, named: Named
    ) -> tuple[dict[str, list[str]], dict[str, np.ndarray]]:
        """Cards and truth of the pieces kept; a column is truth where it was named so."""
        known = {**self.truth, **self.columns}
        for name in named.truth:
            if name not in known:
                raise DataError(
                    f"'{self.where}' has no column '{name}' (named as truth); it has {', '.join(known) or 'none'}."
                )
        cards = {name: [column[i] for i in kept] for name, column in self.cards.items()}
        cards |= {
            name: words(column.take(kept))
            for name, column in self.columns.items()
            if name not in named.truth
        }
        truth = {name: labels[kept] for name, labels in self.truth.items()}
        truth |= {
            name: truth_of(self.columns[name].take(kept))
            for name in named.truth
            if name in self.columns
        }
        return cards, truth


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """A table that tells of sound files: the folder it lies in, the column that names the files, and the row of each file."""

    loaded: Loaded
    folder: Path
    column: str
    rows: dict[Path, int]

    @property
    def has_intervals(self) -> bool:
        """Whether it lists intervals instead of whole files."""
        return is_interval_table(self.loaded.table)


def index_of(folder: Path, files: Sequence[Path]) -> Index | None:
    """The index of a folder: a table beside the files or above them, of which a column names at least half of the files."""
    for place in (folder, folder.resolve().parent):
        for path in sorted(place.iterdir(), key=lambda p: p.name) if place.is_dir() else ():
            if (
                path.is_file()
                and suffix_of(path) in TABLE_SUFFIXES
                and stem_of(path).lower() in BESIDE_NAMES
            ):
                found = _matched(path, folder, files)
                if found is not None:
                    return found
    return None


def _matched(path: Path, folder: Path, files: Sequence[Path]) -> Index | None:
    """The index that a table is; a column that is not called like a file must hold names with their suffix."""
    loaded = load_quietly(path)
    if loaded is None:
        return None
    called = _callings(path.parent, folder, files)
    columns = sorted(loaded.table.column_names, key=lambda name: name.lower() not in FILE_NAMES)
    for name in columns:
        rows: dict[Path, int] = {}
        bare = name.lower() in (*FILE_NAMES, *_ID_NAMES)
        for row, cell in enumerate(words(plain(loaded.table.column(name)))):
            file = called.get(cell.replace("\\", "/").removeprefix("./"))
            if file is not None and (bare or cell.lower().endswith(AUDIO_SUFFIXES)):
                rows.setdefault(file, row)
        if rows and 2 * len(rows) >= min(len(files), loaded.table.num_rows):
            return Index(loaded, path.parent, name, rows)
    return None


def _callings(table: Path, folder: Path, files: Sequence[Path]) -> dict[str, Path]:
    """Every way a table may call a file: by its path from the table or the folder, by its name, with or without suffix."""
    called: dict[str, Path] = {}
    bare: list[tuple[str, Path]] = []
    top = folder.resolve()
    for file in files:
        inside = top / file.relative_to(folder)
        paths = [inside.relative_to(top)]
        paths += (
            [inside.relative_to(table.resolve())] if inside.is_relative_to(table.resolve()) else []
        )
        for path in paths:
            called.setdefault(path.as_posix(), file)
            bare += [(path.with_suffix("").as_posix(), file), (path.name, file), (path.stem, file)]
    many = Counter(name for name, _ in set(bare))
    return {**{name: file for name, file in bare if many[name] == 1}, **called}


def from_files(folder: Path, files: Sequence[Path], index: Index | None, named: Named) -> Pieces:
    """Every file a piece; the first sub-folder is truth, and the columns of an index are what is told of it."""
    keys = [printable(file.relative_to(folder).as_posix()) for file in files]
    spans: list[tuple[float, float | None]] = [(0.0, None)] * len(files)
    truth = folders_as_truth([first_folder(key) for key in keys])
    if index is None:
        return Pieces(
            folder.name,
            keys,
            _ids(keys, {}, named, folder.name),
            list(files),
            spans,
            {"file": keys},
            truth=truth,
        )
    import pyarrow as pa

    table = index.loaded.table
    where = index.loaded.where
    rows = pa.array([index.rows.get(file) for file in files], pa.int64())
    columns = {
        name: plain(table.column(name)).take(rows)
        for name in table.column_names
        if name != index.column
    }
    unknown = [key for key, file in zip(keys, files, strict=True) if file not in index.rows]
    missing = table.num_rows - len(set(index.rows.values()))
    told = ", ".join(f"'{name}'" for name in columns)
    notes = (
        *index.loaded.notes,
        *(
            (f"'{where}' tells {told} of the recordings; name one as truth to judge by it.",)
            if columns
            else ()
        ),
        *left_out(unknown, "recording", "is", f"not listed in '{where}'"),
        *(
            (f"{missing} of {table.num_rows} rows of '{where}' name no file that is there.",)
            if missing
            else ()
        ),
    )
    return Pieces(
        where,
        keys,
        _ids(keys, columns, named, where),
        list(files),
        spans,
        {"file": keys},
        columns,
        notes,
        truth,
    )


def from_intervals(loaded: Loaded, beside: Path, place: Path, named: Named) -> Pieces:
    """Every row of a table with file, start and end a piece; files lie beside the table or in `place`."""
    table = loaded.table
    where = loaded.where
    file, start, end = (find_column(table, names) for names in (FILE_NAMES, START_NAMES, END_NAMES))
    if not (start and end and (file or place.is_file())):
        lacking = ", ".join(
            w
            for w, n in (("file", file or place.is_file()), ("start", start), ("end", end))
            if not n
        )
        has = ", ".join(table.column_names)
        raise DataError(f"'{where}' lists no intervals: it has no column {lacking}; it has {has}.")
    if table.num_rows == 0:
        raise DataError(f"'{where}' has a header and no rows.")
    firsts = _seconds(table, start, where)
    lasts = _seconds(table, end, where)
    cells = words(plain(table.column(file))) if file else [place.name] * table.num_rows
    called = [
        f"{printable(cell)} {a:g}-{b:g}" for cell, a, b in zip(cells, firsts, lasts, strict=True)
    ]
    columns = {
        name: plain(table.column(name))
        for name in table.column_names
        if name not in (file, start, end)
    }
    keys = [f"row {row} ({name})" for row, name in enumerate(called)]
    files = [place if place.is_file() else _found(cell, beside, place) for cell in cells]
    shown = {"file": cells, "start": [f"{a:g}" for a in firsts], "end": [f"{b:g}" for b in lasts]}
    spans: list[tuple[float, float | None]] = list(zip(firsts, lasts, strict=True))
    return Pieces(
        where,
        keys,
        _ids(_told_apart(called), columns, named, where),
        files,
        spans,
        shown,
        columns,
        loaded.notes,
    )


def _seconds(table: Any, column: str, where: str) -> list[float]:
    """A column of times in seconds; the first cell that is none is named by its row."""
    import pyarrow as pa

    values = plain(table.column(column))
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        raise DataError(f"Column '{column}' of '{where}' must hold seconds as numbers.")
    found = numbers(values)
    bad = np.flatnonzero(~np.isfinite(found) | (found < 0))
    if len(bad):
        raise DataError(
            f"Column '{column}' of '{where}' must hold seconds from 0, and row {bad[0]} (counting from 0) does not."
        )
    return [float(v) for v in found]


def _found(cell: str, beside: Path, place: Path) -> Path:
    """The file a cell names: beside the table, else in the folder that was given, with its path or by its bare name."""
    known = (beside / cell, place / cell, place / Path(cell).name)
    return next((path for path in known if cell and path.is_file()), beside / (cell or "no file"))


def _told_apart(names: Sequence[str]) -> list[str]:
    """The same names; those that repeat get a number."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _ids(keys: Sequence[str], columns: dict[str, Any], named: Named, where: str) -> list[str]:
    """The column named as id, or one called so in which nothing repeats; else the names of the files or intervals."""
    if named.id and named.id not in columns:
        raise DataError(
            f"'{where}' has no column '{named.id}' (named as id); it has {', '.join(columns) or 'none'}."
        )
    wanted = named.id or next((name for name in columns if name.lower() in _ID_NAMES), None)
    if wanted is None or named.id == "":
        return list(keys)
    ids = words(columns[wanted])
    if len(set(ids)) == len(ids) and all(ids):
        return ids
    if named.id:
        raise DataError(
            f"The column '{wanted}' of '{where}' cannot be the id: a value is empty or there twice."
        )
    return list(keys)
