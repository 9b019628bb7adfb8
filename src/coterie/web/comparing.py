"""Compare: the groups of two runs side by side; how far they agree, where members went, who moved, and what chance would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from coterie.core.errors import DataError
from coterie.run.index import Record
from coterie.run.stored import Run
from coterie.show.flow import NARROW, WIDE, Band, flow
from coterie.show.markup import clean
from coterie.web.desk import Desk, NotThere, NotYet
from coterie.web.pages import answer, page, render
from coterie.workflows.compared import Grouping, SideBySide, compare_groups
from coterie.workflows.compared_words import NOWHERE, other_source
from coterie.workflows.system_words import p_words

router = APIRouter()
# members that moved: shown at once, and given by the API
PAGE = 25
MOST = 1_000
_OFFERED = 8  # pairs of runs offered
_BANDS = 400  # drawn at most: the widest
_Run = Annotated[str, Query(max_length=80)]
_Group = Annotated[
    int | None, Query(ge=0, le=1_000_000, description="A group, counted from 1; 0 is in none.")
]


class MeasureValue(BaseModel):
    """One measure of agreement beside what random groups of the same sizes get."""

    name: str
    value: float
    chance: float
    chance_95: float = Field(description="What 95 of 100 random groupings do not exceed.")
    meaning: str


class GroupPair(BaseModel):
    """A group of the first run and what became of it in the second; null where it is gone or new."""

    first: int | None
    second: int | None
    first_name: str
    second_name: str
    first_size: int
    second_size: int
    shared: int
    overlap: float
    said: str


class FlowLine(BaseModel):
    """Members that went from one group to another; groups are counted from 1, 0 is in none."""

    from_group: int
    to_group: int
    from_name: str
    to_name: str
    members: int
    stays: bool


class KnownAnswers(BaseModel):
    """Both runs against a column of known answers."""

    column: str
    members: int
    first_right: float
    second_right: float
    first_nmi: float
    second_nmi: float
    differ_on: int
    p_value: float


class Comparison(BaseModel):
    """Two runs compared on the members that both have."""

    first: str
    second: str
    members: int
    moved: int
    only_first: int
    only_second: int
    verdict: str
    sentences: list[str]
    measures: list[MeasureValue]
    p_value: float = Field(description="Share of random groupings that agree at least as much.")
    random_groups: int
    groups: list[GroupPair]
    flows: list[FlowLine]
    answers: list[KnownAnswers]


class Mover(BaseModel):
    """A member and where it went; positions are those in either run."""

    id: str
    at_first: int
    at_second: int
    from_group: int
    to_group: int


class Movers(BaseModel):
    """Members that moved, the largest moves first."""

    members: int
    movers: list[Mover]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as the address says it."""

    first: str = ""
    second: str = ""
    source: int | None = None
    target: int | None = None
    page: int = 1

    def address(self, **other: Any) -> str:
        """The address of the same comparison with something else in it."""
        given = {
            "first": self.first,
            "second": self.second,
            "from": self.source,
            "to": self.target,
            **other,
        }
        return "/compare?" + urlencode(
            {k: v for k, v in given.items() if v not in (None, "") and (k, v) != ("page", 1)}
        )


@router.get("/compare", include_in_schema=False)
async def compare_page(
    request: Request,
    first: _Run = "",
    second: _Run = "",
    source: Annotated[int | None, Query(alias="from", ge=0, le=1_000_000)] = None,
    target: Annotated[int | None, Query(alias="to", ge=0, le=1_000_000)] = None,
    at: Annotated[int, Query(alias="page", ge=1, le=1_000_000)] = 1,
) -> Response:
    desk: Desk = request.app.state.desk
    asked = Asked(first, second, source, target, at)
    runs = [one for one in await run_in_threadpool(desk.runs) if one.status == "done"]
    given: dict[str, Any] = {
        "title": "Compare",
        "here": "compare",
        "runs": runs,
        "asked": asked,
        "found": None,
        "problem": "",
        "preparing": False,
        "scripts": ("compare.js",),
        "styles": ("search.css", "compare.css"),
    }
    if not (first and second):
        return answer(request, render("compare.html", **given, offered=_offered(runs)))
    both = desk.finished(first), desk.finished(second)
    try:
        found = await run_in_threadpool(side_by_side, desk, *both)
    except NotYet:
        return answer(request, render("compare.html", **{**given, "preparing": True}))
    except DataError as error:
        return answer(request, render("compare.html", **{**given, "problem": str(error)}))

    def make() -> str:
        notes = other_source(
            (both[0].name, both[1].name), (both[0].record().source, both[1].record().source)
        )
        return render(
            "compare.html",
            **{**given, "found": found, "notes": notes, **_shown(desk, both, found, asked)},
        )

    key = (
        "compare",
        asked,
        desk.version(both[0]),
        desk.version(both[1]),
        tuple(one.name for one in runs),
    )
    return await page(request, key, make)


@router.get("/api/compare", tags=["compare"], response_model=Comparison)
def compare(request: Request, first: _Run, second: _Run) -> Comparison:
    """Two finished runs compared on the members that both have, by their ids; 409 while it is being worked out."""
    desk: Desk = request.app.state.desk
    found = side_by_side(desk, desk.finished(first), desk.finished(second))
    told = _cleaned(found.record())
    flows = [{**one, "from_group": one["from"], "to_group": one["to"]} for one in told["flows"]]
    return Comparison.model_validate({**told, "verdict": found.words.verdict(), "flows": flows})


@router.get("/api/compare/movers", tags=["compare"], response_model=Movers)
def movers(
    request: Request,
    first: _Run,
    second: _Run,
    from_group: _Group = None,
    to_group: _Group = None,
    start: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    most: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> Movers:
    """Members that moved between two runs, or that went from one group to another."""
    desk: Desk = request.app.state.desk
    found = side_by_side(desk, desk.finished(first), desk.finished(second))
    rows = found.movers(_label(from_group), _label(to_group))
    return Movers(
        members=len(rows),
        movers=[Mover(**_mover(found, int(row))) for row in rows[start : start + most]],
    )


def side_by_side(desk: Desk, first: Run, second: Run) -> SideBySide:
    """The comparison of two runs as they stand, kept at hand; NotYet while it is being worked out."""
    if first.name == second.name:
        raise DataError("Both are the same run; choose another one to compare it with.")

    def make() -> SideBySide:
        known = [
            desk.collection(run).truth if run.has_collection else None for run in (first, second)
        ]
        sides = [
            Grouping.found(run.name, desk.findings(run), truth)
            for run, truth in zip((first, second), known, strict=True)
        ]
        return compare_groups(*sides)

    key = ("compare", first.name, second.name, desk.version(first), desk.version(second))
    found: SideBySide = desk.warm(key, make)
    return found


def _label(group: int | None) -> int | None:
    """A group as it is counted inside: from 0, and -1 for none."""
    return None if group is None else group - 1


def _mover(found: SideBySide, row: int) -> dict[str, Any]:
    one = int(found.at_first[row])
    two = int(found.at_second[row])
    ways = {
        "from_group": int(found.first.labels[one]) + 1,
        "to_group": int(found.second.labels[two]) + 1,
    }
    return {"id": clean(found.first.ids[one]), "at_first": one, "at_second": two, **ways}


def _cleaned(value: Any) -> Any:
    """Plain values whose texts any reader of JSON can take."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _cleaned(one) for name, one in value.items()}
    return [_cleaned(one) for one in value] if isinstance(value, list) else value


def _shown(desk: Desk, both: tuple[Run, Run], found: SideBySide, asked: Asked) -> dict[str, Any]:
    """One page of those who moved, the picture, and the names of the groups that can be chosen."""
    rows = found.movers(_label(asked.source), _label(asked.target))
    begin = (asked.page - 1) * PAGE
    if begin and begin >= len(rows):
        raise NotThere("There are not so many members that moved.")
    lines = desk.findings(both[0]).snippets
    shown = [
        {
            **one,
            "snippet": lines[one["at_first"]],
            "was": found.first.called(one["from_group"] - 1),
            "now": found.second.called(one["to_group"] - 1),
        }
        for one in (_mover(found, int(row)) for row in rows[begin : begin + PAGE])
    ]
    bands = [Band(one.first, one.second, one.members, one.stays) for one in found.flows[:_BANDS]]
    pictures = [
        flow(
            bands,
            found.first.called,
            found.second.called,
            size=size,
            title=f"Where the members of {both[0].name} are in {both[1].name}",
            link=lambda band: (
                Asked(asked.first, asked.second, band.left + 1, band.right + 1).address() + "#moved"
            ),
        )
        for size in (WIDE, NARROW)
    ]
    return {
        "pictures": pictures,
        "undrawn": max(len(found.flows) - _BANDS, 0),
        "movers": shown,
        "many": len(rows),
        "begin": begin,
        "page_size": PAGE,
        "was_groups": _choices(found, first=True),
        "now_groups": _choices(found, first=False),
        "words": found.words,
        "p_words": p_words,
    }


def _choices(found: SideBySide, *, first: bool) -> list[tuple[int, str]]:
    """Groups of one side that take part, counted from 1."""
    side = found.first if first else found.second
    labels = sorted({one.first if first else one.second for one in found.flows})
    return [
        (label + 1, f"{label + 1}. {side.called(label)}" if label >= 0 else NOWHERE)
        for label in labels
    ]


def _offered(runs: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Pairs of runs of one source, the newest first; the older run comes first."""
    found = list[tuple[Record, Record]]()
    for at, newer in enumerate(runs):
        older = next((one for one in runs[at + 1 :] if one.source == newer.source), None)
        if older is not None:
            found.append((older, newer))
    return found[:_OFFERED]
