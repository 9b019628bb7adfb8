"""Findings under a person's edits: members, sizes and names of the groups as they stand, and names carried into a new run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie.core.edits import Edit, Steered, applied, effective, holding, started, stepped
from coterie.core.errors import DataError
from coterie.core.findings import Findings, Group
from coterie.core.taught import MADE_UP
from coterie.messages.exploration import headline
from coterie.run.atomic import AGAIN, write_text
from coterie.run.steering_log import FILE, read_log
from coterie.run.stored import Run, csv_text, label_columns
from coterie.workflows.describe import name_of


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
    return replace(findings, labels=state.labels, groups=[group for group in groups if group.size])


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
    return replace(known, name=name, size=size, confidence=sure, typical=typical, doubtful=doubtful)


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
        groups.append(replace(group, name=own))
    return replace(findings, groups=groups)


def _told(group: Group) -> str:
    """What a group is called by its telling words, or by its number."""
    return name_of(group.telling, group.label) if group.telling else f"group {group.label + 1}"


def write_labels(
    findings: Findings, path: Path, *, without: Sequence[int] = (), then: str = AGAIN
) -> Path:
    """Who is in which group, as CSV; members from the first up to the second position in `without` are left out."""
    write_text(path, csv_text(label_columns(findings), without), then=then)
    return path


def settle(run: Run, findings: Findings | None = None, *, then: str = AGAIN) -> Path:
    """Bring labels.csv and the line of a run in the index to the groups as they stand; written only where it differs."""
    found = current(run) if findings is None else findings
    path = run.path / "labels.csv"
    text = csv_text(label_columns(found), standing(run))
    record = run.record()
    if not path.exists() or path.read_bytes() != text.encode("utf-8"):
        write_text(path, text, then=then)
    summary = headline(found)
    if (record.groups, record.summary) != (len(found.groups), summary):
        run.update(groups=len(found.groups), summary=summary)
    return path


def standing(run: Run) -> tuple[int, ...]:
    """From where to where members of another run stand for groups among those of a replayed one; nothing in other runs."""
    replay = run.request.replay
    return () if replay is None else replay.standing
