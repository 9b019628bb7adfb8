"""New run: a form made from the declared choices and the parameters of the methods; what is wrong is said at its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from coterie import catalog
from coterie.collect.named_views import ALL, names_of
from coterie.collect.reading import KINDS
from coterie.core.errors import ParameterError
from coterie.web.desk import Desk, NotThere
from coterie.web.forms import FormField, fields_of, method_fields, methods, text_of
from coterie.web.pages import answer, page, render
from coterie.web.planning import SCHEMES, Origin, Typed, origin_of, planned, prefilled, understood
from coterie.web.shelf import Shelf
from coterie.workflows.choices import Choices

router = APIRouter()
_TAGS: list[Any] = ["new runs"]
_GROUPS = "Left empty, it is chosen, and the evidence for it is shown."
_FIRST = ("k",)
_CUT = ("segment", "pieces", "window")
_SIGHT = ("view", "views")

Room = Literal["compare", "organize"]
Key = Annotated[str, StringConstraints(max_length=60)]
Short = Annotated[str, StringConstraints(max_length=300)]
Value = Short | int | float | bool | None


class Method(BaseModel):
    """A method and what was typed for its parameters; without a name, the walk's own."""

    method: Key = ""
    params: dict[Key, Value] = Field(default={}, max_length=40)


class Reading(BaseModel):
    """How the members are read; what is left out is guessed, and said."""

    kind: Key = Field(default="", description=f"One of {', '.join(KINDS)}.")
    text: Short = Field(default="", description="The column that holds the text.")
    id: Short = Field(default="", description="The column that names the members.")
    time: Short = Field(default="", description="The column that orders the steps of a sequence.")
    truth: list[Short] = Field(
        default=[], max_length=40, description="Columns of known answers; kept aside, never fitted."
    )
    words: bool = Field(default=False, description="Count the words of each text as a population.")


class Told(BaseModel):
    """What is known of some members, as pasted rows of two cells; it may go with what was said in the run that is made again."""

    keep: bool = Field(
        default=False,
        description="Whether all that was said in the run that is made again goes on to hold.",
    )
    labels: str = Field(
        default="", max_length=500_000, description="Rows of a member and its label."
    )
    together: str = Field(
        default="", max_length=500_000, description="Rows of two members that belong together."
    )
    apart: str = Field(
        default="", max_length=500_000, description="Rows of two members that belong apart."
    )
    scheme: Key = Field(
        default="",
        description=f"How labels count: {', '.join(SCHEMES)}; left out, as before or intrinsic.",
    )


class NewRun(BaseModel):
    """A run to be made: of a collection, or of what an earlier run was made of."""

    collection: Annotated[str, StringConstraints(max_length=80)] = Field(
        default="", description="The id of a collection."
    )
    run: Annotated[str, StringConstraints(max_length=80)] = Field(
        default="", description="The name of a run to be made again."
    )
    name: Annotated[str, StringConstraints(max_length=80)] = Field(
        default="", description="What the run is called; made when left out."
    )
    choices: dict[Key, Value] = Field(
        {},
        max_length=20,
        description="k, seed, view, views, segment, pieces, window, max_k, nulls.",
    )
    compare: Method = Field(default_factory=Method)
    organize: Method = Field(default_factory=Method)
    reading: Reading = Field(default_factory=Reading)
    hints: Told = Field(default_factory=Told)

    def typed(self) -> Typed:
        """The same as text, field by field."""
        return Typed(
            self.name.strip(),
            _texts(self.choices),
            (self.compare.method, _texts(self.compare.params)),
            (self.organize.method, _texts(self.organize.params)),
            self.reading.model_dump(),
            self.hints.model_dump(),
        )


def _texts(values: dict[str, Any]) -> dict[str, str]:
    return {name: text_of(value) for name, value in values.items()}


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
        return _form(origin_of(desk, collection, run), collection, run)

    return answer(request, await run_in_threadpool(make))


def _form(origin: Origin, collection: str, run: str) -> str:
    before = prefilled(origin)
    fields = {
        field.name: field
        for field in fields_of(Choices, ("compare", "organize"), before["choices"])
    }
    fields["k"] = replace(fields["k"], sentence=_GROUPS, range="")
    views = _views(origin.look.get("views", ()), before["choices"])
    return render(
        "newrun.html",
        title="New run",
        here="runs",
        origin=origin,
        collection=collection,
        again=run,
        before=before,
        first=[fields[name] for name in _FIRST],
        cut=[fields[name] for name in _CUT],
        sight=[fields[name] for name in _SIGHT],
        rest=[field for name, field in fields.items() if name not in (*_FIRST, *_CUT, *_SIGHT)],
        rooms=[
            (room, *methods(room, origin.kind), before[room]) for room in ("organize", "compare")
        ],
        parts={room: _filled(room, *before[room]) for room in ("organize", "compare")},
        views=views,
        columns=origin.look.get("columns", []),
        kinds=KINDS,
        schemes=SCHEMES,
        cards=origin.look.get("cards", []),
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
    texts = all(str(view["what"]).startswith("texts") for view in there)
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
def check(request: Request, asked: NewRun) -> dict[str, Any]:
    """Everything that is wrong with a run before it is made, field by field; nothing is made."""
    origin = origin_of(request.app.state.desk, asked.collection, asked.run)
    _, wrong = understood(asked.typed(), origin)
    return {"problems": [{"field": one.field, "sentence": str(one)} for one in wrong]}


@router.post("/api/runs", tags=_TAGS, response_model=Made, status_code=201)
def make_run(request: Request, asked: NewRun) -> dict[str, str]:
    """Make a run: it is laid down at once, and its members are read and grouped in the background."""
    desk: Desk = request.app.state.desk
    origin = origin_of(desk, asked.collection, asked.run)
    typed = asked.typed()
    read, wrong = understood(typed, origin)
    if wrong:
        raise wrong[0]
    run = planned(desk, origin, typed, read)
    desk.work(run)
    return {"name": run.name, "address": f"/runs/{run.name}"}
