"""Reading for those who want text: where a table seems to hold none, its longest words are read as text, however short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.text import Text


def read_with_text(
    source: Any,
    *,
    kind: str | None = None,
    text: str | None = None,
    id: str | None = None,
    time: str | None = None,
    truth: Sequence[str] = (),
    use: Sequence[str] = (),
    wanted: bool = False,
) -> Collection:
    """`read`, with a second look for text where nobody said which column or kind it is: short words count then too.

    That look is taken where there is nothing to compare members by, and, if text is `wanted`, also where there is.
    """
    how: dict[str, Any] = {
        "text": text,
        "id": id,
        "time": time,
        "truth": list(truth),
        "use": list(use),
    }
    try:
        found = read(source, kind=kind, **how)
    except DataError:
        again = None if kind or text else _again(source, how)
        if again is None:
            raise
        return again
    if (
        not wanted
        or kind
        or text
        or found.kind != "table"
        or any(isinstance(view, Text) for view in found.views.values())
    ):
        return found
    return _again(source, how) or found


def _again(source: Any, how: dict[str, Any]) -> Collection | None:
    """The same as text, or nothing where it cannot be."""
    try:
        found = read(source, kind="text", **how)
    except DataError:
        return None
    said = f"No column holds running text, so '{found.main}' is read as text; name another as text."
    return replace(found, notes=(said, *found.notes))
