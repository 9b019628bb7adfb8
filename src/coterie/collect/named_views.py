"""Views by name: the sub-folders, tables, columns or matrices that a person named, read as aligned views of the same members."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import Named, columns_of
from coterie.collect.files import TABLE_SUFFIXES, Loaded, load, stem_of, suffix_of
from coterie.collect.joined import join, read_matrices, read_views, tables_in, tables_joined
from coterie.collect.tables import collection_from, loaded_frame
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.text import Text

ALL = "all"
_BETWEEN = r"[\s_.-]+"  # signs between a word and a language: text_de, title-fr, en.body

_CARD = 120  # mean letters of a column up to which it is shown with the members


def names_of(views: Sequence[str] | str | None) -> tuple[str, ...]:
    """Names of views as they were given: a list, or words between blanks or commas; empty for none.

    >>> names_of("en, de fr"), names_of(["en", "de"]), names_of(None)
    (('en', 'de', 'fr'), ('en', 'de'), ())
    """
    if views is None:
        return ()
    if not isinstance(views, str) and not all(isinstance(name, str) for name in views):
        raise ParameterError(f"views must be names of views, and was {views!r}.")
    words = re.split(r"[\s,]+", views) if isinstance(views, str) else views
    found = tuple(name.strip() for name in words if name.strip())
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"views names '{twice}' twice.")
    if len(found) == 1 and found != (ALL,):
        raise ParameterError(f"views must name at least two views, or be all, and was '{found[0]}' alone; for one say view.")
    return found


def read_named(source: Any, names: Sequence[str], named: Named | None = None, *, some: bool = False) -> Collection | None:
    """The named views of a folder, a table file, an .npz or a frame; None where the source is something else.

    Members that are not in all of these views are left out and counted; other views are not read. With `all`, a folder is read
    as views whatever its files are called. With `some` (members that come later) views that are not there are left out.
    """
    named = named or Named()
    if isinstance(source, (str, os.PathLike)):
        path = Path(source).expanduser()
        if path.is_dir():
            return _folder(path, names, named, some)
        if path.is_file() and suffix_of(path) in TABLE_SUFFIXES and tuple(names) != (ALL,):
            return _columns(load(path), names, named, some)
        return read_matrices(path, named=named) if path.is_file() and suffix_of(path) == ".npz" else None
    frame = hasattr(source, "columns") or hasattr(source, "column_names")
    return _columns(loaded_frame(source), names, named, some) if frame and tuple(names) != (ALL,) else None


def with_named(collection: Collection, names: Sequence[str], *, some: bool = False) -> Collection:
    """The collection with these views only, in this order and under these names; with `some`, those of them that it has."""
    if tuple(names) == (ALL,) or not names:
        return collection
    known = list(collection.views)
    if some:
        names = [name for name in names if name in known]
        return collection if not names else replace(collection, views={name: collection.views[name] for name in names})
    found = {name: collection.views[near(name, known, f"'{collection.name}'", "view")] for name in names}
    return replace(collection, views=found)


def near(name: str, known: Sequence[str], where: str, what: str) -> str:
    """The one of the known that is called so, or that holds it as a part of its name: `text_de` for `de`, before `title_de`."""
    if name in known:
        return name
    parts = [one for one in known if name.lower() in re.split(_BETWEEN, one.lower())]
    texts = [one for one in parts if "text" in re.split(_BETWEEN, one.lower())]
    if len(parts) == 1 or len(texts) == 1:
        return (texts or parts)[0]
    if parts:
        raise DataError(f"'{name}' could be any of {', '.join(parts)} of {where}; name one of them.")
    raise DataError(f"{where[0].upper()}{where[1:]} has no {what} '{name}'; it has {', '.join(known[:20]) or 'none'}.")


def _folder(path: Path, names: Sequence[str], named: Named, some: bool) -> Collection | None:
    from coterie.collect.text import read_folder

    folders = {p.name: p for p in sorted(path.iterdir()) if p.is_dir() and not p.name.startswith(".")}
    tables = {stem_of(p): p for p in tables_in(path)}
    if tuple(names) == (ALL,):
        return read_views(path, named=named) if len(folders) >= 2 or len(tables) >= 2 else None
    title = path.resolve().name
    if some:
        names = [name for name in names if name in (folders or tables)] or names
    if any(name in folders for name in names):
        missing = next((name for name in names if name not in folders), None)
        if missing is not None:
            raise DataError(f"The folder '{title}' has no sub-folder '{missing}'; it has {', '.join(folders)}.")
        joined = join({name: read_folder(folders[name], name=name) for name in names}, name=title)
        return joined if len(names) > 1 else replace(joined, views={names[0]: joined.view()})
    if any(name in tables for name in names):
        missing = next((name for name in names if name not in tables), None)
        if missing is not None:
            raise DataError(f"The folder '{title}' has no table '{missing}'; it has {', '.join(tables)}.")
        found = tables_joined(path, [tables[name] for name in names], named)
        return replace(found, views={name: _first(found, name) for name in names})
    if not some and (len(folders) >= 2 or len(tables) >= 2):
        there = ", ".join(folders or tables)
        raise DataError(f"The folder '{title}' has no sub-folder or table '{names[0]}'; it has {there}.")
    return None


def _first(joined: Collection, name: str) -> Any:
    """The view of one table; its text where it has several kinds of columns."""
    own = [view for key, view in joined.views.items() if key == name or key.startswith(f"{name}.")]
    return next((view for view in own if isinstance(view, Text)), own[0])


def _columns(loaded: Loaded, names: Sequence[str], named: Named, some: bool = False) -> Collection:
    """The named columns of a table as texts, whatever their length; rows without one of them are left out."""
    import pyarrow as pa

    columns = columns_of(loaded.table, Named(truth=named.truth, id=named.id), loaded.where)
    words = [c.name for c in columns if pa.types.is_string(c.values.type) and c.role not in ("id", "truth")]
    where = f"the table '{loaded.where}'"
    there = set(words).union(*(re.split(_BETWEEN, word.lower()) for word in words))
    names = [name for name in names if name in there or name.lower() in there] or names if some else names
    found = {name: near(name, words, where, "column of words") for name in names}
    wanted = Named(None, named.id, named.time, named.truth, tuple((column, "text") for column in found.values()))
    whole = collection_from(loaded, wanted, "text")
    views = {name: whole.views[column] for name, column in found.items()}
    notes = [note for note in whole.notes if "have an empty" not in note and not note.startswith("Shown and not compared")]
    cards = {name: rows for name, rows in whole.cards.items() if sum(map(len, rows)) <= _CARD * len(rows)}
    kept = np.flatnonzero(np.all([_filled(view) for view in views.values()], axis=0))
    if not len(kept):
        raise DataError(f"T{where[1:]} has no row in which all of {', '.join(found.values())} are filled.")
    if len(kept) < len(whole):
        lost = len(whole) - len(kept)
        notes.append(f"{lost:,} of {len(whole):,} rows {'lacks' if lost == 1 else 'lack'} one of the views and were left out.")
    return replace(whole, views=views, notes=tuple(notes), cards=cards).take(kept)


def _filled(texts: Any) -> list[bool]:
    return [bool(str(text).strip()) for text in texts]


def read_apart(source: Any, names: Sequence[str], named: Named | None = None, kind: str | None = None) -> dict[str, Collection]:
    """Each named view by itself, with all its members, also those that other views lack; the first is the first named.

    Sub-folders, and columns of a table whose empty cells are members that a view lacks. Anything else is read by
    `coterie.read`, whose views have the same members.
    """
    from coterie.collect.reading import read

    named = named or Named()
    path = Path(source).expanduser() if isinstance(source, (str, os.PathLike)) else None
    if path is not None and path.is_dir():
        from coterie.collect.text import read_folder

        folders = {p.name: p for p in sorted(path.iterdir()) if p.is_dir() and not p.name.startswith(".")}
        wanted = tuple(folders) if tuple(names) == (ALL,) else tuple(names)
        if wanted and all(name in folders for name in wanted):
            return {name: read_folder(folders[name], name=name) for name in wanted}
    if path is not None and path.is_file() and suffix_of(path) in TABLE_SUFFIXES and tuple(names) != (ALL,):
        loaded = load(path)
        return {name: replace(_columns(loaded, [name], named), name=name) for name in names}
    whole = read_named(source, names, named)
    if whole is None:
        whole = read(source, kind=kind, id=named.id, text=named.text, time=named.time, truth=named.truth)
    whole = with_named(whole, names)
    return {name: replace(whole, views={name: view}, name=name) for name, view in whole.views.items()}
