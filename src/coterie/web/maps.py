"""The map of a run: its page, the places of all members as one block of numbers, columns to color by, and search."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from coterie.core.collection import Collection
from coterie.core.errors import CoterieError
from coterie.core.findings import is_flat
from coterie.run.stored import Run
from coterie.show import markup
from coterie.show.map import anchors
from coterie.show.markup import clean, clip, count
from coterie.web import mapdata
from coterie.web.desk import Desk
from coterie.web.pages import run_page
from coterie.workflows.segments import cut_into

router = APIRouter()
Name = Annotated[str, Path(max_length=80, description="The name of a run.")]
_STYLES = 32


class Spot(BaseModel):
    """A group on the map."""

    label: int = Field(
        description="The group's number from 0, as in the block of numbers; -1 for members in no group."
    )
    number: int = Field(
        description="The group's number as people say it, from 1; 0 for members in no group."
    )
    name: str
    size: int
    unstable: bool = Field(
        description="Whether the group was not found again on random samples of the members."
    )
    anchor: tuple[float, float] | None = Field(description="Where its number stands.")


class Offered(BaseModel):
    """A column that can color the map."""

    at: int
    name: str
    kind: str


class Look(BaseModel):
    """Colors on light or dark paper: fill and edge of 32 groups and of nobody, and 256 steps from low to high."""

    styles: list[tuple[str, str]]
    ramp: list[int]


class Head(BaseModel):
    """What the map is made of, beside the block of numbers."""

    members: int
    flat: bool = Field(description="Whether no group stood out: the map then has one color.")
    groups: list[Spot]
    columns: list[Offered]
    shapes: list[list[tuple[float, float]]]
    light: Look
    dark: Look


class Told(BaseModel):
    """A column: its values with their sizes, or the ends of its range; the codes are in the block of numbers beside it."""

    name: str
    kind: str = Field(description="category, number or date")
    values: list[str]
    sizes: list[int]
    low: str
    high: str


class Found(BaseModel):
    """Members found by a search."""

    count: int
    members: list[int]


@router.get("/runs/{name}/map", include_in_schema=False)
async def page(request: Request, name: str) -> Response:
    def context(desk: Desk, run: Run) -> dict[str, Any]:
        found = desk.findings(run)
        said = f"{count(len(found), 'member').capitalize()} in {count(len(found.groups), 'group')}."
        if is_flat(found):
            said = f"{count(len(found), 'member').capitalize()}; no groups stood out."
        own = {"scripts": ("map.js",), "styles": ("map.css",), "wide": True}
        return {
            **own,
            "n": len(found),
            "said": said,
            "groups": found.groups,
            "flat": is_flat(found),
        }

    return await run_page(request, name, "map", "map.html", context)


@router.get("/api/runs/{name}/map", response_model=Head, tags=["map"])
def head(request: Request, name: Name) -> Head:
    """What the map is made of: groups, columns to color by, colors and shapes."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    found: Head = mapdata.kept(desk, run, "head", partial(_head, desk, run))
    return found


@router.get("/api/runs/{name}/map.bin", tags=["map"], response_class=Response)
def numbers(request: Request, name: Name) -> Response:
    """All members as little-endian numbers: x and y (float32 pairs), groups from 0 (int32), confidence (float32)."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    block = mapdata.kept(desk, run, "block", lambda: mapdata.packed(desk.findings(run)))
    return Response(block, media_type="application/octet-stream")


@router.get("/api/runs/{name}/map/columns/{at}", response_model=Told, tags=["map"])
def told(request: Request, name: Name, at: Annotated[int, Path(ge=0, le=100_000)]) -> Told:
    """A column to color by: its values or its range."""
    one = _column(request, name, at)
    return Told(
        name=one.name,
        kind=one.kind,
        values=list(one.values),
        sizes=list(one.sizes),
        low=one.low,
        high=one.high,
    )


@router.get("/api/runs/{name}/map/columns/{at}/values", tags=["map"], response_class=Response)
def values(request: Request, name: Name, at: Annotated[int, Path(ge=0, le=100_000)]) -> Response:
    """The column as little-endian numbers: codes (int32, -1 for the rest), or places from 0 to 1 (float32, NaN: none)."""
    one = _column(request, name, at)
    kind = "<i4" if one.kind == "category" else "<f4"
    return Response(
        np.ascontiguousarray(one.numbers, dtype=kind).tobytes(),
        media_type="application/octet-stream",
    )


@router.get("/api/runs/{name}/map/search", response_model=Found, tags=["map"])
def search(
    request: Request, name: Name, q: Annotated[str, Query(min_length=1, max_length=200)]
) -> Found:
    """Members whose id, texts or shown columns hold every word of the query, also as a part of a longer one."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    lines = mapdata.lasting(
        run, "lines", lambda: mapdata.searched(desk.findings(run), seen(desk, run))
    )
    found = mapdata.hits(lines, q)
    return Found(count=len(found), members=found)


def _column(request: Request, name: str, at: int) -> mapdata.Column:
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    found: mapdata.Column = mapdata.lasting(
        run, ("column", at), lambda: mapdata.column(desk.findings(run), seen(desk, run), at)
    )
    return found


def seen(desk: Desk, run: Run) -> Collection | None:
    """What the findings speak of, where it is kept and can be read: the members, or the pieces they were cut into."""
    try:
        if not run.has_collection:
            return None
        choices = run.request.choices
        strips = desk.findings(run).strips
        if not choices.segment or not strips:
            return desk.collection(run)
        whole = desk.collection(run)
        view = choices.view or whole.main
        pieces: Collection = mapdata.lasting(
            run, "pieces", lambda: cut_into(whole, view, strips[0])
        )
        return pieces
    except CoterieError:
        return None


def _head(desk: Desk, run: Run) -> Head:
    findings = desk.findings(run)
    collection = seen(desk, run)
    labels = np.asarray(findings.labels)
    middle = anchors(mapdata.places_of(findings), labels)
    spots = [
        Spot(
            label=g.label,
            number=g.label + 1,
            name=clean(clip(g.name, 120)),
            size=int(g.size),
            unstable=g.is_unstable,
            anchor=middle.get(g.label),
        )
        for g in findings.groups
        if g.label >= 0
    ]
    alone = int((labels < 0).sum())
    if alone:
        spots.append(
            Spot(label=-1, number=0, name="in no group", size=alone, unstable=False, anchor=None)
        )
    offered = mapdata.lasting(run, "offered", lambda: tuple(mapdata.offered(findings, collection)))
    columns = [Offered(at=at, name=name, kind=kind) for at, name, kind in offered]
    shapes = [[(float(x), float(y)) for x, y in shape] for shape in markup.SHAPES]
    looks = {dark: _look(dark) for dark in (False, True)}
    return Head(
        members=len(findings),
        flat=is_flat(findings),
        groups=spots,
        columns=columns,
        shapes=shapes,
        light=looks[False],
        dark=looks[True],
    )


def _look(dark: bool) -> Look:
    styles = [
        (markup.color(label, dark), markup.edge(label, dark)) for label in (*range(_STYLES), -1)
    ]
    return Look(styles=styles, ramp=[int(v) for v in markup.ramp(dark).ravel()])
