"""Store: a folder of runs with an index; runs get readable names, and several processes may use it at once."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import re
import shutil
import sqlite3
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from coterie.core.errors import StoreError
from coterie.run import bundle, index
from coterie.run.bundle import bring_up, current_format, explain, make_folder, sweep, versions
from coterie.run.flaws import Flaw
from coterie.run.index import Index, Record
from coterie.run.integrity import QUEUE, TRASH, check, nothing_kept
from coterie.run.stored import Run, default_folder, now_text
from coterie.workflows.request import ExploreRequest


class SeveralRuns(StoreError):
    """The beginning of a name that is that of several runs."""


class Store:
    """Runs in one folder: `coterie_runs` here, or what the environment variable COTERIE_STORE names.

    Nothing is written before the first `create`.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = Path(folder).expanduser().absolute() if folder else default_folder()
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreError(
                f"The store {self.folder} is a file and not a folder; choose another place."
            )
        self._index = Index(self.folder / "index.sqlite")
        self._clean()
        if self._index.there or any(self._folders()):
            self._bring_together()

    def create(
        self,
        title: str = "",
        *,
        source: str = "",
        kind: str = "",
        request: ExploreRequest | None = None,
        fingerprint: str = "",
    ) -> Run:
        """A new run with a readable name of its own, such as mail-1, mail-2; safe when others create at the same time."""
        make_folder(self.folder)
        slug = slug_of(title or source)
        with self._index.writing() as db:
            number = self._next(db, slug)
            name = f"{slug}-{number}"
            now = now_text()
            record = Record(
                name,
                title or slug,
                source,
                kind,
                created=now,
                updated=now,
                request=request,
            )
            index.put(db, record)
            make_folder(self.folder / name)
            manifest = {
                "format": current_format(),
                "fingerprint": fingerprint,
                "versions": versions(),
                **record.plain(),
            }
            try:
                bundle.write_json(self.folder / name / "run.json", manifest)
            except BaseException:
                shutil.rmtree(self.folder / name, ignore_errors=True)
                raise
        return Run(self.folder / name, self._index)

    def runs(self) -> list[Record]:
        """Every run, the newest first."""
        if not self._index.there:
            return []
        with self._index.reading() as db:
            return [record.seen() for record in index.every(db)]

    def open(self, name: str | None = None) -> Run:
        """A run by its name, by a beginning of it that is clear, or the latest when no name (or 'latest') is given."""
        folder = self.folder / self._find(name or "latest")
        for place in (folder, folder / "values"):
            sweep(place)
        return Run(folder, self._index)

    @property
    def latest(self) -> Run | None:
        """The newest run, or None."""
        found = self.runs()
        return Run(self.folder / found[0].name, self._index) if found else None

    def delete(self, name: str) -> None:
        """Remove a run and all it holds; refused while a living process works on it."""
        full = self._find(name)
        trash = self.folder / f"{TRASH}{uuid4().hex[:12]}"
        with self._index.writing() as db:
            record = index.get(db, full)
            if record and record.seen().status == "running":
                raise StoreError(
                    f"The run '{full}' is being worked on by process {record.pid}; stop it first."
                )
            db.execute("DELETE FROM runs WHERE name = ?", (full,))
            try:
                os.replace(self.folder / full, trash)
            except FileNotFoundError:
                return
            except OSError as error:
                raise explain(error, self.folder / full) from error
        shutil.rmtree(trash, ignore_errors=True)

    def check(self) -> list[Flaw]:
        """What is not as it should be with the store and its runs, the worst first; nothing is changed."""
        return check(self.folder)

    def __len__(self) -> int:
        return len(self.runs())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Record]:
        return iter(self.runs())

    def __contains__(self, name: str) -> bool:
        return any(record.name == name for record in self.runs())

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def _find(self, name: str) -> str:
        names = [record.name for record in self.runs()]
        if name in names:
            return name
        if name == "latest" and names:
            return names[0]
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower())  # as `create` writes names
        if plain in names:
            return plain
        begin = [n for n in names if plain.strip("-") and n.startswith(plain)]
        if len(begin) == 1:
            return begin[0]
        if begin:
            raise SeveralRuns(
                f"'{name}' could be any of {', '.join(begin[:6])}; write a little more of the name."
            )
        if not names and name == "latest":
            raise StoreError(
                f"There are no runs here yet (the store {self.folder} is empty); begin with: coterie explore PATH"
            )
        if not names:
            raise StoreError(f"The store {self.folder} is empty: there is no run '{name}'.")
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5) or names[:3]
        raise StoreError(f"There is no run '{name}' in {self.folder}; near it: {', '.join(near)}.")

    def _next(self, db: sqlite3.Connection, slug: str) -> int:
        """The next number of a slug; a number is never given twice, not even after a run was deleted."""
        row = db.execute("SELECT number FROM last_number WHERE slug = ?", (slug,)).fetchone()
        number = (row[0] if row else 0) + 1
        while (self.folder / f"{slug}-{number}").exists():
            number += 1
        db.execute(
            "INSERT OR REPLACE INTO last_number (slug, number) VALUES (?, ?)", (slug, number)
        )
        return number

    def _folders(self) -> Iterator[Path]:
        return (path.parent for path in self.folder.glob("[!.]*/run.json"))

    def _bring_together(self) -> None:
        """Make folders and index agree after a process was killed between the two, a run was copied here, or the index went.

        A run that is not listed is listed again; one whose folder is gone is forgotten; a folder in which nothing was kept goes.
        """
        try:
            listed = self._listed()
            places = self._places()
            found = [
                record
                for name in sorted(places - listed)
                if (record := self._said(name)) is not None
            ]
            begun = [name for name in places - listed if nothing_kept(self.folder / name)]
            gone = listed - places
            if not (found or begun or gone) and self._index.there:
                return
            with self._index.writing() as db:  # whoever makes or deletes a run is through
                listed = {record.name for record in index.every(db)}
                for record in sorted(found, key=lambda r: r.created):
                    if record.name not in listed and (self.folder / record.name).is_dir():
                        index.put(db, record)
                        self._count(db, record.name)
                for name in set(begun) - listed:
                    sweep(self.folder / name)
                    with contextlib.suppress(OSError):
                        (self.folder / name).rmdir()
                for name in gone:
                    if not (self.folder / name).is_dir():
                        db.execute("DELETE FROM runs WHERE name = ?", (name,))
        except StoreError:  # it cannot be written to, or is damaged: whoever needs it is told
            if not self._index.there:
                raise

    def _listed(self) -> set[str]:
        """Names of the runs in the index."""
        if not self._index.there:
            return set()
        with self._index.reading() as db:
            return {str(row[0]) for row in db.execute("SELECT name FROM runs")}

    def _places(self) -> set[str]:
        """Names of the folders that are runs, or were to be; what a link names lies elsewhere and is none."""
        with os.scandir(self.folder) as inside:
            return {
                entry.name
                for entry in inside
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            }

    def _said(self, name: str) -> Record | None:
        """A run by what it says of itself, as far as that can be listed; None where it cannot be read."""
        with contextlib.suppress(StoreError, OSError, AttributeError):
            path = self.folder / name / "run.json"
            said = bundle.read_json(path)
            with contextlib.suppress(
                StoreError
            ):  # one that is not read here is listed all the same
                said = bring_up("run", said, path)
            known = {k: v for k, v in said.items() if k in index.COLUMNS[1:] and index.fits(k, v)}
            return Record(name, **known, request=index.request_of(said.get("request")))
        return None

    def _count(self, db: sqlite3.Connection, name: str) -> None:
        """A number that a run has is never given again."""
        slug, _, number = name.rpartition("-")
        if number.isdigit():
            row = db.execute("SELECT number FROM last_number WHERE slug = ?", (slug,)).fetchone()
            db.execute(
                "INSERT OR REPLACE INTO last_number VALUES (?, ?)",
                (slug, max(int(number), row[0] if row else 0)),
            )

    def _clean(self) -> None:
        """Remove what killed processes left behind."""
        for folder in (self.folder, self.folder / QUEUE):
            sweep(folder)
        for trash in self.folder.glob(f"{TRASH}*"):
            shutil.rmtree(trash, ignore_errors=True)


def slug_of(text: str) -> str:
    """A short plain name for a title or the file a collection came from.

    >>> slug_of("Boîte de réception"), slug_of("old/mail/inbox.mbox"), slug_of("")
    ('boite-de-reception', 'inbox', 'run')
    """
    if "/" in text or "\\" in text:
        text = re.split(r"[/\\]", text.rstrip("/\\"))[-1]
        text = re.sub(r"(?<=.)\.\w{1,8}$", "", text)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "run"


def fingerprint_of(source: Path | str) -> str:
    """A mark that changes when a file or any file of a folder is changed, added or removed (name, size, time)."""
    path = Path(source).expanduser()
    mark = hashlib.sha256(str(source).encode("utf-8", "surrogatepass"))
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        with contextlib.suppress(OSError):
            stat = file.stat()
            size = 0 if file.is_dir() else stat.st_size
            when = 0 if file.is_dir() else stat.st_mtime_ns
            mark.update(f"{file}\0{size}\0{when}\n".encode("utf-8", "surrogatepass"))
    return mark.hexdigest()[:32]
