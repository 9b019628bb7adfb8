"""What a session of interactive clustering knows at a moment, as plain values: its state, its log, and both as one file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from coterie.core.cooccurrence import Cooccurrence
from coterie.core.errors import DataError, StoreError

FORMAT = 1
NEW, GROUPS, TYPES, SEEDS, DEFAULT, MEMBERS_STEP, CHECK, FEATURES_STEP, REVIEW, DONE = (
    "new", "k", "types", "seeds", "default", "cluster-members", "check", "cluster-features", "review", "done",
)  # fmt: skip
STATUSES = (NEW, GROUPS, TYPES, SEEDS, DEFAULT, MEMBERS_STEP, CHECK, FEATURES_STEP, REVIEW, DONE)
AUTOMATIC = (NEW, DEFAULT, MEMBERS_STEP, CHECK, FEATURES_STEP)  # nobody need say anything: `advance` goes on

Groups = Sequence[Sequence[str]]  # features of every group
Entry = dict[str, Any]  # one line of the log


@dataclass(frozen=True)
class State:
    """Everything between two transitions; members and features are called by their ids, groups by their numbers from 0."""

    status: str = NEW
    k: int = 0
    group_names: Sequence[str] = ()
    feature_types: Sequence[str] = ()
    tables: Mapping[str, str] = field(default_factory=dict)  # type -> digest of its counts
    draft: Mapping[str, Groups] = field(default_factory=dict)  # seeds that are being written down
    seed_groups: Mapping[str, Groups] = field(default_factory=dict)  # what members are clustered by
    used: Mapping[str, Groups] = field(default_factory=dict)  # what they were last clustered by
    given: Mapping[str, Groups] = field(default_factory=dict)  # what the person gave: seeds, added and moved features
    rejected: Mapping[str, Sequence[str]] = field(default_factory=dict)  # deleted, and not proposed again
    ties: Sequence[Mapping[str, Any]] = ()  # clusters of features whose seeds are of several groups alike, and what was said
    iteration: int = 0
    covered: Sequence[str] = ()  # members of the last clustering
    doc_cluster: Mapping[str, int] = field(default_factory=dict)
    feature_cluster: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    first: Mapping[str, int] = field(default_factory=dict)  # groups of the first iteration, for a classifier
    history: Sequence[Mapping[str, Any]] = ()  # one entry per clustering of the members

    def record(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> State:
        """From what `record` gave and JSON kept."""
        return cls(**{one.name: record[one.name] for one in fields(cls)})

    def changed(self, **changes: Any) -> State:
        """The same with other values."""
        return replace(self, **changes)


def effective(log: Iterable[Entry]) -> list[Entry]:
    """The entries that are in force: what was undone is gone, and so are the undoings."""
    kept: list[Entry] = []
    for entry in log:
        if entry["do"] == "undo":
            del kept[len(kept) - int(entry["back"]) :]
        else:
            kept.append(entry)
    return kept


def digest_of_ids(ids: Sequence[str]) -> str:
    """What tells two collections of members apart."""
    told = hashlib.sha256()
    for one in ids:
        told.update(one.encode("utf-8", "surrogatepass") + b"\0")
    return told.hexdigest()[:16]


def digest_of_table(table: Cooccurrence) -> str:
    """What tells two tables of counts apart: the names of the columns and all counts."""
    counts = table.counts.copy()
    counts.sum_duplicates()
    told = hashlib.sha256(digest_of_ids(table.cols).encode())
    for part in (counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data.astype(np.float64)):
        told.update(part.tobytes())
    return told.hexdigest()[:16]


# ---- one file --------------------------------------------------------------------------------------------------------------


def text_of(record: Mapping[str, Any]) -> str:
    """A session as JSON: the same session gives the same bytes."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def record_of(text: str, name: str) -> dict[str, Any]:
    """A session from JSON; the sentence says what is wrong with it."""
    try:
        record = json.loads(text)
    except ValueError:
        raise DataError(f"'{name}' is no session: it cannot be read as JSON.") from None
    wanted = {"format", "collection_id", "rng_seed", "settings", "log", *(one.name for one in fields(State))}
    if not isinstance(record, dict) or not wanted <= record.keys():
        raise DataError(
            f"'{name}' is no session: it lacks {', '.join(sorted(wanted - set(record if isinstance(record, dict) else ())))}."
        )
    if record["format"] != FORMAT:
        raise DataError(f"'{name}' is a session of format {record['format']}, and this version reads format {FORMAT}.")
    return record


def write(path: Path, text: str) -> None:
    """Written aside, then renamed: the file is the old one or the new one, never a part of it."""
    part = path.parent / f".{path.name}.{os.getpid()}-{uuid4().hex[:8]}"
    try:
        with part.open("xb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"The session could not be saved to '{path}' ({why}); what was saved before is untouched.") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
