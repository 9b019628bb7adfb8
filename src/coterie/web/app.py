"""The application: pages and API behind the gate, errors as sentences, and somebody who looks after the queue of jobs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from coterie.core.errors import CoterieError
from coterie.web.desk import Desk, NotThere, NotYet, without_paths
from coterie.web.pages import answer, own_files, render, stamp_of
from coterie.web.security import Gate
from coterie.web.settings import Serving

ROOMS: tuple[str, ...] = (
    "collecting",
    "newrun",
    "runs",
    "live",
    "exports",
    "records",
    "answers",
    "taught",
    "maps",
    "members",
    "media",
    "groups",
    "steering",
    "words",
    "cores",
    "searching",
    "mates",
    "comparing",
    "reference",
)  # fmt: skip  each a module with a `router`
_TICK = 0.5  # seconds between two looks at the queue
_KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}


def make_app(serving: Serving) -> Any:
    """The whole application for one store, gate included."""
    desk = Desk(serving)

    @contextlib.asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        keeper = asyncio.create_task(_look_after(desk))
        yield
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper
        desk.jobs.close()

    app = FastAPI(
        title="coterie",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=living,
        redirect_slashes=False,
    )
    app.state.desk = desk
    _errors(app)
    _assets(app)
    for room in ROOMS:
        app.include_router(import_module(f"coterie.web.{room}").router)
    return Gate(app, serving)


async def _look_after(desk: Desk) -> None:
    last = ""
    while True:
        try:
            await asyncio.to_thread(desk.jobs.look_after)
        except Exception as error:  # whatever it is, the next look may do better
            if (said := f"{type(error).__name__}: {error}") != last:
                logging.getLogger("coterie.web").warning(
                    "The queue of jobs could not be looked after: %s", said
                )
            last = said
        await asyncio.sleep(_TICK)


def _assets(app: FastAPI) -> None:
    held = own_files()

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        return _file(held, name, {"cache-control": "no-cache"})

    @app.get("/static/{stamp}/{name}", include_in_schema=False)
    async def stamped(stamp: str, name: str) -> Response:
        return _file(held, name, _FOREVER if stamp == stamp_of() else {"cache-control": "no-cache"})

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return Response(status_code=204, headers=_FOREVER)

    @app.get("/", include_in_schema=False)
    def home(request: Request) -> Response:
        return RedirectResponse("/runs" if request.app.state.desk.runs() else "/collections", 303)

    @app.get("/health", tags=["server"])
    async def health() -> dict[str, str]:
        """Whether the server answers."""
        return {"status": "ok"}


def _file(held: dict[str, bytes], name: str, headers: dict[str, str]) -> Response:
    kind = _KINDS.get("." + name.rpartition(".")[2])
    if kind is None or name not in held:
        raise NotThere("There is no such file here.")
    return Response(held[name], media_type=kind, headers=headers)


def _errors(app: FastAPI) -> None:
    @app.exception_handler(CoterieError)
    async def refused(request: Request, error: CoterieError) -> Response:
        status = (
            404
            if isinstance(error, NotThere)
            else 409
            if isinstance(error, NotYet)
            else 507
            if _full(error)
            else 422
        )
        return said(request, status, without_paths(str(error), request.app.state.desk.store.folder))

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0] if error.errors() else {}
        where = ".".join(str(part) for part in first.get("loc", ())[1:])
        return said(
            request, 422, f"{where or 'The request'}: {first.get('msg', 'is not what it must be')}."
        )

    @app.exception_handler(HTTPException)
    async def known(request: Request, error: HTTPException) -> Response:
        words = {404: "There is no such page here.", 405: "This cannot be done here."}
        return said(request, error.status_code, words.get(error.status_code, str(error.detail)))

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        return said(
            request,
            500,
            "Something went wrong that should not have; the terminal of the server has it.",
        )


def said(request: Request, status: int, sentence: str) -> Response:
    """A sentence as the one who asked can read it: a page for a browser, JSON for a script."""
    sentence = sentence.encode(
        "utf-8", "replace"
    ).decode()  # it may repeat half a character that was sent
    if request.url.path.startswith("/api/") or request.url.path == "/openapi.json":
        return JSONResponse({"detail": sentence}, status_code=status)
    if "text/html" in request.headers.get("accept", ""):
        return answer(
            request,
            render("error.html", title="Not possible", status=status, sentence=sentence),
            status,
        )
    return PlainTextResponse(sentence, status_code=status)


def _full(error: CoterieError) -> bool:
    import errno

    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)
