"""What can be refused of members before they are grouped: too few of them, views, truths, sizes and memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coterie.core.blocks import is_mapped
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.parts.bands import COLS, ROWS
from coterie.parts.budget import bytes_of, fits
from coterie.workflows.choices import Choices
from coterie.workflows.modalities.views import views_of
from coterie.workflows.segments import traces

_LEAST = 3  # members that can be grouped
_KEPT = 50 + 2 * 40  # numbers kept per member: coordinates, and a neighbor graph both ways
_TIMES = 2  # copies of a table: scaled, and prepared for comparing
_BANDS = 3  # bands of distances at once


def check_members(collection: Collection, settings: Choices, truth: Iterable[str]) -> None:
    """Refuse what cannot be explored with these choices, or not in the memory given; nothing is computed for it."""
    n = len(collection)
    if settings.segment:
        traces(collection, settings.view or collection.main)
        return
    if settings.k is not None and settings.k > n:
        raise DataError(
            f"k is {settings.k} and there {'is only 1 member' if n == 1 else f'are only {n} members'}."
        )
    if n < _LEAST:
        long = collection.kind == "sequences"
        hint = " To cut sequences where they change, say segment=True." if long else ""
        raise DataError(
            f"'{collection.name}' has {n} member{'' if n == 1 else 's'}; grouping needs at least {_LEAST}.{hint}",
            parameter="segment" if long else "",
        )
    if settings.views:
        views_of(collection, settings)
    else:
        collection.view(settings.view or collection.main)
    for column in truth:
        if column not in collection.truth:
            known = ", ".join(collection.truth) or "none"
            raise DataError(
                f"'{collection.name}' has no column of truth '{column}'; it has {known}."
            )
    band = min(ROWS * n, ROWS * COLS * 8)
    size = (n * _KEPT + _BANDS * band) * 8 + sum(
        _copies(view) for view in collection.views.values()
    )
    fits(size, f"Exploring {n:,} members", "take fewer members")


def _copies(view: Any) -> int:
    """Bytes of the rows that are compared, and of what they are made on the way; nothing for what lies in a file."""
    values = view.values if view.modality == "table" else None
    return 0 if values is None or is_mapped(values) else _TIMES * bytes_of(values)
