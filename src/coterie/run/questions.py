"""Questions to a stored run: who is near a member, how the groups agree with known answers, and where new members go."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie.collect.reading import only_answer, read_answers
from coterie.core.collection import Collection, position
from coterie.core.errors import DataError
from coterie.core.findings import Findings
from coterie.judge import judge_partition
from coterie.pipeline import by_links
from coterie.run.engine import Exploration, load, open_run
from coterie.run.placing import Placement, joined_findings, place, read_alike
from coterie.run.reporting import write_report
from coterie.run.steered import current, settle
from coterie.workflows.populations import links_of, used
from coterie.workflows.reasons import in_common, of_group
from coterie.workflows.view_reasons import alike_by_views, group_by_views
from coterie.workflows.view_space import SeenViews, SharedSpace


def neighbors(
    name: str | None, member: str, *, most: int = 10, store: Any = True
) -> list[dict[str, Any]]:
    """The members nearest to one member: id, nearness from 0 to 1, group and a line of what each is."""
    run = open_run(name, store)
    return neighbors_in(current(run), member, most, run.name)


def neighbors_in(findings: Findings, member: str, most: int, where: str) -> list[dict[str, Any]]:
    """The same of findings at hand; `where` names them in the sentence on a member that is not there."""
    ids = list(findings.ids)
    at = position(ids, _known(member, ids), where)
    names = {group.label: group.name for group in findings.groups}
    rows = []
    for other, nearness in zip(
        findings.neighbors[at][:most], findings.nearness[at][:most], strict=True
    ):
        if other >= 0:
            group = names.get(int(findings.labels[other]), "in no group")
            rows.append(
                {
                    "id": ids[other],
                    "nearness": float(nearness),
                    "group": group,
                    "snippet": findings.snippets[other],
                }
            )
    return rows


def explain(
    name: str | None, members: Sequence[str], *, group: int | None = None, store: Any = True
) -> list[str]:
    """Why two or more members of a stored run (their ids), or the members of a group (its number from 1), are alike."""
    found = load(name, store=store)
    return explain_in(
        found if found.run is None else replace(found, findings=current(found.run)), members, group
    )


def explain_in(found: Exploration, members: Sequence[str], group: int | None = None) -> list[str]:
    """The same of an exploration at hand, in sentences."""
    steps = found.analysis.pipeline.steps_
    comparer = next(step for step in steps if hasattr(step, "compare"))
    tied = by_links(steps[-1])
    space = steps[0] if isinstance(steps[0], SharedSpace) else None
    if not hasattr(comparer, "explain") and not tied and space is None:
        named = type(comparer).__name__
        raise DataError(
            f"{named} gives no reasons; explore with --compare SIC, or group by links (--organize Comraf)."
        )
    fitted = list(found.collection.ids)
    label = -1
    if group is not None:
        numbers = [one.label + 1 for one in found.findings.groups]
        if group not in numbers:
            some = (
                f"{len(numbers)}, counted from 1"
                if numbers == list(range(1, len(numbers) + 1))
                else ", ".join(map(str, numbers))
            )
            raise DataError(f"There is no group {group}; there are {some}.")
        label = group - 1
        positions = [int(m) for m in np.flatnonzero(found.findings.labels[: len(fitted)] == label)]
    else:
        members = [_known(member, found.findings.ids) for member in members]
        later = set(found.findings.ids) - set(fitted)
        for member in members:
            if member in later:
                raise DataError(
                    f"'{member}' was added later, and only members the run was made from are explained."
                )
        positions = [position(fitted, member, found.collection.name) for member in members]
    if space is not None:
        seen = SeenViews({name: found.collection.view(name) for name in found.analysis.views})
        labels = found.findings.labels[: len(fitted)]
        groups = found.findings.groups
        if group is not None:
            return group_by_views(space, seen, label, labels, groups)
        return alike_by_views(space, seen, positions, fitted, labels, groups)
    if tied:
        links = used(
            steps[-1], links_of(found.collection, found.analysis.view, type(steps[-1]).__name__)
        )
        labels = found.findings.labels[: len(fitted)]
        groups = found.findings.groups
        return (
            in_common(links, positions, labels, groups)
            if group is None
            else of_group(links, label, labels, groups)
        )
    return list(comparer.explain(positions, names=fitted).sentences)


@dataclass(frozen=True)
class Judged:
    """A run measured against known answers."""

    run: str
    truth: str
    members: int
    unknown: int
    measures: Mapping[str, float]
    breakdown: list[list[str]]
    later: int = 0  # members added later, which have no answer

    def sentence(self) -> str:
        """The measures in one sentence."""
        nmi = self.measures["nmi"]
        ari = self.measures["adjusted_rand"]
        some = "1 member" if self.unknown == 1 else f"{self.unknown:,} members"
        left = f" ({some} without an answer left out)" if self.unknown else ""
        share = f"share {nmi:.0%} of the information (NMI {nmi:.3f}, adjusted Rand {ari:.3f})"
        said = f"Against '{self.truth}', the groups of {self.run} {share}{left}."
        if not self.later:
            return said
        added = (
            "the 1 member added later has"
            if self.later == 1
            else f"the {self.later:,} members added later have"
        )
        return f"{said} {self.members:,} members were judged; {added} no answer."

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "run": self.run,
            "truth": self.truth,
            "members": self.members,
            "unknown": self.unknown,
            "added_later": self.later,
            "measures": dict(self.measures),
        }


def judged(
    name: str | None, truth: str | None = None, *, file: str | None = None, store: Any = True
) -> Judged:
    """Measure a run against a column of truth kept with it, or read from a table and joined by id."""
    run = open_run(name, store)
    findings = current(run)
    if file is not None:
        truth = truth or only_answer(file)
        return measured(findings, _answers(file, truth, list(findings.ids)), truth, run.name)
    kept = run.collection().truth
    if not kept:
        raise DataError(
            f"The run '{run.name}' was made without a column of truth; give a table with --from FILE --truth COLUMN."
        )
    column = truth or (next(iter(kept)) if len(kept) == 1 else "")
    if column not in kept:
        wrong = f"no column of truth '{column}'; it has" if column else "several columns of truth:"
        raise DataError(
            f"The run '{run.name}' has {wrong} {', '.join(kept)}; name one with --truth."
        )
    return measured(findings, np.asarray(kept[column], dtype=object), column, run.name)


def judge_exploration(found: Exploration, truth: Any = None) -> Judged:
    """The groups of an exploration at hand against a column kept aside, or against answers in memory."""
    called = found.run.name if found.run is not None else found.collection.name
    kept = found.collection.truth
    if truth is not None and not isinstance(truth, str):
        answers = np.array(list(truth), dtype=object)
        if len(answers) not in (len(found.collection), len(found.findings)):
            raise DataError(
                f"There are {len(answers)} answers, and '{called}' has {len(found.collection)} members."
            )
        return measured(found.findings, answers, "the answers given", called)
    column = truth or (next(iter(kept)) if len(kept) == 1 else "")
    if column not in kept:
        has = (
            f"has the columns of truth {', '.join(kept)}; name one of them"
            if kept
            else "has no column of truth"
        )
        raise DataError(f"'{called}' {has}, or give the answers themselves, one per member.")
    return measured(found.findings, np.asarray(kept[column], dtype=object), column, called)


def measured(findings: Findings, answers: np.ndarray, column: str, called: str) -> Judged:
    """Groups against answers, one per member or one per member that was there before others were added."""
    labels = findings.labels[: len(answers)]
    later = len(findings) - len(answers)
    known = np.array([a is not None and a == a and a != "" for a in answers.tolist()])
    if not known.any():
        raise DataError(f"The column '{column}' has no answer for any member of '{called}'.")
    measures = judge_partition(labels[known], answers[known])
    rows = _breakdown(
        labels[known], answers[known], {group.label: group.name for group in findings.groups}
    )
    return Judged(called, str(column), int(known.sum()), int((~known).sum()), measures, rows, later)


def _breakdown(
    labels: np.ndarray, answers: np.ndarray, names: Mapping[int, str]
) -> list[list[str]]:
    rows = []
    for g, name in names.items():
        inside = answers[labels == g]
        if len(inside):
            levels, counts = np.unique([str(a) for a in inside], return_counts=True)
            top = int(np.argmax(counts))
            short = name if len(name) <= 50 else name[:49].rstrip() + "\u2026"
            rows.append(
                [short, str(len(inside)), str(levels[top]), f"{counts[top] / len(inside):.0%}"]
            )
    return rows


def _answers(file: str, truth: str, ids: list[str]) -> np.ndarray:
    """The answers of a table for these members, joined by id; brackets around the id of a message do not matter."""
    answer = {_bare(member): value for member, value in read_answers(file, truth).items()}
    if not any(_bare(member) in answer for member in ids):
        theirs = f"there, such as '{next(iter(answer))}'" if answer else "there, which has no rows"
        raise DataError(
            f"'{Path(file).name}' was joined by {_joined_on(file, truth)}, and no id {theirs}, is in the run, whose ids are "
            f"such as '{ids[0]}'."
        )
    return np.array([answer.get(_bare(member)) for member in ids], dtype=object)


def _known(member: str, ids: Sequence[str]) -> str:
    """The id of a message also where it is written in its brackets, as it stands in the mail."""
    return _bare(member) if member not in ids and _bare(member) in ids else member


def _bare(member: str) -> str:
    return member[1:-1] if member.startswith("<") and member.endswith(">") else member


def _joined_on(file: str, truth: str) -> str:
    """The column of a table that names its members, in words."""
    from coterie.collect.columns import Named, columns_of
    from coterie.collect.files import TABLE_SUFFIXES, load, suffix_of

    path = Path(file).expanduser()
    if path.is_dir() or suffix_of(path) not in TABLE_SUFFIXES:
        return "the ids of its members"
    loaded = load(path)
    columns = columns_of(loaded.table, Named(truth=(truth,)), loaded.name, texts=False)
    return next(
        (f"its column '{column.name}'" for column in columns if column.role == "id"),
        "the numbers of its rows",
    )


def add(
    name: str,
    source: Any,
    *,
    store: Any = True,
    links: Mapping[str, Any] | None = None,
    **reading: Any,
) -> Placement:
    """Place new members into a stored run: its report, labels and neighbors grow; its groups keep their names.

    `links` gives populations of the run the tables of the new members; those the run was made from are not read again.
    """
    found = load(name, store=store)
    placed = place_later(found, source, links, **reading)
    run = found.run
    if run is not None:
        where = str(source) if isinstance(source, (str, Path)) else ""
        command = (
            f"coterie add {run.called} {shlex.quote(where)}{_options(reading, links)}"
            if where
            else ""
        )
        findings = joined_findings(found.findings, placed, where, command)
        run.save_findings(findings)
        now = current(run)
        path = settle(run, now, then=f"run: coterie steer {run.called}")
        write_report(now, run.path / "report.html", then=f"run: coterie report {run.called}")
        placed = replace(as_they_stand(placed, now), path=path)
    return placed


def as_they_stand(placed: Placement, findings: Findings) -> Placement:
    """A placement with the groups of findings that have these members as their last ones: after edits their names and numbers."""
    names = {group.label: group.name for group in findings.groups}
    labels = findings.labels[len(findings) - len(placed.ids) :]
    return replace(
        placed,
        labels=labels,
        names=tuple(names.get(at, "") for at in range(max(names, default=-1) + 1)),
    )


def place_later(
    found: Exploration, source: Any, links: Mapping[str, Any] | None = None, **reading: Any
) -> Placement:
    """New members placed by what they are and by their own link tables; tables of the run they bring nothing for are said."""
    kept = found.run.settings.get("reading", {}) if found.run is not None else found.reading
    tables = list(kept.get("links") or ())
    given = dict(links or {})
    strange = [one for one in given if not any(one in pair for pair in found.collection.links)]
    if strange:
        known = ", ".join(dict.fromkeys(pair[1] for pair in found.collection.links)) or "none"
        raise DataError(
            f"The run has no population '{strange[0]}' to tie new members to; it has {known}."
        )
    placed = place(found, read_alike(found, source, links=given, **reading))
    missing = (
        [one for one in tables if one not in given] if not isinstance(source, Collection) else []
    )
    if not missing:
        return placed
    them = ", ".join(f"'{one}'" for one in missing)
    said = f"Placed without {them}, which the run was made with; those of new members are given with --link {missing[0]}=FILE."
    return replace(placed, notes=(*placed.notes, said))


def _options(reading: Mapping[str, Any], links: Mapping[str, Any] | None) -> str:
    """How a path was read, as options of the command line."""
    given = [
        (name, value)
        for name, values in reading.items()
        for value in (values if isinstance(values, list) else [values])
    ]
    given += [
        ("link", f"{name}={table}")
        for name, table in (links or {}).items()
        if isinstance(table, (str, Path))
    ]
    return "".join(
        f" --{name} {shlex.quote(str(value))}" for name, value in given if value is not None
    )
