"""Records: one run as the API gives it, and groups as a table to keep."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from coterie.core.findings import Findings
from coterie.run.stored import csv_text
from coterie.show.markup import clean, clip
from coterie.web.desk import Desk, without_paths
from coterie.web.exports import attached
from coterie.web.progress import WORDS, halting, state_of
from coterie.workflows.request import ExploreRequest

router = APIRouter()

_WORDS = 20  # telling words of a group, in each population


class RunRecord(BaseModel):
    """One run: how it stands, what was found, and how it was made."""

    name: str
    title: str
    kind: str
    status: str = Field(description="One of: " + ", ".join(WORDS) + ".")
    members: int
    groups: int
    summary: str
    problem: str = Field(description="Why it could not be finished.")
    source: str = Field(description="What was looked at, by its own name.")
    created: str
    seconds: float
    request: ExploreRequest | None = Field(
        description="What it was asked for, without the places of this machine; hints are only counted."
    )


@router.get("/api", include_in_schema=False)
async def reference() -> Response:
    return RedirectResponse("/docs", 303)


@router.get("/api/runs/{name}", response_model=RunRecord, tags=["runs"])
def record(request: Request, name: str) -> Any:
    """One run: how it stands, what was found in a sentence, and what it was asked for."""
    desk: Desk = request.app.state.desk
    run = desk.run(name)
    kept = run.record()
    job = desk.job(run)
    return RunRecord(
        name=run.name,
        title=clean(clip(kept.title or run.name, 120)),
        kind=kept.kind,
        status=state_of(kept, job, halting(desk, job)),
        members=kept.members,
        groups=kept.groups,
        summary=_plain(kept.summary, desk),
        problem=_plain(
            kept.problem or (job.problem if job is not None and kept.status != "done" else ""), desk
        ),
        source=_plain(kept.source, desk),
        created=kept.created,
        seconds=kept.seconds,
        request=None if kept.request is None else _public(kept.request, desk),
    )


def _plain(text: str, desk: Desk) -> str:
    return clean(without_paths(text, desk.store.folder))


def _public(request: ExploreRequest, desk: Desk) -> ExploreRequest:
    """A request that says no more of this machine than the last part of a place."""
    said = request.but(path="", command="").to_json()
    return ExploreRequest.model_validate(_cleaned(said, desk))


def _cleaned(value: Any, desk: Desk) -> Any:
    """Plain JSON, with places of this machine by their last part alone."""
    if isinstance(value, str):
        return _plain(value, desk)
    if isinstance(value, dict):
        return {clean(str(key)): _cleaned(one, desk) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(one, desk) for one in value]
    return value if value is None or isinstance(value, (bool, int)) or value == value else None


@router.get("/runs/{name}/export/groups.csv", tags=["export"], response_class=Response)
def groups(request: Request, name: str) -> Response:
    """The groups as they stand, one a line: number (from 1), name, size, share, confidence, telling words."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    text = csv_text(group_columns(desk.findings(run)))
    return attached(text.encode("utf-8"), "text/csv; charset=utf-8", f"{run.name}-groups.csv")


def group_columns(findings: Findings) -> dict[str, list[Any]]:
    """The columns of the table of groups; what tells a group apart has one column for each population."""
    rows = sorted(
        (group for group in findings.groups if group.label >= 0), key=lambda group: group.label
    )
    n = max(len(findings), 1)
    columns: dict[str, list[Any]] = {
        "number": [group.label + 1 for group in rows],
        "name": [_written(group.name) for group in rows],
        "size": [group.size for group in rows],
        "share": [round(group.size / n, 4) for group in rows],
        "confidence": [round(float(group.confidence), 4) for group in rows],
    }
    for kind in dict.fromkeys(kind for group in rows for kind in group.telling):
        words = [[word for word, _ in group.telling.get(kind, ())[:_WORDS]] for group in rows]
        columns[f"telling {_written(kind)}"] = [_written("; ".join(some)) for some in words]
    return columns


def _written(text: str) -> str:
    """Text that any encoding of a file has."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")
