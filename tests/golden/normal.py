"""What varies between two machines or two minutes, taken out of an answer before it is stored."""

from __future__ import annotations

import csv
import io
import platform
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import coterie

ROOT = Path(coterie.__file__).resolve().parents[2]
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?([+-]\d\d:\d\d|Z)?")
_SECONDS = re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds?|minutes?|min)\b(?! ?[a-z])")
_MEMORY = re.compile(r"\b\d+(\.\d+)? ?([kMGT]i?B|bytes)\b")
_REAL = re.compile(r"-?\d+\.\d+(e[-+]?\d+)?")
_VARYING = frozenset(
    (
        "created",
        "updated",
        "started",
        "finished",
        "seconds",
        "elapsed",
        "pid",
        "host",
        "birth",
        "version",
    )
)  # names of fields


def normal(value: Any, places: Mapping[str, Path]) -> Any:
    """A value of plain JSON in which times, paths, versions and sizes are named and not given.

    `places` are folders by the word that stands for them.
    """
    if isinstance(value, Mapping):
        return {
            normal_text(str(key), places): f"<{key}>"
            if key in _VARYING and item is not None and not isinstance(item, (list, dict))
            else normal(item, places)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [normal(item, places) for item in value]
    return normal_text(value, places) if isinstance(value, str) else value


def normal_text(text: str, places: Mapping[str, Path]) -> str:
    """The same for one text."""
    for name, place in sorted(places.items(), key=lambda one: -len(str(one[1]))):
        text = text.replace(str(place), f"<{name}>")
    text = text.replace(str(ROOT), "<repository>").replace(str(Path.home()), "<home>")
    text = re.sub(rf"\b{re.escape(coterie.__version__)}\b", "<version>", text)
    text = text.replace(platform.python_version(), "<python>")
    text = _TIME.sub("<time>", text)
    return _MEMORY.sub("<memory>", _SECONDS.sub("<seconds>", text))


def cells(table: str) -> list[list[Any]]:
    """The rows of a .csv, in which real numbers are numbers, so that they are compared within a tolerance."""
    return [[_number(cell) for cell in row] for row in csv.reader(io.StringIO(table))]


def _number(cell: str) -> Any:
    return float(cell) if _REAL.fullmatch(cell) else cell


def headings(page: str) -> list[str]:
    """The title and the headings of an HTML page, each with its level; titles inside drawings are left out."""
    reader = _Headings()
    reader.feed(page)
    return reader.found


class _Headings(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: str | None = None
        self._words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in ("h1", "h2", "h3") or (tag == "title" and not self.found):
            self._open = tag
            self._words = []

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self.found.append(f"{tag}: {' '.join(''.join(self._words).split())}")
            self._open = None
