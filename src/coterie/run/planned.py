"""Runs that one process lays down and another walks: what the web page asks for, and what a worker does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coterie.core.errors import DataError
from coterie.run.engine import Exploration, resume
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.workflows.request import Constraints, Copy, ExploreRequest, New


def plan_run(
    request: ExploreRequest,
    *,
    store: Store,
    hints: Mapping[str, Any] | None = None,
    title: str = "",
) -> Run:
    """A run of what is asked for, with nothing read yet; `coterie.workflows.request.ask` makes the request.

    Its members are read when it is walked, or taken over from the run that the request copies. `title` names the run
    where the request does not.
    """
    asked = request
    if isinstance(asked.origin, New):
        asked = asked.but(origin=New(planned=True))
        _check_place(asked.path)
    if hints:
        asked = asked.but(constraints=Constraints.of(hints, checked=False))
    run = store.create(asked.name or title or _title(asked), source=asked.source, request=asked)
    if asked.constraints is not None and hints:
        run.put_json(asked.constraints.file, dict(hints))
    return run


def copy_of(before: Run, request: ExploreRequest | None = None) -> ExploreRequest:
    """A request for the members that a run kept; what else is asked is as `request` says, or as it was."""
    asked = request or before.request
    return asked.but(
        source=before.request.source or before.name,
        path="",
        command="",
        constraints=None,
        origin=Copy(run=before.name),
    )


def _title(request: ExploreRequest) -> str:
    """What a run is called whose name was left out."""
    if isinstance(request.origin, Copy):
        return request.origin.run.rpartition("-")[0]
    return Path(request.source).expanduser().name or request.source


def _check_place(path: str) -> None:
    """Refuse a name too long for the machine, or the home of nobody."""
    try:
        Path(path).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        raise DataError(
            "There is no such file or folder, and there cannot be one of this name."
        ) from None


def walk_run(run: Run) -> Exploration:
    """Walk a run that was laid down, or go on with one that was stopped; its members are read first where they were not yet."""
    return resume(run.name, store=run.folder.parent)
