"""The page Words: groups by words that a person names; a session of seeds, proposals and edits, kept in the run's folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from coterie.collect.features import features_of
from coterie.core.errors import CoterieError, ParameterError
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_state import AUTOMATIC
from coterie.run.live import STOP
from coterie.run.session_changes import Change, Do, cancel, said
from coterie.run.session_runs import prepared
from coterie.run.sessions import Stale, remove, version_of
from coterie.run.stored import Run
from coterie.run.turns import turn
from coterie.show.markup import clean
from coterie.web.desk import Desk, NotYet
from coterie.web.pages import run_page
from coterie.web.words_lists import AT, TAGS, sat
from coterie.web.words_lists import router as lists
from coterie.web.words_told import BACK, STEP, Pulse, Where, Work, where, work_on

router = APIRouter()
router.include_router(lists)
_MADE = "session-runs"  # version of a session -> the run that was made of it

Named = Annotated[str, Field(min_length=1, max_length=80)]
Feature = Annotated[str, Field(min_length=1, max_length=300)]
Version = Annotated[
    str, Field(max_length=40, description="The version of the session that was looked at.")
]
Shown = Annotated[int, Query(ge=5, le=200, description="Most words of each group.")]


class Saying(BaseModel):
    """One thing a person says in a session; what does not belong to it is left out."""

    do: Do
    on: Version
    k: int = Field(0, ge=0, le=200, description="Number of groups.")
    names: list[Named] = Field([], max_length=200)
    types: list[Named] = Field([], max_length=50)
    type: str = Field("", max_length=80)
    features: list[Feature] = Field([], max_length=500)
    to: int = Field(0, ge=0, le=200, description="A group, by its number from 1; 0 is none.")
    tie: int = Field(0, ge=0, le=100_000)


class On(BaseModel):
    """The version of the session that is meant."""

    on: Version


class Made(BaseModel):
    """A run that was made."""

    run: str


# ---- the page --------------------------------------------------------------------------------------------------------------


@router.get("/runs/{name}/words", include_in_schema=False)
async def words_page(request: Request, name: str) -> Response:
    """The page; everything that changes on it is asked for by its script."""
    return await run_page(request, name, "words", "words.html", _context)


def _context(desk: Desk, run: Run) -> Mapping[str, Any]:
    why = ""
    try:
        features_of(desk.collection(run))
    except CoterieError:
        why = f"This session goes by words, tags or counts of what members hold, and '{run.record().title}' has none of them."
    record = run.record()
    scripts = () if why else ("words.js",)
    styles = ("words.css",)
    return {
        "why": why,
        "groups": max(2, min(record.groups or 2, 30)),
        "scripts": scripts,
        "styles": styles,
    }


# ---- looking ---------------------------------------------------------------------------------------------------------------


@router.get(AT, tags=TAGS, response_model=Where)
def look(request: Request, name: str, shown: Shown = 40) -> Where:
    """Where the session of a run stands; one that has just begun where there is none yet."""
    desk, run, sitting = sat(request, name)
    return where(desk, run, sitting, sitting.session(), shown)


@router.get(f"{AT}/pulse", tags=TAGS, response_model=Pulse)
def pulse(request: Request, name: str) -> Pulse:
    """The version of the session, and how far the work on it is."""
    desk, run, sitting = sat(request, name)
    session = sitting.session()
    return Pulse(version=version_of(session.log), work=work_on(desk, run, sitting, session))


# ---- changing --------------------------------------------------------------------------------------------------------------


@router.post(AT, tags=TAGS, response_model=Where)
def say(request: Request, name: str, saying: Saying, shown: Shown = 40) -> Where:
    """Say one thing in the session: a choice, an edit, or an undo; what is said twice holds once.

    The answer is the session as it stands then. Long steps go on by themselves; see `pulse`. What was said on a version that is
    no longer the last is refused with 422, unless it is an edit beside other edits; 409 says that something is being prepared.
    """
    desk, run, sitting = sat(request, name)
    strange = next((one for one in saying.names if clean(one) != one), None)
    if strange is not None:
        raise ParameterError(
            "The name of a group has characters that cannot be shown; choose another."
        )
    if saying.do == "types":
        counted = [
            sitting.sources.types[kind] for kind in saying.types if kind in sitting.sources.types
        ]
        desk.warm(
            (run.name, "words counted", *saying.types), lambda: [count() for count in counted]
        )
    change = Change(
        do=saying.do,
        on=saying.on,
        k=saying.k,
        names=tuple(saying.names),
        types=tuple(saying.types),
        type=saying.type,
        features=tuple(saying.features),
        to=saying.to,
        tie=saying.tie,
    )

    def after(session: Session, long: bool) -> None:
        if long:
            desk.work(run, BACK)
        elif session.status in AUTOMATIC:
            desk.work(run, STEP)

    session = said(sitting, change, lambda: _free(desk, run), after)
    return where(desk, run, sitting, session, shown)


@router.post(f"{AT}/go", tags=TAGS, response_model=Where)
def go(request: Request, name: str, on: On) -> Where:
    """Go on with steps that need nobody, where they were left by a stop or a failure."""
    desk, run, sitting = sat(request, name)
    with sitting.changing() as session:
        if version_of(session.log) != on.on:
            raise Stale
        if session.status not in AUTOMATIC:
            raise ParameterError("Nothing goes on by itself here: the session waits for a choice.")
        desk.work(run, STEP)
    return where(desk, run, sitting, session, 40)


@router.post(f"{AT}/cancel", tags=TAGS, response_model=Where)
def stop(request: Request, name: str, on: On) -> Where:
    """Stop the step that is worked out, and go back to where it was asked for."""
    desk, run, sitting = sat(request, name)

    def stopped() -> None:
        for action in (STEP, BACK):
            desk.jobs.stop(action, run.name)

    return where(desk, run, sitting, cancel(sitting, on.on, stopped), 40)


@router.delete(AT, tags=TAGS, response_model=Work)
def anew(request: Request, name: str, on: On) -> Work:
    """Begin anew: the session is put aside, and only the last one that was put aside is kept."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    for action in (STEP, BACK):
        desk.jobs.stop(action, run.name)
    remove(run, on.on)
    return Work()


@router.post(f"{AT}/run", tags=TAGS, response_model=Made)
def make_run(request: Request, name: str, on: On) -> Made:
    """Make the groups a run of its own: they are hints there, and everything else is found anew. Asked twice, it is made once."""
    desk, run, sitting = sat(request, name)
    with turn(run.folder / ".session-runs.lock"):
        session = sitting.session()
        if version_of(session.log) != on.on:
            raise Stale
        known = run.get_json(_MADE, {})
        made = known.get(on.on) if isinstance(known, dict) else None
        if not isinstance(made, str) or not (desk.store.folder / made / "run.json").is_file():
            laid = prepared(run, session)
            run.put_json(_MADE, {**(known if isinstance(known, dict) else {}), on.on: laid.name})
            made = laid.name
            desk.work(laid)
    return Made(run=made)


# ---- what all of them need -------------------------------------------------------------------------------------------------


def _free(desk: Desk, run: Run) -> None:
    """Refuse a change while a step is worked out."""
    for action in (STEP, BACK):
        job = desk.job(run, action)
        if job is not None and job.going:
            if (desk.store.folder / job.folder / STOP).exists():
                raise NotYet("The step before is being stopped; this takes a moment.")
            raise ParameterError(
                "The session is being worked on; wait until that is done, or stop it."
            )
