"""What a person says in a session of a stored run: each thing is said on a version, holds once, and loses nothing of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from coterie.core.errors import DataError, ParameterError
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_moves import Misplaced
from coterie.organize.comraf.interactive_state import AUTOMATIC, REVIEW, SEEDS, Entry, effective
from coterie.run.sessions import Sitting, Stale, later, long_undo

Do = Literal[
    "groups",
    "types",
    "put",
    "take",
    "seeds",
    "skip",
    "delete",
    "move",
    "add",
    "settle",
    "accept",
    "stop",
    "reopen",
    "undo",
]
EDITS = (
    "put",
    "take",
    "delete",
    "move",
    "add",
    "settle",
)  # may be said beside those of another tab
_LOGGED = {"put": "draft", "take": "draft", "skip": "seeds"}
_OF_EDITS = ("draft", "delete", "move", "add", "settle")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a person says; groups are numbered from 1, and `on` is the version of the session that was looked at."""

    do: Do
    on: str
    k: int = 0
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    type: str = ""
    features: tuple[str, ...] = ()
    to: int = 0  # 0: to none
    tie: int = 0


def said(
    sitting: Sitting,
    change: Change,
    before: Callable[[], None],
    after: Callable[[Session, bool], None],
) -> Session:
    """The session with what was said; `before` may refuse it, and `after` sees the session and whether work is to be asked for.

    What was said already changes nothing. What was said on an older version is refused, unless it is an edit beside other edits.
    """
    with sitting.changing() as session:
        since = later(session.log, change.on)
        if since is None:
            raise Stale
        if since and _repeated(since[0], change):
            return session
        if since and not (change.do in EDITS and all(one["do"] in _OF_EDITS for one in since)):
            raise Stale
        before()
        long = change.do == "undo" and long_undo(session.log)
        if not long:
            _DOES[change.do](session, change)
        after(session, long)
        return session


def cancel(sitting: Sitting, on: str, stop: Callable[[], None]) -> Session:
    """The step that is worked out is stopped, and the choice that asked for it taken back."""
    with sitting.changing() as session:
        since = later(session.log, on)
        if since is None or (since and since[0]["do"] != "undo"):
            raise Stale
        stop()
        if not since and session.status in AUTOMATIC:
            session.undo()
        return session


def _repeated(entry: Entry, change: Change) -> bool:
    """Whether the first thing said after the version that is meant is this very change."""
    if entry["do"] != _LOGGED.get(change.do, change.do) or change.do in EDITS:
        return False
    if change.do == "groups":
        return bool(entry["k"] == change.k and tuple(entry["names"]) == change.names)
    if change.do == "types":
        return tuple(entry["types"]) == change.types
    if change.do in ("seeds", "skip"):
        return bool(entry["groups"]) == (change.do == "seeds")
    return True


# ---- what each does --------------------------------------------------------------------------------------------------------


def _groups(session: Session, change: Change) -> None:
    session.choose_groups(change.k, change.names)


def _types(session: Session, change: Change) -> None:
    session.choose_types(*change.types)


def _draft(session: Session, change: Change) -> list[Sequence[str]]:
    """The seeds of a type that are written down so far."""
    if session.status != SEEDS:
        raise Misplaced(change.do, session.status)
    found = session.state.draft.get(change.type)
    return [[] for _ in range(session.state.k)] if found is None else list(found)


def _put(session: Session, change: Change) -> None:
    """Seeds put into a group; from any other they are taken out."""
    groups = _draft(session, change)
    to = _group(session, change.to)
    if change.type not in session.state.feature_types:
        raise ParameterError(
            f"'{change.type}' was not chosen; the types are {', '.join(session.state.feature_types)}."
        )
    words = session.desk.known(change.type, change.features)
    for at, group in enumerate(groups):
        if at != to and set(group) & set(words):
            session.draft(
                *(one for one in group if one not in set(words)), to=at + 1, type=change.type
            )
    session.draft(*dict.fromkeys([*groups[to], *words]), to=to + 1, type=change.type)


def _take(session: Session, change: Change) -> None:
    """Seeds taken out of the group they are in."""
    gone = set(change.features)
    for at, group in enumerate(_draft(session, change)):
        if gone & set(group):
            session.draft(*(one for one in group if one not in gone), to=at + 1, type=change.type)


def _seeds(session: Session, change: Change) -> None:
    if session.status == SEEDS and not any(
        group for groups in session.state.draft.values() for group in groups
    ):
        raise DataError("There are no seeds yet; put a word into a group, or go on without any.")
    session.seed()


def _skip(session: Session, change: Change) -> None:
    session.skip()


def _delete(session: Session, change: Change) -> None:
    session.delete(*change.features, type=change.type)


def _move(session: Session, change: Change) -> None:
    session.move(*change.features, to=_group(session, change.to) + 1, type=change.type)


def _add(session: Session, change: Change) -> None:
    session.add(*change.features, to=_group(session, change.to) + 1, type=change.type)


def _settle(session: Session, change: Change) -> None:
    session.settle(change.tie, change.to or None)


def _accept(session: Session, change: Change) -> None:
    if session.status != REVIEW:
        raise Misplaced("accept", session.status)
    session.accept()


def _stop(session: Session, change: Change) -> None:
    session.stop()


def _reopen(session: Session, change: Change) -> None:
    session.reopen()


def _undo(session: Session, change: Change) -> None:
    """The last choice taken back; a seed that was moved from one group to another goes back in one."""
    moved = _was_moved(effective(session.log))
    session.undo()
    if moved:
        session.undo()


def _was_moved(kept: Sequence[Entry]) -> bool:
    """Whether the last two drafts took a seed out of one group and put it into another."""
    if (
        len(kept) < 3
        or not all(one["do"] == "draft" for one in kept[-2:])
        or kept[-1]["type"] != kept[-2]["type"]
    ):
        return False
    out = kept[-2]
    into = kept[-1]
    earlier: dict[int, set[str]] = {}
    for one in kept[:-2]:
        if one["do"] == "draft" and one["type"] == out["type"]:
            earlier[one["to"]] = set(one["features"])
    gone = earlier.get(out["to"], set()) - set(out["features"])
    return (
        bool(gone)
        and out["to"] != into["to"]
        and gone <= set(into["features"]) - earlier.get(into["to"], set())
    )


def _group(session: Session, number: int) -> int:
    """A group by its number from 1."""
    if not 1 <= number <= session.state.k:
        raise ParameterError(f"There is no group {number}; there are {session.state.k}.")
    return number - 1


_DOES: dict[str, Callable[[Session, Change], None]] = {
    "groups": _groups,
    "types": _types,
    "put": _put,
    "take": _take,
    "seeds": _seeds,
    "skip": _skip,
    "delete": _delete,
    "move": _move,
    "add": _add,
    "settle": _settle,
    "accept": _accept,
    "stop": _stop,
    "reopen": _reopen,
    "undo": _undo,
}
