"""United: members that are in any of several parts, with empty texts and gaps where a part lacks one; and who lacks what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from coterie.core.collection import Collection, View
from coterie.core.errors import DataError
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.vectors import Vectors
from coterie.messages.notes import note_lacking, note_of_part

_NAMED = 3  # members that are named where some are left out
_MANY = ("", "", "both", "all three", "all four", "all five", "all six")


def united(parts: Mapping[str, Collection], *, name: str = "united") -> Collection:
    """One Collection of the members that are in any part; in a view they lack, their text is empty and their numbers are gaps."""
    if not parts:
        raise DataError("There is nothing to join.")
    ids = everyone(parts)
    views: dict[str, View] = {}
    truth: dict[str, np.ndarray] = {}
    cards: dict[str, list[str]] = {}
    for label, part in parts.items():
        place = {member: at for at, member in enumerate(part.ids)}
        at = np.array([place.get(member, -1) for member in ids], dtype=np.int64)
        for view, seen in part.views.items():
            views[label if len(part.views) == 1 else f"{label}.{view}"] = spread_out(
                seen, at, label
            )
        for key, rows in part.truth.items():
            told = truth.setdefault(key, np.array([""] * len(ids), dtype=object))
            told[at >= 0] = np.asarray(rows, dtype=object)[at[at >= 0]]
        for key, column in part.cards.items():
            shown = cards.setdefault(key, [""] * len(ids))
            cards[key] = [
                column[j] if j >= 0 else old for j, old in zip(at.tolist(), shown, strict=True)
            ]
    return Collection(ids, views, {}, truth, name, notes_of(parts), cards)


def spread_out(view: View, at: np.ndarray, label: str) -> View:
    """The members of a view at these positions; nothing where a position is -1."""
    lacks = at < 0
    if not lacks.any():
        return view.take(at)
    if isinstance(view, Text):
        return Text(tuple("" if j < 0 else view.documents[j] for j in at.tolist()))
    if isinstance(view, Table):
        return _gaps(view.take(np.maximum(at, 0)), lacks)
    if isinstance(view, Vectors):
        return Vectors(np.where(lacks[:, None], 0.0, view.values[np.maximum(at, 0)]))
    if isinstance(view, Ragged):
        lengths = np.where(lacks, 0, view.lengths[np.maximum(at, 0)])
        kept = view.take(at[~lacks])
        return Ragged(
            kept.values,
            np.concatenate([[0], np.cumsum(lengths)]),
            view.ordered,
            view.names,
            view.rate,
        )
    raise DataError(
        f"Some members lack the view '{label}', and {view!r} has no sign for that; leave these members out."
    )


def _gaps(table: Table, lacks: np.ndarray) -> Table:
    """The table with nothing in some rows: gaps, or no entries where it is sparse."""
    if table.sparse:
        import scipy.sparse as sp

        return replace(
            table, values=sp.csr_array(sp.diags_array((~lacks).astype(np.float64)) @ table.values)
        )
    return replace(table, values=np.where(lacks[:, None], np.nan, table.values))


def everyone(parts: Mapping[str, Collection]) -> list[str]:
    """All ids of several parts: those of the first in their order, then those that only others have."""
    return list(dict.fromkeys(member for part in parts.values() for member in part.ids))


def notes_of(parts: Mapping[str, Collection]) -> tuple[str, ...]:
    """What was said of the parts: what was said of all of them once, the rest with the name of its part."""
    if len(parts) == 1:
        return tuple(next(iter(parts.values())).notes)
    common = [
        note
        for note in next(iter(parts.values())).notes
        if all(note in part.notes for part in parts.values())
    ]
    return (
        *common,
        *(
            note_of_part(label, note)
            for label, part in parts.items()
            for note in part.notes
            if note not in common
        ),
    )


def who_lacks(parts: Mapping[str, Collection], kept: Sequence[str]) -> tuple[str, ...]:
    """One sentence on the members that some part lacks: how many, and the first of them with what they lack.

    >>> from coterie.collect.text import texts
    >>> who_lacks({"en": texts(["x", "y"], ["a", "b"]), "de": texts(["x"], ["a"])}, ["a"])
    ('1 of 2 members is in both views; 1 is left out (b lacks de).',)
    """
    whole = everyone(parts)
    inside = set(kept)
    lost = [member for member in whole if member not in inside]
    if not lost:
        return ()
    has = {label: set(part.ids) for label, part in parts.items()}
    some = [
        f"{member} lacks {' and '.join(label for label in parts if member not in has[label])}"
        for member in lost[:_NAMED]
    ]
    every = _MANY[len(parts)] if len(parts) < len(_MANY) else f"all {len(parts)}"
    return (note_lacking(len(kept), len(whole), len(lost), some, every),)
