"""Views by name: the sub-folders, tables, columns or matrices that a person named, read as aligned views of the same members."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coterie.collect.columns import Named
from coterie.collect.files import TABLE_SUFFIXES, load, stem_of, suffix_of
from coterie.collect.joined import join, read_matrices, tables_in, tables_joined
from coterie.collect.tables import loaded_frame
from coterie.collect.united import united
from coterie.collect.view_parts import ALL, column_parts, folder_parts, near
from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.core.pictures import Pictures
from coterie.core.text import TaggedText

__all__ = ["ALL", "named_parts", "names_of", "near", "read_named", "read_one", "with_named"]


def names_of(views: Sequence[str] | str | None) -> tuple[str, ...]:
    """Names of views as they were given: a list, or words between blanks or commas; empty for none.

    >>> names_of("en, de fr"), names_of(["en", "de"]), names_of(None)
    (('en', 'de', 'fr'), ('en', 'de'), ())
    """
    if views is None:
        return ()
    if not isinstance(views, str) and not all(isinstance(name, str) for name in views):
        raise ParameterError(f"views must be names of views, and was {views!r}.", parameter="views")
    words = re.split(r"[\s,]+", views) if isinstance(views, str) else views
    found = tuple(name.strip() for name in words if name.strip())
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"views names '{twice}' twice.", parameter="views")
    if len(found) == 1 and found != (ALL,):
        raise ParameterError(
            f"views must name at least two views, or be all, and was '{found[0]}' alone; for one say view.",
            parameter="views",
        )
    return found


def read_named(
    source: Any, names: Sequence[str], named: Named | None = None, *, some: bool = False
) -> Collection | None:
    """The named views of a folder, a table file, an .npz or a frame; None where the source is something else.

    Members that are not in all of these views are left out and counted; other views are not read. With `all`, a folder is read
    as views whatever its files are called. With `some` (members that come later) one view is enough: who lacks one of them has
    an empty text or gaps there.
    """
    path = Path(source).expanduser() if isinstance(source, (str, os.PathLike)) else None
    if path is not None and path.is_file() and suffix_of(path) == ".npz":
        return read_matrices(path, named=named)
    if path is not None and path.is_dir() and tuple(names) == (ALL,) and len(tables_in(path)) >= 2:
        return tables_joined(path, tables_in(path), named or Named(), some)
    parts = named_parts(source, names, named or Named(), some)
    if parts is None:
        return None
    title = "frame" if path is None else path.resolve().name if path.is_dir() else stem_of(path)
    if some and not any(
        isinstance(view, (Pictures, TaggedText))
        for part in parts.values()
        for view in part.views.values()
    ):
        return united(parts, name=title)
    return join(parts, name=title)


def read_one(source: Any, name: str, named: Named | None = None) -> Collection | None:
    """One view of a folder with all its members, also those that other views lack; None where it is not a part of its own."""
    path = Path(source).expanduser() if isinstance(source, (str, os.PathLike)) else None
    if (
        path is None
        or not path.is_dir()
        or not any(p.name == name or stem_of(p) == name for p in path.iterdir())
    ):
        return None
    parts = folder_parts(path, [name], named or Named(), some=True)
    return (
        None
        if parts is None or name not in parts
        else replace(parts[name], name=path.resolve().name)
    )


def named_parts(
    source: Any, names: Sequence[str], named: Named, some: bool
) -> dict[str, Collection] | None:
    """Each named view by itself, of a folder, a table file or a frame."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source).expanduser()
        if path.is_dir():
            return folder_parts(path, names, named, some)
        return (
            column_parts(load(path), names, named, some)
            if path.is_file() and suffix_of(path) in TABLE_SUFFIXES
            else None
        )
    frame = hasattr(source, "columns") or hasattr(source, "column_names")
    return column_parts(loaded_frame(source), names, named, some) if frame else None


def with_named(collection: Collection, names: Sequence[str], *, some: bool = False) -> Collection:
    """The collection with these views only, in this order and under these names; with `some`, those of them that it has."""
    if tuple(names) == (ALL,) or not names:
        return collection
    known = list(collection.views)
    if some:
        names = [name for name in names if name in known]
        return (
            collection
            if not names
            else replace(collection, views={name: collection.views[name] for name in names})
        )
    found = {
        name: collection.views[near(name, known, f"'{collection.name}'", "view")] for name in names
    }
    return replace(collection, views=found)
