"""Integrity: whether a store is whole; every run, the index, the queue of jobs and what killed processes left. Only read."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from coterie.run import index
from coterie.run.bundle import left_in
from coterie.run.flaws import Examined, Flaw
from coterie.run.index import MIGRATIONS, Record

INDEX = "index.sqlite"
TRASH = ".trash-"
QUEUE = ".jobs"
_AWAY = "The runs are whole in their folders: move that file away, and the index is built again from them."


def check(folder: Path | str) -> list[Flaw]:
    """Everything that is not as it should be with the store in a folder, the worst first; nothing for a store that is whole.

    A folder that is not there is an empty store. Nothing is written, removed or mended.
    """
    place = Path(folder).expanduser().absolute()
    if not place.exists():
        return []
    return sorted(_flaws(place), key=lambda flaw: not flaw.wrong)


def sound(flaws: list[Flaw]) -> bool:
    """Whether nothing is lost or unreadable; what does no harm may be there."""
    return not any(flaw.wrong for flaw in flaws)


def _flaws(place: Path) -> Iterator[Flaw]:
    if not place.is_dir():
        yield Flaw(
            f"The store {place} is a file and not a folder.", place, True, "Choose another place."
        )
        return
    try:
        inside = sorted(
            entry.name
            for entry in os.scandir(place)
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
        )
    except OSError as error:
        yield Flaw(
            f"The store {place} cannot be read ({error.strerror}).",
            place,
            True,
            "Allow reading it.",
        )
        return
    records: dict[str, Record] = {}
    yield from _index(place, records)
    folders = [name for name in inside if name in records or (place / name / "run.json").exists()]
    for name in [*folders, *(name for name in records if name not in inside)]:
        yield from Examined(place / name, records.get(name)).flaws()
    for name in inside:
        if name not in folders and nothing_kept(place / name):
            yield Flaw(
                f"{place / name} is a run of which nothing was kept; whoever began it was killed.",
                place / name,
                False,
                "Nothing: it goes when the store is next opened to be written to.",
            )
    yield from _queue(place)
    yield from _left(place)


def _index(place: Path, records: dict[str, Record]) -> Iterator[Flaw]:
    """The index itself; fills in the records it has."""
    path = place / INDEX
    if not path.exists():
        if any(place.glob("[!.]*/run.json")):
            yield Flaw(
                f"The store {place} has runs and no index.",
                path,
                False,
                "It is built again when the store is next opened.",
            )
        return
    try:
        with read_only(path) as db:
            version = int(db.execute("PRAGMA user_version").fetchone()[0])
            if version > len(MIGRATIONS):
                yield Flaw(
                    f"The store {place} was written by a newer coterie (store version {version}).",
                    path,
                    True,
                    "Update this one with: pip install -U coterie",
                )
                return
            told = [row[0] for row in db.execute("PRAGMA integrity_check(5)")]
            if told != ["ok"]:
                yield Flaw(
                    f"The index {path} is damaged ({told[0].splitlines()[-1]}).", path, True, _AWAY
                )
            if version:
                records.update({record.name: record for record in index.every(db)})
    except (sqlite3.Error, OSError, ValueError, TypeError) as error:
        yield Flaw(f"The index {path} is damaged or cannot be read ({error}).", path, True, _AWAY)


@contextlib.contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes nothing: not even the files beside an index that a killed process left behind are put away."""
    log = path.with_name(path.name + "-wal")
    waiting = (
        log.exists() and log.stat().st_size > 0
    )  # what was written and is not in the index itself yet
    db = _opened(path, "mode=ro") if waiting else None
    db = db or _opened(path, "immutable=1")
    if db is None:
        raise OSError(f"{path} cannot be opened")
    try:
        yield db
    finally:
        db.close()


def _opened(path: Path, mode: str) -> sqlite3.Connection | None:
    try:
        db = sqlite3.connect(
            f"file:{quote(str(path))}?{mode}", uri=True, timeout=10.0, isolation_level=None
        )
    except sqlite3.OperationalError:
        return None
    try:
        db.execute("PRAGMA schema_version").fetchone()
    except (
        sqlite3.OperationalError
    ):  # a folder that may not be written to, without the file that readers share
        db.close()
        return None
    return db


def nothing_kept(folder: Path) -> bool:
    """Whether a folder has the name of a run and nothing in it, but for what a killed writer left."""
    if not folder.name.rpartition("-")[2].isdigit():
        return False
    try:
        return set(folder.iterdir()) <= set(left_in(folder))
    except OSError:
        return False


def _queue(place: Path) -> Iterator[Flaw]:
    """Jobs that cannot be read, and those whose process is gone."""
    from coterie.run.jobs import GONE, WORKING, Jobs

    for path in sorted((place / QUEUE).glob("[!.]*.json")):
        with contextlib.suppress(FileNotFoundError):
            try:
                said = json.loads(path.read_bytes())
                if not isinstance(said, dict) or not isinstance(said.get("status"), str):
                    raise ValueError("it is no job")
            except (OSError, ValueError, RecursionError) as error:
                yield Flaw(
                    f"The job {path} cannot be read ({error}) and is passed over.",
                    path,
                    False,
                    "Delete that file.",
                )
    for job in Jobs(place).every() if (place / QUEUE).is_dir() else []:
        path = place / QUEUE / f"{job.id}.json"
        if job.status == GONE and json.loads(path.read_bytes()).get("status") == WORKING:
            yield Flaw(
                f"The job '{job.action}' on {job.target} ended without a word; its process is gone.",
                path,
                False,
                "Ask for it again where it is still wanted.",
                job.target,
            )


def _left(place: Path) -> Iterator[Flaw]:
    """Unfinished files and folders that were to be deleted."""
    trash = [path for path in place.glob(f"{TRASH}*") if path.is_dir()]
    for path in [*left_in(place), *left_in(place / QUEUE), *trash]:
        yield Flaw(
            f"{path} was left by a killed process.",
            path,
            False,
            "Nothing: it goes when the store is next opened.",
        )
