"""Links: a table of pairs (member id, other id, count) as counts between the members and another population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.columns import numbers, plain, words
from coterie.collect.files import Loaded, load
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence

Pairs = list[tuple[str, str, float]]


def read_links(table: Any) -> Cooccurrence:
    """A link table by itself: the members are the ids of its first column, in order of first appearance."""
    pairs = pairs_of(table)
    rows = list(dict.fromkeys(member for member, _, _ in pairs))
    place = {member: i for i, member in enumerate(rows)}
    return Cooccurrence.of(((place[member], other, count) for member, other, count in pairs), rows)


def with_links(
    collection: Collection, population: str, table: Any, *, min_df: int = 1, both_ways: bool = False
) -> Collection:
    """The collection with one more population, tied to its members by a link table (a path, a frame, or a list of pairs).

    Of the others, those tied to `min_df` members or more are kept. Where members are tied to members, as papers that cite
    each other, `both_ways` counts a link from its other side too, and ties each of the two to itself, so that they share
    columns.

    >>> from coterie.core.table import Table
    >>> c = Collection(["a", "b"], {"x": Table.of([[1.0], [2.0]])})
    >>> with_links(c, "tags", [("a", "red"), ("b", "red"), ("b", "blue")]).links["members", "tags"].shape
    (2, 2)
    >>> with_links(c, "cited", [("a", "b"), ("a", "z")], both_ways=True).links["members", "cited"].counts.toarray().tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    """
    if isinstance(min_df, bool) or not isinstance(min_df, int) or min_df < 1:
        raise ParameterError(f"min_df must be a whole number from 1, and was {min_df!r}.")
    pairs = pairs_of(table)
    place = {member: i for i, member in enumerate(collection.ids)}
    known = [(place[member], other, count) for member, other, count in pairs if member in place]
    if not known and not (both_ways and any(other in place for _, other, _ in pairs)):
        raise DataError(
            f"No id of the link table is a member of '{collection.name}': the table has '{pairs[0][0]}' where "
            f"the collection has '{collection.ids[0]}'."
        )
    notes = list(collection.notes)
    strangers = len({member for member, _, _ in pairs if member not in place})
    if strangers and not both_ways:
        notes.append(
            f"{strangers} ids of the link table '{population}' are no members of '{collection.name}' and were left out."
        )
    if both_ways:
        known += _mirrored(pairs, place)
    elif 2 * sum(other in place for _, other, _ in known) >= len(known):
        notes.append(
            f"Most links to '{population}' lead to members; both_ways counts them from both sides."
        )
    link = Cooccurrence.of(known, list(collection.ids))
    if min_df > 1:
        link = _shared(link, population, min_df, notes)
    alone = int((np.diff(link.counts.indptr) == 0).sum())
    if alone:
        notes.append(f"{alone} of {len(collection)} members have no link to '{population}'.")
    return replace(
        collection, links={**collection.links, ("members", population): link}, notes=tuple(notes)
    )


def _mirrored(pairs: Pairs, place: dict[str, int]) -> list[tuple[int, str, float]]:
    """Every link seen from the other side where that is a member, and both of its members tied to themselves once."""
    back = [(place[other], member, count) for member, other, count in pairs if other in place]
    own = dict.fromkeys(
        name
        for member, other, _ in pairs
        if other in place and member in place
        for name in (member, other)
    )
    return [*back, *((place[name], name, 1.0) for name in own)]


def _shared(link: Cooccurrence, population: str, min_df: int, notes: list[str]) -> Cooccurrence:
    """The columns tied to enough members; how many were not is said."""
    frequency = np.bincount(link.counts.indices, minlength=len(link.cols))
    kept = np.flatnonzero(frequency >= min_df)
    if len(kept) == 0:
        raise DataError(
            f"Nothing of '{population}' is tied to {min_df} or more members, so it says nothing of who belongs together."
        )
    lost = len(link.cols) - len(kept)
    if lost:
        notes.append(
            f"{lost} of {len(link.cols)} '{population}' are tied to fewer than {min_df} members and were left out."
        )
    return Cooccurrence(link.counts[:, kept], link.rows, [link.cols[j] for j in kept.tolist()])


def pairs_of(table: Any) -> Pairs:
    """(member, other, count) triples from a path, a frame, or a list of pairs or triples."""
    if isinstance(table, (str, Path)):
        path = Path(table)
        if not path.is_file():
            raise DataError(f"There is no file '{path}'.")
        return _from_loaded(load(path))
    if isinstance(table, Loaded):
        return _from_loaded(table)
    if hasattr(table, "columns") or hasattr(table, "column_names"):
        from coterie.collect.tables import loaded_frame

        return _from_loaded(loaded_frame(table, "links"))
    return _from_rows(list(table))


def _from_rows(rows: Sequence[Any]) -> Pairs:
    found: Pairs = []
    for index, row in enumerate(rows):
        if isinstance(row, str) or len(row) not in (2, 3):
            raise DataError(
                f"Link {index} must be a pair (member, other) or a triple with a count, and was {row!r}."
            )
        try:
            found.append((str(row[0]), str(row[1]), float(row[2]) if len(row) == 3 else 1.0))
        except (TypeError, ValueError):
            raise DataError(f"The count of link {index} is {row[2]!r} and no number.") from None
    if not found:
        raise DataError("The link table is empty.")
    return found


def _from_loaded(loaded: Loaded) -> Pairs:
    import pyarrow as pa

    table = loaded.table
    name = loaded.where
    if table.num_columns not in (2, 3):
        raise DataError(
            f"A link table has two columns (member, other) and maybe a count; '{name}' has {table.num_columns}."
        )
    if table.num_rows == 0:
        raise DataError(f"The link table '{name}' is empty.")
    sides = [words(plain(table.column(j))) for j in (0, 1)]
    counts = [1.0] * table.num_rows
    if table.num_columns == 3:
        third = plain(table.column(2))
        if pa.types.is_string(third.type) or third.null_count:
            raise DataError(
                f"The column '{table.column_names[2]}' of the link table '{name}' must hold a count in every row."
            )
        counts = numbers(third).tolist()
    for row, (member, other) in enumerate(zip(*sides, strict=True)):
        if not member or not other:
            raise DataError(
                f"Row {row} of the link table '{name}' (counting from 0) names only one side."
            )
    return list(zip(sides[0], sides[1], counts, strict=True))
