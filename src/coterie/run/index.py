"""The index of a store: one small SQLite file that several processes may use at once, with a version of its own."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from coterie.core.errors import StoreError
from coterie.run.bundle import alive, explain, host, request_of_settings, to_json
from coterie.workflows.request import ExploreRequest

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
        name TEXT PRIMARY KEY, title TEXT NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL,
        members INTEGER NOT NULL, groups INTEGER NOT NULL, status TEXT NOT NULL,
        created TEXT NOT NULL, updated TEXT NOT NULL, seconds REAL NOT NULL,
        settings TEXT NOT NULL, summary TEXT NOT NULL, problem TEXT NOT NULL,
        pid INTEGER NOT NULL, host TEXT NOT NULL, birth TEXT NOT NULL);
    CREATE TABLE last_number (slug TEXT PRIMARY KEY, number INTEGER NOT NULL);
    """,
    "ALTER TABLE runs RENAME COLUMN settings TO request",
)  # script v takes a store of version v to version v + 1; never edit one, add one
_PATIENCE = 30.0  # seconds to wait for another process


@dataclass(frozen=True, slots=True)
class Record:
    """One run as the index knows it; `status` says 'interrupted' when its process is gone."""

    name: str
    title: str = ""
    source: str = ""
    kind: str = ""
    members: int = 0
    groups: int = 0
    status: str = "new"  # new, running, done, stopped, failed; interrupted when read back
    created: str = ""
    updated: str = ""
    seconds: float = 0.0
    request: ExploreRequest | None = None
    summary: str = ""
    problem: str = ""
    pid: int = 0
    host: str = ""
    birth: str = ""

    def __post_init__(self) -> None:
        for (
            name
        ) in COLUMNS:  # a file name that is not UTF-8 holds half letters, which no database takes
            value = getattr(self, name)
            if isinstance(value, str) and not value.isascii():
                object.__setattr__(
                    self, name, value.encode("utf-8", "backslashreplace").decode("utf-8")
                )

    def __getitem__(self, column: str) -> Any:
        return getattr(self, column)

    def plain(self) -> dict[str, Any]:
        """Every column as plain JSON."""
        found = {column: getattr(self, column) for column in COLUMNS}
        return found | {"request": None if self.request is None else self.request.to_json()}

    def seen(self) -> Record:
        """The same with the status a person should read."""
        here = self.host == host()
        gone = self.status == "running" and here and not alive(self.pid, self.birth)
        return replace(self, status="interrupted") if gone else self


COLUMNS = tuple(f.name for f in fields(Record))
_MARKS = ", ".join("?" * len(COLUMNS))


class Index:
    """Short transactions on `index.sqlite`; every failure is a StoreError of one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ready = False

    @property
    def there(self) -> bool:
        return self.path.exists()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read with; a folder that cannot be written to can still be read."""
        frozen = not os.access(self.path.parent, os.W_OK)
        with self._sentences(), contextlib.closing(self._connect(frozen)) as db:
            if not self._ready:
                self._prepare(db, frozen)
            yield db

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction of its own: all of it happens or nothing."""
        with self._sentences(), contextlib.closing(self._connect(False)) as db:
            if not self._ready:
                self._prepare(db, False)
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def _connect(self, frozen: bool) -> sqlite3.Connection:
        how = "" if not frozen else "?mode=ro" if self._waiting() else "?immutable=1"
        place = f"file:{quote(str(self.path.absolute()))}{how}"
        return sqlite3.connect(place, uri=True, timeout=_PATIENCE, isolation_level=None)

    def _waiting(self) -> bool:
        """Whether a killed process left words beside the index that are not in it yet, and readers can find their way in them."""
        log, shared = (self.path.with_name(f"{self.path.name}-{name}") for name in ("wal", "shm"))
        return log.exists() and log.stat().st_size > 0 and shared.exists()

    def _prepare(self, db: sqlite3.Connection, frozen: bool) -> None:
        """Check the version and bring an older index to this one; the first of several processes does it."""
        version = self._version(db)
        if version < len(MIGRATIONS) and not frozen:
            _patiently(db, "PRAGMA journal_mode = WAL")
            _patiently(db, "BEGIN IMMEDIATE")
            try:
                for script in MIGRATIONS[self._version(db) :]:
                    for statement in filter(str.strip, script.split(";")):
                        db.execute(statement)
                db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise
        self._ready = True

    def _version(self, db: sqlite3.Connection) -> int:
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if version > len(MIGRATIONS):
            raise StoreError(
                f"The store {self.path.parent} was written by a newer coterie (store version {version}, this one reads up to "
                f"{len(MIGRATIONS)}): update it with pip install -U coterie."
            )
        return version

    @contextlib.contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise self._sentence(error) from error

    def _sentence(self, error: sqlite3.DatabaseError) -> StoreError:
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith("SQLITE_FULL"):
            return explain(OSError(errno.ENOSPC, "full"), self.path)
        if code.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN", "SQLITE_AUTH")):
            return explain(OSError(errno.EACCES, "denied"), self.path)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreError(
                f"Another process kept the store {self.path.parent} busy for {_PATIENCE:.0f} seconds; try again."
            )
        if code.startswith("SQLITE_IOERR"):
            return explain(OSError(errno.EIO, str(error)), self.path)
        return StoreError(
            f"The index {self.path} is damaged ({error}); the runs are whole in their folders: move that file away and the "
            "index is built again from them."
        )


def _patiently(db: sqlite3.Connection, statement: str) -> None:
    """Some locks are refused without waiting; wait for them ourselves."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if time.monotonic() > until or "locked" not in str(error):
                raise
            time.sleep(0.02)


def fits(column: str, value: Any) -> bool:
    """Whether a value of a file by other hands is one that the column takes."""
    if column in ("members", "groups", "pid", "seconds"):
        return (
            isinstance(value, (int, float) if column == "seconds" else int) and abs(value) < 2**63
        )
    return isinstance(value, str)


def put(db: sqlite3.Connection, record: Record) -> None:
    """Write a record, new or changed; a changed one keeps its place in the order."""
    said = record.plain()
    row = [to_json(said[c]) if c == "request" else said[c] for c in COLUMNS]
    changes = ", ".join(f"{c} = excluded.{c}" for c in COLUMNS[1:])
    db.execute(
        f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({_MARKS}) ON CONFLICT (name) DO UPDATE SET {changes}",
        row,
    )


def get(db: sqlite3.Connection, name: str) -> Record | None:
    """The record of that very name, as it stands in the index."""
    row = db.execute(f"SELECT {_wanted(db)} FROM runs WHERE name = ?", (name,)).fetchone()
    return _record(row) if row else None


def every(db: sqlite3.Connection) -> list[Record]:
    """All records, the newest first."""
    rows = db.execute(f"SELECT {_wanted(db)} FROM runs ORDER BY rowid DESC")
    return [_record(row) for row in rows]


def _wanted(db: sqlite3.Connection) -> str:
    """The columns to be read; in an index of version 1, which nobody may write to, the request is in `settings`."""
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    return ", ".join("settings" if c == "request" and version == 1 else c for c in COLUMNS)


def _record(row: tuple[Any, ...]) -> Record:
    found = dict(zip(COLUMNS, row, strict=True))
    return Record(**found | {"request": request_of(json.loads(found["request"]))})


def request_of(stored: Any) -> ExploreRequest | None:
    """What a run was asked, from plain JSON; lines that were written before there were requests hold settings."""
    if isinstance(stored, dict) and "origin" not in stored:
        stored = request_of_settings(stored)
    return ExploreRequest.of_json(stored)
