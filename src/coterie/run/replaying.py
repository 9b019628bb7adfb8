"""Replaying: the groups a person made in one run, found again in other data by members that stand for them."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.people import as_known
from coterie.collect.united import spread_out
from coterie.core.collection import Collection
from coterie.core.edits import Steered
from coterie.core.errors import DataError, ParameterError
from coterie.core.hints import Hints
from coterie.core.stacked import stacked
from coterie.run.engine import Exploration, begin
from coterie.run.placing import OF_MEMBERS, read_later
from coterie.run.steered import Carried
from coterie.run.steering import Steering
from coterie.run.stored import Run
from coterie.workflows.populations import with_view
from coterie.workflows.request import Replay, check_name, choose
from coterie.workflows.spaces import with_beside

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
        found = [
            name
            for name, size, known in zip(self.names, sizes, self.known, strict=True)
            if known and size
        ]
        total = sum(self.known)
        count = "1 new member was" if len(self.ids) == 1 else f"{len(self.ids):,} new members were"
        some = f"{total} groups; {len(found)} of these {'was' if len(found) == 1 else 'were'} found again"
        some = some if total != 1 else f"1 group, which was {'' if found else 'not '}found again"
        said = [f"{count} grouped by {self.exemplars:,} that stand for {some}."]
        empty = [
            name
            for name, size, known in zip(self.names, sizes, self.known, strict=True)
            if known and not size
        ]
        if empty:
            quoted = ", ".join(f"'{name}'" for name in empty)
            said.append(f"Nobody new belongs to {quoted}.")
        fresh = [
            f"'{name}' ({size})"
            for name, size, known in zip(self.names, sizes, self.known, strict=True)
            if not known and size
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
        columns = {
            "id": list(self.ids),
            "group": self.labels.tolist(),
            "name": groups,
            "confidence": self.confidence.tolist(),
        }
        return frame(columns, backend)


def replay(
    run: Run | str | None,
    source: Any,
    *,
    store: Any = True,
    name: str | None = None,
    k: int | None = None,
    **reading: Any,
) -> Replayed:
    """Find the groups that a person made in a run again in other data, as a stored run of its own.

    Up to 30 members of every group (those named in edits, then the surest) join the new members, labeled by their group; only
    the new ones are reported. `k` is the number of groups, as many as the steered run has when left out.
    """
    check_name(name)
    steering = Steering(run, store)
    state = steering.state
    found = steering.found
    before = steering.run
    chosen_by = exemplars(steering, state)
    many = len(chosen_by)
    if not many:
        raise DataError(f"The run '{before.name}' has no groups that could be found again.")
    if k is not None and k < many:
        raise ParameterError(
            f"There are {many} groups to be found again, so that k must be at least {many}, and was {k}."
        )
    new = _read_alike(found, source, reading)
    if found.analysis.beside:
        with_beside(new, found.analysis.view, found.analysis.beside)  # refused where one lacks
    positions = sorted(at for some in chosen_by.values() for at in some)
    old = found.collection.take(positions)
    prefix = f"{before.name}: "
    old = replace(old, ids=[prefix + member for member in old.ids], links=_renamed(old, prefix))
    joined = with_view(stacked(new, old, name or new.name))
    group_of = {at: group for group, some in chosen_by.items() for at in some}
    owners = [group_of[at] for at in positions]
    hints = Hints.of(
        joined.ids,
        {prefix + found.collection.ids[at]: state.names[group_of[at]] for at in positions},
    )
    labels = np.array([*[-1] * len(new), *owners], dtype=np.int64)
    carried = Carried(labels, {group: state.names[group] for group in chosen_by}, len(new))
    where = str(source) if isinstance(source, (str, Path)) else ""
    request = before.request.but(
        source=joined.name,
        path="",
        name=name,
        choices=choose({**before.request.choices.to_json(), "k": k or many}),
        command=f"coterie replay {before.called} {shlex.quote(where or 'PATH')}",
        origin=Replay(run=before.name, source=where, standing=(len(new), len(joined))),
    )
    made = begin(joined, request, hints, before.folder.parent, carried)
    return _reported(made, carried, before)


def exemplars(steering: Steering, state: Steered, most: int = EXEMPLARS) -> dict[int, list[int]]:
    """Positions that stand for every group (its number from 0): members named in edits first, then the surest."""
    n = len(steering.found.collection)
    place = {member: at for at, member in enumerate(steering.ids)}
    said = [
        place[m]
        for edit in reversed(steering.edits())
        if edit.kind != "split"
        for m in edit.members
    ]
    sure = steering.findings.confidence
    chosen = {}
    for group in sorted(state.names):
        inside = np.flatnonzero(state.labels[:n] == group)
        named = [at for at in dict.fromkeys(said) if at < n and state.labels[at] == group]
        known = set(named)
        rest = [
            int(at)
            for at in inside[np.argsort(-sure[inside], kind="stable")]
            if int(at) not in known
        ]
        if len(inside):
            chosen[group] = sorted([*named, *rest][:most])
    return chosen


def _read_alike(found: Exploration, source: Any, reading: Mapping[str, Any]) -> Collection:
    """New members read as the old ones were, with the ids they have in their own source."""
    if isinstance(source, Collection):
        return as_known(with_view(source, found.collection), found.collection)
    kept = found.request.reading.options()
    named = {key: value for key, value in reading.items() if value not in (None, [], (), {})}
    given = {
        **{key: value for key, value in kept.items() if key not in ("truth", "links", *OF_MEMBERS)},
        **named,
    }
    truth = [] if "truth" in named else list(kept.get("truth") or ())
    if truth:
        with contextlib.suppress(DataError):  # the new ones may have no such column
            return _whole(
                as_known(read_later(found, source, {**given, "truth": truth}), found.collection),
                found,
            )
    return _whole(as_known(read_later(found, source, given), found.collection), found)


def _whole(new: Collection, found: Exploration) -> Collection:
    """New members in all views of the run; a view that none of them has is there, and empty."""
    names = found.analysis.views
    if (
        not names
        or all(name in new.views for name in names)
        or not any(name in new.views for name in names)
    ):
        return new
    nobody = np.full(len(new), -1, dtype=np.int64)
    return replace(
        new,
        views={
            n: new.views[n] if n in new.views else spread_out(found.collection.view(n), nobody, n)
            for n in names
        },
    )


def _renamed(old: Collection, prefix: str) -> dict[tuple[str, str], Any]:
    """The links with the new ids of the members."""
    kept = set(old.ids)
    return {
        pair: replace(link, rows=[prefix + i for i in link.rows])
        if set(link.rows) == kept
        else link
        for pair, link in old.links.items()
    }


def _reported(made: Exploration, carried: Carried, before: Run) -> Replayed:
    """The new members alone, in the groups of the steered run and in those that were found besides."""
    findings = made.findings
    run = made.run
    new = carried.new
    standing = len(carried.labels) - new
    beside = f"{standing:,} members of '{before.name}' stand in the report beside the new ones; labels.csv has the new ones only."
    names = tuple(group.name for group in findings.groups)
    return Replayed(
        ids=tuple(findings.ids[:new]),
        labels=findings.labels[:new],
        names=names,
        known=tuple(at < len(carried.names) for at in range(len(names))),
        confidence=findings.confidence[:new],
        exemplars=standing,
        run=run,
        path=None if run is None else run.path / "labels.csv",
        notes=(*findings.notes, beside),
    )
