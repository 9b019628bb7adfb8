"""Collections that wait on the shelf of a store: what was sent here or named by its path, and a first look at what is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from coterie.collect.columns import Column, Named, compared_columns
from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of
from coterie.collect.joined import data_in
from coterie.collect.reading import guess, read
from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError, Interrupted
from coterie.core.links import MEMBERS
from coterie.core.workplace import workplace
from coterie.messages.notes import count_things
from coterie.run.bundle import write_text
from coterie.workflows.describe import kind_of, snippets
from coterie.workflows.modalities import modality_of

SHELF = "uploads"
RECORD = "collection.json"
LOOK = "look.json"
FILES = "files"
ACTION = "look"
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
# of each that are shown
_FIRST = 12
_COLUMNS = 200
_NOTES = 20
_VIEWS = 30
_LINE = 240  # letters of a member's line


@dataclass(frozen=True, slots=True)
class Shelved:
    """A collection on the shelf: its name, and where it is; `source` is empty for files that were sent here."""

    id: str
    name: str
    created: str
    source: str = ""

    @property
    def sent(self) -> bool:
        """Whether its files lie in the store."""
        return not self.source


def shelf_of(store: Path, name: str = "") -> Path:
    """The folder of all collections, or of one."""
    return store / SHELF / name if name else store / SHELF


def is_id(name: str) -> bool:
    """Whether it may be the id of a collection; no other word is ever made part of a path."""
    return bool(_ID.fullmatch(name))


def shelved(store: Path, name: str) -> Shelved | None:
    """A collection by its id; None where there is none that can be read."""
    if not is_id(name):
        return None
    try:
        said = json.loads((shelf_of(store, name) / RECORD).read_text(encoding="utf-8"))
        return Shelved(name, str(said["name"]), str(said["created"]), str(said.get("source", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def shelve(store: Path, one: Shelved) -> None:
    """Write down a collection whose folder is there."""
    write_text(shelf_of(store, one.id) / RECORD, json.dumps(asdict(one)))


def source_of(store: Path, one: Shelved) -> str:
    """What is read: the path that was named, or the file or folder that was sent."""
    if one.source:
        return one.source
    folder = shelf_of(store, one.id) / FILES
    inside = (
        sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        if folder.is_dir()
        else []
    )
    if not inside:
        raise DataError(f"No file of '{one.name}' has been sent yet.")
    if (
        len(inside) == 1 and inside[0].is_dir()
    ):  # named by the page after the collection, so that sentences read well
        below = sorted(path for path in inside[0].iterdir() if not path.name.startswith("."))
        return str(below[0] if len(below) == 1 else inside[0])
    return str(inside[0] if len(inside) == 1 else folder)


def looked(store: Path, name: str) -> dict[str, Any]:
    """What the last look found; empty where nobody looked."""
    try:
        found = json.loads((shelf_of(store, name) / LOOK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def look(store: Path, target: str) -> None:
    """Read a collection of the shelf and keep what a person wants to know of it before a run; a worker's job."""
    one = shelved(store, target)
    if one is None:
        raise DataError("The collection is no longer there.")
    task = workplace().watch.begin(f"Reading {one.name}", None)
    try:
        found = described(source_of(store, one))
    except Interrupted:
        raise
    except CoterieError as error:
        found = {"problem": str(error)}
    finally:
        workplace().watch.end(task)
    if shelved(store, target) is not None:
        write_text(shelf_of(store, target) / LOOK, json.dumps(found, allow_nan=False))


def described(source: str, **reading: Any) -> dict[str, Any]:
    """What is in a source: its kind and why, its members, views, columns and populations, and what is odd about it."""
    collection = read(source, **reading)
    notes = list(collection.notes)
    said = source == "installed" or source.startswith("sample:")
    why = guess(source).why if said else notes.pop(0) if notes else ""
    few = collection.take(range(min(_FIRST, len(collection))))
    main = next(iter(collection.views), "")
    return {
        "problem": "",
        "kind": _called(collection),
        "why": why,
        "members": len(collection),
        "views": [
            {
                "name": n,
                "modality": view.modality,
                "what": modality_of(view).describe_data(view),
            }
            for n, view in list(collection.views.items())[:_VIEWS]
        ],
        "columns": _columns(source),
        "truth": [
            {"name": n, "values": len(set(labels.tolist()))}
            for n, labels in collection.truth.items()
        ],
        "cards": list(collection.cards)[:_COLUMNS],
        "populations": [
            {"name": pair[1], "others": len(link.cols)}
            for pair, link in collection.links.items()
            if pair[0] == MEMBERS
        ],
        "notes": [note[: 2 * _LINE] for note in notes[:_NOTES]],
        "first": _first(few, main),
        "empty": _empty(collection),
    }


def _called(collection: Collection) -> str:
    """The kind in a word a person uses."""
    if any(view.modality == "sound" for view in collection.views.values()):
        return "sound"
    return "mail" if "sender" in collection.cards else kind_of(collection)


def _columns(source: str) -> list[dict[str, Any]]:
    """The columns of a table file: what each is taken for, and a few of its values."""
    place = Path(source).expanduser()
    if place.is_dir():
        inside = data_in(place)
        place = inside[0] if len(inside) == 1 else place
    if not place.is_file() or suffix_of(place) not in TABLE_SUFFIXES:
        return []
    loaded = load(place)
    return [
        _column(one, loaded.table.num_rows)
        for one in compared_columns(loaded.table, Named(), loaded.where)[:_COLUMNS]
    ]


def _column(one: Column, rows: int) -> dict[str, Any]:
    seen = [str(value)[:60] for value in one.values.slice(0, 50).to_pylist() if value is not None]
    return {
        "name": one.name,
        "role": one.role,
        "gaps": int(one.values.null_count),
        "rows": rows,
        "examples": _apart(seen)[:3],
    }


def _apart(values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _first(few: Collection, main: str) -> list[dict[str, str]]:
    lines = snippets(few, main, _LINE)
    return [
        {"id": str(member)[:200], "line": line} for member, line in zip(few.ids, lines, strict=True)
    ]


def _empty(collection: Collection) -> int:
    """How many members have nothing in the main view."""
    view = next(iter(collection.views.values()), None)
    return 0 if view is None else modality_of(view).count_blank(view)


def problems_of(found: Mapping[str, Any]) -> list[str]:
    """What a person should look at, in sentences."""
    empty = int(found.get("empty", 0))
    said = [f"{count_things(empty, 'member has', 'members have')} no text."] if empty else []
    gaps = [
        c["name"]
        for c in found.get("columns", ())
        if c["rows"] and c["gaps"] > c["rows"] / 2 and c["role"] != "empty"
    ]
    said += (
        [
            f"More than half of the values of {', '.join(gaps[:6])} {'is' if len(gaps) == 1 else 'are'} missing."
        ]
        if gaps
        else []
    )
    return [*said, *found.get("notes", ())]
