"""Steering: a person's edits on the groups of a stored run; they hold at once, and teach the next fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from coterie.core.collection import position
from coterie.core.edits import NOBODY, UNDO, Edit, Steered, applied, effective
from coterie.core.errors import CoterieError, DataError, StoreError
from coterie.core.findings import Findings
from coterie.core.hints import Hints
from coterie.core.taught import beside, hints_of, said_pairs
from coterie.run.engine import Exploration, kept_hints, lay_down, load, open_run, ready, resume
from coterie.run.steered import Carried, after, given_names, settle, state_of
from coterie.run.steering_log import FILE, append_edit, read_log
from coterie.run.stored import Run
from coterie.run.turns import turn
from coterie.run.wondering import halves, nearest_group, questions_of, runs_of
from coterie.workflows.request import Refit, check_name, choose

if TYPE_CHECKING:
    from coterie.organize.asking import Question, Questions

ASKED = "asked"  # the name of an edit that answered a question
LOCK = ".steering.lock"  # whoever edits a run has its turn by this file


class Steering:
    """Edits on a finished run: `labels` and `names` are the groups as they stand, the log is `steering.jsonl` in its folder.

    Groups are numbered from 1, in the order in which the run lists them (one more than `group` in labels.csv). Every edit is
    refused with a sentence or kept before it returns.
    """

    def __init__(self, run: Run | str | None = None, store: Any = True) -> None:
        self.run = run if isinstance(run, Run) else open_run(run, store)
        if self.run.record()["status"] != "done":
            raise DataError(
                f"The run '{self.run.name}' is not finished; finish it with: coterie resume {self.run.called}"
            )
        self.findings: Findings = self.run.findings()
        if any(strips.of_groups for strips in self.findings.strips):
            raise DataError(
                f"The run '{self.run.name}' cut sequences into pieces, and pieces cannot be steered."
            )
        self.ids: tuple[str, ...] = tuple(str(member) for member in self.findings.ids)
        self.path = self.run.path / FILE
        self._found: Exploration | None = None
        self._runs: tuple[np.ndarray, np.ndarray | None] | None = None
        self._skipped: list[Question] = []
        state = self.state  # a log that does not fit the run is refused at once
        if self.path.exists():  # and one that was changed by other hands is followed
            settle(self.run, self.steered(state), then=self._then)

    @property
    def _then(self) -> str:
        return f"run: coterie steer {self.run.called}"

    # ---- what there is ---------------------------------------------------------------------------------------------

    def log(self) -> list[Edit]:
        """Every line of the log, undone edits and undos among them."""
        return read_log(self.path)

    def edits(self) -> list[Edit]:
        """The edits that hold."""
        return effective(self.log())

    @property
    def state(self) -> Steered:
        """The groups after all edits."""
        return state_of(self.findings, self.log(), self.path)

    @property
    def reported(self) -> np.ndarray:
        """Whether each member is one of the run's own; those of another run that stand for groups in a replayed one are not."""
        own = np.ones(len(self.ids), dtype=bool)
        others = self.run.request.standing
        own[slice(*others) if others else slice(0, 0)] = False
        return own

    @property
    def labels(self) -> np.ndarray:
        """The group of every member now, numbered from 0 (-1: in none)."""
        return self.state.labels

    def group(self, number: int) -> list[str]:
        """Ids of the members of a group, those it is surest of first."""
        state = self.state
        if number - 1 not in state.names:
            raise DataError(
                f"There is no group {number}; there are {', '.join(str(g + 1) for g in sorted(state.names))}."
            )
        inside = state.members(number)
        return [
            self.ids[i]
            for i in inside[np.argsort(-self.findings.confidence[inside], kind="stable")]
        ]

    # ---- edits -----------------------------------------------------------------------------------------------------

    def merge(self, *groups: int) -> Steered:
        """Unite groups into the first of them."""
        return self._do(Edit("merge", groups=groups))

    def split(self, group: int, members: Sequence[str] | None = None, name: str = "") -> Steered:
        """Make a new group of some members of one; left out, the two halves that have least to do with each other are found."""
        state = self.state
        if members is None:
            inside = (
                state.members(group) if group - 1 in state.names else np.zeros(0, dtype=np.int64)
            )
            members = (
                [self.ids[i] for i in halves(self.findings, inside)]
                if len(inside) > 1
                else [self.ids[0]]
            )
        return self._do(
            Edit("split", groups=(group, state.last + 1), members=tuple(members), name=name)
        )

    def move(self, members: str | Sequence[str], group: int) -> Steered:
        """Put members into a group; 0 is none."""
        return self._do(Edit("move", groups=(group,), members=_several(members)))

    def lock(self, group: int) -> Steered:
        """Keep what is in a group there, now and in the next fit."""
        return self._do(Edit("lock", groups=(group,)))

    def unlock(self, group: int) -> Steered:
        """Let what is in a locked group go elsewhere again."""
        return self._do(Edit("unlock", groups=(group,)))

    def rename(self, group: int, name: str) -> Steered:
        """Call a group by another name."""
        return self._do(Edit("rename", groups=(group,), name=name))

    def together(self, one: str, other: str, asked: bool = False) -> Steered:
        """Say that two members belong together: the second joins the first."""
        return self._do(Edit("together", members=(one, other), name=ASKED if asked else ""))

    def apart(self, one: str, other: str, asked: bool = False) -> Steered:
        """Say that two members belong apart: the second goes into the group nearest to it besides its own."""
        state = self.state
        places = [position(self.ids, member, self.run.name) for member in (one, other)]
        same = state.labels[places[0]] == state.labels[places[1]] >= 0
        to = nearest_group(self.findings, state.labels, places[1]) + 1 if same else NOBODY
        return self._do(
            Edit("apart", groups=(to,), members=(one, other), name=ASKED if asked else "")
        )

    def label(self, members: str | Sequence[str], name: str) -> Steered:
        """Say what members are: they join the group of that name, which is made where there is none."""
        return self._do(Edit("label", members=_several(members), name=name))

    def undo(self) -> Edit:
        """Take back the last edit that holds, and say which it was."""
        held = self.edits()
        if not held:
            raise DataError("There is nothing to undo.")
        self._do(Edit(UNDO))
        return held[-1]

    def _do(self, edit: Edit) -> Steered:
        """Refuse the edit, or keep it; labels.csv follows. Whoever else edits the run waits."""
        names = [group.name for group in self.findings.groups]
        with turn(self.run.folder / LOCK):
            state = applied(self.findings.labels, names, [*self.log(), edit], self.ids)
            append_edit(self.path, edit, then=self._then)
            try:
                settle(self.run, self.steered(state), then=self._then)
            except CoterieError as error:
                raise StoreError(
                    f"The edit is kept, and labels.csv does not show it yet: {error}"
                ) from error
        return state

    def steered(self, state: Steered | None = None) -> Findings:
        """The findings with the groups as they stand: their members, sizes and names."""
        return after(self.findings, self.log(), state or self.state)

    # ---- what they teach -------------------------------------------------------------------------------------------

    @property
    def found(self) -> Exploration:
        """The run as it was fitted."""
        if self._found is None:
            self._found = load(self.run.name, store=self.run.folder.parent)
        return self._found

    def hints(self) -> Hints:
        """What all edits teach, with what answers to questions say of others that are always together, and older hints."""
        ids = list(self.found.collection.ids)
        edits = self.edits()
        n = len(ids)
        names = [group.name for group in self.findings.groups]
        state = self.state.labels
        found = hints_of(edits, self.findings.labels, self.findings.confidence, self.ids, names)
        found = found.take(np.arange(n)) if n < len(self.ids) else found
        kept = kept_hints(self.run)
        old = Hints.of_record(ids, kept) if kept else None
        if any(edit.name == ASKED and edit.kind in ("together", "apart") for edit in edits):
            spread = self._answered().hints(asked_only=True)
            old = spread if old is None else beside(spread, old, state[:n])
        return beside(found, old, state[:n])

    def question(self) -> Question:
        """The pair of members whose answer would change most; its `pays` says whether asking is still worth it."""
        return self._answered().next_question()

    def answer(self, question: Question, said: Literal["together", "apart"] | None) -> Steered:
        """Keep the answer to a question as an edit; None is "I do not know", and it is not asked again as long as this lives."""
        if said is None or len(question.members) != 2:
            self._skipped += [question] if question.members else []
            return self.state
        one, other = (self.ids[i] for i in question.members)
        return (
            self.together(one, other, asked=True)
            if said == "together"
            else self.apart(one, other, asked=True)
        )

    def _answered(self) -> Questions:
        """Questions on the groups as they stand, with every pair that was said and is still true of them as an answer."""
        if self._runs is None:
            self._runs = runs_of(self.found)
        ids = self.found.collection.ids
        labels = self.labels[: len(ids)]
        asking = questions_of(self.found, self._runs, labels)
        for question in self._skipped:
            asking.answer(question, None)
        for one, other, alike in said_pairs(
            self.edits(), labels, {member: at for at, member in enumerate(ids)}
        ):
            asking.told(one, other, "together" if alike else "apart")
        return asking

    @property
    def left_out(self) -> str:
        """A sentence on the members that were added later, which a refit does not know; empty where there are none."""
        return left_out(len(self.ids) - len(self.found.collection))

    def refit(self, name: str | None = None, **choices: Any) -> Exploration:
        """A new stored run of the same members with what the edits teach: as many groups as there are now, unless k is given.

        It takes over the names a person gave, also when it is stopped and resumed. Members added later are not part of it.
        """
        return resume(self.prepared(name, **choices).name, store=self.run.folder.parent)

    def prepared(self, name: str | None = None, **choices: Any) -> Run:
        """The run that `refit` makes, laid down and not walked yet: `resume` walks it, in this process or in another."""
        check_name(name)
        members = self.found.collection
        before = self.run.request
        state = self.state
        n = len(members)
        groups = len({int(g) for g in state.labels[:n]} - {-1})
        request = before.but(
            choices=choose({**before.choices.to_json(), "k": groups, **choices}),
            name=name,
            command=f"coterie steer {self.run.called} --do refit",
            origin=Refit(run=self.run.name, replay=before.replay),
        )
        carried = Carried(state.labels[:n], given_names(self.findings, state))
        laid = ready(members, request, _telling(self.hints()), carried)
        title = name or self.run.name.rpartition("-")[0] or None
        return lay_down(laid, self.run.folder.parent, title, carried)


def left_out(later: int) -> str:
    """That so many members were added later and are not part of groups found anew; nothing is said of none."""
    if later < 1:
        return ""
    return (
        f"The {later:,} members added later are not part of it."
        if later > 1
        else "The member added later is not part of it."
    )


def _telling(hints: Hints) -> Hints | None:
    """The hints without a label that is the only one: alone it tells nothing, and its members are pairs too."""
    told = (
        hints if len(hints.names) > 1 else replace(hints, labels=np.full(len(hints), -1), names=())
    )
    return told or None


def _several(members: str | Sequence[str]) -> tuple[str, ...]:
    return (members,) if isinstance(members, str) else tuple(members)
