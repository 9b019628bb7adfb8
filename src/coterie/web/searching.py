"""Search: the members of a run that answer a query, the groups they are in, and more like one of them."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from coterie.core.findings import Findings
from coterie.core.hits import Hit, Hits, plain
from coterie.core.text import Text
from coterie.run.stored import Run
from coterie.show.markup import clean
from coterie.web.desk import Desk, NotThere
from coterie.web.faces import Faces, faces_of, line_of
from coterie.web.warming import warm_page
from coterie.workflows.search_choices import Search
from coterie.workflows.searching import Searcher

router = APIRouter()
Way = Literal["bm25", "tfidf", "lsa"]
WAYS: dict[Way, tuple[str, str]] = {
    "bm25": ("Words", "Members that hold the words asked for; rare words count more (Okapi BM25)."),
    "tfidf": (
        "Words, length aside",
        "The same by the share of the words that were asked for (TFIDF).",
    ),
    "lsa": (
        "Words and topics",
        "Also members that hold none of the words and speak of the same (latent semantics).",
    ),
}
# hits looked at, those where all members are near or far, and shown at once
BEST = 200
NEAREST = 60
PAGE = 20
LONGEST = 400  # letters of a query
_NEAR = 30


class FoundMember(BaseModel):
    """One member that was found."""

    rank: int
    position: int
    id: str
    score: float
    title: str
    snippet: str
    marked: list[str] = Field(description="Words of the query in the snippet.")
    group: int = Field(description="Its group, counted from 1; 0 is in none.")
    group_name: str


class FoundGroup(BaseModel):
    """A group and how many of the hits are in it."""

    group: int
    name: str
    members: int


class SearchAnswer(BaseModel):
    """What a query found."""

    query: str
    sentence: str
    members: int
    matching: int
    by: str
    added: list[str] = Field(description="Words that were added to the query.")
    notes: list[str]
    groups: list[FoundGroup]
    hits: list[FoundMember]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as the address says it."""

    q: str = ""
    way: Way = "bm25"
    expand: bool = False
    group: int | None = None  # counted from 1; 0 is in none
    like: int | None = None
    page: int = 1

    def address(self, **other: Any) -> str:
        """The address of the same question with something else in it; what is as usual is left out."""
        given = {
            "q": self.q,
            "way": self.way,
            "expand": self.expand,
            "group": self.group,
            "like": self.like,
            **other,
        }
        usual = {"q": "", "way": "bm25", "expand": False, "group": None, "like": None, "page": 1}
        return "?" + urlencode(
            {k: "1" if v is True else v for k, v in given.items() if v != usual[k]}
        )


@router.get("/runs/{name}/search", include_in_schema=False)
async def search_page(
    request: Request,
    name: str,
    q: Annotated[str, Query(max_length=LONGEST)] = "",
    way: Way = "bm25",
    expand: bool = False,
    group: Annotated[int | None, Query(ge=0, le=1_000_000)] = None,
    like: Annotated[int | None, Query(ge=0, le=1_000_000_000)] = None,
    page: Annotated[int, Query(ge=1, le=BEST)] = 1,
) -> Response:
    asked = Asked(clean(q).strip(), way, expand, group, like, page)

    def warm(desk: Desk, run: Run) -> Searcher | bool:
        return (
            searcher(desk, run, way, expand)
            if asked.q and asked.like is None and _has_text(desk, run)
            else True
        )

    def context(desk: Desk, run: Run, found: Searcher | bool | None) -> dict[str, Any]:
        findings = desk.findings(run)
        faces = faces_of(desk, run)
        given: dict[str, Any] = {
            "asked": asked,
            "ways": WAYS,
            "text": _has_text(desk, run),
            "kind": findings.kind,
        }
        given |= {
            "scripts": ("search.js", "playing.js"),
            "styles": ("search.css", "member_line.css"),
            "found": None,
            "like": None,
            "longest": LONGEST,
        }
        read = len(desk.collection(run)) if run.has_collection else len(findings)
        given |= {"later": len(findings) - read, "members": read}
        if asked.like is not None:
            return given | {"like": _like(findings, asked.like, faces)}
        return given | (
            {"found": _shown(found, findings, asked, faces)} if isinstance(found, Searcher) else {}
        )

    return await warm_page(request, name, "search", "search.html", warm, context, more=asked)


@router.get("/api/runs/{name}/search", tags=["search"], response_model=SearchAnswer)
def search(
    request: Request,
    name: str,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST, description="The query.")],
    way: Annotated[
        Way, Query(description="What ranks the members: bm25, tfidf, or lsa beside the words.")
    ] = "bm25",
    expand: Annotated[
        bool,
        Query(description="Whether frequent words of the best members are added to the query."),
    ] = False,
    most: Annotated[
        int, Query(ge=1, le=BEST, description="How many members are given back.")
    ] = PAGE,
) -> SearchAnswer:
    """The members of a run that answer a query best, and the groups they are in; 409 while the words are being read."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    found = searcher(desk, run, way, expand).search(clean(q), most)
    findings = desk.findings(run)
    names = _names(findings)
    groups = Counter(int(findings.labels[hit.position]) for hit in found.hits)
    return SearchAnswer(
        query=found.query,
        sentence=found.sentence(),
        members=found.members,
        matching=found.matching,
        by=found.how,
        added=list(found.added),
        notes=list(found.notes),
        groups=[
            FoundGroup(group=g + 1, name=clean(_called(names, g)), members=n)
            for g, n in groups.most_common()
        ],
        hits=[_member(hit, findings, names) for hit in found.hits],
    )


def searcher(desk: Desk, run: Run, way: Way, expand: bool) -> Searcher:
    """The words of a run, read once and kept at hand; NotYet while they are being read."""
    made = {"bm25": Search(), "tfidf": Search(scorer="tfidf"), "lsa": Search()}[way]
    model = "lsa" if way == "lsa" else None
    found: Searcher = desk.warm(
        ("search", run.name, desk.version(run)[1], way),
        lambda: Searcher.over(desk.collection(run), made, model=model),
    )
    if not expand:
        return found
    wider = copy.copy(found)  # the same index, asked with more words
    wider.choices = Search(scorer=made.scorer, expand=True)
    return wider


def _has_text(desk: Desk, run: Run) -> bool:
    return run.has_collection and any(
        isinstance(view, Text) for view in desk.collection(run).views.values()
    )


def _shown(words: Searcher, findings: Findings, asked: Asked, faces: Faces) -> dict[str, Any]:
    """One page of the hits, and the groups of all that were looked at."""
    most = NEAREST if asked.way == "lsa" else BEST
    found: Hits = words.search(asked.q, most)
    names = _names(findings)
    labels = findings.labels
    counted = Counter(int(labels[hit.position]) for hit in found.hits)
    wanted = [
        hit
        for hit in found.hits
        if asked.group is None or int(labels[hit.position]) == asked.group - 1
    ]
    top = max((hit.score for hit in found.hits), default=0.0)
    begin = (asked.page - 1) * PAGE
    rows = [_row(hit, findings, names, top, faces) for hit in wanted[begin : begin + PAGE]]
    groups = [
        {"label": g, "name": _called(names, g), "members": n} for g, n in counted.most_common()
    ]
    return {
        "hits": rows,
        "groups": groups,
        "sentence": _sentence(found),
        "words": found.words,
        "added": found.added,
        "notes": found.notes,
        "how": found.how,
        "seconds": found.seconds,
        "listed": len(wanted),
        "looked": len(found.hits),
        "most": most,
        "first": begin + 1,
        "last": begin + len(rows),
        "before": asked.page - 1,
        "more": begin + PAGE < len(wanted),
        "chosen": None if asked.group is None else _called(names, asked.group - 1),
    }


def _sentence(found: Hits) -> str:
    if not found.hits:
        return "Nothing matches."
    if not found.matching:
        return "No member holds a word of it, but some speak of the same."
    held = "member holds" if found.matching == 1 else "members hold"
    return (
        f"{found.matching:,} of {found.members:,} {held} a word of it."
        if found.matching > 1
        else f"One {held} a word of it."
    )


def _row(
    hit: Hit, findings: Findings, names: dict[int, str], top: float, faces: Faces
) -> dict[str, Any]:
    label = int(findings.labels[hit.position])
    share = hit.score / top if top > 0 else 0.0
    about = [value for name, value in hit.about if name != "group"]
    own = line_of(findings, hit.position, faces)
    return {
        **own,
        "hit": hit,
        "label": label,
        "group": _called(names, label),
        "share": share,
        "about": about,
    }


def _like(findings: Findings, at: int, faces: Faces) -> dict[str, Any]:
    """The members nearest to one of them."""
    if at >= len(findings):
        raise NotThere("There is no such member in this run.")
    names = _names(findings)
    near = [
        {
            **line_of(findings, int(other), faces),
            "nearness": float(nearness),
            "label": int(findings.labels[other]),
            "group": _called(names, int(findings.labels[other])),
        }
        for other, nearness in zip(
            findings.neighbors[at][:_NEAR], findings.nearness[at][:_NEAR], strict=True
        )
        if other >= 0
    ]
    label = int(findings.labels[at])
    own = {**line_of(findings, at, faces), "label": label}
    return {
        **own,
        "group": _called(names, label),
        "near": near,
        "together": sum(one["label"] == label for one in near),
    }


def _member(hit: Hit, findings: Findings, names: dict[int, str]) -> FoundMember:
    label = int(findings.labels[hit.position])
    return FoundMember(
        rank=hit.rank,
        position=hit.position,
        id=clean(hit.id),
        score=hit.score,
        title=clean(plain(hit.title)),
        snippet=clean(plain(hit.snippet)),
        marked=[clean(word) for word in hit.record()["marked"]],
        group=label + 1,
        group_name=clean(_called(names, label)),
    )


def _names(findings: Findings) -> dict[int, str]:
    return {group.label: group.name for group in findings.groups}


def _called(names: dict[int, str], label: int) -> str:
    return "in no group" if label < 0 else names.get(label) or f"group {label + 1}"
