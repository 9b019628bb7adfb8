"""Labels that a person gave to some members, checked: who they are, what can be learned from them, and what looks like a slip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.organize.labels_of import Categories

_LEAST = 4  # labeled members
_FOLDS = 20  # parts of the labeled members from which more change little
_UNLIKE = 0.9  # share of different labels above which they are no categories
_MARKS = (";", "|", ",")


def given_labels(
    collection: Collection, labels: Mapping[Any, Any], name: str = "the labels"
) -> tuple[Categories, list[str]]:
    """Labels by id as categories of all members, and notes; ids of nobody are left out, unless nobody is left."""
    if not labels:
        raise DataError("No member is labeled; give the labels of some.")
    by_id = {
        str(member): label for member, label in labels.items()
    }  # ids are words, whatever they were read from
    if len(by_id) < len(labels):
        raise DataError("An id is labeled twice, as a number and as a word; give each member once.")
    strangers = _strangers(collection, by_id, name)
    rows: list[Any] = [by_id.get(str(member)) for member in collection.ids]
    check_labels([row for row in rows if row is not None], name)
    if any(_several(row) for row in rows):
        rows = [row if row is None else list(row) if _several(row) else [row] for row in rows]
    given = Categories.of(rows, owner="categorize")
    labeled = int(given.known.sum())
    if labeled < _LEAST:
        raise DataError(
            f"Only {labeled} members are labeled; at least {_LEAST} are needed to learn and to measure."
        )
    return given, [*strangers, *joined_labels(by_id.values())]


def check_labels(labels: Sequence[Any], name: str) -> None:
    """Refuse labels that are all the same, or nearly all different: neither can be learned."""
    single = [
        label
        for label in labels
        if isinstance(label, (str, int, np.integer)) and str(label).strip()
    ]
    if len(single) < len(labels) or len(single) < _LEAST:
        return
    different = len({str(label) for label in single})
    if different == 1:
        raise DataError(
            f"All {len(single):,} members that are labeled have the label '{single[0]}'; label some of another category too."
        )
    if different > _UNLIKE * len(single):
        raise DataError(
            f"{different:,} of {len(single):,} labels in {name} differ from each other, so that there is nothing to learn; name "
            "the column of labels.",
            parameter="label_column",
        )


def _strangers(collection: Collection, labels: Mapping[str, Any], name: str) -> list[str]:
    """A note on ids that are nobody; where all are, a sentence with an id of both sides."""
    known = {str(member) for member in collection.ids}
    strange = [member for member in labels if member not in known]
    if not strange:
        return []
    such = f"members of '{collection.name}' are called such as '{collection.ids[0]}'"
    if len(strange) == len(labels):
        raise DataError(
            f"None of the {len(labels):,} ids in {name} is a member: they are such as '{strange[0]}', and {such}; name the "
            "column of ids.",
            parameter="id",
        )
    are = "is no member and was" if len(strange) == 1 else "are no members and were"
    return [
        f"{len(strange):,} of {len(labels):,} ids in {name} {are} left out, such as '{strange[0]}'; {such}."
    ]


def joined_labels(labels: Any) -> list[str]:
    """A note where a label looks like several with a mark between them, because its pieces are labels of their own.

    >>> joined_labels(["rec;play", "rec", "play", "sci"])
    ["1 label looks like several in one, such as 'rec;play'; separator ';' parts them."]
    """
    words = [label for label in labels if isinstance(label, str)]
    alone = set(words)
    for mark in _MARKS:
        pieces = {
            label: [part.strip() for part in label.split(mark)] for label in alone if mark in label
        }
        joined = sorted(
            label for label, parts in pieces.items() if any(part in alone for part in parts if part)
        )
        if joined:
            many = "1 label looks" if len(joined) == 1 else f"{len(joined):,} labels look"
            return [
                f"{many} like several in one, such as '{joined[0]}'; separator '{mark}' parts them."
            ]
    return []


def useful_folds(folds: int, labeled: int) -> tuple[int, list[str]]:
    """As many parts as are of use, and a note where that is fewer than were asked for."""
    most = min(labeled, _FOLDS)
    if isinstance(folds, bool) or folds <= most:
        return folds, []
    why = (
        "more take longer and change little"
        if most == _FOLDS
        else "there are no more labeled members"
    )
    return most, [
        f"The labeled members were held back in {most} parts and not in {folds:,}: {why}."
    ]


def _several(label: Any) -> bool:
    return isinstance(label, (list, tuple, set, frozenset, np.ndarray))
