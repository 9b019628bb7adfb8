"""Export: who is in which group as CSV or Parquet, the report, and the lines that make the run again, as files to keep."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from coterie.core.errors import DataError
from coterie.core.findings import Findings
from coterie.run.steering_log import FILE as LOG
from coterie.run.stored import Run, csv_text, label_columns
from coterie.show.report import render as report_of
from coterie.web.desk import Desk, NotThere, NotYet
from coterie.web.pages import answer, render, run_page

router = APIRouter()

Form = Literal["csv", "parquet"]
KINDS = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
# the report has a policy of its own for its one script; here it may neither read from this server nor change anything on it
REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
_MOST = 200_000  # members of one selection
_ROWS = 6  # of the table that are shown on the page


class Selection(BaseModel):
    """Some members of a run."""

    members: list[Annotated[int, Field(ge=0, le=2**53)]] = Field(
        max_length=_MOST, description="Their positions, from 0."
    )
    form: Form = Field("csv", description="How the file is written.")
    more: bool = Field(
        False, description="Whether places on the map and first lines are written too."
    )


@router.get("/runs/{name}/export", include_in_schema=False)
async def exports(request: Request, name: str) -> Response:
    return await run_page(request, name, "export", "export.html", _offered)


def _offered(desk: Desk, run: Run) -> dict[str, Any]:
    findings = desk.findings(run)
    columns = columns_of(run, findings, range(min(_ROWS, len(findings))), more=False)
    groups = sorted(
        (group for group in findings.groups if group.label >= 0), key=lambda group: group.label
    )
    return {
        "columns": list(columns),
        "rows": list(zip(*columns.values(), strict=True)),
        "total": len(findings),
        "groups": groups,
        "command": findings.command,
        "python": findings.python,
        "edited": (run.folder / LOG).exists(),
        "scripts": ("export.js",),
        "styles": ("run.css",),
    }


def columns_of(
    run: Run, findings: Findings, places: Sequence[int], *, more: bool
) -> dict[str, list[Any]]:
    """The columns of an export for members at these places; those that stand for another run's groups are left out."""
    others = run.request.standing
    kept = [at for at in places if not others or not others[0] <= at < others[1]]
    every: dict[str, Sequence[Any]] = dict(label_columns(findings))
    if more:
        every |= {
            "x": [float(v) for v in findings.map[:, 0]],
            "y": [float(v) for v in findings.map[:, 1]],
        }
        every |= {"line": list(findings.snippets)}
    return {key: [_plain(column[at]) for at in kept] for key, column in every.items()}


def _plain(value: Any) -> Any:
    """A value that can be written in any encoding a file has."""
    return (
        value.encode("utf-8", "backslashreplace").decode("utf-8")
        if isinstance(value, str)
        else value
    )


def written(columns: dict[str, list[Any]], form: str) -> bytes:
    """The columns as the bytes of a file."""
    if form == "csv":
        return csv_text(columns).encode("utf-8")
    from coterie.core.errors import need

    need("pyarrow", extra="web")
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def attached(content: bytes | str, kind: str, called: str) -> Response:
    """A file to keep; `called` is made of a run's own name, which has letters, digits and dashes alone."""
    return Response(
        content,
        media_type=kind,
        headers={"content-disposition": f'attachment; filename="{called}"'},
    )


@router.get("/runs/{name}/export/labels.{form}", tags=["export"], response_class=Response)
def labels(
    request: Request,
    name: str,
    form: Form,
    group: Annotated[
        int | None,
        Query(ge=0, le=2**31, description="One group, numbered from 1; 0 are those in none."),
    ] = None,
    more: Annotated[
        bool, Query(description="Whether places on the map and first lines are written too.")
    ] = False,
) -> Response:
    """Who is in which group, with all edits, as a file: id, group (counted from 0), its name, and how sure that is."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    findings = desk.findings(run)
    places = np.arange(len(findings))
    if group is not None:
        if group and all(one.label != group - 1 for one in findings.groups):
            raise NotThere(f"There is no group {group} in the run {run.name}.")
        places = np.flatnonzero(np.asarray(findings.labels) == group - 1)
    columns = columns_of(run, findings, places.tolist(), more=more)
    called = f"{run.name}-labels" if group is None else f"{run.name}-group-{group}"
    return attached(written(columns, form), KINDS[form], f"{called}.{form}")


@router.post("/api/runs/{name}/labels", tags=["export"], response_class=Response)
def selected(request: Request, name: str, selection: Selection) -> Response:
    """The same for some members alone, such as those chosen on the map; nothing is changed."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    findings = desk.findings(run)
    beyond = [at for at in selection.members if at >= len(findings)]
    if beyond:
        raise DataError(
            f"There is no member at place {beyond[0]}; the run {run.name} has {len(findings):,} members."
        )
    columns = columns_of(run, findings, list(dict.fromkeys(selection.members)), more=selection.more)
    form = selection.form
    return attached(written(columns, form), KINDS[form], f"{run.name}-selection.{form}")


@router.get("/runs/{name}/export/again.{form}", tags=["export"], response_class=Response)
def again(request: Request, name: str, form: Literal["py", "sh"]) -> Response:
    """The lines that make this run again, in Python or for the command line; edits by hand are not among them."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    findings = desk.findings(run)
    lines = findings.python if form == "py" else findings.command
    if not lines:
        raise NotThere(
            f"The run {run.name} was not made by a command; its Python lines make it again."
        )
    text = _plain(lines).rstrip("\n") + "\n"
    return attached(
        text if form == "py" else f"#!/bin/sh\n{text}",
        "text/plain; charset=utf-8",
        f"{run.name}.{form}",
    )


@router.get("/runs/{name}/export/edits.jsonl", tags=["export"], response_class=Response)
def edits(request: Request, name: str) -> Response:
    """Every edit made on this run by hand, one JSON object per line."""
    run = request.app.state.desk.finished(name)
    try:
        found = (run.folder / LOG).read_bytes()
    except OSError:
        raise NotThere(f"Nothing was edited in the run {run.name}.") from None
    return attached(found, "application/x-ndjson", f"{run.name}-edits.jsonl")


def report_text(desk: Desk, run: Run) -> bytes:
    """The report as the groups stand: the file of the run, or made again where edits are newer than it."""
    place = run.folder / "report.html"
    since = (run.folder / LOG, run.folder / "findings" / "findings.json")
    newest = max((path.stat().st_mtime_ns for path in since if path.exists()), default=0)
    if place.exists() and place.stat().st_mtime_ns >= newest:
        return place.read_bytes()
    key = ("report", run.name, desk.version(run))
    made: bytes = desk.warm(key, lambda: report_of(desk.findings(run)).encode("utf-8", "replace"))
    return made


@router.get("/runs/{name}/report", include_in_schema=False)
async def report(request: Request, name: str) -> Response:
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    try:
        found = await run_in_threadpool(report_text, desk, run)
    except NotYet as error:  # the browser asks again by itself
        waiting = answer(
            request,
            render(
                "error.html",
                title="The report",
                status="The report is being made",
                sentence=str(error),
            ),
        )
        waiting.headers["refresh"] = "2"
        return waiting
    return Response(
        found,
        media_type="text/html; charset=utf-8",
        headers={"content-security-policy": REPORT_POLICY},
    )


@router.get("/runs/{name}/export/report.html", tags=["export"], response_class=Response)
def report_file(request: Request, name: str) -> Response:
    """The report as one HTML file that needs no network; 409 while it is being made."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    return attached(report_text(desk, run), "text/html; charset=utf-8", f"{run.name}-report.html")
