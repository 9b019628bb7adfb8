"""Steering: edits on the groups of a run, the best next question, and a new run with what was said."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from coterie.core.edits import Steered, holding, undone
from coterie.core.errors import DataError
from coterie.organize.asking import Question
from coterie.run.steering import LOCK, Steering, left_out
from coterie.run.stored import Run
from coterie.run.turns import turn
from coterie.show.markup import clean
from coterie.web.desk import Desk, NotYet
from coterie.web.edit_models import (
    Answer,
    Begun,
    Board,
    EditAsked,
    EditsNow,
    Judged,
    Line,
    Order,
    QuestionNow,
    RefitAsked,
    StateNow,
    UndoAsked,
)
from coterie.web.faces import text_of
from coterie.web.halving import called_anew, parts_of
from coterie.web.listing import board_of, member, state_now
from coterie.web.pages import run_page
from coterie.web.standing import Standing, standing_of, steering_of
from coterie.web.told import changes_of, outcome_of, sentence_of

router = APIRouter()
SKIPPED = (
    "skipped-questions"  # pairs of positions that a person did not know, in the values of a run
)
_SKIPS = 1_000  # that are remembered


# ---- edits ------------------------------------------------------------------------------------------------------------


@router.post("/api/runs/{name}/edits", tags=["steering"], response_model=StateNow)
def make_edit(request: Request, name: str, asked: EditAsked) -> StateNow:
    """Change the groups of a run by one edit (merge, split, move, lock, unlock, rename, together, apart, label); it is kept, or
    refused with a sentence. A split without members takes the two parts that have least to do with each other."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    with turn(run.folder / LOCK):
        before = standing_of(desk, run)
        carried_out(desk, run, steering_of(run), asked)
        standing = standing_of(desk, run)
    return state_now(standing, outcome_of(before, standing))


@router.post("/api/runs/{name}/undo", tags=["steering"], response_model=StateNow)
def take_back(request: Request, name: str, asked: UndoAsked) -> StateNow:
    """Take back the last edit that holds; refused where others changed something since the person looked."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    with turn(run.folder / LOCK):
        before = standing_of(desk, run)
        if asked.seen is not None and asked.seen != len(before.log) and before.held:
            last = sentence_of(before.held[-1])
            raise NotYet(
                f"Somebody else was here in between: {last}. Nothing was taken back; look, and undo again."
            )
        edit = steering_of(run).undo()
        standing = standing_of(desk, run)
    return state_now(standing, f"Taken back: {sentence_of(edit)}")


@router.get("/api/runs/{name}/edits", tags=["steering"], response_model=EditsNow)
def list_edits(request: Request, name: str) -> EditsNow:
    """Every edit in sentences, the groups as they stand, and what changed since the run."""
    desk: Desk = request.app.state.desk
    standing = standing_of(desk, desk.finished(name))
    state = state_now(standing, sentence_of(standing.log[-1]) if standing.log else "")
    return EditsNow(**state.model_dump(), log=log_of(standing), changes=changes_of(standing))


@router.get("/api/runs/{name}/board", tags=["steering"], response_model=Board)
def board(
    request: Request,
    name: str,
    order: Order = "doubtful",
    find: Annotated[str, Query(max_length=200)] = "",
    most: Annotated[int, Query(ge=1, le=100)] = 8,
) -> Board:
    """All groups side by side with their first members, those in no group last; `find` keeps members that have every word."""
    desk: Desk = request.app.state.desk
    return board_of(standing_of(desk, desk.finished(name)), order, find, most)


def carried_out(desk: Desk, run: Run, steering: Steering, asked: EditAsked) -> Steered:
    """Keep one edit, or refuse it with a sentence."""
    ids = members_of(steering, asked.members)
    groups = tuple(asked.groups)
    called = plain_name(asked.name)
    if asked.kind == "split":
        group = _one(groups, "split")
        own = ids or [steering.ids[i] for i in parts_of(desk, run, group)[1].tolist()]
        return steering.split(group, own, called or _named(desk, run, steering, own, group))
    if asked.kind == "merge":
        return steering.merge(*groups)
    if asked.kind == "move":
        return steering.move(ids, _one(groups, "move"))
    if asked.kind == "lock":
        return steering.lock(_one(groups, "lock"))
    if asked.kind == "unlock":
        return steering.unlock(_one(groups, "unlock"))
    if asked.kind == "rename":
        return steering.rename(_one(groups, "rename"), called)
    if asked.kind == "label":
        return steering.label(ids, called)
    if len(ids) != 2:
        raise DataError(f"'{asked.kind}' needs two different members, and was given {len(ids):,}.")
    return (
        steering.together(ids[0], ids[1])
        if asked.kind == "together"
        else steering.apart(ids[0], ids[1])
    )


def _named(desk: Desk, run: Run, steering: Steering, members: Sequence[str], number: int) -> str:
    """What tells these members of a group from the others of it."""
    some = set(members)
    return called_anew(
        desk,
        run,
        np.array([at for at, one in enumerate(steering.ids) if one in some], dtype=np.int64),
        number,
    )


def members_of(steering: Steering, members: list[int | str]) -> list[str]:
    """Ids of members named by id or position, each once."""
    n = len(steering.ids)
    beyond = next((one for one in members if isinstance(one, int) and one >= n), None)
    if beyond is not None:
        raise DataError(f"There is no member at {beyond}; there are {n:,}, counted from 0.")
    return list(
        dict.fromkeys(steering.ids[one] if isinstance(one, int) else one for one in members)
    )


def plain_name(name: str) -> str:
    """A name on one line; characters that no page may contain are refused."""
    line = " ".join(name.split())
    if any(unicodedata.category(one) in ("Cc", "Cs", "Co", "Cn") for one in line):
        raise DataError("A name is plain text, and this one has characters that cannot be shown.")
    return line


def log_of(standing: Standing) -> list[Line]:
    """The log in sentences, the oldest first."""
    back = undone(standing.log)
    kept = {at for at, _ in holding(standing.log)}
    lines = []
    for at, edit in enumerate(standing.log):
        said = f"Taken back: {sentence_of(back[at])}" if at in back else sentence_of(edit)
        lines.append(
            Line(
                number=at + 1,
                kind=edit.kind,
                sentence=clean(said),
                back=at not in kept and at not in back,
            )
        )
    return lines


def _one(groups: tuple[int, ...], kind: str) -> int:
    if len(groups) != 1:
        raise DataError(f"'{kind}' needs one group, and was given {len(groups):,}.")
    return groups[0]


# ---- questions --------------------------------------------------------------------------------------------------------


@router.get("/api/runs/{name}/question", tags=["steering"], response_model=QuestionNow)
def best_question(request: Request, name: str) -> QuestionNow:
    """The two members whose answer would change most; 409 while it is looked for."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    standing = standing_of(desk, run)
    steering = ready_steering(desk, run)
    key = (
        "question",
        str(run.folder),
        desk.version(run),
        len(standing.log),
        len(run.get_json(SKIPPED, [])),
    )
    question: Question = desk.warm(key, steering.question)
    some = [
        Judged(
            **member(standing, int(at)).model_dump(),
            text=text_of(desk, run, standing.found, int(at)),
        )
        for at in question.members
    ]
    return QuestionNow(
        members=some,
        sentence=clean(question.sentence),
        pays=question.pays,
        gain=question.gain,
        lines=len(standing.log),
    )


@router.post("/api/runs/{name}/question", tags=["steering"], response_model=StateNow)
def answer_question(request: Request, name: str, asked: Answer) -> StateNow:
    """Say whether the two members of a question belong together; what is skipped is not asked again."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    with turn(run.folder / LOCK):
        steering = steering_of(run)
        pair = members_of(steering, list(asked.members))
        if len(pair) != 2:
            raise DataError("A question is about two different members.")
        if asked.said == "skip":
            known = run.get_json(SKIPPED, [])
            places = sorted(asked.members)
            if places not in known:
                run.put_json(SKIPPED, [*known, places][-_SKIPS:])
                steering.answer(_unknown(places), None)
            return state_now(standing_of(desk, run), "Left open")
        before = standing_of(desk, run)
        (steering.together if asked.said == "together" else steering.apart)(
            pair[0], pair[1], asked=True
        )
        standing = standing_of(desk, run)
    return state_now(standing, outcome_of(before, standing))


def ready_steering(desk: Desk, run: Run) -> Steering:
    """Whoever changes a run, with the run as it was fitted at hand; that takes a moment the first time."""
    steering = steering_of(run)

    def make() -> Steering:
        for places in run.get_json(SKIPPED, []):
            steering.answer(_unknown(places), None)
        steering.question()  # with it everything is at hand
        return steering

    made: Steering = desk.warm(("steering", str(run.folder), id(steering)), make)
    return made


def _unknown(places: Sequence[int]) -> Question:
    """A question that a person could not answer."""
    return Question(tuple(places), 0.0, "", pays=False)


# ---- a new run --------------------------------------------------------------------------------------------------------


@router.post("/api/runs/{name}/refit", tags=["steering"], response_model=Begun)
def find_anew(request: Request, name: str, asked: RefitAsked) -> Begun:
    """Find the groups anew with what the edits teach, as a new run; members added later are not part of it. 409 while the run is
    made ready."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    steering = ready_steering(desk, run)
    choices = {} if asked.k is None else {"k": asked.k}
    with turn(run.folder / LOCK):
        if not steering.edits():
            raise DataError("Nothing was said yet: change something or answer a question first.")
        made = steering.prepared(plain_name(asked.name) or None, **choices)
    desk.work(made)
    return Begun(run=made.name, address=f"/runs/{made.name}", left_out=steering.left_out)


# ---- the page ---------------------------------------------------------------------------------------------------------


@router.get("/runs/{name}/steer", include_in_schema=False)
async def steer(request: Request, name: str) -> Response:
    def context(desk: Desk, run: Run) -> dict[str, Any]:
        standing = standing_of(desk, run)
        cut = any(strips.of_groups for strips in standing.found.strips)
        return {
            "standing": standing,
            "state": state_now(standing),
            "cut": cut,
            "wide": True,
            "left_out": left_out(len(standing.found) - len(desk.collection(run)))
            if run.has_collection and not cut
            else "",
            "scripts": () if cut else ("steer.js", "playing.js"),
            "styles": ("groups.css", "member_line.css"),
        }

    return await run_page(request, name, "steer", "steer.html", context)
