"""New run: a form made from the declared choices and the parameters of the methods; what is wrong is said at its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from coterie import catalog
from coterie.collect.kinds import KINDS
from coterie.collect.named_views import ALL, names_of
from coterie.core.errors import ParameterError
from coterie.web.desk import Desk, NotThere
from coterie.web.forms import FormField, fields_of, method_fields, methods
from coterie.web.pages import answer, page, render
from coterie.web.planning import Start, lay_down, prefilled, start_of, understood
from coterie.web.run_form import SCHEMES, RunForm
from coterie.web.shelf import Shelf
from coterie.workflows.choices import Choices

router = APIRouter()
_TAGS: list[Any] = ["new runs"]
_GROUPS = "Left empty, it is chosen, and the evidence for it is shown."
_FIRST = ("k",)
_CUT = ("segment", "pieces", "window")
_SIGHT = ("view", "views")

Room = Literal["compare", "organize"]


class Problem(BaseModel):
    """What is wrong with one field."""

    field: str
    sentence: str


class Checked(BaseModel):
    """Everything that is wrong with a form; nothing when the run can be made."""

    problems: list[Problem]


class Made(BaseModel):
    """The run that was laid down; it is walked in the background."""

    name: str
    address: str


class Described(BaseModel):
    """A method that can be chosen."""

    name: str
    room: str
    sentence: str
    takes: str
    extra: str = Field(description="The optional install it needs, if any.")
    fields: list[dict[str, Any]] = Field(
        default=[], description="Its parameters, when one method is asked for."
    )


# ---- the page -----------------------------------------------------------------------------------------------------


@router.get("/new", include_in_schema=False)
async def new(
    request: Request,
    collection: Annotated[str, Query(max_length=80)] = "",
    run: Annotated[str, Query(max_length=80)] = "",
) -> Response:
    desk: Desk = request.app.state.desk

    def make() -> str:
        if not collection and not run:
            shelf = Shelf(desk)
            jobs = shelf.jobs()
            ready = [(one, shelf.standing(one, jobs)["look"]) for one in shelf.every()]
            return render(
                "newrun.html",
                title="New run",
                here="runs",
                origin=None,
                ready=ready,
                styles=("newrun.css",),
            )
        return _form(start_of(desk, collection, run), collection, run)

    return answer(request, await run_in_threadpool(make))


def _form(start: Start, collection: str, run: str) -> str:
    before = prefilled(start)
    chosen = before["choices"]
    fields = {field.name: field for field in fields_of(Choices, ("compare", "organize"), chosen)}
    fields["k"] = replace(fields["k"], sentence=_GROUPS, range="")
    views = _views(start.look.get("views", ()), before["choices"])
    return render(
        "newrun.html",
        title="New run",
        here="runs",
        origin=start,
        collection=collection,
        again=run,
        before=before,
        first=[fields[name] for name in _FIRST],
        cut=[fields[name] for name in _CUT],
        sight=[fields[name] for name in _SIGHT],
        rest=[field for name, field in fields.items() if name not in (*_FIRST, *_CUT, *_SIGHT)],
        rooms=[
            (room, *methods(room, start.kind), before[room]) for room in ("organize", "compare")
        ],
        parts={room: _filled(room, *before[room]) for room in ("organize", "compare")},
        views=views,
        columns=start.look.get("columns", []),
        kinds=KINDS,
        schemes=SCHEMES,
        cards=start.look.get("cards", []),
        scripts=("newrun.js",),
        styles=("newrun.css",),
    )


def _views(
    there: Sequence[Mapping[str, Any]], before: Mapping[str, Any]
) -> list[tuple[str, str, bool]]:
    """The views of a collection, what they hold, and whether each is chosen: as before, else all languages, or the first view."""
    names = [str(view["name"]) for view in there]
    several = names_of(before.get("views"))
    one = before.get("view")
    chosen = set(names if several == (ALL,) else several) or ({one} if one else set())
    texts = all(view.get("modality") == "text" for view in there)
    chosen = chosen & set(names) or set(names if texts else names[:1])
    return [
        (name, str(view["what"]), name in chosen) for name, view in zip(names, there, strict=True)
    ]


def _filled(room: str, name: str, values: dict[str, str]) -> list[FormField]:
    if not name:
        return []
    try:
        return [
            replace(field, value=values.get(field.name, field.value))
            for field in method_fields(room, name)
        ]
    except ParameterError:
        return []


@router.get("/new/method", include_in_schema=False)
async def method_part(
    request: Request, room: Room, name: Annotated[str, Query(max_length=60)]
) -> Response:
    def make() -> str:
        entry = catalog.find(name, room)
        return render("method.html", room=room, entry=entry, fields=method_fields(room, entry.name))

    return await page(request, ("method", room, name), make)


# ---- API ----------------------------------------------------------------------------------------------------------


@router.get("/api/methods", tags=_TAGS, response_model=list[Described])
def every_method(room: Room | None = None) -> list[dict[str, Any]]:
    """The methods that can be chosen for a run: comparers, and organizers that make groups."""
    rooms = (room,) if room else ("compare", "organize")
    return [_described(entry) for one in rooms for entry in methods(one)[0] + methods(one)[1]]


@router.get("/api/methods/{name}", tags=_TAGS, response_model=Described)
def one_method(name: str) -> dict[str, Any]:
    """One method with its parameters: what they are called, what they do, their range and their default."""
    for room in ("compare", "organize"):
        for entry in methods(room)[0] + methods(room)[1]:
            if entry.name == name:
                return {
                    **_described(entry),
                    "fields": [asdict(field) for field in method_fields(room, name)],
                }
    raise NotThere("There is no such method here.")


def _described(entry: catalog.Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "room": entry.room,
        "sentence": entry.sentence,
        "takes": entry.takes,
        "extra": entry.extra,
    }


@router.post("/api/choices/check", tags=_TAGS, response_model=Checked)
def check(request: Request, form: RunForm) -> dict[str, Any]:
    """Everything that is wrong with a run before it is made, field by field; nothing is made."""
    wrong = understood(form, start_of(request.app.state.desk, form.collection, form.run)).wrong
    return {"problems": [{"field": one.field, "sentence": str(one)} for one in wrong]}


@router.post("/api/runs", tags=_TAGS, response_model=Made, status_code=201)
def make_run(request: Request, form: RunForm) -> dict[str, str]:
    """Make a run: it is laid down at once, and its members are read and grouped in the background."""
    desk: Desk = request.app.state.desk
    start = start_of(desk, form.collection, form.run)
    asked = understood(form, start)
    if asked.wrong:
        raise asked.wrong[0]
    run = lay_down(desk, start, asked)
    desk.work(run)
    return {"name": run.name, "address": f"/runs/{run.name}"}
