"""Mates: for a member or a text seen in one view, the members of another view that are most like it, and how well that works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError
from coterie.core.findings import Findings
from coterie.core.random import stream
from coterie.core.text import TaggedText, Text
from coterie.run.stored import Run
from coterie.show.markup import clean
from coterie.web.desk import Desk
from coterie.web.faces import Faces, faces_of, line_of
from coterie.web.warming import warm_page
from coterie.workflows.describe import snippets
from coterie.workflows.mates import MateFinder, measured
from coterie.workflows.mates_found import Found, Measured

router = APIRouter()
# letters of a text; candidates shown
LONGEST = 4_000
MOST = 10
LEARNED = 2_000  # members learned from, and looked among; more would take minutes
HELD_OUT = 0.2
_LISTED = 400  # ids offered while typing
_KEY = 41  # of the stream that chooses members


class Candidate(BaseModel):
    """A member of the other view that may be the mate."""

    rank: int
    id: str
    alike: float = Field(description="From -1 to 1, by cosine in the space that the views share.")
    snippet: str
    itself: bool = Field(description="Whether it is the member that was asked for.")


class MatesAnswer(BaseModel):
    """What was found in one view for something seen in another."""

    asked: str
    source: str
    target: str
    candidates: int
    own_rank: float | None = Field(
        description="Where the member itself stands, where it is in the other view too."
    )
    learned_from_it: bool
    mates: list[Candidate]


class WayMeasured(BaseModel):
    """How well mates are found from one view to another."""

    source: str
    target: str
    average_precision: float
    first: float = Field(description="Share of mates that are found first.")
    in_ten: float = Field(description="Share of mates that are among the first ten.")
    median_rank: float


class HowWell(BaseModel):
    """How well mates are found among pairs that nothing was learned from."""

    sentence: str
    learned_from: int
    candidates: int
    chance: float
    ways: list[WayMeasured]


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """What a run's views share, learned once: the finder, how well it works (or why that cannot be told), and from how many."""

    finder: MateFinder
    works: Measured | None
    why: str
    members: int
    place: Mapping[str, int] = field(
        default_factory=dict
    )  # position of every member of the run by its id as the page shows it

    @property
    def part(self) -> bool:
        """Whether only a part of the members was learned from."""
        return len(self.finder.pairs) < self.members


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as the address says it."""

    by: Literal["member", "text"] = "member"
    source: str = ""
    target: str = ""
    member: str = ""
    text: str = ""

    @property
    def given(self) -> bool:
        return bool(self.member if self.by == "member" else self.text)


_View = Annotated[str, Query(max_length=200)]


@router.get("/runs/{name}/mates", include_in_schema=False)
async def mates_page(
    request: Request,
    name: str,
    by: Literal["member", "text"] = "member",
    source: _View = "",
    target: _View = "",
    member: Annotated[str, Query(max_length=1_000)] = "",
    text: Annotated[str, Query(max_length=LONGEST)] = "",
) -> Response:
    asked = Asked(by, clean(source), clean(target), clean(member).strip(), clean(text).strip())

    def warm(desk: Desk, run: Run) -> Ready | str:
        try:
            return ready(desk, run)
        except DataError as error:  # views that nothing can be learned from
            return str(error)

    def context(desk: Desk, run: Run, found: Ready | str | None) -> dict[str, Any]:
        collection = desk.collection(run)
        findings = desk.findings(run)
        views = list(collection.views)
        chosen = _views(asked, views)
        given: dict[str, Any] = {
            "asked": asked,
            "views": views,
            "source": chosen[0],
            "target": chosen[1],
            "longest": LONGEST,
        }
        given |= {
            "scripts": ("mates.js", "playing.js"),
            "styles": ("search.css", "mates.css", "member_line.css"),
            "members": len(collection),
            "ready": None,
        }
        given |= {
            "problem": found if isinstance(found, str) else "",
            "found": None,
            "worded": _worded(collection),
        }
        given |= {"ids": [clean(one) for one in collection.ids[:_LISTED]]}
        if not isinstance(found, Ready):
            return given
        given |= {"ready": found}
        return given | (
            _answered(found, collection, findings, asked, chosen, faces_of(desk, run))
            if asked.given
            else {}
        )

    return await warm_page(request, name, "mates", "mates.html", warm, context, more=asked)


@router.get("/api/runs/{name}/mates", tags=["mates"], response_model=MatesAnswer)
def mates(
    request: Request,
    name: str,
    source: Annotated[str, Query(max_length=200, description="The view of what is asked.")],
    target: Annotated[str, Query(max_length=200, description="The view mates are looked for in.")],
    member: Annotated[
        str, Query(max_length=1_000, description="A member, by its id; or give a text.")
    ] = "",
    text: Annotated[
        str,
        Query(max_length=LONGEST, description="A text in the words of the view it is asked in."),
    ] = "",
    most: Annotated[int, Query(ge=1, le=100, description="How many candidates.")] = MOST,
) -> MatesAnswer:
    """The members of one view most like a member or a text of another; 409 while what the views share is being learned."""
    if bool(member) == bool(text):
        raise DataError("Give either a member (its id) or a text.")
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    made = ready(desk, run)
    asked = Asked("member" if member else "text", source, target, clean(member), clean(text))
    found = _found(made, desk.collection(run), asked, (source, target), most)
    own = None if found.own != found.own else found.own
    rows = [
        Candidate(
            rank=one.rank,
            id=clean(one.id),
            alike=one.score,
            snippet=clean(one.snippet),
            itself=one.itself,
        )
        for one in found.mates
    ]
    return MatesAnswer(
        asked=clean(found.asked),
        source=clean(source),
        target=clean(target),
        candidates=found.candidates,
        own_rank=own,
        learned_from_it=found.learned,
        mates=rows,
    )


@router.get("/api/runs/{name}/mates/quality", tags=["mates"], response_model=HowWell)
def quality(request: Request, name: str) -> HowWell:
    """How well mates are found among a fifth of the members that nothing was learned from; 409 while it is being measured."""
    desk: Desk = request.app.state.desk
    made = ready(desk, desk.finished(name))
    if made.works is None:
        raise DataError(made.why)
    ways = [
        WayMeasured(
            source=clean(one),
            target=clean(other),
            average_precision=r.average_precision,
            first=r.recall(1),
            in_ten=r.recall(10),
            median_rank=r.median,
        )
        for (one, other), r in made.works.ranks.items()
    ]
    said = made.works
    return HowWell(
        sentence=said.sentence(),
        learned_from=said.trained,
        candidates=said.candidates,
        chance=said.chance,
        ways=ways,
    )


def ready(desk: Desk, run: Run) -> Ready:
    """What the views of a run share, learned once and kept at hand; NotYet while it is being learned."""
    collection = desk.collection(run)
    if len(collection.views) < 2:
        raise DataError(
            "Mates need members that are seen in at least two views, and this run has one."
        )
    found: Ready = desk.warm(
        ("mates", run.name, desk.version(run)[1]), lambda: _learned(collection)
    )
    return found


def _learned(collection: Collection) -> Ready:
    some = collection
    if len(collection) > LEARNED:
        some = collection.take(
            sorted(stream(0, _KEY).permutation(len(collection))[:LEARNED].tolist())
        )
    parts = {view: Collection(some.ids, {view: some.view(view)}, name=view) for view in some.views}
    finder = MateFinder.over(parts)
    works = None
    why = ""
    try:
        works = measured(parts, HELD_OUT)
    except DataError as error:
        why = str(error)
    return Ready(
        finder,
        works,
        why,
        len(collection),
        {clean(one): at for at, one in enumerate(collection.ids)},
    )


def _views(asked: Asked, views: list[str]) -> tuple[str, str]:
    """The two views asked for, or the first two."""
    source = (
        asked.source
        if asked.source in views
        else next((view for view in views if view != asked.target), "")
    )
    target = asked.target if asked.target in views and asked.target != source else ""
    return source, target or next((view for view in views if view != source), "")


def _worded(collection: Collection) -> list[str]:
    return [
        name
        for name, view in collection.views.items()
        if isinstance(view, Text) and not isinstance(view, TaggedText)
    ]


def _found(
    made: Ready, collection: Collection, asked: Asked, views: tuple[str, str], most: int
) -> Found:
    """The candidates; members that were not learned from are asked for by their text."""
    if asked.by == "text":
        return made.finder.find(asked.text, *views, most)
    at = made.place.get(asked.member)
    if at is None:
        raise DataError("There is no member with this id in the run.")
    member = collection.ids[at]
    view = collection.views.get(views[0])
    if member not in made.finder.pairs and isinstance(view, Text):
        return made.finder.find(view[at], *views, most)
    return made.finder.member(member, *views, most)


def _answered(
    made: Ready,
    collection: Collection,
    findings: Findings,
    asked: Asked,
    views: tuple[str, str],
    faces: Faces,
) -> dict[str, Any]:
    """The candidates as the page shows them, or the sentence that says why there are none."""
    try:
        found = _found(made, collection, asked, views, MOST)
    except CoterieError as error:
        return {"refused": str(error)}
    names = {group.label: group.name for group in findings.groups}
    rows = []
    for one in found.mates:
        at = made.place[clean(one.id)]
        label = int(findings.labels[at])
        shown = line_of(findings, at, faces)
        said = clean(one.snippet)
        shown["line"] = shown["line"] if said == shown["id"] else said
        rows.append(
            {**shown, "mate": one, "label": label, "group": names.get(label, "in no group")}
        )
    own = made.place.get(asked.member) if asked.by == "member" else None
    lines = snippets(collection.take([own]), views[0]) if own is not None else [asked.text]
    return {
        "found": found,
        "rows": rows,
        "own": own,
        "line": str(lines[0]),
        "own_line": line_of(findings, own, faces) if own is not None else None,
        "refused": "",
    }
