"""Taught: what a person said of another run's groups, and what became of it in the groups that were found anew with it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from coterie.core.edits import UNDO, Edit, Steered, started, stepped
from coterie.core.errors import CoterieError
from coterie.core.findings import Findings
from coterie.run.steered import Carried, given_names
from coterie.run.steering_log import FILE, read_log
from coterie.run.stored import Run
from coterie.show.markup import clean, clip, count
from coterie.web.desk import Desk, NotThere, NotYet, changed
from coterie.web.keeping import Versions
from coterie.web.standing import found_of
from coterie.web.told import sentence_of

router = APIRouter()

_SHOWN = 100  # edits that are told
_PARENTS = Versions(200)
_PAIR = ("together", "apart")
State = Literal["held", "partly", "not", "changed"]
WORDS = {"held": "Held", "partly": "Partly", "not": "Not held", "changed": "Changed later"}


class Became(BaseModel):
    """One thing that was said, and what became of it."""

    said: str = Field(
        description="The edit in words; its groups have the numbers of the run it was made on."
    )
    state: State = Field(
        description="held, partly, not, or changed: a later edit says something else."
    )
    word: str = Field(description="The same for people, with numbers where it holds in part.")
    now: str = Field(description="Where those members are now.")


class Taught(BaseModel):
    """What was said of the groups of another run, and what became of it here."""

    before: str = Field(description="The run it was said of.")
    there: bool = Field(description="Whether that run is still there.")
    sentence: str
    edits: list[Became]
    more: int = Field(description="Edits beyond those told.")


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """An edit that holds, with the groups before and after it."""

    edit: Edit
    before: Steered
    after: Steered


@router.get("/api/runs/{name}/taught", response_model=Taught, tags=["steering"])
def taught(request: Request, name: str) -> Any:
    """What became of the edits that a run was found anew with; 404 for a run that nobody taught."""
    desk: Desk = request.app.state.desk
    run = desk.finished(name)
    found = taught_of(desk, run)
    if found is None:
        raise NotThere(f"The run {run.name} was not found anew with edits of another one.")
    return found


def parent_of(run: Run) -> str:
    """The run whose edits this one was found anew with; empty where there is none."""
    mark = changed(run.folder / "run.json")
    kept = _PARENTS.of(str(run.folder), mark, "parent", lambda: (run.request.parent,))
    return str(kept[0])


def parent_mark(desk: Desk, run: Run) -> Hashable:
    """What of the other run the page depends on."""
    name = parent_of(run)
    return (
        (
            name,
            changed(desk.store.folder / name / "run.json"),
            changed(desk.store.folder / name / FILE),
        )
        if name
        else ()
    )


def taught_of(desk: Desk, run: Run) -> Taught | None:
    """One line for every edit that was made before the groups were found anew; None where nobody taught the run."""
    name = parent_of(run)
    if not name:
        return None
    try:
        parent = desk.finished(name)
        steps = _then(found_of(parent), read_log(parent.path / FILE), Carried.kept(run))
    except (NotThere, NotYet):
        gone = f"The run {clean(clip(name, 80))}, of whose groups you said it, is no longer there. {_counted(run)}"
        return Taught(
            before=clean(clip(name, 80)), there=False, sentence=gone.strip(), edits=[], more=0
        )
    except CoterieError:
        sentence = f"What you said of the groups of {name} can no longer be read. {_counted(run)}"
        return Taught(before=name, there=True, sentence=sentence.strip(), edits=[], more=0)
    here = _Here(found_of(parent), found_of(run), steps)
    told = [here.became(step) for step in steps]
    return Taught(
        before=name,
        there=True,
        sentence=_sentence(told),
        edits=told[:_SHOWN],
        more=max(0, len(told) - _SHOWN),
    )


def _counted(run: Run) -> str:
    told = run.request.constraints
    many = {} if told is None else told.to_json()
    nouns = {"labels": "label", "together": "pair together", "apart": "pair apart"}
    parts = [
        count(many[key], noun, noun.replace("pair", "pairs").replace("label", "labels"))
        for key, noun in nouns.items()
        if many.get(key)
    ]
    return f"It taught this run {', '.join(parts)}." if parts else ""


def _sentence(told: Sequence[Became]) -> str:
    counted = [one for one in told if one.state != "changed"]
    held = sum(one.state == "held" for one in counted)
    partly = sum(one.state == "partly" for one in counted)
    if not counted:
        return "Nothing that was said is left to look at."
    if held == len(counted):
        return (
            "It was held to." if held == 1 else f"All {count(held)} things you said were held to."
        )
    rest = [f"{count(partly)} in part"] if partly else []
    rest += [f"{count(len(counted) - held - partly)} not"] if len(counted) > held + partly else []
    return f"Of {count(len(counted), 'thing')} you said {count(held) if held else 'none'} held, {' and '.join(rest)}."


def _then(found: Findings, log: Sequence[Edit], carried: Carried | None) -> list[_Step]:
    """The edits that held when the groups were found anew: the log up to the last place where it gives what was taken over."""
    names = [group.name for group in found.groups]
    place = {str(member): at for at, member in enumerate(found.ids)}
    state = started(found.labels, names)
    steps = list[_Step]()
    last = None
    for edit in (None, *log):
        if edit is not None and edit.kind == UNDO:
            state = steps.pop().before if steps else state
        elif edit is not None:
            after = stepped(state, edit, place)
            steps.append(_Step(edit, state, after))
            state = after
        if carried is not None and _same(found, state, carried):
            last = list(steps)
    return steps if last is None else last


def _same(found: Findings, state: Steered, carried: Carried) -> bool:
    here = state.labels[: len(carried.labels)]
    return np.array_equal(here, carried.labels) and given_names(found, state) == dict(carried.names)


class _Here:
    """The members of both runs side by side: where the last edit left each, and where each is now (-2: not in the new run)."""

    def __init__(self, before: Findings, now: Findings, steps: Sequence[_Step]) -> None:
        at = {str(member): place for place, member in enumerate(now.ids)}
        places = np.array([at.get(str(member), -1) for member in before.ids], dtype=np.int64)
        labels = np.asarray(now.labels, dtype=np.int64)
        self.now = np.where(places >= 0, labels[np.maximum(places, 0)], -2)
        self.names = {group.label: clean(group.name) for group in now.groups}
        self.place = {str(member): place for place, member in enumerate(before.ids)}
        self.end = (
            steps[-1].after
            if steps
            else started(before.labels, [group.name for group in before.groups])
        )

    def became(self, step: _Step) -> Became:
        """What became of one edit."""
        state, done, of, now = self._pair(step) if step.edit.kind in _PAIR else self._some(step)
        word = f"Partly: {done:,} of {of:,}" if state == "partly" else WORDS[state]
        return Became(said=f"{sentence_of(step.edit)}.", state=state, word=word, now=now)

    def _pair(self, step: _Step) -> tuple[State, int, int, str]:
        one, other = (self.place[member] for member in step.edit.members)
        alike = step.edit.kind == "together"
        if (self.end.labels[one] == self.end.labels[other]) != alike and self.end.labels[one] >= 0:
            return "changed", 0, 0, ""
        a = int(self.now[one])
        b = int(self.now[other])
        if -2 in (a, b):
            return "changed", 0, 0, "One of them was added later and is not part of this run."
        same = a == b and a >= 0
        now = (
            f"Both are in {self._called(a)}."
            if same
            else f"One is in {self._called(a)}, the other in {self._called(b)}."
        )
        return ("held" if same == alike else "not"), 0, 0, now

    def _some(self, step: _Step) -> tuple[State, int, int, str]:
        edit = step.edit
        there = self.now >= -1
        if edit.kind == "rename":
            return self._named(edit.groups[0] - 1, edit.name)
        if edit.kind == "merge":
            return self._merged(step)
        if edit.kind == "lock":
            inside = (step.after.labels == edit.groups[0] - 1) & there
            return self._counted(inside, self._home(inside), _commonest(self.end.labels[inside]))
        moved = np.zeros(len(self.now), dtype=bool)
        moved[[self.place[member] for member in edit.members]] = True
        moved &= there
        if edit.kind == "split":
            return self._halved(moved, (step.before.labels == edit.groups[0] - 1) & ~moved & there)
        target = int(step.after.labels[self.place[edit.members[0]]])
        if target < 0:
            return self._counted(moved, -1, -1)
        others = (step.after.labels == target) & ~moved & there
        rest = others if others.any() else moved
        named = self._by_name(edit.name) if edit.kind == "label" else None
        return self._counted(
            moved, self._home(rest) if named is None else named, _commonest(self.end.labels[rest])
        )

    def _halved(self, moved: np.ndarray, rest: np.ndarray) -> tuple[State, int, int, str]:
        mine = _commonest(self.end.labels[moved])
        theirs = _commonest(self.end.labels[rest])
        if mine == theirs:
            return "changed", 0, 0, ""
        home = self._home(moved)
        if home == self._home(rest):
            return "not", 0, 0, f"Most of them and most of the others are in {self._called(home)}."
        return self._counted(moved, home, mine)

    def _by_name(self, name: str) -> int | None:
        return next(
            (
                label
                for label, own in self.names.items()
                if own.casefold() == clean(name.strip()).casefold()
            ),
            None,
        )

    def _named(self, group: int, name: str) -> tuple[State, int, int, str]:
        if self.end.names.get(group) != name.strip():
            return "changed", 0, 0, ""
        inside = self.end.labels == group
        called = self._by_name(name)
        if called is None:
            home = self._home(inside)
            return (
                "not",
                0,
                0,
                f"No group is called so; most of its members are in {self._called(home)}.",
            )
        return "held", 0, 0, f"It is group {called + 1} now."

    def _merged(self, step: _Step) -> tuple[State, int, int, str]:
        union = (step.after.labels == step.edit.groups[0] - 1) & (self.now >= -1)
        mine = _commonest(self.end.labels[union])
        sides = [
            (step.before.labels == number - 1) & union & (self.end.labels == mine)
            for number in step.edit.groups
        ]
        if not all(side.any() for side in sides):
            return "changed", 0, 0, ""
        homes = list(dict.fromkeys(self._home(side) for side in sides))
        if len(homes) > 1:
            return (
                "not",
                0,
                0,
                f"Most of them are in {' and '.join(self._called(home) for home in homes)}.",
            )
        return self._counted(union, homes[0], mine)

    def _counted(self, members: np.ndarray, home: int, target: int) -> tuple[State, int, int, str]:
        """How many of these, less those that later edits put elsewhere than into the group `target`, are in one group now."""
        kept = members & (self.end.labels == target)
        of = int(kept.sum())
        done = int((kept & (self.now == home)).sum())
        if not of:
            return (
                "changed",
                0,
                0,
                "" if members.any() else "Members that were added later are not part of this run.",
            )
        all_of = "It is" if of == 1 else "All of them are"
        now = (
            f"{all_of} in {self._called(home)}."
            if done == of
            else f"{done:,} of {of:,} are in {self._called(home)}."
        )
        return ("held" if done == of else "partly" if done else "not"), done, of, now

    def _home(self, members: np.ndarray) -> int:
        """The group most of these are in now."""
        return _commonest(self.now[members & (self.now >= -1)])

    def _called(self, label: int) -> str:
        return (
            f"group {label + 1} ({clip(self.names.get(label, ''), 60)})"
            if label >= 0
            else "no group"
        )


def _commonest(labels: np.ndarray) -> int:
    """The label that most have, the smallest of several; -1 of nobody."""
    if not len(labels):
        return -1
    levels, counts = np.unique(labels, return_counts=True)
    return int(levels[int(counts.argmax())])
