"""Answers: the groups of a run as they stand against the columns of known answers that were kept aside, in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from coterie.core.errors import CoterieError
from coterie.core.findings import Findings
from coterie.run.answers import measured
from coterie.run.bundle import load_part
from coterie.run.stored import Run
from coterie.show.markup import clean, clip, count, figure
from coterie.web.desk import Desk, without_paths

router = APIRouter()

# of one run that are judged; groups of one table; further answers named of a group
_COLUMNS = 8
_ROWS = 200
_ALSO = 4
_CELLS = 2_000_000  # groups times different answers, beyond which a column tells each member from all others
# adjusted Rand from which groups and answers agree well, and below which they hardly do
_NEAR = 0.8
_FAR = 0.4


class AnswerRow(BaseModel):
    """One group and the answers of its members."""

    number: int = Field(description="The number of the group, from 1; 0 are those in no group.")
    name: str
    members: int = Field(description="Members of it that have an answer.")
    mostly: str = Field(description="The commonest answer among them.")
    share: float = Field(description="How many of them have it, from 0 to 1.")
    also: str = Field(description="The next answers and how many have each.")


class Against(BaseModel):
    """The groups against one column of known answers."""

    column: str
    verdict: str = Field(description="How far they agree, in a few words.")
    sentences: list[str]
    members: int = Field(description="Members that have an answer.")
    without: int = Field(description="Members that have none.")
    answers: int = Field(description="Different answers.")
    adjusted_rand: float | None = Field(
        description="Agreement on pairs of members beyond chance: 1 the same, about 0 chance."
    )
    nmi: float | None = Field(
        description="The information that groups and answers share, from 0 to 1."
    )
    commonest: float | None = Field(
        description="Share of members whose answer is the commonest of their group."
    )
    rows: list[AnswerRow]
    more: int = Field(description="Groups beyond those in the rows.")


@router.get("/api/runs/{name}/answers", response_model=list[Against], tags=["groups"])
def answers(request: Request, name: str) -> Any:
    """The groups as they stand against every column of known answers the run was made with; empty where there is none."""
    desk: Desk = request.app.state.desk
    return answers_of(desk, desk.finished(name))


def answers_of(desk: Desk, run: Run) -> list[Against]:
    """Every column of known answers of a finished run, judged; the first few where there are very many."""
    findings = desk.findings(run)
    if any(strips.of_groups for strips in findings.strips):  # pieces have no answers of their own
        return []
    return [
        _against(desk, run, findings, column, values)
        for column, values in list(truth_of(run).items())[:_COLUMNS]
    ]


def truth_of(run: Run) -> Mapping[str, Any]:
    """The columns of known answers kept with a run; its texts and traces are not read for them."""
    try:
        found = load_part(run.folder / "collection", "collection", "truth")
    except FileNotFoundError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _against(desk: Desk, run: Run, findings: Findings, column: str, values: Any) -> Against:
    called = clean(clip(column, 80))
    given = np.asarray(values, dtype=object)
    known = np.array(
        [one is not None and one == one and one != "" for one in given.tolist()], dtype=bool
    )
    levels, codes = np.unique(
        np.array([str(one) for one in given[known].tolist()], dtype=str), return_inverse=True
    )
    labels = np.asarray(findings.labels)[: len(given)][known]
    rows = _rows(findings, labels, levels, codes)
    base = Against(
        column=called,
        verdict="Nothing to judge by",
        sentences=[_why_not(called, len(labels), len(levels))],
        members=len(labels),
        without=len(findings) - len(labels),
        answers=len(levels),
        adjusted_rand=None,
        nmi=None,
        commonest=None,
        rows=rows[:_ROWS],
        more=max(0, len(rows) - _ROWS),
    )
    if len(levels) < 2 or len(levels) * max(len(rows), 1) > _CELLS:
        return base
    try:
        found = measured(findings, given, column, run.name).measures
    except CoterieError as error:
        return base.model_copy(
            update={"sentences": [clean(without_paths(str(error), desk.store.folder))]}
        )
    agreed, shared, common = (
        _finite(found[key]) for key in ("adjusted_rand", "nmi", "micro_accuracy")
    )
    judged = base.model_copy(update={"adjusted_rand": agreed, "nmi": shared, "commonest": common})
    return judged.model_copy(update={"verdict": _verdict(agreed), "sentences": _sentences(judged)})


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _why_not(column: str, members: int, levels: int) -> str:
    if not members:
        return f"No member has an answer in “{column}”."
    if levels == 1:
        return f"All members have the same answer in “{column}”, so it cannot tell groups apart."
    return f"“{column}” has {figure(levels)} different answers, too many to judge groups by."


def _verdict(agreed: float | None) -> str:
    if agreed is None:
        return "Agreement cannot be measured"
    if agreed > 0.999:
        return "Groups and answers are the same"
    return (
        "They agree well"
        if agreed >= _NEAR
        else "They agree in part"
        if agreed >= _FAR
        else "They hardly agree"
    )


def _sentences(one: Against) -> list[str]:
    said = []
    if one.commonest is not None:
        said.append(
            f"{one.commonest:.0%} of the members have the answer that is commonest in their group."
        )
    if one.adjusted_rand is not None and one.nmi is not None:
        said.append(
            f"The groups and “{one.column}” agree on pairs of members by {one.adjusted_rand:.2f} beyond chance (adjusted Rand: 1 "
            f"is the same, 0 is chance), and share {one.nmi:.0%} of the information (NMI {one.nmi:.2f})."
        )
    groups = sum(row.number > 0 for row in one.rows) + one.more
    if groups != one.answers:
        said.append(f"There are {count(groups, 'group')} and {count(one.answers, 'answer')}.")
    if one.without:
        are = "is" if one.without == 1 else "are"
        said.append(
            f"{count(one.without, 'member').capitalize()} without an answer {are} left out."
        )
    return said


def _rows(
    findings: Findings, labels: np.ndarray, levels: np.ndarray, codes: np.ndarray
) -> list[AnswerRow]:
    """Every group with its answers, the commonest first; those in no group last."""
    rows = []
    names = {
        **{group.label: group.name for group in findings.groups if group.label >= 0},
        -1: "In no group",
    }
    for label, name in names.items():
        inside = codes[labels == label]
        if not len(inside):
            continue
        found, counts = np.unique(inside, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        also = [
            f"{clean(clip(levels[found[at]], 40))} ({counts[at]:,})" for at in order[1 : 1 + _ALSO]
        ]
        left = len(order) - 1 - len(also)
        rows.append(
            AnswerRow(
                number=label + 1,
                name=clean(clip(name, 80)),
                members=len(inside),
                mostly=clean(clip(levels[found[order[0]]], 60)),
                share=float(counts[order[0]] / len(inside)),
                also=", ".join(also) + (f" and {left:,} more" if left > 0 else ""),
            )
        )
    return rows
