"""Lists of the page Words: words to choose from, places where they stand, members of the groups, and files to take along."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from coterie.core.errors import DataError, ParameterError
from coterie.run.session_words import groups_csv
from coterie.run.sessions import FILE, Sitting
from coterie.run.stored import Run
from coterie.show.markup import clean, clip
from coterie.web.desk import Desk, changed
from coterie.web.exports import attached

router = APIRouter()
AT = "/api/runs/{name}/words"
TAGS: list[Any] = ["words"]
_PAGE = 20  # members on one page


class Candidate(BaseModel):
    """A word to choose: in how many members it is, how often, and the group it is in (0: none)."""

    word: str
    members: int
    occurrences: int
    group: int


class Candidates(BaseModel):
    """Words to choose from, and how many there are in all."""

    words: list[Candidate]
    total: int


class Places(BaseModel):
    """Pieces of text in which a word stands."""

    word: str
    places: list[str]


class Member(BaseModel):
    """A member of a group."""

    id: str
    at: int
    text: str


class Members(BaseModel):
    """One page of the members of a group, those with most of its words first."""

    total: int
    page: int
    pages: int
    members: list[Member]


@router.get(f"{AT}/candidates", tags=TAGS, response_model=Candidates)
def candidates(
    request: Request,
    name: str,
    type: Annotated[str, Query(max_length=80)],
    search: Annotated[str, Query(max_length=80)] = "",
    sort: Literal["members", "name", "rare"] = "members",
    every: Annotated[bool, Query(description="Also rare and frequent ones.")] = False,
    most: Annotated[int, Query(ge=1, le=500)] = 120,
) -> Candidates:
    """Words to choose from: those of middle frequency, or all; with the group each is in."""
    session = sat(request, name)[2].session()
    if type not in session.state.feature_types:
        raise ParameterError("This type of features was not chosen.")
    asked: dict[str, Any] = {"low": 1, "high": len(session.desk.ids) + 1} if every else {}
    found = session.candidates(type, sort=sort, search=search.strip(), **asked)
    if (
        not found and search.strip() and not every
    ):  # rare and frequent ones too, where a name is looked for
        found = session.candidates(
            type, sort=sort, search=search.strip(), low=1, high=len(session.desk.ids) + 1
        )
    groups = session.state.draft if session.status == "seeds" else session.state.seed_groups
    owner = {word: at for at, group in enumerate(groups.get(type, ()), 1) for word in group}
    words = [
        Candidate(
            word=clean(one.feature),
            members=one.members,
            occurrences=one.occurrences,
            group=owner.get(one.feature, 0),
        )
        for one in found[:most]
    ]
    return Candidates(words=words, total=len(found))


@router.get(f"{AT}/places", tags=TAGS, response_model=Places)
def places(
    request: Request,
    name: str,
    type: Annotated[str, Query(max_length=80)],
    word: Annotated[str, Query(max_length=300)],
) -> Places:
    """Some places where a word stands."""
    session = sat(request, name)[2].session()
    if type not in session.state.feature_types:
        raise ParameterError("This type of features was not chosen.")
    found = session.desk.known(type, [word])[0]
    return Places(
        word=clean(found),
        places=[clean(clip(one, 240)) for one in session.desk.places_of(type, found, 3)],
    )


@router.get(f"{AT}/members", tags=TAGS, response_model=Members)
def members(
    request: Request,
    name: str,
    group: Annotated[
        int, Query(ge=0, le=200, description="A group by its number from 1; 0: those in none.")
    ],
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Members:
    """Members of a group as it stands, those that have most of its words first."""
    _, _, sitting = sat(request, name)
    session = sitting.session()
    if not session.state.doc_cluster:
        raise DataError("Nothing is clustered yet.")
    if group > session.state.k:
        raise ParameterError(f"There is no group {group}; there are {session.state.k}.")
    ids = session.examples(group, most=len(session.desk.ids)) if group else session.unassigned
    pages = max(1, -(-len(ids) // _PAGE))
    page = min(page, pages)
    rows = [
        Member(
            id=clean(one),
            at=sitting.at[one],
            text=clean(clip(sitting.sources.texts.get(one, ""), 220)),
        )
        for one in ids[(page - 1) * _PAGE : page * _PAGE]
    ]
    return Members(total=len(ids), page=page, pages=pages, members=rows)


@router.get(f"{AT}/groups.csv", tags=TAGS)
def groups_file(request: Request, name: str) -> Response:
    """The members and their groups as a CSV file."""
    _, run, sitting = sat(request, name)
    text = groups_csv(sitting.session()).encode("utf-8", "replace")
    return attached(text, "text/csv", f"{run.name}-by-words.csv")


@router.get(f"{AT}/session.json", tags=TAGS)
def session_file(request: Request, name: str) -> Response:
    """Groups, words, coverage and the log of all that was done, as JSON."""
    _, run, sitting = sat(request, name)
    text = json.dumps(sitting.session().export(), indent=1)
    return attached(text, "application/json", f"{run.name}-by-words.json")


def sat(request: Request, name: str) -> tuple[Desk, Run, Sitting]:
    """The session of a finished run at hand; NotYet while members are read and their words counted."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    return desk, run, desk.warm((run.name, "words", members_mark(run)), lambda: _sitting(desk, run))


def members_mark(run: Run) -> int:
    """A mark that changes when the members of a run do; 0 where they are not there, which is said when they are read."""
    return changed(run.folder / "collection" / "collection.json")


def _sitting(desk: Desk, run: Run) -> Sitting:
    sitting = Sitting(run, desk.collection(run))
    if (run.folder / FILE).exists():
        sitting.session()  # counts what was chosen
    return sitting
