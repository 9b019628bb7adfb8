"""The shelf of collections as the pages see it: which there are, how each stands, new ones, and ones that go."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from coterie.collect.reading import existing
from coterie.collect.samples import SAMPLES
from coterie.core.errors import DataError, StoreError
from coterie.run.bundle import explain, make_folder
from coterie.run.jobs import Job
from coterie.run.looking import (
    ACTION,
    FILES,
    Shelved,
    looked,
    problems_of,
    shelf_of,
    shelve,
    shelved,
    source_of,
)
from coterie.run.store import slug_of
from coterie.run.stored import now_text
from coterie.show.markup import clean, clip
from coterie.web.desk import Desk, Kept, NotThere, without_paths
from coterie.web.uploads import ARRIVING, Tally, forget, measured

INSTALLED = "installed"
_MOST = 1000  # collections on one shelf
_TALLIES = Kept(200)


class Shelf:
    """The collections of one store; a word of a visitor becomes part of a path only after `is_id` allowed it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.store = desk.store.folder

    def every(self) -> list[Shelved]:
        """All collections, the newest first."""
        folder = shelf_of(self.store)
        names = (
            [entry.name for entry in os.scandir(folder) if entry.is_dir()]
            if folder.is_dir()
            else []
        )
        found = [one for name in names if (one := shelved(self.store, name)) is not None]
        return sorted(found, key=lambda one: one.created, reverse=True)

    def one(self, name: str) -> Shelved:
        """A collection by its id."""
        found = shelved(self.store, name)
        if found is None:
            raise NotThere("There is no such collection here.")
        return found

    def add(self, name: str, source: str) -> Shelved:
        """A new collection, to be sent here or named by where it is; one that is there already is given back."""
        source = self._checked(source.strip()) if source.strip() else ""
        there = self.every()
        for one in there if source else ():
            if one.source == source:
                return one
        if len(there) >= _MOST:
            raise DataError(f"There are {_MOST:,} collections already; delete some first.")
        name = clip(clean(name), 120) or _named(source) or "collection"
        made = Shelved(f"{slug_of(name)}-{uuid4().hex[:6]}", name, now_text(), source)
        for part in (FILES, ARRIVING):
            make_folder(shelf_of(self.store, made.id) / part)
        shelve(self.store, made)
        return made

    def _checked(self, source: str) -> str:
        if source.startswith("sample:"):
            if source.removeprefix("sample:") not in SAMPLES:
                raise DataError(f"There is no such sample; there are {', '.join(SAMPLES)}.")
            return source
        if source == INSTALLED:
            return source
        if not self.desk.serving.local:
            raise DataError(
                "A path may be named only where the page is served to this machine alone; send the files instead."
            )
        try:
            return str(existing(source).absolute())
        except (RuntimeError, OSError):  # the home of somebody who is not here
            raise DataError("There is no file or folder of that name.") from None

    def landing(self, one: Shelved) -> Path:
        """The folder that files of a collection are written into; it has the collection's name, for the sentences on it."""
        if not one.sent:
            raise DataError(f"'{one.name}' is read from where it lies; files cannot be sent to it.")
        return shelf_of(self.store, one.id) / FILES / slug_of(one.name)

    def aside(self, one: Shelved) -> Path:
        """Where files are while they arrive."""
        return shelf_of(self.store, one.id) / ARRIVING

    def tally(self, one: Shelved) -> Tally:
        """What a collection holds so far, and what it may."""
        folder = shelf_of(self.store, one.id) / FILES
        serving = self.desk.serving
        found: Tally = _TALLIES.get(
            str(folder), lambda: Tally(folder, serving.upload, serving.files)
        )
        return found

    def look(self, one: Shelved) -> Job:
        """Ask for a look at it."""
        source_of(self.store, one)  # nothing sent yet is said at once
        forget(self.aside(one))
        return self.desk.jobs.ask(ACTION, one.id, shelf_of(self.store, one.id) / "work")

    def remove(self, one: Shelved) -> None:
        """Take it off the shelf with all that was sent; refused while a run still has to read it."""
        folder = shelf_of(self.store, one.id)
        for record in self.desk.runs():
            needs = (
                record.status in ("new", "running")
                and not (self.store / record.name / "collection").is_dir()
            )
            if (
                one.sent
                and needs
                and record.request is not None
                and record.request.path.startswith(f"{folder}{os.sep}")
            ):
                raise StoreError(
                    f"The run {record.name} still has to read it; stop that run first."
                )
        self.desk.jobs.stop(ACTION, one.id)
        self.desk.jobs.kill(ACTION, one.id)
        trash = self.store / f".trash-{uuid4().hex[:12]}"
        try:
            os.replace(folder, trash)
        except FileNotFoundError:
            return
        except OSError as error:
            raise explain(error, folder) from error
        shutil.rmtree(trash, ignore_errors=True)

    # ---- how it stands --------------------------------------------------------------------------------------------

    def jobs(self) -> dict[str, Job]:
        """The last look that was asked for, by collection."""
        return {job.target: job for job in self.desk.jobs.every() if job.action == ACTION}

    def standing(self, one: Shelved, jobs: Mapping[str, Job] | None = None) -> dict[str, Any]:
        """How a collection stands, in a word and a sentence, with what the last look found."""
        job = (self.jobs() if jobs is None else jobs).get(one.id)
        found = looked(self.store, one.id)
        state = "unseen"
        sentence = "Nobody has looked at it yet."
        if job is not None and job.going:
            state = "looking"
            sentence = (
                "It is being looked at." if job.status == "working" else "It waits to be looked at."
            )
        elif found.get("problem"):
            state = "problem"
            sentence = str(found["problem"])
        elif found:
            state = "ready"
            sentence = str(found.get("why", ""))
        elif job is not None and job.problem:
            state = "problem"
            sentence = job.problem
        elif one.sent and not any((shelf_of(self.store, one.id) / FILES).iterdir()):
            state = "empty"
            sentence = "No file has been sent yet."
        noticed = [without_paths(said, self.store) for said in problems_of(found)]
        return {
            "state": state,
            "sentence": without_paths(sentence, self.store),
            "look": found,
            "job": job,
            "problems": noticed,
        }

    def shown(self, one: Shelved) -> str:
        """Where it comes from, as this visitor may read it."""
        if one.sent:
            return "sent here"
        if one.source.startswith("sample:"):
            return "a generated sample"
        if one.source == INSTALLED:
            return "the packages on this machine"
        return one.source if self.desk.serving.local else Path(one.source).name

    def size(self, one: Shelved) -> tuple[int, int]:
        """Files and bytes that were sent."""
        return measured(shelf_of(self.store, one.id) / FILES) if one.sent else (0, 0)


def _named(source: str) -> str:
    if source == INSTALLED:
        return "documentation on this machine"
    if source.startswith("sample:"):
        return source.removeprefix("sample:").replace("_", " ")
    return Path(source).name
