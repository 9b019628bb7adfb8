"""Findings under a person's edits: members, sizes and names of the groups as they stand, and names carried into a new run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.core.edits import Edit, Steered, applied, effective, holding, started, stepped
from coterie.core.errors import DataError, StoreError
from coterie.core.findings import Findings, Group, Naming, Population
from coterie.core.taught import MADE_UP
from coterie.messages.exploration import headline
from coterie.messages.notes import note_put_back, write_name
from coterie.run.bundle import AGAIN, write_text
from coterie.run.steering_log import FILE, read_log
from coterie.run.stored import Run, csv_text, label_columns


def current(run: Run, found: Findings | None = None) -> Findings:
    """The findings of a run as they stand: as they were found (`found`, where they are at hand), or with all edits since."""
    findings = run.findings() if found is None else found
    log = read_log(run.path / FILE)
    return after(findings, log, state_of(findings, log, run.path / FILE)) if log else findings


def state_of(findings: Findings, log: Sequence[Edit], path: Path) -> Steered:
    """The groups after all edits of a log; a line that does not fit the run is named."""
    names = [group.name for group in findings.groups]
    ids = [str(member) for member in findings.ids]
    try:
        return applied(findings.labels, names, log, ids)
    except DataError:
        line, why = _misfit(findings, log, names, ids)
    raise DataError(
        f"Line {line} of {path} does not fit the run ({why.rstrip('.')}); mend or remove that line."
    )


def _misfit(
    findings: Findings, log: Sequence[Edit], names: list[str], ids: list[str]
) -> tuple[int, str]:
    """The first line of a log that does not fit, and why."""
    for at in range(1, len(log) + 1):
        try:
            held = holding(log[:at])
        except DataError as error:
            return at, str(error)
    state = started(findings.labels, names)
    place = {member: i for i, member in enumerate(ids)}
    for at, edit in held:
        try:
            state = stepped(state, edit, place)
        except DataError as error:
            return at + 1, str(error)
    return len(log), "it cannot be carried out"


def after(findings: Findings, log: Sequence[Edit], state: Steered) -> Findings:
    """The findings with the groups after these edits, and a summary that says so."""
    held = effective(log)
    if not held:
        return findings
    return replace(as_steered(findings, state), edits=len(held))


def as_steered(findings: Findings, state: Steered) -> Findings:
    """The findings with the groups of this state, empty ones left out; those that changed show nobody who left them."""
    known = {group.label: group for group in findings.groups}
    groups = [_group(known.get(label), label, state, findings) for label in sorted(state.names)]
    groups = [group for group in groups if group.size]
    same = np.array_equal(state.labels, findings.labels)
    levels = findings.levels if same else ()  # of groups that are no longer these
    return replace(findings, labels=state.labels, groups=groups, levels=levels)


def _group(known: Group | None, label: int, state: Steered, findings: Findings) -> Group:
    inside = np.flatnonzero(state.labels == label)
    sure = float(findings.confidence[inside].mean()) if len(inside) else 0.0
    here = set(inside.tolist())
    if known is None:
        order = inside[np.argsort(-findings.confidence[inside], kind="stable")]
        return Group(
            label, state.names[label], len(inside), sure, tuple(int(i) for i in order[:6]), ()
        )
    typical, doubtful = (
        tuple(i for i in some if i in here) for some in (known.typical, known.doubtful)
    )
    size = len(inside)
    name = state.names[label]
    naming = known.naming if name == known.name else Naming("given", (name,))
    return replace(
        known,
        name=name,
        size=size,
        confidence=sure,
        typical=typical,
        doubtful=doubtful,
        naming=naming,
    )


def given_names(findings: Findings, state: Steered) -> dict[int, str]:
    """The names that a person gave, by the number from 0 of their group."""
    before = {group.label: group.name for group in findings.groups}
    return {
        label: name
        for label, name in state.names.items()
        if before.get(label) != name or label in state.locked
    }


def with_names(findings: Findings, labels: np.ndarray, names: Mapping[int, str]) -> Findings:
    """Groups found anew with the names a person gave to those most of their members were in; the others keep their own.

    A name that only says which answers to questions belong together gives way to what tells the group. `labels` are the groups
    the same members were in before; a name is given to one group only, the one that took most.
    """
    from scipy.optimize import linear_sum_assignment

    before = sorted(names)
    counts = np.zeros((len(before), len(findings.groups)))
    for row, old in enumerate(before):
        inside = findings.labels[labels == old]
        for col, group in enumerate(findings.groups):
            counts[row, col] = float((inside == group.label).sum())
    rows, cols = linear_sum_assignment(-counts)
    called = {
        int(col): names[before[row]]
        for row, col in zip(rows, cols, strict=True)
        if counts[row, col] > 0
    }
    taken = set(called.values())
    groups = []
    for col, group in enumerate(findings.groups):
        own = called.get(col) or (_told(group) if group.name.startswith(MADE_UP) else group.name)
        if col not in called and own in taken:
            own = f"{own} ({group.label + 1})"
        taken.add(own)
        naming = group.naming if own == write_name(group.naming, col) else Naming("given", (own,))
        groups.append(replace(group, name=own, naming=naming))
    return replace(findings, groups=groups)


def _told(group: Group) -> str:
    """What a group is called by what tells it, or by its number."""
    return write_name(group.naming, group.label)


def settle(run: Run, findings: Findings | None = None, *, then: str = AGAIN) -> Path:
    """Bring labels.csv and the line of a run in the index to the groups as they stand; written only where it differs."""
    found = current(run) if findings is None else findings
    path = run.path / "labels.csv"
    text = csv_text(label_columns(found), run.request.standing)
    record = run.record()
    if not path.exists() or path.read_bytes() != text.encode("utf-8"):
        write_text(path, text, then=then)
    summary = headline(found)
    if (record.groups, record.summary) != (len(found.groups), summary):
        run.update(groups=len(found.groups), summary=summary)
    return path


_VALUE = "carried"
_FEW = (
    3  # nearest members that stand for groups; where they agree they say where a new member belongs
)


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """The groups that members of a new run were in before, one number from 0 each (-1: in none, or new), and their names.

    With `new` the first so many members are new and all others stand for their groups; without, all are the members of the
    steered run, found anew.
    """

    labels: np.ndarray
    names: Mapping[int, str]
    new: int = 0

    def keep(self, run: Run) -> None:
        """Keep it with the run, so that the run ends the same way whenever it is gone on with."""
        names = {str(group): name for group, name in self.names.items()}
        run.put_json(_VALUE, {"labels": self.labels.tolist(), "names": names, "new": self.new})

    @classmethod
    def kept(cls, run: Run) -> Carried | None:
        """What was kept with a run; None where it took nothing over."""
        found: Any = run.get_json(_VALUE)
        if found is None:
            return None
        try:
            names = {int(group): str(name) for group, name in found["names"].items()}
            return cls(np.array(found["labels"], dtype=np.int64), names, int(found["new"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise StoreError(
                f"What the run '{run.name}' takes over from another is damaged; make it again."
            ) from None

    def given_to(self, findings: Findings) -> Findings:
        """The findings with the names, and where members stand for groups with the numbers, of the steered run."""
        return (
            _replayed(findings, self) if self.new else with_names(findings, self.labels, self.names)
        )


def torn(findings: Findings, carried: Carried) -> np.ndarray:
    """Per new member the steered group that its three nearest who stand for groups all stand for; -1 where they differ."""
    new = carried.new
    near = findings.neighbors[:new]
    found = np.full(new, -1, dtype=np.int64)
    standing = np.where(near >= new, carried.labels[np.maximum(near, 0)], -1)
    for member, groups in enumerate(standing):
        first = groups[groups >= 0][:_FEW]
        if len(first) == _FEW and (first == first[0]).all():
            found[member] = first[0]
    return found


def _replayed(findings: Findings, carried: Carried) -> Findings:
    """Groups numbered and named as the steered ones, and after them those that nobody stands for.

    A group that was found is the steered group most of its exemplars are of, and who stands for a group is in it. A steered
    group is lost where most new members whose three nearest exemplars all stand for it were found elsewhere: they are put back.
    """
    new = carried.new
    steered = sorted(carried.names)
    place = {group: at for at, group in enumerate(steered)}
    many = len(steered)
    owners = np.array([place[int(group)] for group in carried.labels[new:]], dtype=np.int64)
    to: dict[int, int] = {}  # found group -> steered one, or one of its own
    for group in findings.groups:
        inside = owners[findings.labels[new:] == group.label]
        to[group.label] = int(np.bincount(inside).argmax()) if len(inside) else many + group.label
    labels = np.array([to.get(int(label), -1) for label in findings.labels], dtype=np.int64)
    labels[new:] = owners
    nearest = np.array(
        [place.get(int(group), -1) for group in torn(findings, carried)], dtype=np.int64
    )
    moved = (nearest >= 0) & (nearest != labels[:new])
    lost = [
        group
        for group in range(many)
        if 2 * int(moved[nearest == group].sum()) > int((nearest == group).sum())
    ]
    moved &= np.isin(nearest, lost)
    called = {
        **{many + g.label: g.name for g in findings.groups},
        **{at: carried.names[g] for g, at in place.items()},
    }
    notes = _moved(labels[:new][moved], nearest[moved], called)
    labels[:new][moved] = nearest[moved]
    there = sorted(set(labels.tolist()) - {-1})
    names = [called[key] for key in there]
    rank = {key: at for at, key in enumerate(there)}
    labels = np.array([rank.get(key, -1) for key in labels.tolist()], dtype=np.int64)
    source = {
        at: _largest(findings, [old for old, own in to.items() if own == key])
        for key, at in rank.items()
    }
    state = Steered(labels, dict(enumerate(names)), last=len(names))
    return as_steered(
        replace(_renumbered(findings, source), notes=[*findings.notes, *notes]), state
    )


def _moved(found: np.ndarray, nearest: np.ndarray, called: Mapping[int, str]) -> list[str]:
    """One sentence per group on new members that were put into it by those who stand for it."""
    said: list[str] = []
    for group in np.unique(nearest):
        others = found[nearest == group]
        count = len(others)
        before = ", ".join(called[g] for g in sorted(set(others.tolist())) if g >= 0) or "nobody"
        said.append(note_put_back(called[int(group)], count, before))
    return said


def _largest(findings: Findings, labels: list[int]) -> int:
    """The largest of some groups; -1 where there is none."""
    sizes = {group.label: group.size for group in findings.groups}
    return max(labels, key=lambda label: (sizes[label], -label), default=-1)


def _renumbered(findings: Findings, source: Mapping[int, int]) -> Findings:
    """Groups under other numbers: `source` says for every number which group it was (-1: none)."""
    known = {group.label: group for group in findings.groups}
    groups = [replace(known[old], label=at) for at, old in source.items() if old in known]
    evidence = replace(findings.evidence, renumbered=True)
    findings = replace(findings, evidence=evidence)
    wanted = np.array([source[at] for at in sorted(source)], dtype=np.int64)
    return replace(
        findings, groups=groups, populations=[_columns(one, wanted) for one in findings.populations]
    )


def _columns(one: Population, wanted: np.ndarray) -> Population:
    """A population with the columns of its lift in another order; a group that was not found meets all as by chance."""
    wide = np.concatenate([one.lift, np.ones((len(one.lift), 1))], axis=1)
    inside = np.where((wanted >= 0) & (wanted < one.lift.shape[1]), wanted, one.lift.shape[1])
    return replace(one, lift=wide[:, inside])
