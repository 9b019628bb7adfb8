"""Data already in memory as a Collection: arrays, sparse matrices, frames, lists, and dictionaries of views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.collect.columns import Named
from coterie.collect.files import Loaded, rows_loaded
from coterie.collect.long_tables import from_long, long_kind
from coterie.collect.sequences import from_array, sequences
from coterie.collect.tables import checked, collection_from, from_matrix, loaded_frame
from coterie.core.collection import Collection, seen_as
from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import TaggedText, Text

_IDS = ("ids", "id")  # names of what is no view in a dictionary of views


def from_memory(source: Any, kind: str | None, named: Named) -> Collection:
    """What Python holds, as a Collection; a Collection is returned as it is."""
    if isinstance(source, Collection):
        return source
    ordered = kind != "sets"
    if isinstance(source, Table):
        return from_matrix(source, like=named.like)
    if isinstance(source, Ragged):
        return sequences(
            source,
            ordered=ordered and source.ordered,
            name="sequences" if ordered and source.ordered else "bags",
        )
    if isinstance(source, (Text, TaggedText)):
        return Collection([str(i) for i in range(len(source))], {"text": source}, name="texts")
    if isinstance(source, np.ndarray):
        return _array(source, kind, named)
    if hasattr(source, "tocsr") and hasattr(source, "nnz"):
        return from_matrix(Table.of(source))
    if (
        hasattr(source, "columns")
        or hasattr(source, "column_names")
        or hasattr(source, "__dataframe__")
    ):
        return _frame(loaded_frame(source), kind, named)
    if isinstance(source, (list, tuple)):
        return _list(list(source), kind, named)
    if isinstance(source, Mapping):
        return _views(source, named)
    raise DataError(
        f"A {type(source).__name__} is not read; give a path, an array, a frame, a list of strings or of arrays, or a dictionary "
        "of views."
    )


def _views(source: Mapping[Any, Any], named: Named) -> Collection:
    """Views by name, of the same members row by row: arrays, frames, lists of texts; `ids` beside them names the members."""
    given = {str(name): view for name, view in source.items() if str(name) not in _IDS}
    if not given:
        raise DataError(
            "The dictionary has no view: give arrays, frames or lists of texts by name."
        )
    views = {name: seen_as(_without_id(view, named), name) for name, view in given.items()}
    sizes = {name: len(view) for name, view in views.items()}
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"'{name}' has {size:,}" for name, size in sizes.items())
        raise DataError(f"Views show the same members row by row, and their rows differ: {said}.")
    rows = next(iter(sizes.values()))
    own = next((source[name] for name in _IDS if name in source), None)
    ids = next(
        (i for i in (own, *(_ids_in(view, named) for view in given.values())) if i is not None),
        range(rows),
    )
    if len(ids) != rows:
        raise DataError(f"There are {len(ids):,} ids, and the views have {rows:,} rows.")
    notes: list[str] = []
    for name, view in views.items():
        if isinstance(view, Table) and not view.sparse:
            notes += [
                f"{name}: {note}"
                for note in checked(view.values, view.names, [str(i) for i in ids])
            ]
    return Collection([str(i) for i in ids], views, name="views", notes=tuple(notes))


def _ids_in(view: Any, named: Named) -> Any:
    """The ids that a frame brings: its column called id, or the one that was named so."""
    if not hasattr(view, "columns"):
        return None
    column = next(
        (name for name in (named.id, "id") if name is not None and name in list(view.columns)), None
    )
    return None if column is None else list(view[column])


def _without_id(view: Any, named: Named) -> Any:
    """A frame without its column of ids; anything else as it is."""
    if _ids_in(view, named) is None:
        return view
    own = named.id if named.id in list(view.columns) else "id"
    return view[[name for name in view.columns if name != own]]


def _array(source: np.ndarray, kind: str | None, named: Named) -> Collection:
    if source.dtype.kind in "UO" and source.ndim == 1:
        return _list(source.tolist(), kind, named)
    if source.ndim == 2 and source.dtype.kind not in "biuf":
        return from_matrix(Table.of(source), like=named.like)
    if source.ndim == 2 and kind in ("sequences", "sets"):
        return sequences(list(source), ordered=kind == "sequences")
    return from_array(source, name="array", ordered=kind != "sets", like=named.like)


def _list(source: list[Any], kind: str | None, named: Named) -> Collection:
    if not source:
        raise DataError("The list is empty: there are no members to read.")
    if all(isinstance(row, str) for row in source):
        from coterie.collect.text import texts

        return texts(source)
    if all(isinstance(row, dict) for row in source):
        return _frame(rows_loaded(source), kind, named)
    if (
        kind not in ("sequences", "sets")
        and all(_is_row(row) for row in source)
        and len({len(row) for row in source}) == 1
    ):
        return from_matrix(Table.of(source), like=named.like)
    sorts = [_sort(row) for row in source]
    main = max([s for s in dict.fromkeys(sorts) if s] or [""], key=sorts.count)
    if main != "array" or "" in sorts or len(set(sorts)) > 1:
        index = next(i for i, sort in enumerate(sorts) if sort != main or not sort)
        what = "None" if source[index] is None else f"a {type(source[index]).__name__}"
        raise DataError(
            f"Entry {index} of the list is {what}; give only strings, only arrays or only dictionaries."
        )
    return sequences(source, ordered=kind != "sets", name="bags" if kind == "sets" else "sequences")


def _sort(row: Any) -> str:
    """What an entry of a list is, in the words of the error; nothing for what cannot be a member."""
    return (
        "string"
        if isinstance(row, str)
        else "dictionary"
        if isinstance(row, dict)
        else "array" * hasattr(row, "__len__")
    )


def _is_row(row: Any) -> bool:
    """A plain row of a table: a list of cells. An array is a member of its own."""
    return isinstance(row, (list, tuple)) and all(
        isinstance(cell, (int, float, str, np.number)) or cell is None for cell in row
    )


def _frame(loaded: Loaded, kind: str | None, named: Named) -> Collection:
    if kind is None and loaded.table.num_rows and not named.like:
        long = long_kind(loaded, named)
        if long is not None:
            kind, why = long
            loaded = replace(
                loaded,
                notes=(*loaded.notes, why if kind == "table" else f"A frame in which {why}."),
            )
    if kind in ("long", "sequences", "sets"):
        return from_long(loaded, named, ordered=kind != "sets")
    return collection_from(loaded, named, kind)
