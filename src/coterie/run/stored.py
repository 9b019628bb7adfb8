"""Run: one exploration in the store; its findings, its collection, its learned models, its pieces and its status."""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import io
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from coterie.core.collection import Collection
from coterie.core.errors import Damaged, DataError, StoreError, VersionError
from coterie.core.findings import Findings, find_unstable, level_columns, problems, repeated_ids
from coterie.messages.exploration import headline
from coterie.run import bundle, index
from coterie.run.bundle import (
    AGAIN,
    VersionChange,
    aside,
    birth,
    bring_up,
    host,
    make_folder,
    read_arrays,
    sweep,
    version_changes,
    versions,
    write_arrays,
    write_bytes,
    write_text,
)
from coterie.run.index import Index, Record
from coterie.workflows.request import ExploreRequest

_SPOILT = (
    None,
    errno.EINVAL,
)  # what reading nonsense raises, as against a disk or a permission that fails


class Pieces:
    """Bundles of arrays by key in one folder; written whole or not at all, a spoilt one counts as absent.

    The folder is made with the first piece. Any number of threads and processes may share it. Keys tell pieces apart by the order
    in which they are made, so what was made `by` another version of the code is not found.
    """

    def __init__(self, folder: Path | str, *, by: str = "", then: str = AGAIN) -> None:
        self.folder = Path(folder)
        self.by = by
        self.then = then
        self._made = False
        sweep(self.folder)

    def get(self, key: str) -> dict[str, np.ndarray] | None:
        """The bundle of that key, or None; a truncated or spoilt file is removed."""
        path = self.path(key)
        try:
            return read_arrays(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno not in _SPOILT:
                advice = f"allow reading it, or delete it, and {self.then}"
                raise StoreError(
                    f"The piece {path} cannot be read ({error.strerror}); {advice}."
                ) from error
        except Exception:  # any nonsense in the bytes: the piece is made again
            pass
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def put(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep a bundle; when this returns it survives a crash."""
        if not self._made:
            make_folder(self.folder, then=self.then)
            self._made = True
        try:
            write_arrays(self.path(key), arrays, then=self.then)
        except StoreError:
            if self.folder.is_dir():
                raise
            make_folder(self.folder, then=self.then)  # someone removed the folder meanwhile
            write_arrays(self.path(key), arrays, then=self.then)

    def path(self, key: str) -> Path:
        """The file of a key: readable where it can be, and different for different keys on any file system."""
        words = re.sub(r"[^A-Za-z0-9.]+", "-", key).strip("-.")[:60]
        mark = hashlib.sha256((self.by + key).encode("utf-8", "surrogatepass")).hexdigest()[:20]
        return self.folder / f"{words or 'piece'}-{mark}.npz"

    def clear(self) -> None:
        """Forget every piece; the folder goes when nothing else is in it."""
        for path in self.folder.glob("*.npz"):
            with contextlib.suppress(OSError):
                path.unlink()
        self._made = False
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def __len__(self) -> int:
        return sum(1 for _ in self.folder.glob("*.npz"))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Pieces({len(self)} in {self.folder})"


T = TypeVar("T")
AT_WORK: dict[Path, Run] = {}  # runs that this process works on, by their folder
_AGAIN = "make that run again"
STATUSES = ("new", "running", "done", "stopped", "failed")


def default_folder() -> Path:
    """Where runs are kept when no store is named."""
    return Path(os.environ.get("COTERIE_STORE") or "coterie_runs").expanduser().absolute()


class Run:
    """A folder of the store and its line in the index; get one from `Store.create` or `Store.open`."""

    def __init__(self, folder: Path, listed: Index) -> None:
        self.folder = folder
        self.name = folder.name
        self._index = listed
        self._then = f"run: coterie resume {self.called}"

    # ---- status -------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The folder of the run; its report is `run.path / "report.html"`."""
        return self.folder

    @property
    def called(self) -> str:
        """How a command names the run: its name, and its store where that is not the default one."""
        place = self.folder.absolute().parent
        if place == default_folder():
            return self.name
        here = Path.cwd()
        shown = place.relative_to(here) if place.is_relative_to(here) and place != here else place
        return f"{self.name} --store {shlex.quote(str(shown))}"

    def record(self) -> Record:
        """What the index says now."""
        with self._index.reading() as db:
            found = index.get(db, self.name)
        if found is None:
            raise StoreError(
                f"The run '{self.name}' is no longer in the store {self.folder.parent}."
            )
        return found.seen()

    @property
    def status(self) -> str:
        """new, running, done, stopped, failed or interrupted."""
        return self.record().status

    @property
    def request(self) -> ExploreRequest:
        """What it was asked; an empty request where it was asked for nothing."""
        return self.record().request or ExploreRequest()

    @property
    def manifest(self) -> dict[str, Any]:
        """What run.json says: the record, the fingerprint of the source and the versions that made it."""
        path = self.folder / "run.json"
        found = bundle.read_json(path)
        return bring_up("run", found if isinstance(found, dict) else {}, path)

    @property
    def version_changes(self) -> tuple[VersionChange, ...]:
        """Libraries that are not of the version that wrote the run, as far as the run says."""
        try:
            return version_changes(self.manifest.get("versions"))
        except (FileNotFoundError, Damaged):
            return ()

    def start(self) -> None:
        """Say that this process works on the run; refused while another living process does."""
        with self._index.writing() as db:
            now = self._known(index.get(db, self.name))
            if now.seen().status == "running" and (now.host, now.pid) != (host(), os.getpid()):
                raise StoreError(
                    f"The run '{self.name}' is being worked on by process {now.pid} of {now.host}; stop it first."
                )
            self._write(db, _mine(replace(now, status="running", problem="")))
        AT_WORK[self.folder] = self

    def finish(self, status: str = "done", *, seconds: float = 0.0, problem: str = "") -> None:
        """Say how the work ended: done, stopped or failed (with the problem as one sentence)."""
        self.update(status=status, seconds=seconds, problem=problem)

    def update(
        self,
        *,
        status: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        members: int | None = None,
        groups: int | None = None,
        seconds: float | None = None,
        request: ExploreRequest | None = None,
        summary: str | None = None,
        problem: str | None = None,
    ) -> None:
        """Change what the index and run.json say of the run; what is left out stays."""
        given: dict[str, Any] = {
            "status": status,
            "title": title,
            "kind": kind,
            "members": members,
            "groups": groups,
            "seconds": seconds,
            "request": request,
            "summary": summary,
            "problem": problem,
        }
        if status is not None and status not in STATUSES:
            raise StoreError(f"A run is one of {', '.join(STATUSES)}, and was to be '{status}'.")
        with self._index.writing() as db:
            now = self._known(index.get(db, self.name))
            changed = replace(
                now, **{name: value for name, value in given.items() if value is not None}
            )
            self._write(db, _mine(changed) if status == "running" else changed)
        if status not in (None, "running"):
            AT_WORK.pop(self.folder, None)

    def _known(self, record: Record | None) -> Record:
        if record is None:
            raise StoreError(
                f"The run '{self.name}' is no longer in the store {self.folder.parent}."
            )
        return record

    def _write(self, db: Any, record: Record) -> None:
        record = replace(record, updated=now_text())
        index.put(db, record)
        manifest = self.manifest | record.plain()
        bundle.write_json(self.folder / "run.json", manifest, then=self._then)

    # ---- what it holds ------------------------------------------------------------------------------------------

    def pieces(self) -> Pieces:
        """Finished parts of the work: the keeper of `using(store=run)`; those that other versions made are not taken up."""
        return Pieces(self.folder / "pieces", by=repr(versions()), then=self._then)

    def save_findings(self, findings: Findings) -> None:
        """Keep everything that was found, and show its size and summary in the index."""
        bundle.save(self.folder / "findings", "findings", findings, then=self._then)
        summary = headline(findings)
        self.update(
            kind=findings.kind, members=len(findings), groups=len(findings.groups), summary=summary
        )

    def findings(self) -> Findings:
        """What was found, exactly as it was saved; refused where a number in it is out of range."""
        found = self._of(Findings, "findings", "findings", "findings")
        wrong = problems(found)
        if wrong:
            raise Damaged(f"The findings of '{self.name}' are damaged: {wrong[0]}", _AGAIN)
        return found

    @property
    def has_findings(self) -> bool:
        return (self.folder / "findings" / "findings.json").exists()

    def save_collection(self, collection: Collection) -> None:
        """Keep the members and all that is seen of them, so that later work does not need the source."""
        bundle.save(self.folder / "collection", "collection", collection, then=self._then)
        self.update(kind=collection.kind, members=len(collection))

    def collection(self) -> Collection:
        """The collection, exactly as it was saved; sequences are memory-mapped."""
        return self._of(Collection, "collection", "collection", "collection")

    @property
    def has_collection(self) -> bool:
        return (self.folder / "collection" / "collection.json").exists()

    def save_model(self, name: str, model: Any) -> None:
        """Keep a learned model: plain values, arrays and what the registry of storable classes names, nested at will."""
        bundle.save(self.folder / "models" / _checked(name), "model", model, then=self._then)

    def model(self, name: str) -> Any:
        """A model as it was saved."""
        return self._load(f"models/{_checked(name)}", "model")

    def model_of(self, name: str, kind: type[T]) -> T:
        """A model as it was saved, if it is of this class."""
        return self._of(kind, f"models/{_checked(name)}", "model", "model")

    def put_json(self, name: str, value: Any) -> None:
        """Keep a plain value as NAME.json in the run's folder."""
        make_folder(self.folder / "values", then=self._then)
        bundle.write_json(self.folder / "values" / f"{_checked(name)}.json", value, then=self._then)

    def get_json(self, name: str, default: Any = None) -> Any:
        """A value of `put_json`, or the default."""
        try:
            return bundle.read_json(self.folder / "values" / f"{_checked(name)}.json")
        except FileNotFoundError:
            return default

    def put_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep named arrays as NAME.npz in the run's folder."""
        make_folder(self.folder / "values", then=self._then)
        write_arrays(self.folder / "values" / f"{_checked(name)}.npz", arrays, then=self._then)

    def get_arrays(self, name: str) -> dict[str, np.ndarray] | None:
        """Arrays of `put_arrays`, or None."""
        path = self.folder / "values" / f"{_checked(name)}.npz"
        try:
            return read_arrays(path)
        except FileNotFoundError:
            return None
        except Exception as error:
            raise StoreError(
                f"The file {path} is damaged or cannot be read ({error}); make that run again."
            ) from error

    def export_labels(self, target: Path | str = "labels.csv") -> Path:
        """Who is in which group, as CSV or (by its ending) Parquet; a bare name lands in the run's folder."""
        wanted = Path(target)
        path = self.folder / wanted if wanted.name == str(target) else wanted
        columns = label_columns(self.findings())
        if path.suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            with aside(path, then=self._then) as file:
                pq.write_table(pa.table(columns), file)
        elif path.suffix == ".csv":
            write_text(path, csv_text(columns), then=self._then)
        else:
            raise DataError(
                f"Labels are written as .csv or .parquet, and the file was to be {path.name}."
            )
        return path

    def _of(self, kind: type[T], folder: str, stem: str, noun: str) -> T:
        """What was kept under a name, if it is what it must be."""
        found = self._load(folder, stem)
        if not isinstance(found, kind):
            raise Damaged(f"What the run '{self.name}' keeps as its {noun} is damaged", _AGAIN)
        return found

    def _load(self, folder: str, stem: str) -> Any:
        self._check_format()
        try:
            return bundle.load(self.folder / folder, stem)
        except FileNotFoundError:
            raise StoreError(f"The run '{self.name}' has no {stem} yet; {self._then}") from None

    def _check_format(self) -> None:
        """Refuse a run that as a whole is of a format not read here; a spoilt run.json says nothing of the other files."""
        try:
            _ = self.manifest
        except VersionError:
            raise
        except (FileNotFoundError, Damaged):
            pass

    def __repr__(self) -> str:
        return f"Run({self.name!r} in {str(self.folder.parent)!r})"


def write_labels(
    findings: Findings, path: Path, *, without: Sequence[int] = (), then: str = AGAIN
) -> Path:
    """Who is in which group, as CSV; members from the first up to the second position in `without` are left out."""
    write_text(path, csv_text(label_columns(findings), without), then=then)
    return path


def write_report(findings: Findings, path: str | Path, *, then: str = AGAIN) -> Path:
    """Write the HTML report; `then` says how to go on when it cannot be written. The path is given back."""
    from coterie.show.report import render

    target = Path(path)
    make_folder(target.parent, then=then)
    write_bytes(target, render(findings).encode("utf-8", "replace"), then=then)
    return target


def csv_text(columns: Mapping[str, Sequence[Any]], without: Sequence[int] = ()) -> str:
    """Columns as the text of a CSV file; rows from the first up to the second position in `without` are left out."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    rows = list(zip(*columns.values(), strict=True))
    writer.writerows(rows if not without else [*rows[: without[0]], *rows[without[1] :]])
    return text.getvalue()


def label_columns(findings: Findings) -> dict[str, list[Any]]:
    """The columns of an export: id, group, name of the group, confidence, whether it is unstable, and whom a member repeats."""
    unstable = find_unstable(findings)
    names = {group.label: group.name for group in findings.groups}
    labels = [int(label) for label in findings.labels]
    ids = [_writable(str(i)) for i in findings.ids]
    return {
        "id": ids,
        "group": labels,
        "group_name": [
            names.get(label, "" if label < 0 else f"group {label + 1}") for label in labels
        ],
        "confidence": [float(c) for c in findings.confidence],
        "unstable": [label in unstable for label in labels],
        "duplicate_of": [_writable(member) for member in repeated_ids(findings)],
        **level_columns(findings),
    }


def _writable(word: str) -> str:
    """The same as UTF-8 can write it."""
    return word.encode("utf-8", "backslashreplace").decode("utf-8")


def now_text() -> str:
    """The time as the store writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _mine(record: Record) -> Record:
    """The same, worked on by this process."""
    return replace(record, pid=os.getpid(), host=host(), birth=birth(os.getpid()))


def _checked(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise StoreError(
            f"The name of a kept value must be letters, digits, '.', '_' or '-', and was '{name}'."
        )
    return name
