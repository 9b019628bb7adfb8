"""Edits: what a person changes in groups (merge, split, move, lock, rename, pairs, labels), and the groups after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie.core.errors import DataError

KINDS = ("merge", "split", "move", "lock", "unlock", "rename", "together", "apart", "label")
UNDO = "undo"
NOBODY = 0  # the number that stands for being in no group
_GROUPS = {
    "merge": 2,
    "split": 2,
    "move": 1,
    "lock": 1,
    "unlock": 1,
    "rename": 1,
    "apart": 1,
}  # numbers of groups, at least
_PAIR = ("together", "apart")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change. Groups are numbered from 1 and keep their numbers: those united into another are gone, new ones come after.

    merge: the first of `groups` takes the members of the others. split: `members` of the first of `groups` become the second,
    which is new. move: `members` go into `groups[0]` (0: into none). lock: what is in `groups[0]` stays there; unlock: no more.
    rename: `name` is the new name of `groups[0]`. together, apart: two `members`; of those apart the second goes into
    `groups[0]` where both were in one group. label: `members` belong to the group called `name`, which is made where there is
    none. undo takes back the last change that was not taken back.

    >>> Edit("merge", groups=(1, 3)).record()
    {'edit': 'merge', 'groups': [1, 3]}
    """

    kind: str
    groups: tuple[int, ...] = ()
    members: tuple[str, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        if self.kind not in (*KINDS, UNDO):
            raise DataError(
                f"There is no edit '{self.kind}'; there are {', '.join(KINDS)} and {UNDO}."
            )
        if len(self.groups) < _GROUPS.get(self.kind, 0):
            raise DataError(
                f"'{self.kind}' needs {_GROUPS[self.kind]} numbers of groups, and was given {len(self.groups)}."
            )
        if self.kind in _PAIR and (len(self.members) != 2 or self.members[0] == self.members[1]):
            raise DataError(
                f"'{self.kind}' needs two different members, and was given {', '.join(self.members) or 'none'}."
            )
        if self.kind in ("split", "move", "label") and not self.members:
            raise DataError(f"'{self.kind}' needs at least one member.")
        if self.kind in ("rename", "label") and not self.name.strip():
            raise DataError(f"'{self.kind}' needs a name.")

    def record(self) -> dict[str, Any]:
        """As plain values, for a line of a log."""
        found: dict[str, Any] = {"edit": self.kind}
        found |= {"groups": list(self.groups)} if self.groups else {}
        found |= {"members": list(self.members)} if self.members else {}
        return found | ({"name": self.name} if self.name else {})

    @classmethod
    def of(cls, record: Any) -> Edit:
        """From what `record` gave; anything else is refused."""
        if not isinstance(record, Mapping) or not isinstance(record.get("edit"), str):
            raise DataError(
                f"An edit is a record such as {{'edit': 'merge', 'groups': [1, 3]}}, and was {record!r:.80}."
            )
        groups = record.get("groups", ())
        members = record.get("members", ())
        name = record.get("name", "")
        lists = (
            isinstance(groups, (list, tuple))
            and isinstance(members, (list, tuple))
            and isinstance(name, str)
        )
        if (
            not lists
            or not all(type(g) is int and g >= 0 for g in groups)
            or not all(isinstance(m, str) for m in members)
        ):
            raise DataError(
                f"Groups of an edit are a list of numbers, members a list of ids and its name is text, and it was "
                f"{dict(record)!r:.120}."
            )
        return cls(record["edit"], tuple(groups), tuple(members), name)

    def sentence(self) -> str:
        """What was done, in words."""
        who = ", ".join(self.members[:3]) + (
            f" and {len(self.members) - 3} more" if len(self.members) > 3 else ""
        )
        to = f"group {self.groups[0]}" if self.groups and self.groups[0] != NOBODY else "no group"
        more = [str(number) for number in self.groups[1:]]
        others = (
            f"groups {', '.join(more[:-1])} and {more[-1]}"
            if len(more) > 1
            else f"group {''.join(more)}"
        )
        return {
            "merge": f"{others} united into {to}",
            "split": f"group {self.groups[-1] if self.groups else 0} made of {len(self.members):,} from {to}",
            "move": f"{who} moved into {to}",
            "lock": f"{to} locked",
            "unlock": f"{to} unlocked",
            "rename": f"{to} called '{self.name}'",
            "together": f"{' and '.join(self.members)} belong together",
            "apart": f"{' and '.join(self.members)} belong apart",
            "label": f"{who} labeled '{self.name}'",
            UNDO: "the change before it taken back",
        }[self.kind]


@dataclass(frozen=True, slots=True, eq=False)
class Steered:
    """Groups after edits: a number from 0 per member (-1: in none), names by number, and the numbers that are locked."""

    labels: np.ndarray
    names: Mapping[int, str]
    locked: frozenset[int] = frozenset()
    told: Mapping[int, str] = field(default_factory=dict)  # labels a person gave, by position
    last: int = 0  # groups there ever were

    def members(self, number: int) -> np.ndarray:
        """Positions of the members of a group (its number from 1)."""
        return np.flatnonzero(self.labels == number - 1)

    @property
    def sizes(self) -> dict[int, int]:
        """Members of every group, by its number from 1."""
        return {g + 1: int((self.labels == g).sum()) for g in sorted(self.names)}

    def called(self, name: str) -> int | None:
        """The number from 1 of the group of that name, case aside; None where there is none."""
        return next(
            (g + 1 for g, own in self.names.items() if own.casefold() == name.strip().casefold()),
            None,
        )


def effective(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that hold, those taken back left out."""
    return [edit for _, edit in holding(edits)]


def holding(edits: Iterable[Edit]) -> list[tuple[int, Edit]]:
    """The edits that hold, each with its place (from 0) among all that were given."""
    kept: list[tuple[int, Edit]] = []
    for at, edit in enumerate(edits):
        if edit.kind != UNDO:
            kept.append((at, edit))
        elif not kept:
            raise DataError("There is nothing to undo.")
        else:
            kept.pop()
    return kept


def undone(edits: Sequence[Edit]) -> dict[int, Edit]:
    """What every undo took back, by the place (from 0) of the undo."""
    kept = list[Edit]()
    found = dict[int, Edit]()
    for at, edit in enumerate(edits):
        if edit.kind != UNDO:
            kept.append(edit)
        elif kept:
            found[at] = kept.pop()
    return found


def started(labels: Any, names: Sequence[str]) -> Steered:
    """The groups before any edit."""
    found = np.array(labels, dtype=np.int64)
    count = max(len(names), int(found.max(initial=-1)) + 1)
    called = [*names, *(f"group {g + 1}" for g in range(len(names), count))]
    return Steered(found, dict(enumerate(called)), last=count)


def applied(
    labels: Any, names: Sequence[str], edits: Iterable[Edit], ids: Sequence[str]
) -> Steered:
    """The groups after these edits.

    >>> edits = [Edit("merge", groups=(1, 2)), Edit("rename", groups=(1,), name="tea")]
    >>> found = applied([0, 0, 1, 2], ["a", "b", "c"], edits, ["w", "x", "y", "z"])
    >>> found.labels.tolist(), dict(found.names)
    ([0, 0, 0, 2], {0: 'tea', 2: 'c'})
    """
    state = started(labels, names)
    place = {str(member): at for at, member in enumerate(ids)}
    for edit in effective(edits):
        state = stepped(state, edit, place)
    return state


def stepped(state: Steered, edit: Edit, place: Mapping[str, int]) -> Steered:
    """The groups after one more edit; `place` is where every member stands."""
    at = [_at(member, place) for member in edit.members]
    for number in edit.groups[: -1 if edit.kind == "split" else None]:
        if number != NOBODY or edit.kind not in ("move", "apart"):
            _check_group(state, number)
    step = {
        "merge": _merge,
        "split": _split,
        "move": _move,
        "lock": _lock,
        "unlock": _unlock,
        "rename": _rename,
        "together": _together,
        "apart": _apart,
        "label": _label,
    }[edit.kind]
    return step(state, edit, at)


def _at(member: str, place: Mapping[str, int]) -> int:
    if member in place:
        return place[member]
    import difflib

    near = difflib.get_close_matches(member, place, n=3)
    raise DataError(
        f"There is no member '{member}'." + (f" Near it: {', '.join(near)}." if near else "")
    )


def _check_group(state: Steered, number: int) -> None:
    if number - 1 not in state.names:
        numbers = ", ".join(str(g + 1) for g in sorted(state.names))
        gone = " any more" if 0 < number <= state.last else ""
        raise DataError(f"There is no group {number}{gone}; there are {numbers}.")


def _check_free(state: Steered, at: Iterable[int], ids: Sequence[str]) -> None:
    for position, member in zip(at, ids, strict=True):
        if int(state.labels[position]) in state.locked:
            number = int(state.labels[position]) + 1
            raise DataError(
                f"'{member}' is in group {number}, which is locked; unlock it before you take it out."
            )


def _put(state: Steered, at: Sequence[int] | np.ndarray, group: int) -> Steered:
    labels = state.labels.copy()
    labels[np.asarray(at, dtype=np.int64)] = group
    return replace(state, labels=labels)


def _merge(state: Steered, edit: Edit, at: list[int]) -> Steered:
    into, *others = (number - 1 for number in edit.groups)
    if len({into, *others}) < len(edit.groups):
        raise DataError(
            f"A group cannot be united with itself: {', '.join(map(str, edit.groups))}."
        )
    for other in others:
        if other in state.locked:
            way = f"merge {other + 1} {into + 1}"
            raise DataError(
                f"Group {other + 1} is locked; unite the other way round ({way}), or unlock it."
            )
        state = _put(state, np.flatnonzero(state.labels == other), into)
    return replace(state, names={g: name for g, name in state.names.items() if g not in others})


def _split(state: Steered, edit: Edit, at: list[int]) -> Steered:
    group = edit.groups[0] - 1
    new = edit.groups[1] - 1
    if group in state.locked:
        raise DataError(f"Group {group + 1} is locked; unlock it before you split it.")
    if new != state.last:
        raise DataError(f"The new group would be number {state.last + 1}, and was to be {new + 1}.")
    outside = [
        member
        for member, position in zip(edit.members, at, strict=True)
        if state.labels[position] != group
    ]
    if outside:
        raise DataError(f"'{outside[0]}' is not in group {group + 1}, which was to be split.")
    if len(set(at)) >= int((state.labels == group).sum()):
        raise DataError(
            f"Group {group + 1} has no member besides these; a split leaves at least one behind."
        )
    called = edit.name or f"{state.names[group]} ({new + 1})"
    return replace(_put(state, at, new), names={**state.names, new: called}, last=state.last + 1)


def _move(state: Steered, edit: Edit, at: list[int]) -> Steered:
    group = edit.groups[0] - 1
    here = [
        member
        for member, position in zip(edit.members, at, strict=True)
        if state.labels[position] == group
    ]
    if len(here) == len(at):
        raise DataError(
            f"'{here[0]}' is in {'no group' if group < 0 else f'group {group + 1}'} already."
        )
    going = [
        (position, member)
        for position, member in zip(at, edit.members, strict=True)
        if state.labels[position] != group
    ]
    _check_free(state, [position for position, _ in going], [member for _, member in going])
    return _put(state, at, group)


def _lock(state: Steered, edit: Edit, at: list[int]) -> Steered:
    group = edit.groups[0] - 1
    if group in state.locked:
        raise DataError(f"Group {group + 1} is locked already.")
    if not (state.labels == group).any():
        raise DataError(f"Group {group + 1} has no members that could be locked.")
    return replace(state, locked=state.locked | {group})


def _unlock(state: Steered, edit: Edit, at: list[int]) -> Steered:
    group = edit.groups[0] - 1
    if group not in state.locked:
        raise DataError(f"Group {group + 1} is not locked.")
    return replace(state, locked=state.locked - {group})


def _rename(state: Steered, edit: Edit, at: list[int]) -> Steered:
    own = edit.groups[0]
    same = state.called(edit.name)
    if same is not None and same != own:
        raise DataError(
            f"Group {same} is called '{state.names[same - 1]}' already; to unite the two, say: merge {same} {own}"
        )
    return replace(state, names={**state.names, own - 1: edit.name.strip()})


def _together(state: Steered, edit: Edit, at: list[int]) -> Steered:
    """The second joins the first, unless it is locked or the first is in no group: then the first joins the second."""
    one = int(state.labels[at[0]])
    other = int(state.labels[at[1]])
    if one == other:
        return state
    if one >= 0 and other not in state.locked:
        return _put(state, at[1:], one)
    if one in state.locked:
        raise DataError(
            f"'{edit.members[0]}' and '{edit.members[1]}' are in groups {one + 1} and {other + 1}, both locked."
        )
    return _put(state, at[:1], other)


def _apart(state: Steered, edit: Edit, at: list[int]) -> Steered:
    """Where both are in one group the second leaves it."""
    own = int(state.labels[at[0]])
    to = edit.groups[0] - 1
    if own != int(state.labels[at[1]]) or own < 0:
        return state
    if to == own:
        raise DataError(f"'{edit.members[1]}' must leave group {own + 1} for another one.")
    _check_free(state, at[1:], edit.members[1:])
    return _put(state, at[1:], to)


def _label(state: Steered, edit: Edit, at: list[int]) -> Steered:
    number = state.called(edit.name)
    name = edit.name.strip()
    group = state.last if number is None else number - 1
    going = [
        (position, member)
        for position, member in zip(at, edit.members, strict=True)
        if state.labels[position] != group
    ]
    _check_free(state, [position for position, _ in going], [member for _, member in going])
    told = {**state.told, **dict.fromkeys(at, name)}
    if number is not None:
        return replace(_put(state, at, group), told=told)
    return replace(
        _put(state, at, group), names={**state.names, group: name}, told=told, last=state.last + 1
    )
