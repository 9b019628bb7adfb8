"""Runs that one process lays down and another walks: what the web page asks for, and what a worker does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coterie.collect.named_views import names_of
from coterie.collect.reading import read
from coterie.core.errors import CoterieError, DataError, Interrupted
from coterie.run.bundle import write_json
from coterie.run.checks import check_name, chosen
from coterie.run.engine import Exploration, ready, resume
from coterie.run.recipes import plain
from coterie.run.store import Store, fingerprint_of
from coterie.run.stored import Run

PLANNED = "planned"  # in the settings of a run whose members were not read yet


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
    given: dict[str, Any] = {"kind": None, "text": None, "id": None, "time": None, "truth": [], **(reading or {})}
    given |= {"views": list(names_of(settings.views))} if settings.views else {}
    given |= {"view": settings.view} if settings.view else {}
    try:
        place = Path(source).expanduser()
        path = str(place.absolute()) if place.exists() else str(source)
    except (OSError, RuntimeError, ValueError):  # a name too long for the machine, or the home of nobody
        raise DataError("There is no such file or folder, and there cannot be one of this name.") from None
    about: dict[str, Any] = {
        "source": str(source), "path": path, "command": command, "reading": given, "choices": plain(settings), PLANNED: True,
    }  # fmt: skip
    about |= {} if not hints else {"said": dict(hints)}
    return store.create(name or place.name or str(source), source=str(source), settings=about)


def walk_run(run: Run) -> Exploration:
    """Walk a run that was laid down, or go on with one that was stopped; its members are read first where they were not yet."""
    if not run.has_collection and run.settings.get(PLANNED):
        try:
            _read_members(run)
        except (Interrupted, KeyboardInterrupt):
            run.update(status="stopped", problem="stopped by the person")
            raise
        except CoterieError as error:
            run.update(status="failed", problem=str(error))
            raise
    return resume(run.name, store=run.folder.parent)


def _read_members(run: Run) -> None:
    about = dict(run.settings)
    run.start()
    if Path(about["path"]).exists():  # here and not where it was planned: a folder may hold very many files
        write_json(run.folder / "run.json", run.manifest | {"fingerprint": fingerprint_of(about["path"])})
    collection = read(about["path"], **about["reading"])
    said = about.pop("said", None)
    about.pop(PLANNED, None)
    collection, about = ready(collection, chosen(about["choices"]), said, about)
    run.update(settings=about)
    run.save_collection(collection)
