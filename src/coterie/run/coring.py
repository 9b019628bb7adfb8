"""Cores of a stored run: the one coherent core of its members by each method that was asked for, found by a job and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie.core.collection import Collection
from coterie.core.errors import CoterieError, DataError, Interrupted, ParameterError
from coterie.core.links import Links
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.run.turns import turn
from coterie.workflows.cores import METHODS, by_background, core_of
from coterie.workflows.populations import links_of

BACKGROUNDS = ("bundled", "uniform")
_ASKED = "core-asked"
_LOCK = ".core.lock"
_PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Way:
    """How a core is found: the method, and what its words are set against."""

    method: str = "ltb"
    background: str = "bundled"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ParameterError(f"The method of a core must be one of {', '.join(METHODS)}.")
        if self.background not in BACKGROUNDS:
            raise ParameterError(
                f"The background of a core must be one of {', '.join(BACKGROUNDS)}."
            )
        if not by_background(self.method):
            object.__setattr__(self, "background", BACKGROUNDS[0])

    @property
    def key(self) -> str:
        """The name under which its core is kept."""
        return f"core-{self.method}" + (f"-{self.background}" if by_background(self.method) else "")


def ask_core(run: Run, way: Way) -> None:
    """Write down that a core is wanted; a job finds all that are."""
    with turn(run.folder / _LOCK):
        wanted = [one for one in wanted_cores(run) if one != way]
        run.put_json(_ASKED, [[one.method, one.background] for one in [*wanted, way]])


def wanted_cores(run: Run) -> list[Way]:
    """What was asked for and is not found yet."""
    kept = run.get_json(_ASKED, [])
    return (
        [Way(str(method), str(background)) for method, background in kept]
        if isinstance(kept, list)
        else []
    )


def kept_core(run: Run, way: Way) -> Mapping[str, Any] | None:
    """The core that was found this way, as `Cored.record` has it; None where it was not looked for yet."""
    found = run.get_json(way.key)
    return found if isinstance(found, dict) else None


def core_changed(run: Run, way: Way) -> int:
    """A mark that changes when this core is found again; 0 where there is none."""
    try:
        return (run.folder / "values" / f"{way.key}.json").stat().st_mtime_ns
    except OSError:
        return 0


def find_cores(store: Path, target: str) -> None:
    """Find every core that was asked for and is not there; one that cannot be found keeps its sentence."""
    run = Store(store).open(target)
    collection = run.collection()
    while (way := _next(run)) is not None:
        try:
            found = core_of(collection, method=way.method, background=way.background).record()
        except Interrupted:
            _asked_no_more(run, way)
            raise
        except CoterieError as error:
            found = {_PROBLEM: str(error)}
        run.put_json(way.key, found)
        _asked_no_more(run, way)


def _next(run: Run) -> Way | None:
    with turn(run.folder / _LOCK):
        return next(iter(wanted_cores(run)), None)


def _asked_no_more(run: Run, way: Way) -> None:
    with turn(run.folder / _LOCK):
        run.put_json(
            _ASKED, [[one.method, one.background] for one in wanted_cores(run) if one != way]
        )


def check_core(collection: Collection) -> None:
    """Refuse members without anything that could be counted; nothing is counted for it."""
    if collection.links or collection.of_modality("text"):
        return
    try:
        links_for(collection)
    except CoterieError:
        raise DataError(
            f"A core is found by words, links or counts of what members hold, and '{collection.name}' has none of them."
        ) from None


def links_for(collection: Collection) -> Links:
    """What the members are tied to: what a core is found and told by."""
    return links_of(collection, collection.main if collection.views else "", "Core")


def problem_of(record: Mapping[str, Any]) -> str:
    """Why a core could not be found; empty where it was."""
    return str(record.get(_PROBLEM, ""))


def check_record(record: Mapping[str, Any], n: int) -> None:
    """Refuse a record that is not one core of these members."""
    rows = record.get("members")
    if not isinstance(rows, list) or len(rows) != n or not isinstance(record.get("size"), int):
        raise DataError(
            "What is kept of this core does not fit the members of the run; look for it again."
        )
