"""The session of a run as the page sees it: where it stands, the words of every group, what changed, and what goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_state import (
    AUTOMATIC,
    DONE,
    REVIEW,
    SEEDS,
    TYPES,
    effective,
)
from coterie.run.jobs import FAILED, WAITING
from coterie.run.live import STOP
from coterie.run.session_changes import EDITS
from coterie.run.session_words import told_changes, told_entry
from coterie.run.sessions import CHANGED, Sitting, later, long_undo, version_of
from coterie.run.stored import Run
from coterie.show.markup import clean
from coterie.web.desk import Desk, without_paths

STEP = "session"
BACK = "session-back"
_TIED = 12  # words of an open cluster that are shown


class Work(BaseModel):
    """Work on the session: whether it goes on, what it does, and how it failed."""

    going: bool = False
    waiting: bool = False
    stopping: bool = False
    back: bool = Field(default=False, description="Whether a choice is being taken back.")
    task: str = ""
    done: int = 0
    total: int | None = None
    problem: str = ""


class Pulse(BaseModel):
    """What a page asks for again and again: whether something changed, and how far the work is."""

    version: str
    work: Work


class Word(BaseModel):
    """A word of a group: in how many members it is, whether it is new or was given, and its share in this group's members."""

    word: str
    members: int
    new: bool = False
    given: bool = False
    here: float | None = None


class Board(BaseModel):
    """The words of every group, of one type."""

    type: str
    groups: list[list[Word]]
    totals: list[int]


class Tie(BaseModel):
    """Words that may be of several groups alike; `to` is the group they were put into, 0 none, and nothing while it is open."""

    number: int
    type: str
    groups: list[int]
    words: list[str]
    total: int
    to: int | None


class Kind(BaseModel):
    """A type of features."""

    name: str
    chosen: bool


class Point(BaseModel):
    """One clustering of the members: how many were in a group, and how many of them came in."""

    iteration: int
    covered: int
    new: int


class Where(BaseModel):
    """Where a session stands, and everything there is to see."""

    version: str
    status: str
    members: int
    k: int
    names: list[str]
    types: list[Kind]
    iteration: int
    most_iterations: int
    sizes: list[int]
    unassigned: int
    covered: int
    seeded: bool
    sentences: list[str]
    boards: list[Board]
    ties: list[Tie]
    points: list[Point]
    changed: list[str]
    log: list[str]
    undo: str = Field(description="The choice that an undo takes back; empty where there is none.")
    long_undo: bool
    work: Work


def where(desk: Desk, run: Run, sitting: Sitting, session: Session, shown: int) -> Where:
    """The session as it stands, with at most so many words of each group."""
    state, names = session.state, [clean(name) for name in session.state.group_names]
    kept = [one for one in effective(session.log) if one["do"] in _CHOICES]
    covered = session.covered_by(state.draft) if state.status == SEEDS else len(state.doc_cluster)
    return Where(
        version=version_of(session.log),
        status=state.status,
        members=len(session.desk.ids),
        k=state.k,
        names=names,
        types=[
            Kind(name=clean(kind), chosen=kind in state.feature_types)
            for kind in session.desk.sources
        ],
        iteration=state.iteration,
        most_iterations=session.desk.settings.max_iter,
        sizes=list(state.history[-1]["sizes"]) if state.doc_cluster and state.history else [],
        unassigned=len(session.desk.ids) - len(state.doc_cluster) if state.doc_cluster else 0,
        covered=covered,
        seeded=bool(state.given),
        sentences=[clean(one) for one in _sentences(session)],
        boards=_boards(session, shown),
        ties=_ties(session),
        points=[
            Point(**{key: line[key] for key in ("iteration", "covered", "new")})
            for line in state.history
        ],
        changed=[clean(one) for one in _changed(run, session)],
        log=[clean(told_entry(one, state.group_names)) for one in session.log],
        undo=clean(told_entry(kept[-1], state.group_names)) if kept else "",
        long_undo=bool(kept) and long_undo(session.log),
        work=work_on(desk, run, sitting, session),
    )


_CHOICES = (
    "groups",
    "types",
    "draft",
    "seeds",
    "delete",
    "move",
    "add",
    "settle",
    "accept",
    "stop",
    "reopen",
)


def work_on(desk: Desk, run: Run, sitting: Sitting, session: Session) -> Work:
    """The work that goes on, or how the last one failed where the session still waits for it."""
    jobs = [job for job in (desk.job(run, action) for action in (STEP, BACK)) if job is not None]
    for job in jobs:
        if job.going:
            task: dict[str, Any] = next(iter(desk.jobs.live(job).get("tasks", ())), {})
            return Work(
                going=True,
                waiting=job.status == WAITING,
                stopping=(desk.store.folder / job.folder / STOP).exists(),
                back=job.action == BACK,
                task=clean(task.get("name", "")),
                done=int(task.get("done", 0)),
                total=task.get("total"),
            )
    last = max(jobs, key=lambda job: job.asked, default=None)
    if (
        last is None
        or last.status != FAILED
        or not (session.status in AUTOMATIC or last.action == BACK)
    ):
        return Work()
    try:
        old = sitting.place.stat().st_mtime > last.asked + 0.5 and last.action == BACK
    except OSError:
        old = True
    return (
        Work()
        if old
        else Work(
            problem=clean(without_paths(last.problem, desk.store.folder)), back=last.action == BACK
        )
    )


def _sentences(session: Session) -> list[str]:
    if session.status == TYPES:  # what members have is not yet what was chosen
        return [f"{session.state.k} groups: {', '.join(session.state.group_names)}."]
    if session.status == SEEDS:
        return [*session.tell(), *session.unseeded(session.state.draft)]
    told = session.tell()
    return (
        [one for one in told if one not in session.proposals()]
        if session.status == REVIEW
        else told
    )


def _boards(session: Session, shown: int) -> list[Board]:
    state = session.state
    if state.status == SEEDS:
        return [_draft(session, kind) for kind in state.feature_types]
    if state.status not in (REVIEW, DONE) or not state.seed_groups:
        return []
    found = []
    for kind in state.seed_groups:
        groups = [
            [
                Word(
                    word=clean(one.feature),
                    members=one.members,
                    new=one.new,
                    given=one.given,
                    here=round(one.shares[at], 4),
                )
                for one in sorted(group, key=lambda one: not one.given)[
                    :shown
                ]  # the person's own first
            ]
            for at, group in enumerate(session.review(kind, most=None))
        ]
        found.append(
            Board(
                type=clean(kind),
                groups=groups,
                totals=[len(group) for group in state.seed_groups[kind]],
            )
        )
    return found


def _draft(session: Session, kind: str) -> Board:
    """The seeds that are written down."""
    groups: Sequence[Sequence[str]] = session.state.draft.get(
        kind, [[] for _ in range(session.state.k)]
    )
    held: np.ndarray = session.desk.members_with(kind)
    places = session.desk.places[kind]
    rows = [
        [Word(word=clean(one), members=int(held[places[one]]), given=True) for one in group]
        for group in groups
    ]
    return Board(type=clean(kind), groups=rows, totals=[len(group) for group in groups])


def _ties(session: Session) -> list[Tie]:
    if session.status != REVIEW:
        return []
    return [
        Tie(
            number=at,
            type=clean(tie["type"]),
            groups=[group + 1 for group in tie["groups"]],
            words=[clean(one) for one in tie["features"][:_TIED]],
            total=len(tie["features"]),
            to=None if tie["to"] is None else tie["to"] + 1,
        )
        for at, tie in enumerate(session.state.ties, 1)
    ]


def _changed(run: Run, session: Session) -> list[str]:
    """What the last step changed, as long as only edits followed it."""
    kept = run.get_json(CHANGED) if session.state.history else None
    if not isinstance(kept, dict):
        return []
    since = later(session.log, str(kept.get("on", "")))
    if since is None or any(one["do"] not in (*EDITS, "stop", "reopen") for one in since):
        return []
    return told_changes(kept, session.state.group_names)
