"""What a session of interactive clustering knows at a moment, as plain values: its state and its log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from coterie.core.links import Cooccurrence

NEW = "new"
GROUPS = "k"
TYPES = "types"
SEEDS = "seeds"
DEFAULT = "default"
MEMBERS_STEP = "cluster-members"
CHECK = "check"
FEATURES_STEP = "cluster-features"
REVIEW = "review"
DONE = "done"
STATUSES = (NEW, GROUPS, TYPES, SEEDS, DEFAULT, MEMBERS_STEP, CHECK, FEATURES_STEP, REVIEW, DONE)
AUTOMATIC = (
    NEW,
    DEFAULT,
    MEMBERS_STEP,
    CHECK,
    FEATURES_STEP,
)  # nobody need say anything: `advance` goes on
STEPS = {
    NEW: "begin",
    DEFAULT: DEFAULT,
    MEMBERS_STEP: MEMBERS_STEP,
    CHECK: CHECK,
    FEATURES_STEP: FEATURES_STEP,
}  # how logged
_BY_TYPE = ("tables", "draft", "seed_groups", "used", "given", "rejected", "feature_cluster")

Groups = Sequence[Sequence[str]]  # features of every group
Entry = dict[str, Any]  # one line of the log


@dataclass(frozen=True)
class State:
    """Everything between two transitions; members and features are called by their ids, groups by their numbers from 0."""

    status: str = NEW
    k: int = 0
    group_names: Sequence[str] = field(default_factory=list)
    feature_types: Sequence[str] = field(default_factory=list)
    tables: Mapping[str, str] = field(default_factory=dict)  # type -> digest of its counts
    draft: Mapping[str, Groups] = field(default_factory=dict)  # seeds that are being written down
    seed_groups: Mapping[str, Groups] = field(default_factory=dict)  # what members are clustered by
    used: Mapping[str, Groups] = field(default_factory=dict)  # what they were last clustered by
    given: Mapping[str, Groups] = field(
        default_factory=dict
    )  # what the person gave: seeds, added and moved features
    rejected: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # deleted, and not proposed again
    ties: Sequence[Mapping[str, Any]] = field(
        default_factory=list
    )  # clusters whose seeds are of several groups; what was said
    iteration: int = 0
    covered: Sequence[str] = field(default_factory=list)  # members of the last clustering
    doc_cluster: Mapping[str, int] = field(default_factory=dict)
    feature_cluster: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    first: Mapping[str, int] = field(
        default_factory=dict
    )  # groups of the first iteration, for a classifier
    history: Sequence[Mapping[str, Any]] = field(
        default_factory=list
    )  # one entry per clustering of the members

    def record(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> State:
        """From what `record` gave and JSON kept; what goes by type is in the order of the types again."""
        found: dict[str, Any] = {one.name: record[one.name] for one in fields(cls)}
        return cls(
            **found | {name: by_type(found[name], found["feature_types"]) for name in _BY_TYPE}
        )

    def changed(self, **changes: Any) -> State:
        """The same with other values."""
        return replace(self, **changes)


def by_type(given: Mapping[str, Any], types: Sequence[str]) -> dict[str, Any]:
    """What goes by type, in the order in which the types were chosen.

    >>> by_type({"marks": 1, "words": 2}, ["words", "marks", "tags"])
    {'words': 2, 'marks': 1}
    """
    return {kind: given[kind] for kind in types if kind in given}


def effective(log: Iterable[Entry]) -> list[Entry]:
    """The entries that are in force: what was undone is gone, and so are the undoings."""
    kept: list[Entry] = []
    for entry in log:
        if entry["do"] == "undo":
            del kept[len(kept) - int(entry["back"]) :]
        else:
            kept.append(entry)
    return kept


def since_step(log: Iterable[Entry]) -> list[Entry]:
    """The choices in force since members or features were last clustered: they can be made again in no time."""
    kept = effective(log)
    last = max((at for at, entry in enumerate(kept) if entry["do"] in STEPS.values()), default=-1)
    return kept[last + 1 :]


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
    for part in (
        counts.indptr.astype(np.int64),
        counts.indices.astype(np.int64),
        counts.data.astype(np.float64),
    ):
        told.update(part.tobytes())
    return told.hexdigest()[:16]
