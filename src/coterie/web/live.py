"""Live: the progress of a run told to every tab that looks, by server-sent events; and pausing, going on, adding members."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse

from coterie.core.errors import CoterieError, StoreError
from coterie.run.adding import ADDED, want_members
from coterie.run.looking import source_of
from coterie.run.worker import HELD
from coterie.web.desk import WALK, Desk, NotThere, NotYet, without_paths
from coterie.web.progress import Drawn, Standing, Step, standing_of, state_of, steps_of
from coterie.web.shelf import Shelf

router = APIRouter()

_EVERY = 0.4  # seconds between two looks at a run that works, however many tabs follow it
_IDLE = 1.5  # seconds between two looks at one that does not
_ALIVE = 15.0  # seconds after which a word is sent even if there is nothing to tell
_LONGEST = 600  # seconds of one stream; browsers ask for the next one by themselves
ADD = "add"
_RETRY = 1500  # milliseconds after which they do


@dataclass(frozen=True, slots=True)
class Told:
    """One look at a run, ready to be sent."""

    standing: Standing
    words: str
    curves: str


class Follow:
    """Looks at runs for all tabs at once: a run is looked at once per moment, in a thread, whoever asks."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._told: dict[str, tuple[float, Told]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def look(self, name: str) -> Told:
        """How the run stands now, or stood a moment ago."""
        found = self._fresh(name)
        if found is not None:
            return found
        async with self._locks.setdefault(name, asyncio.Lock()):
            found = self._fresh(name)
            if found is not None:
                return found
            try:
                told = await asyncio.to_thread(self._tell, name)
            except CoterieError:
                self.forget(name)
                self._locks.pop(name, None)
                raise
            self._told[name] = (time.monotonic(), told)
            return told

    def forget(self, name: str) -> None:
        """Something was changed: the next one who asks gets a new look."""
        self._told.pop(name, None)

    def _fresh(self, name: str) -> Told | None:
        when, told = self._told.get(name, (float("-inf"), None))
        return told if time.monotonic() - when < _EVERY else None

    def _tell(self, name: str) -> Told:
        standing, curves = standing_of(self.desk, self.desk.run(name))
        return Told(
            standing, standing.model_dump_json(), json.dumps([one.model_dump() for one in curves])
        )


def follow_of(request: Request) -> Follow:
    """The one who looks at runs for this server."""
    state = request.app.state
    if not hasattr(state, "follow"):
        state.follow = Follow(state.desk)
    found: Follow = state.follow
    return found


@router.get("/api/runs/{name}/state", response_model=Standing, tags=["progress"])
async def state(request: Request, name: str) -> Standing:
    """How a run stands: its state, what is being done and how far it is, and what was noted on the way."""
    return (await follow_of(request).look(name)).standing


@router.get("/api/runs/{name}/curves", response_model=list[Drawn], tags=["progress"])
async def curves(request: Request, name: str) -> Any:
    """The curves of a run that works: objectives and entropies by step, drawn as SVG."""
    return json.loads((await follow_of(request).look(name)).curves)


@router.get("/api/runs/{name}/events", tags=["progress"], response_class=StreamingResponse)
async def events(
    request: Request,
    name: str,
    seconds: Annotated[
        float, Query(ge=0, le=_LONGEST, description="How long the stream is kept open at most.")
    ] = _LONGEST,
) -> Response:
    """The progress of a run as server-sent events.

    `standing` (as the call `state` gives it) and `curves` come whenever they changed; `end` when the run is finished and `gone`
    when it was deleted, and then the stream ends.
    """
    follow = follow_of(request)
    await follow.look(name)  # one that is not there is refused before the stream begins
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(
        _stream(follow, name, seconds), media_type="text/event-stream", headers=headers
    )


async def _stream(follow: Follow, name: str, seconds: float) -> AsyncIterator[str]:
    words = curves = ""
    begun = spoken = time.monotonic()
    yield f"retry: {_RETRY}\n\n"
    while True:
        pause = _IDLE
        try:
            told = await follow.look(name)
        except NotThere:
            yield event("gone")
            return
        except StoreError:  # busy for a moment; the next look may see it
            told = None
        if told is not None:
            pause = _EVERY if told.standing.going else _IDLE
            if told.curves != curves:
                curves = told.curves
                spoken = time.monotonic()
                yield event("curves", curves)
            if told.words != words:
                words = told.words
                spoken = time.monotonic()
                yield event("standing", words)
            if told.standing.state == "done":
                yield event("end")
                return
        now = time.monotonic()
        if now - begun + pause > seconds:
            return
        if now - spoken > _ALIVE:
            spoken = now
            yield ": still here\n\n"
        await asyncio.sleep(pause)


def event(kind: str, data: str = "{}") -> str:
    """One event as it is sent; `data` is JSON and has no line ends."""
    return f"event: {kind}\ndata: {data}\n\n"


@router.post("/api/runs/{name}/pause", response_model=Standing, tags=["progress"])
async def pause(request: Request, name: str) -> Standing:
    """Ask a run to stop after the step it is at; what is finished is kept, and one that waits leaves the queue."""
    desk: Desk = request.app.state.desk

    def ask() -> None:
        run = desk.run(name)
        job = desk.job(run)
        if job is None or not job.going:
            stands = "finished" if run.status == "done" else "not at work here"
            raise NotYet(f"The run {run.name} is {stands}, so there is nothing to pause.")
        desk.jobs.stop(WALK, run.name)

    return await _changed(request, name, ask)


@router.post("/api/runs/{name}/resume", response_model=Standing, tags=["progress"])
async def resume(request: Request, name: str) -> Standing:
    """Begin a run, or go on with it where it stood; it is put into the queue."""
    desk: Desk = request.app.state.desk

    def ask() -> None:
        run = desk.run(name)
        stands = state_of(run.record(), desk.job(run))
        if stands == "done":
            raise NotYet(f"The run {run.name} is finished, so there is nothing to go on with.")
        if stands == "elsewhere":
            raise NotYet(f"Another program works on the run {run.name}; it goes on there.")
        if stands == "working":
            raise NotYet(
                f"The run {run.name} is at work; if it was paused, wait until it has stopped."
            )
        desk.work(run)

    return await _changed(request, name, ask)


class Newcomers(BaseModel):
    """New members for a run: a collection of the shelf."""

    collection: str = Field(
        min_length=1, max_length=80, description="Its id, as the calls on collections give it."
    )


class Adding(BaseModel):
    """How the adding of new members stands."""

    status: str = Field(description="none, waiting, working, done, failed or gone.")
    sentence: str = Field(description="What is being done, what came of it, or why it failed.")
    steps: list[Step]


@router.post("/api/runs/{name}/add", response_model=Adding, tags=["progress"])
def add(request: Request, name: str, new: Newcomers) -> Adding:
    """Place the members of a collection into a finished run, in the background; its groups keep their names."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    one = Shelf(desk).one(new.collection)
    job = desk.job(run, ADD)
    if job is not None and job.going:
        raise NotYet("New members are being added already; wait until that is done.")
    want_members(run, source_of(desk.store.folder, one), one.name)
    desk.work(run, ADD)
    return added(request, name)


@router.get("/api/runs/{name}/add", response_model=Adding, tags=["progress"])
def added(request: Request, name: str) -> Adding:
    """How the adding of new members to a run stands."""
    desk: Desk = request.app.state.desk
    run = desk.run(name)
    job = desk.job(run, ADD)
    if job is None:
        return Adding(status="none", sentence="Nobody has added members on this page.", steps=[])
    said = (
        "It waits for its turn."
        if job.status == "waiting"
        else "The new members are read and placed."
    )
    if job.status == "done":
        kept = run.get_json(ADDED)
        said = " ".join(kept.get("sentences", [])) if isinstance(kept, dict) else ""
    elif not job.going:
        stopped = job.status == "gone" or job.problem == HELD
        said = (
            "The adding was stopped before its end; nothing was added." if stopped else job.problem
        )
    steps = steps_of(desk.jobs.live(job)) if job.going else []
    return Adding(status=job.status, sentence=without_paths(said, desk.store.folder), steps=steps)


async def _changed(request: Request, name: str, ask: Any) -> Standing:
    """Do it in a thread, and say how the run stands then."""
    follow = follow_of(request)
    await asyncio.to_thread(ask)
    follow.forget(name)
    return (await follow.look(name)).standing
