"""A terminal session on a stored run: groups are merged, split, moved, locked and named; answers and edits teach the next fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from coterie.cli.lines import Ended, Say, Step, chosen, each, numbers, several, words_of
from coterie.cli.say import cut, shown, tell_exploration

if TYPE_CHECKING:
    import numpy as np

    from coterie.organize.asking import Question
    from coterie.run.steering import Steering

_WIDE = 72  # letters of a name or a line of a member
_FEW = 12  # members of a group that are listed
HELP = {
    "show": "the groups as they stand",
    "group N": "the members of a group, those it is surest of first",
    "merge N M": "unite groups; the first keeps its number and name",
    "split N [ID ...]": "make a new group of these members, or of the half that fits least",
    "move ID [ID ...] N": "put members into a group; 0 is none",
    "lock N": "keep what is in a group there, now and in the next fit",
    "unlock N": "let what is in a locked group go elsewhere again",
    "rename N NAME": "call a group by another name",
    "together ID ID": "these two belong together",
    "apart ID ID": "these two belong apart",
    "label ID [ID ...] NAME": "these are NAME; the group is made where there is none",
    "question": "the pair whose answer would put most members right; answer with together, apart or skip",
    "undo": "take back the last edit",
    "log": "all edits so far",
    "refit [NAME]": "find the groups anew with all that was said, as a run of its own",
    "export FILE": "write the groups as they stand to a .csv file",
    "quit": "end; every edit is kept",
}


class Editing:
    """What one line of the session does; `say` prints a line."""

    def __init__(self, steering: Steering, say: Say, **working: Any) -> None:
        self.steering = steering
        self.say = say
        self.working = working
        self.asked: Question | None = None

    def do(self, line: str) -> None:
        """Carry out one line; what cannot be done is a sentence (a CoterieError)."""
        words = words_of(line)
        if not words:
            return
        name = words[0].lower()
        rest = words[1:]
        if (
            self.asked is not None
            and name in ("together", "apart", "skip", "t", "a", "s")
            and not rest
        ):
            self._answer(name)
            return
        steps: dict[str, Step] = {
            "show": self._show,
            "group": self._group,
            "merge": self._merge,
            "split": self._split,
            "move": self._move,
            "lock": self._lock,
            "unlock": self._unlock,
            "rename": self._rename,
            "together": self._pair("together"),
            "apart": self._pair("apart"),
            "label": self._label,
            "question": self._question,
            "undo": self._undo,
            "log": self._log,
            "refit": self._refit,
            "export": self._export,
            "quit": self._quit,
            "exit": self._quit,
            "help": self._help,
        }
        chosen(name, steps)(rest)

    # ---- looking -------------------------------------------------------------------------------------------------

    def _show(self, rest: list[str]) -> None:
        state = self.steering.state
        labels = state.labels[self.steering.reported]
        sizes = {number: int((labels == number - 1).sum()) for number in state.sizes}
        width = len(str(max(sizes.values(), default=0)))
        for number, size in sizes.items():
            mark = "  (locked)" if number - 1 in state.locked else ""
            self.say(f"  {number:>3}  {size:>{width}}  {cut(state.names[number - 1], _WIDE)}{mark}")
        alone = int((labels < 0).sum())
        if alone:
            self.say(f"       {alone:>{width}}  in no group")

    def _group(self, rest: list[str]) -> None:
        number = self._groups(rest, "group N", 1, 1)[0]
        members = self.steering.group(number)
        findings = self.steering.findings
        place = {member: at for at, member in enumerate(self.steering.ids)}
        for member in members[:_FEW]:
            self.say(
                f"  {member}   {findings.confidence[place[member]]:.0%}   {cut(findings.snippets[place[member]], _WIDE)}"
            )
        if len(members) > _FEW:
            self.say(f"  ... and {len(members) - _FEW:,} more")

    def _log(self, rest: list[str]) -> None:
        from coterie.core.edits import undone

        edits = self.steering.log()
        back = undone(edits)
        for at, edit in enumerate(edits):
            self.say(
                f"  {at + 1:>3}  {f'taken back: {back[at].sentence()}' if at in back else edit.sentence()}"
            )
        if not edits:
            self.say("  No edits yet.")

    def _help(self, rest: list[str]) -> None:
        wide = max(map(len, HELP))
        for usage, sentence in HELP.items():
            self.say(f"  {usage:<{wide}}  {sentence}")
        self.say(
            "  N is the number of a group or its name. Names and ids with blanks are put in quotation marks."
        )
        self.say("  In labels.csv the groups are numbered from 0: group 1 here is 0 there.")

    def _groups(
        self, rest: list[str], usage: str, least: int = 1, most: int | None = None
    ) -> list[int]:
        """Words as numbers of groups: numbers themselves, or names."""
        return numbers(rest, usage, least, most, self.steering.state.called)

    # ---- changing ------------------------------------------------------------------------------------------------

    def _merge(self, rest: list[str]) -> None:
        self.steering.merge(*self._groups(rest, "merge N M", 2))
        self._done()

    def _split(self, rest: list[str]) -> None:
        self.steering.split(self._groups(rest[:1], "split N [ID ...]", 1, 1)[0], rest[1:] or None)
        self._done()

    def _move(self, rest: list[str]) -> None:
        number = self._groups(rest[-1:] if len(rest) > 1 else [], "move ID [ID ...] N", 1, 1)[0]
        self.steering.move(rest[:-1], number)
        self._done()

    def _lock(self, rest: list[str]) -> None:
        self.steering.lock(self._groups(rest, "lock N", 1, 1)[0])
        self._done()

    def _unlock(self, rest: list[str]) -> None:
        self.steering.unlock(self._groups(rest, "unlock N", 1, 1)[0])
        self._done()

    def _rename(self, rest: list[str]) -> None:
        number = self._groups(rest[:1] if len(rest) > 1 else [], "rename N NAME", 1, 1)[0]
        self.steering.rename(number, " ".join(rest[1:]))
        self._done()

    def _pair(self, kind: str) -> Step:
        def step(rest: list[str]) -> None:
            several(rest, f"{kind} ID ID", 2, 2)
            before = self.steering.labels
            getattr(self.steering, kind)(*rest)
            self._done()
            self._went(before)

        return step

    def _label(self, rest: list[str]) -> None:
        several(rest, "label ID [ID ...] NAME", 2)
        there = rest[-1].isdecimal() and int(rest[-1]) - 1 in self.steering.state.names
        self.steering.label(rest[:-1], rest[-1])
        self._done()
        if there and self.steering.state.called(rest[-1]) != int(rest[-1]):
            self.say(
                f"  That is a group called '{rest[-1]}'; to put members into group {rest[-1]}, say undo and then move."
            )

    def _undo(self, rest: list[str]) -> None:
        edit = self.steering.undo()
        self.say(f"  Taken back: {edit.sentence()}.")

    def _went(self, before: np.ndarray) -> None:
        """Who is in another group since the last edit, and in which."""
        state = self.steering.state
        for at in (before != state.labels).nonzero()[0].tolist():
            label = int(state.labels[at])
            to = (
                f"in group {label + 1}, {cut(state.names[label], _WIDE)}"
                if label >= 0
                else "in no group"
            )
            self.say(f"  {self.steering.ids[at]} is now {to}.")

    def _done(self) -> None:
        edit = self.steering.edits()[-1]
        state = self.steering.state
        groups = sum(size > 0 for size in state.sizes.values())
        self.say(f"  Done: {edit.sentence()}. Groups now: {groups}.")

    # ---- asking and teaching -------------------------------------------------------------------------------------

    def _question(self, rest: list[str]) -> None:
        question = self.steering.question()
        self.say(f"  {question.sentence}")
        if not question.members:
            return
        for at in question.members:
            self.say(
                f"    {self.steering.ids[at]}   {cut(self.steering.findings.snippets[at], _WIDE)}"
            )
        self.say("  Answer with together, apart or skip.")
        self.asked = question

    def _answer(self, name: str) -> None:
        question = self.asked
        self.asked = None
        if question is None:
            return
        said: Any = {"t": "together", "a": "apart"}.get(name[0])
        before = self.steering.labels
        self.steering.answer(question, said)
        if said is None:
            self.say("  Left open.")
        else:
            self._done()
            self._went(before)

    def _refit(self, rest: list[str]) -> None:
        from coterie.cli.say import working_as
        from coterie.run.steering import Steering

        several(rest, "refit [NAME]", 0, 1)
        with working_as(
            self.working.get("jobs"),
            self.working.get("progress", "silent"),
            self.working.get("memory"),
        ):
            found = self.steering.refit(name=rest[0] if rest else None)
            left_out = self.steering.left_out
        tell_exploration(found)
        if left_out:
            self.say(f"  {left_out}")
        if found.run is not None:
            self.steering = Steering(found.run)
            self.asked = None
            self.say(f"  From here on edits are on {found.run.name}.")

    def _export(self, rest: list[str]) -> None:
        from pathlib import Path

        from coterie.core.errors import DataError
        from coterie.run.stored import write_labels

        several(rest, "export FILE", 1, 1)
        path = Path(rest[0]).expanduser()
        if path.suffix != ".csv":
            raise DataError(f"Groups are written to a .csv file, and '{rest[0]}' is none.")
        write_labels(self.steering.steered(), path, without=self.steering.run.request.standing)
        self.say(f"  Written: {shown(path)}")

    def _quit(self, rest: list[str]) -> None:
        raise Ended


def edit_run(
    steering: Steering, lines: Iterable[str], say: Say = click.echo, **working: Any
) -> None:
    """The session: one line after the other until quit or the end; a line that cannot be done is one sentence."""
    desk = Editing(steering, say, **working)
    own = int(steering.reported.sum())
    others = (
        f", and {len(steering.ids) - own:,} of another run that stand for groups"
        if own < len(steering.ids)
        else ""
    )
    say(f"{steering.run.name}: {own:,} members{others}. Say help to see what can be done.")
    desk.do("show")
    try:
        each(lines, desk.do, say)
    finally:  # also where the person stops at the prompt
        say(f"Every edit is kept; go on with: coterie steer {desk.steering.run.called}")
