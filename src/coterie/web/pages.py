"""Pages: templates filled in, kept as long as what they show is the same, and the places a person can go to."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from coterie.run.stored import Run
from coterie.show import markup
from coterie.show.report import style
from coterie.show.sections import duration
from coterie.web.desk import Desk, Kept

CSRF_MARK = f"csrf-{secrets.token_hex(16)}"  # put into kept pages, and replaced for every visitor; no text can hold it


@dataclass(frozen=True, slots=True)
class Place:
    """Something the navigation leads to: what it is called, where it is, and what it is for."""

    title: str
    path: str
    key: str


HOUSE = (
    Place("Collections", "/collections", "collections"),
    Place("Runs", "/runs", "runs"),
    Place("Compare", "/compare", "compare"),
)
OF_RUN = {
    "run": "Overview",
    "map": "Map",
    "groups": "Groups",
    "steer": "Steer",
    "words": "Words",
    "core": "Core",
    "search": "Search",
    "mates": "Mates",
    "export": "Export",
}


def places_of(run: Run) -> list[Place]:
    """The pages of one run."""
    return [
        Place(title, f"/runs/{run.name}{f'/{key}' if key != 'run' else ''}", key)
        for key, title in OF_RUN.items()
    ]


@cache
def environment() -> Environment:
    """The templates with the house's words; everything that comes from data is escaped."""
    made = Environment(
        loader=PackageLoader("coterie.web", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # Python does not reload either: page and program stay of one version
    )
    made.filters |= {
        "count": markup.count,
        "percent": markup.percent,
        "clip": markup.clip,
        "duration": duration,
        "user": lambda text, most=400: Markup(markup.user(text, most)),
        "marker": lambda label, size=14: Markup(markup.marker(int(label), size)),
        "bar": lambda share: Markup(markup.bar(float(share))),
        "svg": Markup,  # only for markup that the house itself made
    }
    made.globals |= {"house": HOUSE, "asset": asset, "csrf_mark": CSRF_MARK}
    return made


@cache
def own_files() -> dict[str, bytes]:
    """Scripts and styles by name; the report's own sheet is house.css."""
    found = {
        one.name: one.read_bytes()
        for one in (files("coterie.web") / "static").iterdir()
        if one.is_file()
    }
    return {**found, "house.css": style().encode("utf-8")}


@cache
def stamp_of() -> str:
    """A mark that changes when any of them does."""
    mark = hashlib.sha256()
    for name, content in sorted(own_files().items()):
        mark.update(name.encode() + b"\0" + content)
    return mark.hexdigest()[:10]


def asset(name: str) -> str:
    """The address of a file of ours; it changes when any of them does, so that it may be kept forever.

    The mark is a folder, so that scripts which import each other by their names get the same one.
    """
    return f"/static/{stamp_of()}/{name}"


def render(template: str, **context: Any) -> str:
    """The text of a page; `here` says which place is lit, `run` and `places` whose pages are offered."""
    every: dict[str, Any] = {
        "here": "",
        "run": None,
        "places": (),
        "title": "",
        "scripts": (),
        "styles": (),
        "wide": False,
    }
    return environment().get_template(template).render({**every, **context})


def answer(request: Request, text: str, status: int = 200) -> Response:
    """A page for this visitor."""
    csrf = getattr(request.state, "csrf", "")
    return HTMLResponse(text.replace(CSRF_MARK, csrf), status_code=status)


async def page(request: Request, key: Hashable, make: Callable[[], str]) -> Response:
    """A page that is made once as long as its key is the same; the key holds the version of everything the page shows."""
    kept: Kept = request.app.state.desk.pages
    text = kept.peek(key)
    if text is None:
        text = await run_in_threadpool(kept.get, key, make)
    return answer(request, text)


async def run_page(
    request: Request,
    name: str,
    here: str,
    template: str,
    context: Callable[[Desk, Run], Mapping[str, Any]],
    *,
    more: Hashable = (),
) -> Response:
    """A page of a finished run: `context` is asked only when the run, its edits or `more` (what was asked for) changed."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)

    def make() -> str:
        given = {"title": run.record().title, **context(desk, run)}
        return render(template, here=here, run=run, places=places_of(run), **given)

    return await page(request, (here, run.name, desk.version(run), more), make)
