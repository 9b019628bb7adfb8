"""Sessions in which a person names telling features, on the members of a stored run: kept as one file, worked on by jobs.

The file is the state. Whoever changes it has the turn, and says on which version; a step is worked out beside it and kept only
if the session is still where it was.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from coterie.collect.features import contexts_of, features_of
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.links import Cooccurrence
from coterie.core.workplace import workplace
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_state import AUTOMATIC, STEPS, Entry, effective, since_step
from coterie.organize.comraf.interactive_steps import SessionSettings
from coterie.run.atomic import make_folder
from coterie.run.store import Store
from coterie.run.stored import Run
from coterie.run.turns import turn

FILE = "session.json"
LAST = "session.before.json"  # the session that was there before one was begun anew
CHANGED = "session-changed"  # what the last step changed
PROPOSED = 40  # words of a group at most, the person's own among them: as many as a person reads
_LOCK = ".session.lock"
_LETTERS = 400  # of a member's text that are shown
_CLUSTERS = tuple(
    step for step in STEPS.values() if step not in ("begin", "check")
)  # steps that take their time


@dataclass(frozen=True, eq=False)
class Sources:
    """What a session of a collection works on: types of features, places where they stand, and texts of the members."""

    ids: Sequence[str]
    types: Mapping[str, Callable[[], Cooccurrence]]
    contexts: Callable[[str, str], list[str]] | None
    texts: dict[str, str]

    @classmethod
    def of(cls, collection: Collection) -> Sources:
        """Of members that were read; a type is counted when it is first asked for, and once."""
        made: dict[str, Cooccurrence] = {}

        def kept(kind: str, count: Callable[[], Cooccurrence]) -> Cooccurrence:
            if kind not in made:
                made[kind] = count()
            return made[kind]

        types = {
            kind: partial(kept, kind, count) for kind, count in features_of(collection).items()
        }
        seen = next(iter(collection.of_modality("text").values()), None)
        texts = {
            one: " ".join(text[:_LETTERS].split())
            for one, text in zip(collection.ids, seen or (), strict=False)
        }
        return cls(collection.ids, types, contexts_of(collection), texts)

    def begun(self, place: Path | None = None, settings: SessionSettings | None = None) -> Session:
        """A new session, kept at `place` from now on."""
        return Session(
            self.types, ids=self.ids, contexts=self.contexts, path=place, settings=settings
        )

    def loaded(self, place: Path) -> Session:
        """The session of a file."""
        return Session.load(place, self.types, ids=self.ids, contexts=self.contexts)


class Sitting:
    """The session of a run at hand; `session()` is always as the file has it, also when others write there."""

    def __init__(self, run: Run, collection: Collection | None = None) -> None:
        self.run = run
        self.place = run.folder / FILE
        self.sources = Sources.of(run.collection() if collection is None else collection)
        self.at = {member: position for position, member in enumerate(self.sources.ids)}
        self._seen: tuple[tuple[int, ...], Session] | None = None

    def session(self) -> Session:
        """The session as it is now, to look at; one that has just begun where there is no file."""
        seen = self._seen
        mark = _mark(self.place)
        if seen is None or seen[0] != mark:
            session = (
                self.sources.loaded(self.place)
                if mark
                else self.sources.begun(settings=SessionSettings(proposed=PROPOSED))
            )
            session.path = None  # whoever changes something takes a copy that is kept
            seen = self._seen = mark, session
        return seen[1]

    @contextmanager
    def changing(self) -> Iterator[Session]:
        """The session to change, for one at a time; every transition is kept at once."""
        with turn(self.run.folder / _LOCK):
            session = copy.copy(self.session())
            session.path = self.place
            try:
                yield session
            finally:
                kept = copy.copy(session)
                kept.path = None
                self._seen = _mark(self.place), kept

    def keep(self, before: Session, after: Session) -> None:
        """Keep what was worked out from a session, if that is still where it was."""
        with turn(self.run.folder / _LOCK):
            if version_of(self.session().log) != version_of(before.log):
                raise DataError(
                    "The session was changed while this was worked out; nothing of it was kept."
                )
            after.save(self.place)
            self.run.put_json(CHANGED, {"on": version_of(after.log), **difference(before, after)})
            self._seen = None

    def removed(self, on: str) -> None:
        """Put the session aside and begin anew, if it is the one that is meant (or cannot be read)."""
        with turn(self.run.folder / _LOCK):
            remove(self.run, on)
            self._seen = None


def remove(run: Run, on: str) -> None:
    """Put the session of a run aside, if it is the one that is meant (empty: whatever is there), or is no session any more."""
    place = run.folder / FILE
    with turn(run.folder / _LOCK):
        try:
            log = json.loads(place.read_text(encoding="utf-8"))["log"]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            log = None
        if on and isinstance(log, list) and version_of(log) != on:
            raise Stale
        os.replace(place, run.folder / LAST)


class Stale(DataError):
    """Something was said of a session that has gone on since."""

    def __init__(self) -> None:
        super().__init__(
            "The session has gone on since, perhaps in another tab; look at it as it is now, and say it again."
        )


def version_of(log: Sequence[Entry]) -> str:
    """A mark of where a session stands: how many entries its log has, and which."""
    told = hashlib.sha256(
        json.dumps(list(log), sort_keys=True, separators=(",", ":")).encode("utf-8")
    )
    return f"{len(log)}-{told.hexdigest()[:16]}"


def later(log: Sequence[Entry], version: str) -> list[Entry] | None:
    """The entries since a version; None where it is no version of this log."""
    number, _, _ = version.partition("-")
    if not number.isascii() or not number.isdigit() or len(number) > 9 or int(number) > len(log):
        return None
    return list(log[int(number) :]) if version_of(log[: int(number)]) == version else None


def long_undo(log: Sequence[Entry]) -> bool:
    """Whether taking back the last choice means clustering again what was clustered before it."""
    if since_step(log):
        return False
    kept = effective(log)
    last = max((at for at, one in enumerate(kept) if one["do"] not in STEPS.values()), default=0)
    return any(one["do"] in _CLUSTERS for one in kept[:last])


def difference(before: Session, after: Session) -> dict[str, Any]:
    """What a step changed: members that came in, went out, or are in another group now."""
    old = before.state.doc_cluster
    new = after.state.doc_cluster
    moved = [one for one in before.desk.ids if one in old and one in new and old[one] != new[one]]
    flows: dict[tuple[int, int], int] = {}
    for one in moved:
        flows[old[one], new[one]] = flows.get((old[one], new[one]), 0) + 1
    largest = sorted(flows.items(), key=lambda item: (-item[1], item[0]))
    return {
        "first": not old,
        "came": len(new.keys() - old.keys()),
        "left": len(old.keys() - new.keys()),
        "moved": len(moved),
        "flows": [[source, to, count] for (source, to), count in largest[:12]],
    }


# ---- jobs ------------------------------------------------------------------------------------------------------------------


def step(store: Path, target: str) -> None:
    """The steps that need nobody, up to the next choice; all of them are kept, or, when it is stopped, none."""
    sitting = Sitting(Store(store).open(target))
    before = sitting.session()
    if before.status not in AUTOMATIC:
        return
    after = copy.copy(before)
    workplace().watch.note(
        "The members are clustered by the words of each group, then words by the members."
    )
    after.run()
    sitting.keep(before, after)


def back(store: Path, target: str) -> None:
    """The last choice taken back; what was clustered before it is clustered again."""
    sitting = Sitting(Store(store).open(target))
    before = sitting.session()
    after = copy.copy(before)
    workplace().watch.note(
        "What was clustered before the last choice is clustered again, from the log."
    )
    after.undo()
    sitting.keep(before, after)


# ---- a session beside the runs ---------------------------------------------------------------------------------------------


def session_at(place: Path, collection: Collection) -> tuple[Session, bool, dict[str, str]]:
    """The session of a file, begun where there is none yet; whether it was there, and the texts of the members."""
    sources = Sources.of(collection)
    if place.exists():
        return sources.loaded(place), True, sources.texts
    make_folder(place.parent)
    return sources.begun(place), False, sources.texts


def _mark(place: Path) -> tuple[int, ...]:
    """What tells two states of a file apart; empty where there is none."""
    try:
        found = place.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
