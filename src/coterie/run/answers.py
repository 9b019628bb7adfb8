"""Answers about an exploration at hand: who is near a member, why members are alike, how the groups agree with known answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.core.collection import Collection, position
from coterie.core.errors import DataError
from coterie.core.findings import Findings
from coterie.judge import judge_partition
from coterie.pipeline import by_links
from coterie.run.placing import Placement, place, read_alike
from coterie.workflows.populations import links_of, used
from coterie.workflows.reasons import in_common, of_group
from coterie.workflows.view_reasons import alike_by_views, group_by_views
from coterie.workflows.view_space import SeenViews, SharedSpace

if TYPE_CHECKING:
    from coterie.run.engine import Exploration


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


def explain_in(found: Exploration, members: Sequence[str], group: int | None = None) -> list[str]:
    """The same of an exploration at hand, in sentences."""
    steps = found.analysis.pipeline.steps_
    comparer = next(step for step in steps if hasattr(step, "compare"))
    tied = by_links(steps[-1])
    space = steps[0] if isinstance(steps[0], SharedSpace) else None
    if not hasattr(comparer, "explain") and not tied and space is None:
        named = type(comparer).__name__
        raise DataError(
            f"{named} gives no reasons; explore with compare='SIC', or group by links with organize='Comraf'."
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


def _known(member: str, ids: Sequence[str]) -> str:
    """The id of a message also where it is written in its brackets, as it stands in the mail."""
    return bare_id(member) if member not in ids and bare_id(member) in ids else member


def bare_id(member: str) -> str:
    """The id of a message without its brackets."""
    return member[1:-1] if member.startswith("<") and member.endswith(">") else member


def place_later(
    found: Exploration, source: Any, links: Mapping[str, Any] | None = None, **reading: Any
) -> Placement:
    """New members placed by what they are and by their own link tables; tables of the run they bring nothing for are said."""
    tables = list(found.request.reading.links)
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
    said = f"Placed without {them}, which the run was made with; those of new members are given as link {missing[0]}=FILE."
    return replace(placed, notes=(*placed.notes, said))
