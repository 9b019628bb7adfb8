"""Members: one by one with all that is seen of them, their group, their neighbors; and a few at a time as lines."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from coterie.core.collection import Collection
from coterie.core.findings import Findings, is_flat
from coterie.core.ragged import Ragged
from coterie.run.stored import Run
from coterie.show.markup import clean, clip, ended
from coterie.web.desk import Desk, NotThere
from coterie.web.mapdata import TRUTH, kept
from coterie.web.maps import Name, seen
from coterie.web.media import At, drawn
from coterie.web.pages import run_page
from coterie.web.portraits import Keep, Seen, group_of, place_in, portrait, ties

router = APIRouter()
NEAREST = 12
_FEW = r"^[0-9]{1,8}(,[0-9]{1,8}){0,199}$"


class Line(BaseModel):
    """A member on one line."""

    at: int = Field(description="Its position, from 0.")
    id: str
    line: str = Field(description="What it says, in short; empty where that is its id.")
    label: int = Field(description="Its group from 0, -1 in none.")
    group: int = Field(description="Its group as people count, from 1; 0 in none.")
    name: str = Field(description="What its group is called.")
    confidence: float = Field(ge=0, le=1)


class Near(Line):
    """A member near to another."""

    nearness: float = Field(ge=0, le=1)


class Told(BaseModel):
    """Something that is told of a member: a header, a column, a known answer."""

    name: str
    value: str


class Tied(BaseModel):
    """What a member is tied to in a population."""

    population: str
    names: list[str]


class Member(Line):
    """A member with all that is known of it."""

    told: list[Told]
    known: list[Told] = Field(description="Known answers, which no method has seen.")
    tied: list[Tied]
    seen: list[Seen]
    neighbors: list[Near]


@router.get("/runs/{name}/members/{at}", include_in_schema=False)
async def page(
    request: Request, name: str, at: Annotated[int, Path(ge=0, le=10_000_000)]
) -> Response:
    def context(desk: Desk, run: Run) -> dict[str, Any]:
        findings = desk.findings(run)
        collection = seen(desk, run)
        one = member(run, findings, collection, at, keep=partial(kept, desk, run))
        group = group_of(findings, at)
        mine = np.flatnonzero(np.asarray(findings.labels) == findings.labels[at])
        stands = int(np.searchsorted(mine, at))
        return {
            "scripts": ("member.js",),
            "styles": ("member.css",),
            "member": one,
            "group": group,
            "flat": is_flat(findings),
            "drawings": drawings(findings, collection, at),
            "groups": findings.groups,
            "n": len(findings),
            "before": int(mine[stands - 1]) if stands else None,
            "after": int(mine[stands + 1]) if stands + 1 < len(mine) else None,
        }

    return await run_page(request, name, "member", "member.html", context, more=at)


@router.get("/api/runs/{name}/members", response_model=list[Line], tags=["members"])
def lines(
    request: Request,
    name: Name,
    at: Annotated[str, Query(pattern=_FEW, max_length=1800, description="Positions, as 1,2,3.")],
) -> list[Line]:
    """Up to 200 members by position, one line each."""
    desk: Desk = request.app.state.desk
    findings = desk.findings(desk.finished(name))
    return [Line(**line_of(findings, _there(findings, int(one)))) for one in at.split(",")]


@router.get("/api/runs/{name}/members/{at}", response_model=Member, tags=["members"])
def card(request: Request, name: Name, at: At) -> Member:
    """A member: what is told and seen of it, its group, its neighbors; long texts are cut."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    keep = partial(kept, desk, run)
    return member(run, desk.findings(run), seen(desk, run), at, most=600, columns=12, keep=keep)


def member(
    run: Run,
    findings: Findings,
    collection: Collection | None,
    at: int,
    *,
    most: int = 60_000,
    columns: int = 200,
    keep: Keep,
) -> Member:
    """A member with all that is known of it."""
    _there(findings, at)
    cells = {
        str(key): clean(clip(column[at], 400))
        for key, column in findings.cards.items()
        if str(column[at]).strip()
    }
    known = [
        Told(name=clean(key.removeprefix(TRUTH)), value=value)
        for key, value in cells.items()
        if key.startswith(TRUTH)
    ]
    told = [
        Told(name=clean(clip(key, 80)), value=value)
        for key, value in cells.items()
        if not key.startswith(TRUTH)
    ]
    tied = ties(collection, place_in(collection, findings, at))
    return Member(
        **line_of(findings, at),
        told=told,
        known=known,
        tied=[Tied(population=population, names=names) for population, names in tied],
        seen=portrait(run.name, collection, findings, at, most, columns, keep)
        if collection is not None
        else [],
        neighbors=_near(findings, at),
    )


def line_of(findings: Findings, at: int) -> dict[str, Any]:
    """A member as the fields of a Line."""
    name = clean(clip(findings.ids[at], 240))
    snippet = clean(clip(ended(findings.snippets[at]), 320))
    group = group_of(findings, at)
    sure = float(np.nan_to_num(findings.confidence[at]))
    label = int(findings.labels[at])
    if is_flat(findings):
        group = None
        label = -1
    return {
        "at": at,
        "id": name,
        "line": "" if snippet == name else snippet,
        "label": label,
        "group": label + 1 if label >= 0 else 0,
        "name": clean(clip(group.name, 120)) if group else "",
        "confidence": min(max(sure, 0.0), 1.0),
    }


def drawings(
    findings: Findings, collection: Collection | None, at: int
) -> dict[str, list[tuple[str, str]]]:
    """Traces and envelopes of a member, by view."""
    here = place_in(collection, findings, at)
    if collection is None or here is None:
        return {}
    group = group_of(findings, at)
    views = collection.views.items()
    return {
        clean(clip(name, 80)): drawn(view, here, group)
        for name, view in views
        if isinstance(view, Ragged)
    }


def _near(findings: Findings, at: int) -> list[Near]:
    others = np.asarray(findings.neighbors, dtype=np.int64).reshape(len(findings), -1)[at][:NEAREST]
    shares = np.nan_to_num(
        np.asarray(findings.nearness, dtype=np.float64).reshape(len(findings), -1)[at][:NEAREST]
    )
    pairs = [
        (int(i), float(s))
        for i, s in zip(others, shares, strict=True)
        if 0 <= i < len(findings) and i != at
    ]
    return [Near(**line_of(findings, i), nearness=min(max(share, 0.0), 1.0)) for i, share in pairs]


def _there(findings: Findings, at: int) -> int:
    if at >= len(findings):
        raise NotThere(f"There is no member {at}; the run has {len(findings)}, counted from 0.")
    return at
