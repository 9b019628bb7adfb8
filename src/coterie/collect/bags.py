"""Bags: members that are sets of vectors without an order, from lists of arrays, .npz files and tables without a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coterie.collect.columns import Named
from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
from coterie.collect.long_tables import from_long
from coterie.collect.sequences import read_npz, sequences
from coterie.core.collection import Collection
from coterie.core.errors import DataError


def bags(
    members: Any,
    ids: Sequence[str] | None = None,
    *,
    truth: Mapping[str, Any] | None = None,
    name: str = "bags",
) -> Collection:
    """A list of arrays (vectors, d), one per member, whose order means nothing.

    >>> bags([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]]).kind
    'sets'
    """
    return sequences(members, ids, truth=truth, ordered=False, name=name)


def read_bags(path: Path, *, named: Named | None = None) -> Collection:
    """Sets of vectors from an .npz (as for sequences) or a long table (id, values ...); a time column is a value here."""
    named = named or Named()
    if suffix_of(path) == ".npz":
        return read_npz(path, named=named, ordered=False)
    if suffix_of(path) in TABLE_SUFFIXES:
        return from_long(load(path), named, ordered=False)
    raise DataError(
        f"Sets of vectors are read from .npz and table files, and '{path.name}' is neither."
    )
