"""Edits in the words of the page: groups by number and name, and what became of each since it was found."""

from __future__ import annotations

import numpy as np

from coterie.core.edits import UNDO, Edit
from coterie.show.markup import clean, clip
from coterie.web.edit_models import Change
from coterie.web.standing import Standing

# characters of an id and of a name in a sentence
_WHO = 40
_NAME = 60


def sentence_of(edit: Edit) -> str:
    """What an edit did, as one says it; long ids are cut."""
    who = [f"“{clip(clean(one), _WHO)}”" for one in edit.members[:2]]
    some = who[0] if len(edit.members) == 1 else f"{len(edit.members):,} members"
    to = f"group {edit.groups[0]}" if edit.groups and edit.groups[0] else "no group"
    others = [str(number) for number in edit.groups[1:]]
    several = (
        f"groups {', '.join(others[:-1])} and {others[-1]}"
        if len(others) > 1
        else f"group {''.join(others)}"
    )
    called = f"“{clip(clean(edit.name), _NAME)}”"
    if edit.kind == "merge":
        return f"United {several} into {to}"
    if edit.kind == "split":
        return f"Made group {edit.groups[-1]} of {some} from {to}"
    if edit.kind == "move":
        return f"Moved {some} into {to}" if edit.groups[0] else f"Took {some} out of every group"
    if edit.kind == "lock":
        return f"Locked {to}"
    if edit.kind == "unlock":
        return f"Unlocked {to}"
    if edit.kind == "rename":
        return f"Called {to} {called}"
    if edit.kind == "label":
        return f"Labeled {some} {called}"
    if edit.kind == UNDO:
        return "Took back the change before"
    return f"Said that {' and '.join(who)} belong {edit.kind}"


def outcome_of(before: Standing, now: Standing) -> str:
    """What the last edit did; of a pair also who went where."""
    edit = now.held[-1]
    said = sentence_of(edit)
    if edit.kind not in ("together", "apart"):
        return said
    places = np.flatnonzero(before.state.labels != now.state.labels)
    went = [
        f"“{clip(clean(now.found.ids[at]), _WHO)}” {_to(now, int(now.state.labels[at]) + 1)}"
        for at in places.tolist()
    ]
    return f"{said}; {' and '.join(went) or 'nobody had to move'}"


def _to(standing: Standing, number: int) -> str:
    return (
        f"went to {number} {clip(standing.called(number), _NAME)}"
        if number
        else "is now in no group"
    )


def changes_of(standing: Standing) -> list[Change]:
    """What became of every group since it was found, those left as they were not among them."""
    before = np.asarray(standing.found.labels)
    now = standing.state.labels
    found = {group.label: clean(group.name) for group in standing.found.groups}
    changes = []
    for label in sorted({*found, *standing.state.names}):
        was = None if label not in found else int(((before == label) & standing.own).sum())
        there = label in standing.state.names
        size = int(((now == label) & standing.own).sum()) if there else None
        name = standing.called(label + 1) if there else found[label]
        came = int(((now == label) & (before != label) & standing.own).sum())
        went = int(((now != label) & (before == label) & standing.own).sum())
        said = _became(
            was,
            size,
            came,
            went,
            name if name != found.get(label, name) else "",
            label in standing.state.locked,
        )
        if said:
            changes.append(Change(number=label + 1, name=name, before=was, now=size, sentence=said))
    return changes


def _became(was: int | None, now: int | None, came: int, went: int, name: str, locked: bool) -> str:
    if now is None:
        return "United into another group."
    parts = [] if was is not None else ["made by hand"]
    parts += [f"{came:,} came"] if came and was is not None else []
    parts += [f"{went:,} went"] if went else []
    parts += ["renamed"] if name else []
    parts += ["locked"] if locked else []
    return f"{', '.join(parts).capitalize()}." if parts else ""
