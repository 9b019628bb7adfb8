"""Replaying: the groups a person made in one run, found again in other data by members that stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.people import as_known
from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.edits import Steered
from coterie.core.errors import DataError
from coterie.core.findings import Group
from coterie.core.hints import Hints
from coterie.core.stacked import stacked
from coterie.run.engine import Exploration, explore
from coterie.run.steered import write_labels
from coterie.run.steering import Steering
from coterie.run.stored import Run
from coterie.walks.populations import with_view

EXEMPLARS = 30  # members of every group that stand for it


@dataclass(frozen=True, eq=False)
class Replayed:
    """New members in the groups of a steered run: their ids, groups (numbers from 0, -1 in none), names and confidence."""

    ids: tuple[str, ...]
    labels: np.ndarray
    names: tuple[str, ...]  # of all groups
    known: tuple[bool, ...]  # whether each group is one of the steered run
    confidence: np.ndarray
    exemplars: int  # members of the steered run that stood for its groups
    run: Run | None = None
    path: Path | None = None
    notes: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """What happened, in words."""
        sizes = np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))
        found = [name for name, size, known in zip(self.names, sizes, self.known, strict=True) if known and size]
        total = sum(self.known)
        said = [f"{len(self.ids):,} new members were grouped by {self.exemplars:,} that stand for {total} groups; "
                f"{len(found)} of these were found again."]  # fmt: skip
        empty = [name for name, size, known in zip(self.names, sizes, self.known, strict=True) if known and not size]
        if empty:
            said.append(f"Nobody new belongs to {', '.join(empty)}.")
        fresh = [
            f"{name} ({size})" for name, size, known in zip(self.names, sizes, self.known, strict=True) if not known and size
        ]
        if fresh:
            said.append(f"New groups: {'; '.join(fresh)}.")
        alone = int((self.labels < 0).sum())
        return [*said, f"{alone:,} {'is' if alone == 1 else 'are'} in no group."] if alone else said

    def rows(self) -> list[tuple[str, str, float]]:
        """(id, name of the group, confidence) per new member."""
        groups = [self.names[g] if g >= 0 else "in no group" for g in self.labels]
        return [(i, g, float(c)) for i, g, c in zip(self.ids, groups, self.confidence, strict=True)]

    def frame(self, backend: str | None = None) -> Any:
        """One row per new member as a frame."""
        from coterie.run.frames import frame

        groups = [self.names[g] if g >= 0 else "" for g in self.labels]
        columns = {"id": list(self.ids), "group": self.labels.tolist(), "name": groups, "confidence": self.confidence.tolist()}
        return frame(columns, backend)


def replay(
    run: Run | str | None, source: Any, *, store: Any = True, name: str | None = None, k: int | None = None, **reading: Any
) -> Replayed:
    """Find the groups that a person made in a run again in other data, as a stored run of its own.

    Up to 30 members of every group (those named in edits, then the surest) join the new members, labeled by their group; only
    the new ones are reported. `k` is the number of groups, as many as the steered run has when left out.
    """
    steering = Steering(run, store)
    state, found = steering.state, steering.found
    chosen = exemplars(steering, state)
    if not chosen:
        raise DataError(f"The run '{steering.run.name}' has no groups that could be found again.")
    new = _read_alike(found, source, reading)
    positions = sorted(at for some in chosen.values() for at in some)
    old = found.collection.take(positions)
    prefix = f"{steering.run.name}: "
    old = replace(old, ids=[prefix + member for member in old.ids], links=_renamed(old, prefix))
    title = name or new.name
    joined = stacked(new, old, title)
    labels = {prefix + found.collection.ids[at]: state.names[group] for group, some in chosen.items() for at in some}
    wanted = {**steering.run.settings["choices"], "k": k or len(chosen)}
    made = explore(
        joined,
        hints=Hints.of(joined.ids, labels),
        store=steering.run.folder.parent,
        name=name,
        truth=sorted(joined.truth),
        **wanted,
    )
    group_of = {at: group for group, some in chosen.items() for at in some}
    return _reported(made, len(new), np.array([group_of[at] for at in positions]), state, steering.run)


def exemplars(steering: Steering, state: Steered, most: int = EXEMPLARS) -> dict[int, list[int]]:
    """Positions that stand for every group (its number from 0): members named in edits first, then the surest."""
    n, place = len(steering.found.collection), {member: at for at, member in enumerate(steering.ids)}
    said = [place[m] for edit in reversed(steering.edits()) if edit.kind != "split" for m in edit.members]
    sure, chosen = steering.findings.confidence, {}
    for group in sorted(state.names):
        inside = np.flatnonzero(state.labels[:n] == group)
        named = [at for at in dict.fromkeys(said) if at < n and state.labels[at] == group]
        rest = [int(at) for at in inside[np.argsort(-sure[inside], kind="stable")] if int(at) not in set(named)]
        if len(inside):
            chosen[group] = sorted([*named, *rest][:most])
    return chosen


def _read_alike(found: Exploration, source: Any, reading: Mapping[str, Any]) -> Collection:
    """New members read as the old ones were, with the ids they have in their own source."""
    if isinstance(source, Collection):
        return as_known(with_view(source, found.collection), found.collection)
    kept = dict(found.run.settings.get("reading", {})) if found.run is not None else dict(found.reading)
    named = {key: value for key, value in reading.items() if value not in (None, [], (), {})}
    view = found.walked.view
    given = {**{key: value for key, value in kept.items() if key not in ("truth", "links")}, **named}
    return as_known(read(source, **given, like={view: found.collection.view(view)}), found.collection)


def _renamed(old: Collection, prefix: str) -> dict[tuple[str, str], Any]:
    """The links with the new ids of the members."""
    kept = set(old.ids)
    return {
        pair: replace(link, rows=[prefix + i for i in link.rows]) if set(link.rows) == kept else link
        for pair, link in old.links.items()
    }


def _reported(made: Exploration, new: int, owners: np.ndarray, state: Steered, before: Run) -> Replayed:
    """The new members alone, in the groups of the steered run, in the result and in labels.csv of the run that was made.

    A group that was found belongs to the steered group most of its exemplars are of; one without any is new.
    """
    findings, run, path = made.findings, made.run, None
    taken = {group: at for at, group in enumerate(dict.fromkeys(sorted(owners.tolist())))}
    names, place = [state.names[group] for group in taken], dict[int, int]()
    for group in findings.groups:
        inside = owners[findings.labels[new:] == group.label]
        if len(inside):
            place[group.label] = taken[int(np.bincount(inside).argmax())]
        elif (findings.labels[:new] == group.label).any():
            place[group.label] = len(names)
            names.append(group.name)
    labels = np.array([place.get(int(label), -1) for label in findings.labels[:new]], dtype=np.int64)
    ids, sure = list(findings.ids)[:new], findings.confidence[:new]
    groups = [Group(at, name, int((labels == at).sum()), 0.0, (), ()) for at, name in enumerate(names)]
    if run is not None:
        part = replace(findings, ids=ids, labels=labels, confidence=sure, groups=groups)
        path = write_labels(part, run.path / "labels.csv", then=f"run: coterie report {run.called}")
        run.update(settings={**run.settings, "reading": before.settings["reading"], "replayed": before.name})
    said = (
        f"{len(owners):,} members of '{before.name}' stand in the report beside the new ones; labels.csv has the new ones only."
    )
    known = tuple(at < len(taken) for at in range(len(names)))
    return Replayed(tuple(ids), labels, tuple(names), known, sure, len(owners), run, path, (*findings.notes, said))
