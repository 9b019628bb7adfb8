"""Runs: the list of all of them, the page of one (what was found, or how far it is), and deleting."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from coterie.core.findings import Findings, is_flat, without_groups
from coterie.core.partition import Partition
from coterie.messages.exploration import explain_evidence
from coterie.run.adding import ADDED
from coterie.run.index import Record
from coterie.run.jobs import Job
from coterie.run.stored import Run
from coterie.show import map as still
from coterie.show import sections
from coterie.show.markup import clean, clip, count, figure
from coterie.web.answers import answers_of
from coterie.web.desk import WALK, Desk, NotYet, changed, without_paths
from coterie.web.live import follow_of
from coterie.web.pages import Place, answer, page, render, run_page
from coterie.web.progress import GOING, WORDS, halting, state_of
from coterie.web.taught import parent_mark, taught_of

router = APIRouter()

_PAGE = 100  # runs on one page
_MOST = 1000  # runs of one answer
# members on the small map, groups beside it
_DOTS = 900
_GROUPS = 12
_PATIENCE = 3.0  # seconds that deleting waits for work to stop


class RunLine(BaseModel):
    """One run in the list."""

    name: str
    title: str
    kind: str
    members: int
    groups: int
    state: str = Field(description="One of: " + ", ".join(WORDS) + ".")
    word: str = Field(description="The same for people.")
    said: str = Field(description="What was found, or why it was not.")
    figures: str = Field(description="Kind, members and groups in words.")
    created: str
    seconds: float


class Deleted(BaseModel):
    """What is no longer there."""

    deleted: str


def lines_of(desk: Desk, query: str = "") -> tuple[list[RunLine], int]:
    """Every run that has all words of the query, the newest first; and how many runs there are."""
    walks: dict[str, Job] = {
        job.target: job for job in desk.jobs.every() if job.action == WALK
    }  # the oldest first
    words = query.casefold().split()
    records = desk.runs()
    found = (_line(desk, record, walks.get(record.name)) for record in records)
    return [line for line in found if all(word in _findable(line) for word in words)], len(records)


def _line(desk: Desk, record: Record, job: Job | None) -> RunLine:
    state = state_of(record, job, halting(desk, job))
    problem = record.problem or (job.problem if job is not None else "")
    said = record.summary if state == "done" else problem if state == "failed" else ""
    return RunLine(
        name=record.name,
        title=clean(clip(record.title or record.name, 120)),
        kind=record.kind,
        members=record.members,
        groups=record.groups,
        state=state,
        word=WORDS.get(state, state),
        said=clean(clip(without_paths(said, desk.store.folder), 300)),
        figures=_figures(record, state),
        created=record.created,
        seconds=record.seconds,
    )


def _figures(record: Record, state: str) -> str:
    parts = [
        record.kind,
        f"{figure(record.members)} member{'' if record.members == 1 else 's'}"
        if record.members
        else "",
    ]
    parts += (
        [f"{figure(record.groups)} group{'' if record.groups == 1 else 's'}"]
        if state == "done"
        else []
    )
    return " · ".join(part for part in parts if part)


def _findable(line: RunLine) -> str:
    return f"{line.name} {line.title} {line.kind} {line.word} {line.said}".casefold()


def when(created: str) -> str:
    """A time of the store as people here write it."""
    try:
        found = datetime.fromisoformat(created).astimezone()
    except ValueError:
        return ""
    return f"{found.day} {found:%B %Y, %H:%M}"


@router.get("/api/runs", response_model=list[RunLine], tags=["runs"])
def listed(
    request: Request,
    q: Annotated[str, Query(max_length=200, description="Words to be found.")] = "",
) -> Any:
    """The runs of the store, the newest first; with a query those that have all its words."""
    return lines_of(request.app.state.desk, q)[0][:_MOST]


@router.get("/runs", include_in_schema=False)
async def runs(
    request: Request,
    q: Annotated[str, Query(max_length=200)] = "",
    at: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    desk: Desk = request.app.state.desk
    lines, total = await run_in_threadpool(lines_of, desk, q)
    shown = lines[(at - 1) * _PAGE : at * _PAGE]
    last = max(1, -(-len(lines) // _PAGE))
    going = _at_work(lines)

    def make() -> str:
        rows = [{"line": line, "when": when(line.created)} for line in shown]
        told = ", ".join([count(total, "run").capitalize(), *going])
        given = {
            "rows": rows,
            "query": q,
            "at": at,
            "last": last,
            "found": len(lines),
            "told": told,
            "total": total,
        }
        return render(
            "runs.html",
            title="Runs",
            here="runs",
            scripts=("runs.js",),
            styles=("run.css", "runs.css"),
            **given,
        )

    mark = tuple(tuple(line.model_dump().values()) for line in shown)
    return await page(
        request, ("runs", str(desk.store.folder), q, at, len(lines), total, *going, mark), make
    )


def _at_work(lines: Sequence[RunLine]) -> list[str]:
    """How many runs work and how many wait for their turn, in words; nothing is said of none."""
    waiting = sum(line.state == "waiting" for line in lines)
    working = sum(line.state in GOING for line in lines) - waiting
    return [
        f"{count(many)} {how}" for many, how in ((working, "at work"), (waiting, "waiting")) if many
    ]


@router.get("/runs/{name}", include_in_schema=False)
async def overview(request: Request, name: str) -> Response:
    desk: Desk = request.app.state.desk
    follow = follow_of(request)
    told = await follow.look(name)
    if told.standing.state != "done":
        text = await run_in_threadpool(_progress, desk, name, told.standing, told.curves)
        return answer(request, text)
    added = changed(desk.store.folder / name / "values" / f"{ADDED}.json")
    parent = parent_mark(desk, desk.run(name))
    return await run_page(
        request, name, "run", "run.html", _found, more=(added, parent, desk.serving.local)
    )


def _progress(desk: Desk, name: str, standing: Any, curves: str) -> str:
    import json

    run = desk.run(name)
    record = run.record()
    places = [Place("Overview", f"/runs/{run.name}", "run")]
    return render(
        "live.html",
        title=record.title or run.name,
        here="run",
        run=run,
        places=places,
        now=standing,
        curves=json.loads(curves),
        begun=when(record.created),
        source=Path(record.source).name if "/" in record.source else record.source,
        scripts=("live.js",),
        styles=("run.css",),
    )


def _found(desk: Desk, run: Run) -> dict[str, Any]:
    """What the page of a finished run shows."""
    record = run.record()
    findings = without_groups(desk.findings(run))
    added = run.get_json(ADDED)
    return {
        "verdict": sections.verdict(findings),
        "summary": sections.summary(findings, explain_evidence(findings.evidence)),
        "banner": sections.banner(findings),
        "figures": sections.key_figures(findings),
        "picture": _picture(findings),
        "flat": is_flat(findings),
        "groups": _groups(findings),
        "more_groups": max(0, len(findings.groups) - _GROUPS),
        "evidence": sections.evidence_part(findings),
        "against": answers_of(desk, run),
        "taught": taught_of(desk, run),
        "curves": sections.further_curves(findings),
        "making": sections.making(findings, ()),
        "made": when(record.created),
        "added": added if isinstance(added, dict) else None,
        "local": desk.serving.local,
        "can_add": not any(strips.of_groups for strips in findings.strips),
        "scripts": ("run.js",),
        "styles": ("run.css",),
    }


def _groups(findings: Findings) -> list[dict[str, Any]]:
    """The largest groups, with what share of the members each has."""
    largest = sorted(
        (g for g in findings.groups if g.label >= 0), key=lambda g: (-g.size, g.label)
    )[:_GROUPS]
    top = max((group.size for group in largest), default=1) or 1
    return [
        {"group": group, "share": group.size / max(len(findings), 1), "bar": group.size / top}
        for group in largest
    ]


def _picture(findings: Findings) -> str:
    """The map as a small still picture."""
    labels = np.asarray(findings.labels, dtype=np.int64)
    names = {group.label: group.name for group in findings.groups}
    top = int(labels.max()) + 1 if len(labels) else 0
    partition = Partition(labels, tuple(names.get(g, f"group {g + 1}") for g in range(top)))
    return still.draw(findings.map, partition, width=620, height=440, limit=_DOTS, numbers=True)


@router.delete("/api/runs/{name}", response_model=Deleted, tags=["runs"])
def delete(request: Request, name: str) -> Deleted:
    """Delete a run and everything kept for it; work on it is asked to stop first, and 409 says that it has not yet."""
    desk: Desk = request.app.state.desk
    run = desk.run(name)
    until = time.monotonic() + _PATIENCE
    while True:
        going = [job for job in desk.jobs.every() if job.target == run.name and job.going]
        if not going:
            break
        for job in going:
            desk.jobs.stop(job.action, job.target)
        if time.monotonic() > until:
            raise NotYet(
                f"The run {run.name} comes to a halt first; delete it when it has stopped."
            )
        time.sleep(0.1)
    desk.store.delete(run.name)
    if hasattr(request.app.state, "follow"):
        request.app.state.follow.forget(run.name)
    return Deleted(deleted=run.name)
