"""Parts of views: each view of a folder, of table files or of a table by itself, with all its members."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie.collect.columns import Column, Named, columns_of
from coterie.collect.files import Loaded, stem_of, text_of
from coterie.collect.joined import tables_apart, tables_in
from coterie.collect.tables import collection_from
from coterie.collect.text import SUFFIXES, read_folder, texts
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import Text
from coterie.messages.notes import code_of

ALL = "all"
BETWEEN = r"[\s_.-]+"  # signs between a word and a language: text_de, title-fr, en.body
_CARD = 120  # mean letters of a column up to which it is shown with the members
_LANGUAGE = re.compile(r"^[a-z]{2}$")


def near(name: str, known: Sequence[str], where: str, what: str) -> str:
    """The one of the known that is called so, or that holds it as a part of its name: `text_de` for `de`, before `title_de`."""
    if name in known:
        return name
    parts = [one for one in known if name.lower() in re.split(BETWEEN, one.lower())]
    words = [one for one in parts if "text" in re.split(BETWEEN, one.lower())]
    if len(parts) == 1 or len(words) == 1:
        return (words or parts)[0]
    if parts:
        raise DataError(
            f"'{name}' could be any of {', '.join(parts)} of {where}; name one of them."
        )
    raise DataError(
        f"{where[0].upper()}{where[1:]} has no {what} '{name}'; it has {', '.join(known[:20]) or 'none'}."
    )


def folder_parts(
    path: Path, names: Sequence[str], named: Named, some: bool = False
) -> dict[str, Collection] | None:
    """The named views of a folder: sub-folders, tables, or text files read line by line; None where it has none of these."""
    every = tuple(names) == (ALL,)
    title = path.resolve().name
    folders = {
        p.name: p for p in sorted(path.iterdir()) if p.is_dir() and not p.name.startswith(".")
    }
    tables = {stem_of(p): p for p in tables_in(path)}
    lines = {
        p.stem: p
        for p in sorted(path.iterdir())
        if p.is_file() and p.suffix.lower() in SUFFIXES and p.stem[:1] != "."
    }
    if (
        every
        and not tables
        and len(folders) < 2
        and (len(lines) < 2 or not all(_LANGUAGE.match(stem) for stem in lines))
    ):
        return None
    kinds = {"sub-folder": folders, "table": tables, "text file": lines}
    for what, there in sorted(
        kinds.items(), key=lambda kind: every and kind[0] == "sub-folder" and len(tables) > 1
    ):
        wanted = [name for name in (there if every else names) if name in there or not some]
        if len(there) < (2 if every else 1) or not any(name in there for name in wanted):
            continue
        missing = next((name for name in wanted if name not in there), None)
        if missing is not None:
            raise DataError(
                f"The folder '{title}' has no {what} '{missing}'; it has {', '.join(there)}."
            )
        if what == "table":
            found, _ = tables_apart(path, [there[name] for name in wanted], named)
            return found if every else {name: _first(found, name) for name in wanted}
        if what == "text file":
            return line_parts({name: there[name] for name in wanted})
        return {name: _called(read_folder(there[name], name=name), name) for name in wanted}
    if not some and (len(folders) >= 2 or len(tables) >= 2):
        has = ", ".join(folders or tables)
        raise DataError(
            f"The folder '{title}' has no sub-folder or table '{names[0]}'; it has {has}."
        )
    return None


def _first(parts: Mapping[str, Collection], name: str) -> Collection:
    """The view of one table; its text where it has several kinds of columns."""
    if name not in parts:
        raise DataError(
            f"The table '{name}' has no column of ids, each there once, to be joined by; name it as id."
        )
    view = next(
        (view for view in parts[name].views.values() if isinstance(view, Text)), parts[name].view()
    )
    return replace(parts[name], views={name: view}, name=name)


def _called(part: Collection, name: str) -> Collection:
    return replace(part, views={name: part.view()}, name=name)


def line_parts(files: Mapping[str, Path]) -> dict[str, Collection]:
    """Text files of the same members line by line: en.txt, de.txt; an empty line is a member that a view lacks."""
    read = {name: text_of(path) for name, path in files.items()}
    rows = {name: text.splitlines() for name, (text, _) in read.items()}
    sizes = [f"{files[name].name} has {len(own):,} lines" for name, own in rows.items()]
    if len({len(own) for own in rows.values()}) > 1:
        short = [
            said if not at else said.replace(" has ", " ").removesuffix(" lines")
            for at, said in enumerate(sizes)
        ]
        raise DataError(
            f"Text files are views line by line, and their lines differ in number: {', '.join(short)}."
        )
    found = {}
    for name, own in rows.items():
        kept = [(str(number), line) for number, line in enumerate(own, start=1) if line.strip()]
        if not kept:
            raise DataError(f"'{files[name].name}' is empty.")
        part = texts([line for _, line in kept], [number for number, _ in kept], name=name)
        said = f"Read line by line: {', '.join(path.name for path in files.values())}; members are numbered by their line."
        found[name] = replace(_called(part, name), notes=(said, *read[name][1]))
    return found


def column_parts(
    loaded: Loaded, names: Sequence[str], named: Named, some: bool = False
) -> dict[str, Collection] | None:
    """The named columns of a table as texts, whatever their length; an empty cell is a member that the view lacks.

    With `all` these are its columns of text, where there are at least two; None where there are not.
    """
    import pyarrow as pa

    columns = columns_of(loaded.table, Named(truth=named.truth, id=named.id), loaded.where)
    strings = [
        c for c in columns if pa.types.is_string(c.values.type) and c.role not in ("id", "truth")
    ]
    words = [c.name for c in strings]
    where = f"the table '{loaded.where}'"
    notes: list[str] = []
    if tuple(names) == (ALL,):
        found = {name: name for name in _texts_of(strings)}
        if len(found) < 2:
            return None
        notes.append(f"The views are the columns of text: {', '.join(found)}.")
    else:
        there = set(words).union(*(re.split(BETWEEN, word.lower()) for word in words))
        names = (
            [name for name in names if name in there or name.lower() in there] or names
            if some
            else names
        )
        found = {name: near(name, words, where, "column of words") for name in names}
    wanted = Named(
        None,
        named.id,
        named.time,
        named.truth,
        tuple((column, "text") for column in found.values()),
    )
    whole = collection_from(loaded, wanted, "text")
    full = {
        name: np.array([bool(text.strip()) for text in whole.views[column]])  # type: ignore[attr-defined]
        for name, column in found.items()
    }
    empty = next((column for name, column in found.items() if not full[name].any()), None)
    if empty is not None and not some:
        raise DataError(f"The column '{empty}' of {where} is empty in every row.")
    none = int((~np.any(list(full.values()), axis=0)).sum())
    if none:
        rows = (
            "1 row holds none of these views and is"
            if none == 1
            else f"{none:,} rows hold none of these views and are"
        )
        notes.append(f"{rows} left out.")
    notes += [note for note in whole.notes if code_of(note) not in ("empty", "not_compared")]
    cards = {
        name: rows for name, rows in whole.cards.items() if sum(map(len, rows)) <= _CARD * len(rows)
    }
    told = replace(whole, notes=tuple(notes), cards=cards)
    return {
        name: replace(told, views={name: whole.views[column]}, name=name).take(
            np.flatnonzero(full[name])
        )
        for name, column in found.items()
        if full[name].any()
    }


def _texts_of(columns: Sequence[Column]) -> list[str]:
    """The columns that `all` means: those of one name in several languages, the longest such name; else all of running text."""
    families: dict[tuple[str, ...], list[Column]] = {}
    for column in columns:
        parts = re.split(BETWEEN, column.name.lower())
        languages = [part for part in parts if _LANGUAGE.match(part)]
        if len(languages) == 1:
            families.setdefault(tuple(part for part in parts if part not in languages), []).append(
                column
            )
    several = [family for family in families.values() if len(family) > 1]
    best = max(several, key=lambda family: sum(c.length for c in family) / len(family), default=[])
    if any(c.role == "text" for c in best):
        return [c.name for c in best]
    return [c.name for c in columns if c.role == "text"]
