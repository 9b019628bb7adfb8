"""What can be refused before a run is made: words that are no choice, names, views, truths, sizes and memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from coterie import catalog
from coterie.core.blocks import is_mapped
from coterie.core.collection import Collection
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import params_of, refuse_unknown
from coterie.parts.bands import COLS, ROWS
from coterie.parts.budget import bytes_of, fits
from coterie.workflows.choices import Choices
from coterie.workflows.modalities.views import views_of
from coterie.workflows.segments import traces

READING = (
    "kind",
    "text",
    "id",
    "time",
    "truth",
    "links",
    "words",
    "both_ways",
    "hints",
    "store",
    "name",
    "command",
)
_LEAST = 3  # members that can be grouped
_KEPT = 50 + 2 * 40  # numbers kept per member: coordinates, and a neighbor graph both ways
_TIMES = 2  # copies of a table: scaled, and prepared for comparing
_BANDS = 3  # bands of distances at once


def chosen(choices: Mapping[str, Any]) -> Choices:
    """The choices of an exploration, or one sentence on the first that is none."""
    refuse_unknown("explore", choices, [*(info.name for info in params_of(Choices)), *READING])
    choices = {
        name: _in_words(name, value) if _is_method(name, value) else value
        for name, value in choices.items()
    }
    for room in ("compare", "organize"):
        words = choices.get(room)
        name = words.split("(")[0].strip() if isinstance(words, str) else ""
        if name.isidentifier():
            catalog.find(name, room)
    settings = Choices(**choices)
    settings.check_params()
    return settings


def _is_method(name: str, value: Any) -> bool:
    """Whether a method itself was given where its name belongs; settings that are plain values can be written as words."""
    return name in ("compare", "organize") and hasattr(value, "fit")


def _in_words(room: str, method: Any) -> str:
    """A method as the words that make it again; one that holds a function or a class of others has none."""
    words = repr(method)
    try:
        catalog.make(words)
    except ParameterError:
        raise ParameterError(
            f"{room} must be a method that can be written in words, so that the run can be kept and made again, and "
            f"{' '.join(words.split())} cannot; put it into coterie.Pipeline([...]) instead.",
            owner="explore",
        ) from None
    return words


def check_name(name: str | None) -> None:
    """Refuse a name of a run that would be read as something else by a shell or a file system."""
    if name is not None and not re.fullmatch(r"(?=.*[A-Za-z0-9])[A-Za-z0-9._-]+", name):
        raise ParameterError.of(
            "explore",
            "name",
            f"must be letters, digits, dots, dashes and underscores, and was {name!r}.",
        )


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
