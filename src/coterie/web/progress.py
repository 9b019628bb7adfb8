"""Where a run stands, in words and numbers: what the index, the queue of jobs and the worker's last word say together."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from coterie.run.index import Record
from coterie.run.jobs import FAILED, WAITING, Job
from coterie.run.live import STOP
from coterie.run.stored import Run
from coterie.run.worker import HELD
from coterie.show.curves import line_chart
from coterie.show.markup import clean, clip, count
from coterie.web.desk import WALK, Desk, without_paths

GOING = ("waiting", "working", "pausing", "elsewhere")
WORDS = {
    "waiting": "In the queue",
    "working": "Working",
    "pausing": "Pausing",
    "elsewhere": "Working",
    "new": "Not begun",
    "paused": "Paused",
    "interrupted": "Interrupted",
    "failed": "Failed",
    "done": "Finished",
}
# of them that are told
_CURVES = 4
_NOTES = 30
_EVEN = 6  # parts from which one may be taken for another's length


class Step(BaseModel):
    """One thing that is being done, and how far it is."""

    name: str = Field(description="What is being done.")
    done: int = Field(description="Parts that are finished.")
    total: int | None = Field(description="All parts, where their number is known.")
    seconds: float = Field(description="How long it takes already.")
    left: float | None = Field(description="Seconds it will still take, if it goes on like this.")


class Standing(BaseModel):
    """How a run stands."""

    name: str
    state: str = Field(description="One of: " + ", ".join(WORDS) + ".")
    word: str = Field(description="The same for people.")
    headline: str
    sentence: str
    problem: str = Field(description="Why it could not be finished.")
    going: bool = Field(description="Whether something is going on, or will be.")
    pause: bool = Field(description="Whether it can be paused now.")
    resume: bool = Field(description="Whether it can be begun, or go on, now.")
    elapsed: int = Field(description="Seconds since the work began.")
    steps: list[Step]
    notes: list[str]
    members: int
    groups: int
    kind: str
    summary: str


class Drawn(BaseModel):
    """A curve met on the way, as a picture."""

    name: str
    svg: str


def state_of(record: Record, job: Job | None, halting: bool = False) -> str:
    """The one word for how a run stands, from its line in the index and its last walk in the queue."""
    if record.status == "done":
        return "done"
    if job is not None and job.going:
        return "waiting" if job.status == WAITING else "pausing" if halting else "working"
    if record.status == "running":
        return "elsewhere"
    refused = job is not None and job.status == FAILED and job.problem != HELD
    if record.status == "failed" or refused:
        return "failed"
    return {"stopped": "paused"}.get(record.status, record.status)


def halting(desk: Desk, job: Job | None) -> bool:
    """Whether a job was asked to stop and works still."""
    return job is not None and job.going and (desk.store.folder / job.folder / STOP).exists()


def standing_of(desk: Desk, run: Run) -> tuple[Standing, list[Drawn]]:
    """Everything the page of a run that is not finished shows, and the curves met on the way."""
    record = run.record()
    jobs = desk.jobs.every()
    job = max(
        (one for one in jobs if (one.action, one.target) == (WALK, run.name)),
        key=lambda one: one.asked,
        default=None,
    )
    state = state_of(record, job, halting(desk, job))
    live = desk.jobs.live(job) if job is not None and state not in ("done", "waiting") else {}
    before = (
        sum(one.going and one.id != job.id and one.asked <= job.asked for one in jobs)
        if job is not None
        else 0
    )
    problem = (
        record.problem or (job.problem if job is not None else "") if state == "failed" else ""
    )
    told = Standing(
        name=run.name,
        state=state,
        word=WORDS.get(state, state),
        headline=_headline(state, run),
        sentence=_sentence(state, record, before, run.has_collection),
        problem=clean(without_paths(problem, desk.store.folder)),
        going=state in GOING,
        pause=state in ("waiting", "working"),
        resume=state in ("new", "paused", "interrupted", "failed"),
        elapsed=_elapsed(state, record, job),
        steps=steps_of(live) if state in ("working", "pausing") else [],
        notes=[
            clean(clip(without_paths(str(one), desk.store.folder), 400))
            for one in _listed(live.get("notes"))[-_NOTES:]
        ],
        members=record.members,
        groups=record.groups,
        kind=record.kind,
        summary=record.summary,
    )
    return told, _drawn(live) if state != "done" else []


def _headline(state: str, run: Run) -> str:
    if state in ("working", "elsewhere"):
        return "Looking for groups" if run.has_collection else "Reading the members"
    return {
        "waiting": "Waiting for its turn",
        "pausing": "Coming to a halt",
        "new": "Not begun yet",
        "paused": "Paused",
        "interrupted": "Interrupted",
        "failed": "This run could not be finished",
        "done": "Finished",
    }.get(state, state)


def _sentence(state: str, record: Record, before: int, read: bool) -> str:
    who = count(record.members, "member") if record.members else "the members"
    if state == "waiting":
        others = f"{count(before, 'other job')} before it {'is' if before == 1 else 'are'}"
        return f"It begins when {others} done." if before else "It begins in a moment."
    closing = "You may close this page: the work goes on by itself."
    look = (
        f"Which of {who} go together is being looked at."
        if read
        else "They are read first, and then looked at."
    )
    return {
        "working": f"{look} {closing}",
        "elsewhere": "Another program works on it, not this page; it is paused where it was started.",
        "pausing": "It stops as soon as the step at hand is kept.",
        "new": "It was laid down and nobody has begun it.",
        "paused": "What was finished is kept, and the run goes on where it stood.",
        "interrupted": "Its program ended without a word, as when a machine is switched off. What was finished is kept, and "
        "the run goes on where it stood.",
        "failed": "Nothing of what was finished is lost. Try it again as it is, or change what the sentence below names.",
        "done": record.summary,
    }.get(state, "")


def _elapsed(state: str, record: Record, job: Job | None) -> int:
    if state in ("working", "pausing") and job is not None and job.started:
        return max(0, int(time.time() - job.started))
    return int(record.seconds) if state == "done" else 0


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def steps_of(live: Mapping[str, Any]) -> list[Step]:
    """The tasks of a worker's last word, with the time each will still take."""
    found = []
    for one in _listed(live.get("tasks")):
        try:
            done = int(one["done"])
            total = one["total"]
            seconds = float(one["seconds"])
            total = None if total is None or int(total) <= 0 else int(total)
            left = (
                seconds * (total - done) / done
                if total and total >= _EVEN and 0 < done <= total
                else None
            )
            name = clean(clip(str(one["name"]), 120))
            found.append(
                Step(
                    name=name[:1].upper() + name[1:],
                    done=done,
                    total=total,
                    seconds=seconds,
                    left=left,
                )
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            continue  # half a word tells nothing
    return found


def _drawn(live: Mapping[str, Any]) -> list[Drawn]:
    """The curves of a worker's last word as pictures, one for each thing that was measured."""
    curves = live.get("curves")
    found: list[Drawn] = []
    for name, pairs in curves.items() if isinstance(curves, dict) else ():
        if len(found) == _CURVES or (
            ", " in name and name.rpartition(", ")[2].isdigit()
        ):  # the others of the same name
            continue
        try:
            svg = line_chart([(float(x), float(y)) for x, y in pairs], clip(name, 80))
        except (TypeError, ValueError, OverflowError):
            continue
        found += [Drawn(name=clean(clip(name, 100)), svg=svg)] if svg else []
    return found
