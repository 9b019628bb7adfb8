"""The numbers of a map: places, groups and confidence as bytes, columns that can color it, and the lines that are searched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np

from coterie.core.collection import Collection
from coterie.core.findings import Findings
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.run.stored import Run
from coterie.show.markup import clean, clip, figure
from coterie.web.desk import Desk, NotThere
from coterie.web.keeping import Versions, found_mark

FEW = 30  # values of a column that get a color of their own
SURE = 0.95  # share of cells that must be numbers or dates
TRUTH = "truth: "  # what members are known to be
_TABLE_COLUMNS = 200
_LOOKED_AT = 200  # cells from which the kind of a column is told
_MADE = Versions(64)
_LASTING = Versions(24)
_DIGITS = re.compile(r"[0-9]")
# of one text, and of all texts, that a search on the map looks at
_LETTERS = 20_000
_LETTERS_IN_ALL = 100_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column as the map shows it: codes of values (-1: another value or none), or numbers (NaN: none)."""

    name: str
    kind: str  # category, number or date
    values: tuple[str, ...]
    sizes: tuple[int, ...]
    numbers: np.ndarray  # (n,) int32 codes or float32 values from 0 to 1 between low and high
    low: str = ""
    high: str = ""


def kept(desk: Desk, run: Run, what: Any, make: Any) -> Any:
    """Something made of a run, as long as neither it nor its edits change."""
    return _MADE.of(str(run.folder), desk.version(run), what, make)


def lasting(run: Run, what: Any, make: Any) -> Any:
    """Something made of what was found and of its members, which stays as it is when somebody edits the groups."""
    return _LASTING.of(str(run.folder), found_mark(run), what, make)


def begins(collection: Collection, findings: Findings) -> bool:
    """Whether the members are those the findings begin with; members that were added later come after them."""
    return len(collection) <= len(findings) and tuple(collection.ids) == tuple(
        findings.ids[: len(collection)]
    )


def places_of(findings: Findings) -> np.ndarray:
    """Places on the map between -1 and 1, both axes alike; members without a finite place stand in the middle."""
    places = np.asarray(findings.map, dtype=np.float64).reshape(len(findings), 2)
    finite = np.asarray(np.isfinite(places).all(axis=1))
    if not finite.any():
        return np.zeros(places.shape)
    low = places[finite].min(axis=0)
    high = places[finite].max(axis=0)
    half = float((high - low).max()) / 2 or 1.0
    middle = (low + high) / 2
    return np.asarray((np.where(finite[:, None], places, middle) - middle) / half)


def packed(findings: Findings) -> bytes:
    """All members as little-endian numbers: x and y (float32), then groups from 0 (int32), then confidence (float32)."""
    sure = np.clip(np.nan_to_num(np.asarray(findings.confidence, dtype=np.float64)), 0.0, 1.0)
    parts = ((places_of(findings), "<f4"), (findings.labels, "<i4"), (sure, "<f4"))
    return b"".join(np.ascontiguousarray(array, dtype=kind).tobytes() for array, kind in parts)


def searched(findings: Findings, collection: Collection | None = None) -> list[str]:
    """One line per member in which a search looks: id, snippet, what is told of it, and the beginning of its texts."""
    columns: list[Sequence[Any]] = [findings.ids, findings.snippets, *findings.cards.values()]
    if collection is not None and begins(collection, findings):
        most = min(_LETTERS, _LETTERS_IN_ALL // max(len(findings), 1))
        for view in collection.views.values():
            if isinstance(view, Text):
                columns.append(
                    [*(text[:most] for text in view), *[""] * (len(findings) - len(view))]
                )
    return ["\n".join(map(str, cells)).casefold() for cells in zip(*columns, strict=True)]


def hits(lines: Sequence[str], query: str) -> list[int]:
    """Members whose line holds every word of the query."""
    found: Sequence[int] = range(len(lines))
    for word in query.casefold().split()[:12]:
        found = [i for i in found if word in lines[i]]
    return list(found) if query.strip() else []


def column_names(findings: Findings, collection: Collection | None) -> list[tuple[str, str]]:
    """What could color the map, as (where it is, its name): known answers first, then what is told, then what is seen."""
    cards = sorted(findings.cards, key=lambda name: not str(name).startswith(TRUTH))
    found = [("card", str(name)) for name in cards]
    if collection is None or not begins(collection, findings):
        return found
    taken = set(findings.cards)
    for name, view in collection.views.items():
        if isinstance(view, Table):
            found += [
                (name, column)
                for column in view.names[:_TABLE_COLUMNS]
                if column not in taken and not view.sparse
            ]
        elif isinstance(view, (Text, Ragged)):
            found.append((name, "length"))
    return found


def offered(findings: Findings, collection: Collection | None) -> list[tuple[int, str, str]]:
    """Number, name and kind of the columns that tell members from each other: some value is shared, and not by all."""
    found = []
    for at, (where, name) in enumerate(column_names(findings, collection)):
        if where == "card":
            cells = [str(cell) for cell in findings.cards[name]]
            kind = _kind(name, cells)
            distinct = len(set(cells))
            if distinct > 1 and (kind != "category" or distinct <= max(2, 0.6 * len(cells))):
                found.append((at, _shown(name), kind))
            continue
        one = column(findings, collection, at)
        if len(one.values) > 1 or one.low != one.high:
            found.append((at, one.name, one.kind))
    return found


def column(findings: Findings, collection: Collection | None, at: int) -> Column:
    """The column with this number among `column_names`."""
    names = column_names(findings, collection)
    if not 0 <= at < len(names):
        raise NotThere("There is no such column here.")
    where, name = names[at]
    if where == "card":
        return _of_texts(name, [str(cell) for cell in findings.cards[name]])
    views = collection.views if collection is not None else {}
    view = views[where]
    if isinstance(view, Table):
        return _of_table(view, view.names.index(name), len(findings))
    lengths = (
        view.lengths
        if isinstance(view, Ragged)
        else np.array([len(str(text)) for text in _documents(view)])
    )
    unit = "steps" if isinstance(view, Ragged) else "letters"
    called = f"length of {where} ({unit})" if len(views) > 1 else f"length ({unit})"
    return _numbers(called, _filled(np.asarray(lengths, dtype=np.float64), len(findings)), "number")


def _documents(view: Any) -> Sequence[str]:
    return view.documents if isinstance(view, Text) else ()


def _filled(values: np.ndarray, n: int) -> np.ndarray:
    """The values with a gap for every member that was added later, of which no more than its line is kept."""
    return np.concatenate([values, np.full(n - len(values), np.nan)])


def _of_table(view: Table, at: int, n: int) -> Column:
    values = _filled(view.column(view.names[at]), n)
    if at in view.categories:
        levels = view.categories[at]
        return _categories(
            view.names[at], ["" if np.isnan(code) else levels[int(code)] for code in values]
        )
    return _numbers(view.names[at], values, "date" if at in view.dates else "number")


def _of_texts(name: str, cells: Sequence[str]) -> Column:
    kind = _kind(name, cells)
    if kind == "category":
        return _categories(name, cells)
    read = _number if kind == "number" else _date
    return _numbers(name, np.array([read(cell) for cell in cells]), kind)


def _kind(name: str, cells: Sequence[str]) -> str:
    """Whether cells are numbers, dates or names of something, told from some of them."""
    if name.startswith(TRUTH) or len(set(cells)) <= 12:
        return "category"
    filled = [cell for cell in cells if cell.strip()]
    few = filled[:: max(1, len(filled) // _LOOKED_AT)] or [""]
    for kind, read in (("number", _number), ("date", _date)):
        if np.isfinite([read(cell) for cell in few]).mean() >= SURE:
            return kind
    return "category"


def _categories(name: str, cells: Sequence[str]) -> Column:
    count = Counter(cell for cell in cells if cell.strip())
    common = [value for value, _ in count.most_common(FEW)]
    common.sort(key=lambda value: (-count[value], value)) if len(count) > FEW else common.sort(
        key=_natural
    )
    place = {value: code for code, value in enumerate(common)}
    codes = np.array([place.get(cell, -1) for cell in cells], dtype=np.int32)
    shown = tuple(clean(clip(value, 80)) for value in common)
    return Column(_shown(name), "category", shown, tuple(count[value] for value in common), codes)


def _numbers(name: str, values: np.ndarray, kind: str) -> Column:
    finite = values[np.isfinite(values)]
    low, high = (float(v) for v in np.quantile(finite, [0.01, 0.99])) if len(finite) else (0.0, 0.0)
    if high <= low and len(finite):
        low = float(finite.min())
        high = float(finite.max())
    scaled = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0).astype(np.float32)
    said = _day if kind == "date" else figure
    return Column(_shown(name), kind, (), (), scaled, said(low), said(high))


def _shown(name: str) -> str:
    known = name.removeprefix(TRUTH)
    return clean(clip(f"{known} (known)" if known != name else name, 80))


def _natural(value: str) -> tuple[Any, ...]:
    number = _number(value)
    return (0, number, value) if np.isfinite(number) else (1, 0.0, value)


def _number(cell: str) -> float:
    try:
        found = float(cell) if len(cell) < 40 else np.nan
    except ValueError:
        return float("nan")
    return found if np.isfinite(found) else float("nan")


def _date(cell: str) -> float:
    if not 8 <= len(cell) <= 60 or not _DIGITS.search(cell):
        return float("nan")
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(cell.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return float("nan")


def _day(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return figure(seconds)
