"""Runs laid down before they are walked: what is said of them, their hints, and members that have to be read again.

Hints may be on very many members: they are a file of the run (values/hints.json), and its settings only count them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coterie.collect.reading import read
from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError, Interrupted, ParameterError, StoreError
from coterie.core.watch import watched
from coterie.core.workplace import workplace
from coterie.run.bundle import write_json
from coterie.run.checks import check_members, chosen
from coterie.run.recipes import plain
from coterie.run.steered import Carried
from coterie.run.store import Store, fingerprint_of
from coterie.run.stored import Run
from coterie.workflows.choices import Choices
from coterie.workflows.hinted import hints_of
from coterie.workflows.populations import with_view

# of the members; of members that were not read yet, so that nobody knows whether they are there
HINTS = "hints"
SAID = "said"
# in the settings: members are to be read; the run they are taken from
PLANNED = "planned"
COPIED = "copied"
_PARTS = ("labels", "together", "apart")
_KEPT = "kept"  # in the settings' word on hints: they are a file


def ready(
    collection: Collection,
    settings: Choices,
    hints: Any,
    about: Mapping[str, Any],
    carried: Carried | None = None,
) -> tuple[Collection, dict[str, Any]]:
    """The members with a view to walk on, and what is said of the run with choices and hints; refused where they do not fit."""
    collection = with_view(collection)
    check_members(collection, settings, [] if carried else about["reading"]["truth"])
    known = hints_of(collection, hints)
    if known is not None and settings.segment:
        raise ParameterError(
            "explore: hints are on members, and with segment the members are pieces that are not there yet."
        )
    about = {**about, "choices": plain(settings)}
    return collection, about | (
        {} if known is None else {HINTS: known.record(list(collection.ids))}
    )


def lay_down(
    collection: Collection,
    about: Mapping[str, Any],
    store: Any,
    name: str | None = None,
    carried: Carried | None = None,
) -> Run:
    """A run of these members in the store that was not walked yet; `resume` walks it, in this process or in another."""
    mark = fingerprint_of(about["path"]) if about["path"] and carried is None else ""
    settings = {**about, **({HINTS: counted(about[HINTS])} if HINTS in about else {})}
    run = store_of(store).create(
        name or collection.name, source=about["source"], settings=settings, fingerprint=mark
    )
    if HINTS in about:
        run.put_json(HINTS, about[HINTS])
    if carried is not None:
        carried.keep(run)
    run.save_collection(collection)
    return run


def store_of(store: Any) -> Store:
    """A store as it is, or the one in a folder; the default one for True and None."""
    return store if isinstance(store, Store) else Store(None if store in (True, None) else store)


# ---- hints --------------------------------------------------------------------------------------------------------


def counted(hints: Mapping[str, Any]) -> dict[str, Any]:
    """What the settings of a run say of its hints: how many there are, and that a file has them.

    >>> counted({"labels": {"a": "tea", "b": "sea"}, "together": [["a", "c"]]})
    {'kept': True, 'labels': 2, 'together': 1, 'apart': 0, 'scheme': 'intrinsic'}
    """
    numbers = {part: len(hints[part]) if hints.get(part) is not None else 0 for part in _PARTS}
    return {_KEPT: True, **numbers, "scheme": str(hints.get("scheme") or "intrinsic")}


def kept_hints(run: Run, what: str = HINTS) -> dict[str, Any] | None:
    """What was said of the members of a run, as it was given; None for nothing. Older runs have it in their settings."""
    said = run.settings.get(what)
    if not said:
        return None
    if not said.get(_KEPT):
        return dict(said)
    found = run.get_json(what)
    if not isinstance(found, dict):
        raise StoreError(
            f"The run '{run.name}' ended before what is known of its members was kept; delete it and make it again."
        )
    return found


def how_many(settings: Mapping[str, Any]) -> dict[str, Any]:
    """How many labels and pairs go with a run, and their scheme, by its settings alone; empty where there are none."""
    said = settings.get(HINTS) or settings.get(SAID)
    return {} if not said else dict(said) if said.get(_KEPT) else counted(said)


# ---- members that were not kept -------------------------------------------------------------------------------------


def keep_members(run: Run) -> None:
    """Read the members of a run that has none yet and keep them; where that cannot be, the run says so and has failed."""
    run.start()
    try:
        about = {
            key: value for key, value in run.settings.items() if key not in (PLANNED, COPIED, SAID)
        }
        with watched(workplace().watch, "reading the members"):
            collection = _read_again(run)
        said = kept_hints(run, SAID if run.settings.get(SAID) else HINTS)
        collection, about = ready(collection, chosen(about["choices"]), said, about)
        if HINTS in about:
            run.put_json(HINTS, about[HINTS])
            about[HINTS] = counted(about[HINTS])
        run.update(settings=about)
        run.save_collection(collection)
    except (Interrupted, KeyboardInterrupt):
        run.update(status="stopped", problem="stopped by the person")
        raise
    except CoterieError as error:
        run.update(status="failed", problem=str(error))
        raise


def _read_again(run: Run) -> Collection:
    about = run.settings
    if about.get(COPIED):
        return _copied(run, str(about[COPIED]))
    ended = f"The run '{run.name}' ended before its members were kept"
    before = about.get("steered") or about.get("replayed")
    if before:
        how = about.get("again") or f"with: {about['command']}"
        raise DataError(
            f"{ended} and cannot go on; delete it, and make it again from the run '{before}' {how}"
        )
    if not about.get("path"):
        raise DataError(f"{ended}, and they came from memory; delete it, and explore them anew.")
    if Path(
        about["path"]
    ).exists():  # here and not where it was planned: a folder may hold very many files
        write_json(
            run.folder / "run.json", run.manifest | {"fingerprint": fingerprint_of(about["path"])}
        )
    try:
        return read(about["path"], **about["reading"])
    except DataError as error:
        if about.get(PLANNED):
            raise
        raise DataError(f"{ended}, and they cannot be read again: {error}") from None


def _copied(run: Run, before: str) -> Collection:
    """The members that another run kept."""
    folder = run.folder.parent
    if not (folder / before / "collection" / "collection.json").exists():
        raise DataError(
            f"The run '{before}', whose members '{run.name}' takes, is no longer there; delete this one."
        )
    return Store(folder).open(before).collection()
