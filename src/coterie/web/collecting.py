"""Collections: what waits to be looked at; drop files, name a path, or try a sample, and see what is in it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from coterie.collect.reading import what_is_read
from coterie.collect.samples import SAMPLES
from coterie.core.errors import DataError
from coterie.run.looking import Shelved
from coterie.web.desk import Desk
from coterie.web.pages import answer, render
from coterie.web.shelf import INSTALLED, Shelf
from coterie.web.uploads import TooMuch, receive, safe_path
from coterie.workflows.request import ExploreRequest

router = APIRouter()
_TAGS: list[Any] = ["collections"]
_SAMPLES = (
    "topics",
    "mail",
    "mixed",
    "traces",
    "letters_in_two_languages",
    "scenes",
    "movies",
)  # shown first
_FILE = {
    "requestBody": {
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    }
}


class NewCollection(BaseModel):
    """A collection to be made: files will be sent to it, or `source` names what is read."""

    name: str = Field(
        "", max_length=200, description="What it is called; made from the source when left out."
    )
    source: str = Field(
        "",
        max_length=2000,
        description="Empty for files to be sent; a path, `installed` or `sample:NAME`.",
    )


class Shown(BaseModel):
    """A collection and how it stands."""

    id: str
    name: str
    created: str
    source: str = Field(description="Where it comes from, in words, or its path.")
    state: str = Field(description="empty, unseen, looking, ready or problem.")
    sentence: str = Field(description="Why it was read as it was, or what is wrong.")
    kind: str = ""
    members: int = 0


class Seen(Shown):
    """A collection with what the last look found."""

    views: list[dict[str, Any]] = []
    columns: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []
    populations: list[dict[str, Any]] = []
    noticed: list[str] = []
    first: list[dict[str, Any]] = []
    progress: list[dict[str, Any]] = Field(
        [], description="What is being done now: name, steps done and in all."
    )


class Arrived(BaseModel):
    """A file that was sent, and what the collection holds now."""

    path: str
    bytes: int
    files: int = Field(description="Files of the collection.")
    total: int = Field(description="Bytes of the collection.")


class Said(BaseModel):
    """What was done, in a sentence."""

    sentence: str


# ---- pages --------------------------------------------------------------------------------------------------------


@router.get("/collections", include_in_schema=False)
async def collections(request: Request) -> Response:
    desk: Desk = request.app.state.desk

    def make() -> str:
        shelf = Shelf(desk)
        jobs = shelf.jobs()
        rows = [_row(shelf, one, jobs) for one in shelf.every()]
        samples = [
            {
                "source": f"sample:{name}",
                "name": name.replace("_", " "),
                "words": line,
                "first": name in _SAMPLES,
            }
            for name, (_, line, _) in SAMPLES.items()
        ]
        return render(
            "collections.html",
            title="Collections",
            here="collections",
            rows=rows,
            samples=samples,
            installed=INSTALLED,
            serving=desk.serving,
            readable=what_is_read(),
            scripts=("collecting.js",),
            styles=("collecting.css",),
        )

    return answer(request, await run_in_threadpool(make))


@router.get("/collections/{name}", include_in_schema=False)
async def collection(request: Request, name: str) -> Response:
    desk: Desk = request.app.state.desk

    def make() -> str:
        shelf = Shelf(desk)
        one = shelf.one(name)
        files, size = shelf.size(one)
        runs = [record for record in desk.runs() if _made_of(record.request, one)][:12]
        return render(
            "collection.html",
            title=one.name,
            here="collections",
            one=one,
            source=shelf.shown(one),
            files=files,
            bytes=size,
            runs=runs,
            serving=desk.serving,
            readable=what_is_read(),
            scripts=("collecting.js",),
            styles=("collecting.css",),
            **shelf.standing(one),
        )

    return answer(request, await run_in_threadpool(make))


def _made_of(request: ExploreRequest | None, one: Shelved) -> bool:
    path = "" if request is None else request.path
    return f"/{one.id}/" in path.replace("\\", "/") if one.sent else path == one.source


# ---- API ----------------------------------------------------------------------------------------------------------


def _row(shelf: Shelf, one: Shelved, jobs: Any = None) -> dict[str, Any]:
    now = shelf.standing(one, jobs)
    found = now["look"]
    return {
        "id": one.id,
        "name": one.name,
        "created": one.created,
        "source": shelf.shown(one),
        "state": now["state"],
        "sentence": now["sentence"],
        "kind": str(found.get("kind", "")),
        "members": int(found.get("members", 0)),
    }


@router.get("/api/collections", tags=_TAGS, response_model=list[Shown])
def every(request: Request) -> list[dict[str, Any]]:
    """All collections, the newest first."""
    shelf = Shelf(request.app.state.desk)
    jobs = shelf.jobs()
    return [_row(shelf, one, jobs) for one in shelf.every()]


@router.post("/api/collections", tags=_TAGS, response_model=Shown, status_code=201)
def add(request: Request, new: NewCollection) -> dict[str, Any]:
    """Make a collection: an empty one that files are sent to, or one that is read from a path, a sample or this machine.

    One that is read is looked at in the background. A path may be named only where the page is served to this machine alone.
    """
    shelf = Shelf(request.app.state.desk)
    one = shelf.add(new.name, new.source)
    if not one.sent and shelf.standing(one)["state"] in ("unseen", "problem"):
        shelf.look(one)
    return _row(shelf, one)


@router.get("/api/collections/{name}", tags=_TAGS, response_model=Seen)
def seen(request: Request, name: str) -> dict[str, Any]:
    """A collection with what the last look found: kind and why, views, columns, populations, what was noticed, first members."""
    desk: Desk = request.app.state.desk
    shelf = Shelf(desk)
    one = shelf.one(name)
    now = shelf.standing(one)
    found = now["look"]
    job = now["job"]
    more = {
        part: found.get(part, []) for part in ("views", "columns", "truth", "populations", "first")
    }
    tasks = desk.jobs.live(job).get("tasks", []) if job is not None and job.going else []
    return {**_row(shelf, one), **more, "noticed": now["problems"], "progress": tasks}


@router.post("/api/collections/{name}/look", tags=_TAGS, response_model=Shown)
def look(request: Request, name: str) -> dict[str, Any]:
    """Look at a collection (again), in the background; after files were sent, or when something changed."""
    shelf = Shelf(request.app.state.desk)
    one = shelf.one(name)
    shelf.look(one)
    return _row(shelf, one)


@router.delete("/api/collections/{name}", tags=_TAGS, response_model=Said)
def remove(request: Request, name: str) -> dict[str, str]:
    """Take a collection off the shelf, with the files that were sent; runs made of it stay."""
    shelf = Shelf(request.app.state.desk)
    one = shelf.one(name)
    shelf.remove(one)
    return {"sentence": f"'{one.name}' is gone."}


@router.put("/api/uploads/{name}/files", tags=_TAGS, response_model=Arrived, openapi_extra=_FILE)
async def send(
    request: Request, name: str, path: Annotated[str, Query(min_length=1, max_length=1000)]
) -> dict[str, Any]:
    """Send one file of a collection: its bytes are the body, `path` its place in the folder that was dropped."""
    shelf = Shelf(request.app.state.desk)
    one = await run_in_threadpool(shelf.one, name)
    folder = shelf.landing(one)
    parts = safe_path(path)
    tally = await run_in_threadpool(shelf.tally, one)
    try:
        size = await receive(request.stream(), folder, parts, tally, shelf.aside(one))
    except TooMuch as error:
        raise HTTPException(413, str(error)) from None
    except ClientDisconnect:
        raise DataError("The file did not arrive whole.") from None
    return {"path": "/".join(parts), "bytes": size, "files": tally.files, "total": tally.bytes}
