"""What a person knows of some members, read from files: a label per member, and pairs that belong together or apart."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from coterie.collect.columns import plain, words
from coterie.collect.files import load
from coterie.collect.links import pairs_of
from coterie.collect.reading import existing, read_answers
from coterie.core.errors import DataError


def read_labels(path: str | os.PathLike[str], column: str | None = None) -> dict[str, str]:
    """Labels by member: of a table of two columns (member, label), or of one column of a wider table. Empty ones are unknown."""
    found = existing(os.fspath(path))
    loaded = load(found)
    names = [str(name) for name in loaded.table.column_names]
    if column is not None:
        if column not in names:
            raise DataError(
                f"'{found.name}' has no column '{column}'; it has {', '.join(names[:6])}."
            )
        return _some(
            found,
            {
                m: str(label)
                for m, label in read_answers(path, column).items()
                if label not in (None, "")
            },
        )
    if len(names) != 2:
        raise DataError(
            f"'{found.name}' has {len(names)} columns ({', '.join(names[:6])}); name the one that holds the labels "
            "as label_column.",
            parameter="label_column",
        )
    labels: dict[str, str] = {}
    rows = list(zip(*(words(plain(loaded.table.column(at))) for at in (0, 1)), strict=True))
    if names[1] in {label for _, label in rows}:  # what stands on top is a member and its label too
        rows = [(names[0], names[1]), *rows]
    for member, label in rows:
        if not member or not label:  # nothing is known of this one
            continue
        if labels.setdefault(member, label) != label:
            raise DataError(
                f"'{found.name}' labels '{member}' both '{labels[member]}' and '{label}'; a member has one label."
            )
    return _some(found, labels)


def _some(path: Path, labels: dict[str, str]) -> dict[str, str]:
    if not labels:
        raise DataError(f"'{path.name}' labels nobody.")
    return labels


def read_pairs(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Pairs of members: the first two columns of a table."""
    found = existing(os.fspath(path))
    rows = [(one, other) for one, other, _ in pairs_of(found)]
    first = [str(name) for name in load(found).table.column_names[:2]]
    known = {member for row in rows for member in row}
    return [(first[0], first[1]), *rows] if known.intersection(first) else rows


def read_hints(
    *,
    labels: Any = None,
    label_column: str | None = None,
    together: Any = None,
    apart: Any = None,
    **more: Any,
) -> dict[str, Any]:
    """Files of labels and pairs as the hints of an exploration; `more` (scheme, weights) is passed on where it is given."""
    if label_column is not None and labels is None:
        raise DataError("A label column was named, and no file of labels.", parameter="labels")
    said: dict[str, Any] = {name: value for name, value in more.items() if value is not None}
    if labels is not None:
        said["labels"] = read_labels(labels, label_column)
    for name, file in (("together", together), ("apart", apart)):
        if file is not None:
            said[name] = read_pairs(file)
    return said
