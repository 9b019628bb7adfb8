"""Pages of a run over something that takes long to make: the page says so and asks again, and shows the rest when it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from coterie.run.stored import Run
from coterie.web.desk import Desk, NotYet
from coterie.web.pages import answer, page, places_of, render

Made = TypeVar("Made")


async def warm_page(
    request: Request,
    name: str,
    here: str,
    template: str,
    warm: Callable[[Desk, Run], Made],
    context: Callable[[Desk, Run, Made | None], Mapping[str, Any]],
    *,
    more: Hashable = (),
) -> Response:
    """A page of a finished run: `warm` makes (or finds) what it needs, `context` gets that, or None while it is being made.

    Pages are kept as `run_page` keeps them, but for those that only say that something is being made.
    """
    desk: Desk = request.app.state.desk
    run = desk.finished(name)

    def made(found: Made | None) -> str:
        given = {
            "title": run.record().title,
            "preparing": found is None,
            **context(desk, run, found),
        }
        return render(template, here=here, run=run, places=places_of(run), **given)

    try:
        found = await run_in_threadpool(warm, desk, run)
    except NotYet:
        return answer(request, await run_in_threadpool(made, None))
    return await page(request, (here, run.name, desk.version(run), more), lambda: made(found))
