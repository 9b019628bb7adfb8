"""Captions: the table that tells of the pictures of a folder, and the words of captions as a population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import Named, plain, truth_of
from coterie.collect.columns import words as as_words
from coterie.collect.files import TABLE_SUFFIXES, Loaded, load, suffix_of
from coterie.collect.text import left_out
from coterie.collect.words import FUNCTION_WORDS, count_names, words
from coterie.core.errors import DataError
from coterie.core.links import Cooccurrence

CAPTION_NAMES = (
    "caption",
    "text",
    "title",
    "description",
    "sentence",
    "comment",
    "word",
    "tag",
    "keyword",
    "annotation",
    "alt",
)


@dataclass(frozen=True, slots=True, eq=False)
class Captions:
    """A table whose first column names files, and the rows that tell of each file."""

    loaded: Loaded
    rows: dict[Path, list[int]]

    def about(
        self, files: Sequence[Path], keys: Sequence[str], named: Named
    ) -> tuple[list[str], dict[str, list[str]], dict[str, np.ndarray], tuple[str, ...]]:
        """Captions of these files, other columns as cards, columns named as truth, and what is to be said."""
        table = self.loaded.table
        where = self.loaded.where
        others = table.column_names[1:]
        spoken, shown = self._roles(others, named)
        for name in named.truth:
            if name not in others and name != "folder":
                raise DataError(
                    f"'{where}' has no column '{name}' (named as truth); it has {', '.join(others) or 'none'}."
                )
        rows = [self.rows.get(file, []) for file in files]
        cells = {name: as_words(plain(table.column(name))) for name in (*spoken, *shown)}
        texts = [
            "\n".join(cells[name][row] for row in own for name in spoken if cells[name][row])
            for own in rows
        ]
        first = [own[0] if own else None for own in rows]
        cards = {name: ["" if row is None else cells[name][row] for row in first] for name in shown}
        truth = {
            name: truth_of(_picked(plain(table.column(name)), first))
            for name in named.truth
            if name in others
        }
        silent = [key for key, text in zip(keys, texts, strict=True) if not text]
        said = (
            (f"'{where}' tells of the pictures: {', '.join(spoken)} as captions.",)
            if spoken
            else ()
        )
        return (
            texts,
            cards,
            truth,
            (*self.loaded.notes, *said, *left_out(silent, "picture", "has", "no caption")),
        )

    def _roles(self, names: Sequence[str], named: Named) -> tuple[list[str], list[str]]:
        """Columns of captions, and columns only to be shown: words are captions where none is called so."""
        free = [name for name in names if name not in named.truth]
        called = [
            name for name in free if any(name.lower().startswith(start) for start in CAPTION_NAMES)
        ]
        if named.text is not None:
            if named.text not in names:
                raise DataError(
                    f"'{self.loaded.where}' has no column '{named.text}' (named as text); it has {', '.join(names)}."
                )
            called = [named.text]
        spoken = called or [name for name in free if _holds_words(self.loaded.table.column(name))]
        return spoken, [name for name in free if name not in spoken]


def _holds_words(column: Any) -> bool:
    import pyarrow as pa

    kind = plain(column).type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _picked(column: Any, rows: Sequence[int | None]) -> Any:
    import pyarrow as pa

    return column.take(pa.array(rows, pa.int64()))


def captions_of(
    folder: Path, files: Sequence[Path], given: Path | None, suffixes: tuple[str, ...]
) -> Captions | None:
    """The table that tells of these files: the one given, else one in the folder or beside it that names half of them."""
    if given is not None:
        found = _told(given, folder, files, suffixes)
        if found is None:
            raise DataError(
                f"The first column of '{given.name}' names none of the {len(files)} pictures of '{folder.name}'."
            )
        return found
    for place in (folder, folder.resolve().parent):
        for path in sorted(place.iterdir(), key=lambda p: p.name) if place.is_dir() else ():
            if (
                path.is_file()
                and not path.name.startswith(".")
                and suffix_of(path) in TABLE_SUFFIXES
            ):
                found = _quietly(path, folder, files, suffixes)
                if found is not None and 2 * len(found.rows) >= len(files):
                    return found
    return None


def _quietly(
    path: Path, folder: Path, files: Sequence[Path], suffixes: tuple[str, ...]
) -> Captions | None:
    """As `_told`; a table nobody named that cannot be read tells nothing."""
    try:
        return _told(path, folder, files, suffixes)
    except DataError:
        return None


def _told(
    path: Path, folder: Path, files: Sequence[Path], suffixes: tuple[str, ...]
) -> Captions | None:
    if not path.is_file():
        raise DataError(f"There is no table of captions '{path}'.")
    loaded = load(path)
    if not loaded.table.num_columns:
        return None
    called = _callings(path.parent.resolve(), folder, files)
    rows: dict[Path, list[int]] = {}
    for row, cell in enumerate(as_words(plain(loaded.table.column(0)))):
        name = cell.replace("\\", "/").removeprefix("./")
        file = called.get(name)
        if file is not None and (name.lower().endswith(suffixes) or "." not in name):
            rows.setdefault(file, []).append(row)
    return Captions(loaded, rows) if rows else None


def _callings(table: Path, folder: Path, files: Iterable[Path]) -> dict[str, Path]:
    """Every way a table may call a file: by its path from the table or the folder, by its name, with or without suffix."""
    exact: dict[str, Path] = {}
    bare: set[tuple[str, Path]] = set()
    top = folder.resolve()
    for file in files:
        inside = top / file.relative_to(folder)
        paths = [
            inside.relative_to(place) for place in (top, table) if inside.is_relative_to(place)
        ]
        for path in paths:
            exact.setdefault(path.as_posix(), file)
            bare |= {(path.with_suffix("").as_posix(), file), (path.name, file), (path.stem, file)}
    many = Counter(name for name, _ in bare)
    return {**{name: file for name, file in bare if many[name] == 1}, **exact}


def singular(word: str) -> str:
    """A word without its plural ending: ies becomes y, and a last s goes unless it is ss, us or is.

    >>> [singular(word) for word in ("ponies", "ties", "dogs", "grass", "bus", "tennis")]
    ['pony', 'tie', 'dog', 'grass', 'bus', 'tennis']
    """
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def caption_words(texts: Iterable[str], rows: Sequence[str], min_df: int = 2) -> Cooccurrence:
    """How often each picture has each caption word: lower case, no function words, plural endings off."""
    bags = (
        Counter(
            stem for word in words(text) if word not in FUNCTION_WORDS and (stem := singular(word))
        )
        for text in texts
    )
    return count_names(bags, rows, min_df)
