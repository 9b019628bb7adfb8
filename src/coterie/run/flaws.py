"""What is not as it should be with one stored run: its files read one by one and set against each other; nothing is changed."""

from __future__ import annotations

import contextlib
import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie.core.errors import CoterieError, Damaged, VersionError
from coterie.core.findings import Findings
from coterie.run import bundle
from coterie.run.bundle import (
    OLDEST,
    bring_up,
    current_format,
    left_in,
    read_arrays,
    version_changes,
)
from coterie.run.index import Index, Record, request_of
from coterie.run.steering_log import FILE as STEERED
from coterie.run.steering_log import read_log
from coterie.run.stored import STATUSES, Run, csv_text, label_columns


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is not as it should be; `wrong` when something is lost or cannot be read, else it does no harm."""

    what: str  # a sentence
    where: Path
    wrong: bool
    todo: str  # what to do about it; empty for nothing
    run: str = ""

    def sentence(self) -> str:
        """What it is and what to do, as a person reads it."""
        return f"{self.what} {self.todo}".strip()


class Examined:
    """One run that is looked at: its folder, and what the index says of it (None: nothing)."""

    def __init__(self, folder: Path, record: Record | None) -> None:
        self.folder = folder
        self.record = record
        self.name = folder.name
        self.run = Run(folder, Index(folder.parent / "index.sqlite"))
        self.delete = f"Delete it with: coterie runs --delete {self.run.called}; and make it again."

    def flaws(self) -> Iterator[Flaw]:
        """Everything that is not as it should be, from what it says of itself to what others left in its folder."""
        if not self.folder.is_dir():
            yield self.note(
                f"The run '{self.name}' is in the index and has no folder; it was deleted half way.",
                self.folder,
                "The index forgets it when the store is next opened to be written to.",
            )
            return
        said = yield from self.manifest()
        if not OLDEST <= _format_of(said) <= current_format():
            return
        record = self.record or _record_of(said, self.name)
        yield from self.kept(record)
        yield from self.values()
        yield from self.pieces(record)
        yield from self.leftovers()

    def wrong(self, what: str, where: Path, todo: str | None = None) -> Flaw:
        return Flaw(what, where, True, self.delete if todo is None else todo, self.name)

    def note(self, what: str, where: Path, todo: str = "") -> Flaw:
        return Flaw(what, where, False, todo, self.name)

    # ---- what the run says of itself ---------------------------------------------------------------------------------

    def manifest(self) -> Any:
        """run.json, alone and against the index; returns what it says."""
        path = self.folder / "run.json"
        said = {}
        try:
            said = bundle.read_json(path)
            if isinstance(said, dict) and _format_of(said) in range(OLDEST, current_format()):
                said = bring_up("run", said, path)
        except FileNotFoundError:
            if self.record is not None:
                yield self.wrong(f"The run '{self.name}' has no run.json.", path)
        except Damaged as error:
            yield self.wrong(f"{error.what}.", path)
        else:
            yield from self._said(said if isinstance(said, dict) else None, path)
        seen = None if self.record is None else self.record.seen()
        if seen is not None and seen.status == "interrupted":
            yield self.note(
                f"The run '{self.name}' was interrupted; its process is gone.",
                path,
                f"Go on with: coterie resume {self.run.called}",
            )
        return said if isinstance(said, dict) else {}

    def _said(self, said: dict[str, Any] | None, path: Path) -> Iterator[Flaw]:
        if (
            said is None
            or _record_of(said, self.name) is None
            or not isinstance(said.get("format"), int)
        ):
            yield self.wrong(f"The file {path} is damaged: it does not describe a run.", path)
        elif said["format"] > current_format():
            yield self.wrong(
                f"The run '{self.name}' was written by a newer coterie (format {said['format']}).",
                path,
                "Update this one with: pip install -U coterie",
            )
        elif said["format"] < OLDEST:
            yield self.wrong(
                f"The run '{self.name}' was written by an older coterie (format {said['format']}) and is not read any more.",
                path,
                "Explore its source again, and delete that run.",
            )
        elif said.get("name") != self.name:
            yield self.wrong(f"The file {path} is of the run '{said.get('name')}'.", path)
        elif self.record is None:
            yield self.note(
                f"The run '{self.name}' is not in the index; whoever made it was killed, or it was copied here.",
                path,
                "It is listed when the store is next opened to be written to.",
            )
        else:
            for change in version_changes(said.get("versions")):
                yield self.note(f"The run '{self.name}': {change.sentence()}", path)
            mine = json.loads(bundle.to_json(self.record.plain()))
            asked = request_of(said.get("request"))
            theirs = said | {"request": None if asked is None else asked.to_json()}
            other = sorted(key for key, value in mine.items() if theirs.get(key) != value)
            if other:
                yield self.note(
                    f"{path} and the index differ in {', '.join(other)}; the index holds.",
                    path,
                    "Nothing: the next step on the run brings it in line.",
                )

    # ---- what was kept -----------------------------------------------------------------------------------------------

    def kept(self, record: Record | None) -> Iterator[Flaw]:
        """The collection, the models and the findings, alone and against each other."""
        values: dict[str, Any] = {}
        wants = record is not None and record.status == "done" and record.request is not None
        parts = {"collection": "collection", "findings": "findings"}
        models = self.folder / "models"
        parts |= (
            {f"models/{path.name}": "model" for path in sorted(models.iterdir()) if path.is_dir()}
            if models.is_dir()
            else {}
        )
        for part, stem in {**parts, "models/walk": "model"}.items():
            folder = self.folder / part
            there = (folder / f"{stem}.json").exists()
            if there:
                spoilt = list(self._bundle(folder, stem, values, part))
                yield from spoilt
            elif wants and part in ("collection", "findings", "models/walk"):
                yield self.wrong(
                    f"The finished run '{self.name}' has no {part.replace('models/walk', 'fitted walk')}.",
                    folder,
                )
            if folder.is_dir() and (left := bundle.unnamed(folder, stem)):
                what = f"{len(left)} arrays in {folder} belong to nothing ({_size(left)}); whoever wrote them was killed."
                yield self.note(
                    what,
                    folder,
                    "They may be deleted, and go by themselves when this is written again after a day.",
                )
        found = values.get("findings")
        if isinstance(found, Findings):
            yield from self.findings(found, values.get("collection"), record)
            yield from self.steering(found, record if wants else None)
        if wants:
            yield from self.report()

    def _bundle(self, folder: Path, stem: str, values: dict[str, Any], part: str) -> Iterator[Flaw]:
        try:
            spoilt = bundle.damaged(folder, stem)
            for path in spoilt:
                yield self.wrong(
                    f"The file {path} is damaged: its bytes are not those that were written.", path
                )
            if not spoilt:
                values[part] = self._loaded(part, folder, stem)
        except (CoterieError, OSError) as error:
            sentence = error.what if isinstance(error, Damaged) else str(error).rstrip(".")
            yield self.wrong(f"{sentence}.", folder / f"{stem}.json", _todo(error))
        except (
            Exception
        ) as error:  # nonsense that is well formed: whatever a constructor says of it
            yield self.wrong(
                f"What is kept in {folder} cannot be read ({type(error).__name__}: {error}).",
                folder,
            )

    def _loaded(self, part: str, folder: Path, stem: str) -> Any:
        if part == "collection":
            return self.run.collection()
        if part == "findings":
            return self.run.findings()
        if part == "models/walk":
            from coterie.workflows.explore import Analysis

            return self.run.model_of("walk", Analysis)
        return bundle.load(folder, stem)

    def findings(self, found: Findings, collection: Any, record: Record | None) -> Iterator[Flaw]:
        """Whether the findings are about the members that are kept; that their numbers are in range is seen when they load."""
        n = len(found.ids)
        path = self.folder / "findings"
        whole = not any(strips.of_groups for strips in found.strips)
        known_ids = (
            () if collection is None else tuple(map(str, collection.ids))
        )  # those added later stand behind them
        if whole and tuple(map(str, found.ids))[: len(known_ids)] != known_ids:
            yield self.wrong(
                f"The findings of '{self.name}' are of other members than its collection.", path
            )
        if (
            whole
            and record is not None
            and record.status == "done"
            and record.request is not None
            and record.members != n
        ):
            yield self.note(
                f"The index counts {record.members} members of '{self.name}', and there are {n}.",
                path,
            )

    def steering(self, found: Findings, done: Record | None) -> Iterator[Flaw]:
        """The log of a person's edits, and the file of labels that follows it."""
        from coterie.run.steered import after, state_of

        path = self.folder / STEERED
        table = self.folder / "labels.csv"
        try:
            log = read_log(path)
            now = after(found, log, state_of(found, log, path)) if log else found
        except CoterieError as error:
            yield self.wrong(str(error), path, "")
            return
        if done is None:
            return
        if not table.exists():
            yield self.note(
                f"The run '{self.name}' has no labels.csv.",
                table,
                f"Write it with: coterie steer {self.run.called}",
            )
            return
        replay = done.request.replay if done.request is not None else None
        others = () if replay is None else replay.standing  # of another run, and not in the table
        if table.read_bytes() != csv_text(_as_written(table, now), others).encode("utf-8"):
            yield self.note(
                f"{table} is not of the groups as they stand.",
                table,
                f"Write it again with: coterie steer {self.run.called}",
            )

    def report(self) -> Iterator[Flaw]:
        """The page of a finished run, which is whole when it has an end."""
        path = self.folder / "report.html"
        again = f"Write it with: coterie report {self.run.called}"
        try:
            with path.open("rb") as file:
                file.seek(max(0, os.path.getsize(path) - 64))
                whole = b"</html>" in file.read()
        except FileNotFoundError:
            yield self.note(f"The run '{self.name}' has no report.", path, again)
        except OSError as error:
            yield self.wrong(f"The report {path} cannot be read ({error.strerror}).", path, again)
        else:
            if not whole:
                yield self.wrong(f"The report {path} is damaged: it has no end.", path, again)

    # ---- the rest ----------------------------------------------------------------------------------------------------

    def values(self) -> Iterator[Flaw]:
        """Plain values, arrays and sessions that were kept beside."""
        for path in sorted(
            [*self.folder.glob("values/*.json"), *self.folder.glob("session*.json")]
        ):
            with contextlib.suppress(FileNotFoundError):
                try:
                    bundle.read_json(path)
                except Damaged as error:
                    yield self.wrong(f"{error.what}.", path)
        for path in sorted(self.folder.glob("values/*.npz")):
            if not _readable(path):
                yield self.wrong(f"The file {path} is damaged.", path)

    def pieces(self, record: Record | None) -> Iterator[Flaw]:
        """Finished parts of work that is not: a spoilt one is made again."""
        found = sorted(self.folder.glob("pieces/*.npz"))
        for path in found:
            if not _readable(path):
                yield self.note(
                    f"The piece {path} is damaged and counts as absent.",
                    path,
                    "Nothing: it is made again.",
                )
        if found and record is not None and record.status == "done" and record.request is not None:
            yield self.note(
                f"The finished run '{self.name}' still has {len(found)} pieces of its work ({_size(found)}).",
                found[0].parent,
                f"Remove them with: coterie resume {self.run.called}",
            )

    def leftovers(self) -> Iterator[Flaw]:
        """What killed writers left unfinished anywhere in the folder."""
        for folder, _, _ in os.walk(self.folder):
            for path in left_in(folder):
                yield self.note(
                    f"{path} was left by a killed process.",
                    path,
                    "Nothing: it goes when the run is next worked on.",
                )


def _format_of(said: dict[str, Any]) -> int:
    """The format that a run says it is of; today's where it says none."""
    found = said.get("format")
    return found if isinstance(found, int) else current_format()


def _todo(error: Exception) -> str | None:
    """What to do about a file that is not damaged but of another version of coterie; None for the usual."""
    return f"{error.todo[0].upper()}{error.todo[1:]}" if isinstance(error, VersionError) else None


def _record_of(said: Any, name: str) -> Record | None:
    """What a run says of itself; None where that is not the description of a run."""
    kinds = {
        "title": str,
        "source": str,
        "kind": str,
        "members": int,
        "groups": int,
        "status": str,
        "pid": int,
    }
    if not isinstance(said, dict) or any(
        not isinstance(said.get(key), kind) for key, kind in kinds.items()
    ):
        return None
    if said["status"] not in STATUSES:
        return None
    request = request_of(said.get("request"))
    return Record(**{key: said[key] for key in kinds} | {"name": name, "request": request})


def _as_written(table: Path, findings: Findings) -> Mapping[str, Sequence[Any]]:
    """The columns of labels.csv; where an earlier release wrote it, without those that it did not know."""
    columns = label_columns(findings)
    with table.open(encoding="utf-8", errors="replace", newline="") as file:
        written = next(csv.reader(file), [])
    base = list(columns)[:4]
    if written[: len(base)] != base or not set(written) <= set(columns):
        return columns
    return {name: columns[name] for name in written}


def _readable(path: Path) -> bool:
    try:
        read_arrays(path)
    except FileNotFoundError:  # it went while we looked
        return True
    except Exception:
        return False
    return True


def _size(paths: list[Path]) -> str:
    """How much some files take."""
    total = 0
    for path in paths:
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return f"{total / 1e6:.1f} MB"
