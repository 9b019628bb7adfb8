"""Runs that one process lays down and another walks: what the web page asks for, and what a worker does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coterie.collect.named_views import names_of
from coterie.core.errors import DataError
from coterie.run.checks import check_name, chosen
from coterie.run.engine import Exploration, resume
from coterie.run.laying import COPIED, PLANNED, SAID, counted
from coterie.run.recipes import plain
from coterie.run.store import Store
from coterie.run.stored import Run


def plan_run(
    source: str | Path,
    *,
    store: Store,
    name: str | None = None,
    command: str = "",
    hints: Mapping[str, Any] | None = None,
    reading: Mapping[str, Any] | None = None,
    **choices: Any,
) -> Run:
    """A run of what is at `source`, with nothing read yet; choices that cannot be are refused here."""
    settings = chosen(choices)
    settings.check_params()
    check_name(name)
    given: dict[str, Any] = {
        "kind": None,
        "text": None,
        "id": None,
        "time": None,
        "truth": [],
        **(reading or {}),
    }
    given |= {"views": list(names_of(settings.views))} if settings.views else {}
    given |= {"view": settings.view} if settings.view else {}
    try:
        place = Path(source).expanduser()
        path = str(place.absolute()) if place.exists() else str(source)
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # a name too long for the machine, or the home of nobody
        raise DataError(
            "There is no such file or folder, and there cannot be one of this name."
        ) from None
    about = {
        "source": str(source),
        "path": path,
        "command": command,
        "reading": given,
        "choices": plain(settings),
    }
    return _laid(store, name or place.name or str(source), str(source), about, hints)


def plan_again(
    before: Run,
    *,
    name: str | None = None,
    hints: Mapping[str, Any] | None = None,
    reading: Mapping[str, Any],
    **choices: Any,
) -> Run:
    """A run of the members that another one of the same store kept; they are taken over when it is walked."""
    settings = chosen(choices)
    settings.check_params()
    check_name(name)
    source = str(before.settings.get("source", before.name))
    given: dict[str, Any] = {
        "kind": None,
        "text": None,
        "id": None,
        "time": None,
        "truth": [],
        **reading,
    }
    about = {
        "source": source,
        "path": "",
        "command": "",
        "reading": given,
        "choices": plain(settings),
        COPIED: before.name,
    }
    return _laid(
        Store(before.folder.parent), name or before.name.rpartition("-")[0], source, about, hints
    )


def _laid(
    store: Store, title: str, source: str, about: dict[str, Any], hints: Mapping[str, Any] | None
) -> Run:
    about |= {PLANNED: True, **({SAID: counted(hints)} if hints else {})}
    run = store.create(title, source=source, settings=about)
    if hints:
        run.put_json(SAID, dict(hints))
    return run


def walk_run(run: Run) -> Exploration:
    """Walk a run that was laid down, or go on with one that was stopped; its members are read first where they were not yet."""
    return resume(run.name, store=run.folder.parent)
