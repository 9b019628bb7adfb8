"""The page Core: the members that share one topic among others that do not; how many of them is moved by hand."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from coterie.core.errors import CoterieError, DataError
from coterie.core.links import Links
from coterie.run.coring import (
    Way,
    ask_core,
    check_core,
    check_record,
    core_changed,
    kept_core,
    links_for,
    problem_of,
    wanted_cores,
)
from coterie.run.jobs import DONE, FAILED, WAITING
from coterie.run.stored import Run
from coterie.show.markup import clean, clip
from coterie.web.desk import Desk, NotThere, without_paths
from coterie.web.exports import attached
from coterie.web.pages import run_page
from coterie.web.words_lists import members_mark
from coterie.workflows.cores import METHODS, by_background, told, verdict
from coterie.workflows.describe import snippets

router = APIRouter()
_TAGS: list[Any] = ["core"]
_AT = "/api/runs/{name}/core"
_CORE = "core"  # the action of the job
# members on a page, members beside the edge, points of the curve
_PAGE = 20
_NEAR = 4
_POINTS = 160
_WORDS = 12

Method = Literal["ltb", "occc", "kl", "min-entropy", "ocsvm", "ocib"]
Background = Literal["bundled", "uniform"]
Size = Annotated[
    int, Query(ge=0, le=100_000_000, description="Members in the core; 0: as many as were found.")
]


class Asked(BaseModel):
    """How a core is to be found."""

    method: Method = "ltb"
    background: Background = Field("bundled", description="How frequent words are elsewhere.")


class State(BaseModel):
    """Whether a core is there: absent, waiting, working, failed or done; and how far the work is."""

    status: Literal["absent", "waiting", "working", "failed", "done"]
    problem: str = ""
    task: str = ""
    done: int = 0
    total: int | None = None


class Member(BaseModel):
    """A member by its rank: how much it is of the core, its probability, and how often it was in the core again."""

    rank: int
    id: str
    at: int
    text: str
    score: float | None
    probability: float | None
    again: float | None


class Core(BaseModel):
    """A core at some size: what is said of it, its members by rank, and those beside the edge."""

    members: int
    size: int
    found: int = Field(description="How many members were found to be the core.")
    stands_out: bool
    verdict: str = Field(description="Whether there is a core, in a sentence.")
    sentences: list[str]
    notes: list[str]
    words: list[str]
    curve: list[tuple[int, float]] = Field(
        description="Some ranks with the scores there, from the first to the last."
    )
    page: int
    pages: int
    rows: list[Member]
    inside: list[Member] = Field(description="The last members inside.")
    outside: list[Member] = Field(description="The first members outside.")


class Words(BaseModel):
    """What tells a core of some size from the rest."""

    size: int
    words: list[tuple[str, float]]


class Places(BaseModel):
    """Where the members of a core of some size stand in the run, the surest first."""

    size: int
    members: list[int]


@dataclass(frozen=True, eq=False)
class _Kept:
    """A core at hand: its record, with the position of every member in the run."""

    record: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    at: np.ndarray  # positions, by rank
    texts: Sequence[str]


# ---- the page --------------------------------------------------------------------------------------------------------------


@router.get("/runs/{name}/core", include_in_schema=False)
async def core_page(request: Request, name: str) -> Response:
    """The page; its script asks for the core."""
    return await run_page(request, name, "core", "core.html", _context)


def _context(desk: Desk, run: Run) -> Mapping[str, Any]:
    why = ""
    try:
        check_core(desk.collection(run))
    except CoterieError as error:
        why = without_paths(str(error), desk.store.folder)
    methods = [(key, name, by_background(key)) for key, name in _ways()]
    return {
        "why": why,
        "methods": methods,
        "scripts": () if why else ("core.js",),
        "styles": ("groups.css", "core.css"),
    }


def _ways() -> list[tuple[str, str]]:
    """The methods, the usual one first."""
    return sorted(METHODS.items(), key=lambda item: item[0] != "ltb")


# ---- the API ---------------------------------------------------------------------------------------------------------------


@router.post(_AT, tags=_TAGS, response_model=State)
def ask(request: Request, name: str, asked: Asked) -> State:
    """Ask for the core by one method; one that is there or on its way is not looked for again."""
    desk, run, way = _meant(request, name, asked.method, asked.background)
    state = _state(desk, run, way)
    if state.status in ("absent", "failed"):
        check_core(desk.collection(run))
        ask_core(run, way)
        desk.work(run, _CORE)
        state = _state(desk, run, way, asked=True)
    return state


@router.get(f"{_AT}/state", tags=_TAGS, response_model=State)
def state(
    request: Request, name: str, method: Method = "ltb", background: Background = "bundled"
) -> State:
    """Whether the core by this method is there, or how far the work on it is."""
    return _state(*_meant(request, name, method, background))


@router.get(_AT, tags=_TAGS, response_model=Core)
def core(
    request: Request,
    name: str,
    method: Method = "ltb",
    background: Background = "bundled",
    size: Size = 0,
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> Core:
    """The core at this size, from the ranking that is there: nothing is computed anew."""
    kept = _kept(*_meant(request, name, method, background))
    n = len(kept.rows)
    found = int(kept.record["size"])
    wide = _sized(size, found, n)
    pages = max(1, -(-wide // _PAGE))
    page = min(page, pages)
    return Core(
        members=n,
        size=wide,
        found=found,
        stands_out=bool(kept.record.get("stands_out", True)),
        verdict=clean(verdict(kept.record)),
        sentences=[clean(one) for one in kept.record.get("sentences", ())],
        notes=[clean(one) for one in kept.record.get("notes", ())],
        words=[clean(word) for word, _ in kept.record.get("words", ())],
        curve=_curve(kept.rows),
        page=page,
        pages=pages,
        rows=[_member(kept, at) for at in range((page - 1) * _PAGE, min(page * _PAGE, wide))],
        inside=[_member(kept, at) for at in range(max(0, wide - _NEAR), wide)],
        outside=[_member(kept, at) for at in range(wide, min(n, wide + _NEAR))],
    )


@router.get(f"{_AT}/words", tags=_TAGS, response_model=Words)
def words(
    request: Request,
    name: str,
    method: Method = "ltb",
    background: Background = "bundled",
    size: Size = 0,
) -> Words:
    """What tells the core at this size from the rest, the most telling first."""
    desk, run, way = _meant(request, name, method, background)
    kept = _kept(desk, run, way)
    wide = _sized(size, int(kept.record["size"]), len(kept.rows))
    links: Links = desk.warm(
        (run.name, "core links", members_mark(run)), lambda: links_for(desk.collection(run))
    )
    inside = np.zeros(len(kept.rows), dtype=bool)
    inside[kept.at[:wide]] = True
    return Words(
        size=wide,
        words=[
            (clean(word), round(float(score), 4)) for word, score in told(links, inside)[:_WORDS]
        ],
    )


@router.get(f"{_AT}/places", tags=_TAGS, response_model=Places)
def places(
    request: Request,
    name: str,
    method: Method = "ltb",
    background: Background = "bundled",
    size: Size = 0,
) -> Places:
    """Where the members of the core at this size stand in the run, to make them a group by an edit (label)."""
    kept = _kept(*_meant(request, name, method, background))
    wide = _sized(size, int(kept.record["size"]), len(kept.rows))
    return Places(size=wide, members=kept.at[:wide].tolist())


@router.get(f"{_AT}/core.csv", tags=_TAGS)
def core_file(
    request: Request,
    name: str,
    method: Method = "ltb",
    background: Background = "bundled",
    size: Size = 0,
) -> Response:
    """Every member with its rank, whether it is in the core at this size, and its scores, as a CSV file."""
    desk, run, way = _meant(request, name, method, background)
    kept = _kept(desk, run, way)
    wide = _sized(size, int(kept.record["size"]), len(kept.rows))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(kept.rows[0]), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({**row, "core": int(int(row["rank"]) <= wide)} for row in kept.rows)
    return attached(
        text.getvalue().encode("utf-8", "replace"), "text/csv", f"{run.name}-{way.key}.csv"
    )


# ---- what all of them need -------------------------------------------------------------------------------------------------


def _meant(request: Request, name: str, method: str, background: str) -> tuple[Desk, Run, Way]:
    desk: Desk = request.app.state.desk
    return desk, desk.finished(name), Way(method, background)


def _state(desk: Desk, run: Run, way: Way, asked: bool = False) -> State:
    job = desk.job(
        run, _CORE
    )  # first the job, then the wish, then the core: the other way round one that ends now is missed
    wanted = way in wanted_cores(run)
    found = kept_core(run, way) if core_changed(run, way) else None
    if (
        wanted and job is not None and job.status == DONE
    ):  # asked for when the job had looked for the last time
        job = desk.work(run, _CORE)
    if (asked or wanted) and job is not None and job.going:  # it may go on for another way
        task: dict[str, Any] = next(iter(desk.jobs.live(job).get("tasks", ())), {})
        status: Literal["waiting", "working"] = "waiting" if job.status == WAITING else "working"
        return State(
            status=status,
            task=clean(task.get("name", "")),
            done=int(task.get("done", 0)),
            total=task.get("total"),
        )
    if found is not None:
        why = problem_of(found)
        return State(
            status="failed" if why else "done", problem=clean(without_paths(why, desk.store.folder))
        )
    if wanted and job is not None and job.status == FAILED:
        return State(status="failed", problem=clean(without_paths(job.problem, desk.store.folder)))
    return State(status="absent")


def _kept(desk: Desk, run: Run, way: Way) -> _Kept:
    """The core that was found this way, at hand."""
    mark = core_changed(run, way)
    if not mark:
        raise NotThere("The core was not looked for this way yet.")
    found: _Kept = desk.warm((run.name, way.key, mark), lambda: _loaded(desk, run, way))
    return found


def _loaded(desk: Desk, run: Run, way: Way) -> _Kept:
    record = kept_core(run, way)
    collection = desk.collection(run)
    if record is None or problem_of(record):
        raise DataError(problem_of(record or {}) or "The core was not looked for this way yet.")
    check_record(record, len(collection))
    places = {member: at for at, member in enumerate(collection.ids)}
    rows = record["members"]
    at = np.array([places.get(str(row["id"]), -1) for row in rows], dtype=np.int64)
    if (at < 0).any():
        raise DataError(
            "What is kept of this core does not fit the members of the run; look for it again."
        )
    return _Kept(
        record, rows, at, snippets(collection, collection.main if collection.views else "")
    )


def _sized(asked: int, found: int, n: int) -> int:
    return min(max(asked or found, 1), n)


def _member(kept: _Kept, rank: int) -> Member:
    row = kept.rows[rank]
    at = int(kept.at[rank])
    numbers = {key: row.get(key) for key in ("score", "probability", "again")}
    return Member(
        rank=rank + 1, id=clean(row["id"]), at=at, text=clean(clip(kept.texts[at], 220)), **numbers
    )


def _curve(rows: Sequence[Mapping[str, Any]]) -> list[tuple[int, float]]:
    """Some ranks with their scores; those without a finite score are left out."""
    some = np.unique(
        np.linspace(0, len(rows) - 1, min(_POINTS, len(rows))).round().astype(np.int64)
    ).tolist()
    return [(at + 1, float(rows[at]["score"])) for at in some if rows[at].get("score") is not None]
