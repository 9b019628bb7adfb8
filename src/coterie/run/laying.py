"""Runs laid down before they are walked: what is said of them, their hints, and members that have to be read again.

Hints may be on very many members: they are a file of the run (values/hints.json), and its request only counts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError, Interrupted, ParameterError, StoreError
from coterie.core.watch import watched
from coterie.core.workplace import workplace
from coterie.run.bundle import write_json
from coterie.run.checks import check_members
from coterie.run.steered import Carried
from coterie.run.store import Store, fingerprint_of
from coterie.run.stored import Run
from coterie.workflows.hinted import hints_of
from coterie.workflows.populations import with_view
from coterie.workflows.request import Constraints, Copy, ExploreRequest, New, Refit, Replay

_BY_SESSION = "on its page Words, or in Python by coterie.run.session_runs.as_run"


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """Members that fit what is asked of them, the request, and what is known of some of them as plain values."""

    collection: Collection
    request: ExploreRequest
    hints: Mapping[str, Any] | None


def ready(
    collection: Collection,
    request: ExploreRequest,
    hints: Any,
    carried: Carried | None = None,
) -> Ready:
    """The members with a view to group them by, and what is known of them; refused where it does not fit the request."""
    collection = with_view(collection)
    check_members(collection, request.choices, () if carried else request.reading.truth)
    known = hints_of(collection, hints)
    if known is not None and request.choices.segment:
        raise ParameterError(
            "explore: hints are on members, and with segment the members are pieces that are not there yet.",
            parameter="hints",
        )
    record = None if known is None else known.record(list(collection.ids))
    constraints = None if record is None else Constraints.of(record)
    return Ready(collection, request.but(constraints=constraints), record)


def lay_down(
    members: Ready, store: Any, title: str | None = None, carried: Carried | None = None
) -> Run:
    """A run of these members in the store that was not walked yet; `resume` walks it, in this process or in another."""
    request = members.request
    run = store_of(store).create(
        title or members.collection.name,
        source=request.source,
        request=request,
        fingerprint=fingerprint_of(request.path) if request.path and carried is None else "",
    )
    if members.hints is not None:
        run.put_json(Constraints().file, members.hints)
    if carried is not None:
        carried.keep(run)
    run.save_collection(members.collection)
    return run


def store_of(store: Any) -> Store:
    """A store as it is, or the one in a folder; the default one for True and None."""
    return store if isinstance(store, Store) else Store(None if store in (True, None) else store)


def kept_hints(run: Run) -> dict[str, Any] | None:
    """What was said of the members of a run, as it was given; None for nothing."""
    constraints = run.request.constraints
    if constraints is None:
        return None
    found = run.get_json(constraints.file)
    if not isinstance(found, dict):
        raise StoreError(
            f"The run '{run.name}' ended before what is known of its members was kept; delete it and make it again."
        )
    return found


# ---- members that were not kept -------------------------------------------------------------------------------------


def keep_members(run: Run) -> None:
    """Read the members of a run that has none yet and keep them; where that cannot be, the run says so and has failed."""
    run.start()
    try:
        request = run.request
        with watched(workplace().watch, "reading the members"):
            collection = _read_again(run)
        request.choices.check_params()
        if isinstance(request.origin, New):
            request = request.but(origin=New())
        members = ready(collection, request, kept_hints(run))
        if members.hints is not None:
            run.put_json(Constraints().file, members.hints)
        run.update(request=members.request)
        run.save_collection(members.collection)
    except (Interrupted, KeyboardInterrupt):
        run.update(status="stopped", problem="stopped by the person")
        raise
    except CoterieError as error:
        run.update(status="failed", problem=str(error))
        raise


def _read_again(run: Run) -> Collection:
    request = run.request
    path = request.path
    ended = f"The run '{run.name}' ended before its members were kept"
    match request.origin:
        case Copy(run=before):
            return _copied(run, before)
        case Refit(run=before, by=by):
            how = _BY_SESSION if by == "session" else f"with: {request.command}"
            raise DataError(_again(ended, before, how))
        case Replay(run=before):
            raise DataError(_again(ended, before, f"with: {request.command}"))
    if not path:
        raise DataError(f"{ended}, and they came from memory; delete it, and explore them anew.")
    if Path(path).exists():
        # here and not where it was planned: a folder may hold very many files
        write_json(run.folder / "run.json", run.manifest | {"fingerprint": fingerprint_of(path)})
    try:
        return read(path, **request.reading.options())
    except DataError as error:
        if request.origin.planned:
            raise
        raise DataError(f"{ended}, and they cannot be read again: {error}") from None


def _again(ended: str, before: str, how: str) -> str:
    return f"{ended} and cannot go on; delete it, and make it again from the run '{before}' {how}"


def _copied(run: Run, before: str) -> Collection:
    """The members that another run kept."""
    folder = run.folder.parent
    if not (folder / before / "collection" / "collection.json").exists():
        raise DataError(
            f"The run '{before}', whose members '{run.name}' takes, is no longer there; delete this one."
        )
    return Store(folder).open(before).collection()
