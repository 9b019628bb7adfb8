"""What one line of a seeding session does: choices, lists of features, reviews, and what is written to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.cli.lines import Ended, Say, chosen, several, words_of
from coterie.cli.say import cut, shown
from coterie.cli.seeding_words import HELP, write_groups

if TYPE_CHECKING:
    from coterie.organize.comraf.interactive import Session

# candidates and features of a group in one list; letters of a line
_LISTED = 40
_FEATURES = 20
_WIDE = 100


class Seeding:
    """What one line of the session does; `say` prints a line."""

    def __init__(
        self, session: Session, say: Say, texts: Mapping[str, str] | None = None, **working: Any
    ) -> None:
        self.session = session
        self.say = say
        self.texts = texts or {}
        self.working = working

    def do(self, line: str) -> None:
        """Carry out one line; what cannot be done is a sentence (a CoterieError)."""
        from coterie.core.errors import DataError

        words = words_of(line)
        if not words:
            return
        steps: dict[str, Callable[[list[str]], None]] = {
            "k": self._k,
            "types": self._types,
            "words": self._words,
            "where": self._where,
            "seeds": self._seeds,
            "cluster": self._cluster,
            "accept": self._cluster,
            "skip": self._skip,
            "review": self._review,
            "delete": self._delete,
            "move": self._put("move"),
            "add": self._put("add"),
            "settle": self._settle,
            "stop": self._plainly("stop"),
            "reopen": self._plainly("reopen"),
            "undo": self._plainly("undo"),
            "show": self.show,
            "log": self._log,
            "export": self._export,
            "help": self._help,
            "quit": self._quit,
            "exit": self._quit,
        }
        from coterie.organize.comraf.interactive_moves import Misplaced

        try:
            chosen(words[0].lower(), steps)(words[1:])
        except Misplaced as error:  # by the name that was typed
            raise DataError(f"'{words[0].lower()}' {error.why}") from None

    # ---- choosing ------------------------------------------------------------------------------------------------

    def _k(self, rest: list[str]) -> None:
        several(rest, "k N [NAME ...]", 1)
        self.session.choose_groups(_whole(rest[0], "k N [NAME ...]"), rest[1:])
        self._told()

    def _types(self, rest: list[str]) -> None:
        if rest:
            self.session.choose_types(*(name.rstrip(",") for name in rest))
        self._told()

    def _words(self, rest: list[str]) -> None:
        sort = "members"
        if len(rest) > 1 and rest[-2] == "by":
            sort = rest[-1]
            rest = rest[:-2]
        kinds = self.session.state.feature_types
        kind = rest.pop(0) if rest and rest[0] in kinds else (kinds[0] if kinds else None)
        part = " ".join(rest)
        found = self.session.candidates(kind, sort=sort, search=part)
        if not found and part:  # rare and frequent ones too, where a name is looked for
            found = self.session.candidates(
                kind, sort=sort, search=part, low=1, high=len(self.session.desk.ids) + 1
            )
        for one in found[:_LISTED]:
            self.say(f"  {one.members:>7,}  {one.feature}")
        which = f"{kind} with {part!r}" if part else f"{kind} of middle frequency"
        more = (
            f" The first {_LISTED} are shown; words PART looks for others."
            if len(found) > _LISTED
            else ""
        )
        self.say(f"  {which}: {len(found):,}, each with the number of its members.{more}")

    def _where(self, rest: list[str]) -> None:
        rest, kind = self._typed(rest)
        several(rest, "where FEATURE [in TYPE]", 1)
        for feature in self.session.desk.known(kind, [" ".join(rest)]):
            places = self.session.desk.places_of(kind, feature, 3)
            for place in places:
                self.say(f"  {cut(place, _WIDE)}")
            if not places:
                self.say(f"  '{feature}' is not found in the texts as it is written.")

    def _seeds(self, rest: list[str]) -> None:
        rest, kind = self._typed(rest)
        if rest:
            several(rest, "seeds GROUP FEATURE ... [in TYPE]", 1)
            self.session.draft(*self._features_of(rest[1:], kind), to=rest[0], type=kind)
        draft = self.session.state.draft
        for name, groups in draft.items():
            for at, group in enumerate(groups):
                self.say(
                    f"  {name}, {self.session.state.group_names[at]}: {cut(', '.join(group), _WIDE) or '(none yet)'}"
                )
        for sentence in self.session.unseeded(draft):
            self.say(f"  {sentence}")
        held = self.session.covered_by(draft)
        self.say(
            f"  {held:,} of {len(self.session.desk.ids):,} members have a seed; cluster goes on from here."
        )

    def _skip(self, rest: list[str]) -> None:
        self.session.skip()
        self._run()

    def _cluster(self, rest: list[str]) -> None:
        from coterie.core.errors import DataError

        if self.session.status == "seeds":
            if not any(group for groups in self.session.state.draft.values() for group in groups):
                raise DataError(
                    "There are no seeds yet; say seeds GROUP FEATURE ..., or skip to cluster without any."
                )
            self.session.seed()
        elif self.session.status == "review":
            self.session.accept()
        elif self.session.status == "done":
            raise DataError(
                "The session is done; reopen goes back to the review, undo takes the last choice back."
            )
        self._run()

    def _run(self) -> None:
        self._plainly("run")([])

    def _plainly(self, how: str) -> Callable[[list[str]], None]:
        """What may take long, an undo too: it shows how far it is, and Ctrl-C stops it."""

        def step(rest: list[str]) -> None:
            from coterie.cli.say import working_as

            with working_as(
                self.working.get("jobs"),
                self.working.get("progress", "silent"),
                self.working.get("memory"),
            ):
                getattr(self.session, how)()
            self._told()

        return step

    # ---- reviewing -----------------------------------------------------------------------------------------------

    def _review(self, rest: list[str]) -> None:
        rest, asked = self._typed(rest, several=True)
        kinds = [asked] if asked else list(self.session.state.seed_groups)
        only = self.session.group(" ".join(rest)) if rest else None
        for kind in kinds:
            for at, group in enumerate(self.session.review(kind)):
                if only in (None, at):
                    self._features(kind, at, group, _FEATURES if only is None else len(group))

    def _features(self, kind: str, at: int, group: Sequence[Any], most: int) -> None:
        size = len(self.session.state.seed_groups[kind][at])
        self.say(f"  {self.session.state.group_names[at]}: {size:,} {kind}")
        for one in group[:most]:
            mark = "!" if one.given else "*" if one.new else " "
            shares = "  ".join(f"{share:>4.0%}" for share in one.shares)
            self.say(f"    {mark} {one.members:>7,}  {shares}  {one.feature}")
        if size > most:
            self.say(f"      ... and {size - min(most, len(group)):,} more")

    def _delete(self, rest: list[str]) -> None:
        rest, kind = self._typed(rest)
        several(rest, "delete FEATURE ... [in TYPE]", 1)
        self.session.delete(*self._features_of(rest, kind), type=kind)
        self._changed()

    def _put(self, how: str) -> Callable[[list[str]], None]:
        def step(rest: list[str]) -> None:
            rest, kind = self._typed(rest)
            several(rest, f"{how} FEATURE ... GROUP [in TYPE]", 2)
            getattr(self.session, how)(*self._features_of(rest[:-1], kind), to=rest[-1], type=kind)
            self._changed()

        return step

    def _settle(self, rest: list[str]) -> None:
        several(rest, "settle N GROUP|none", 2, 2)
        self.session.settle(
            _whole(rest[0], "settle N GROUP|none"), None if rest[1] == "none" else rest[1]
        )
        self._changed()

    def _changed(self) -> None:
        for sentence in self.session.proposals():
            self.say(f"  {sentence}")

    def _features_of(self, words: Sequence[str], kind: str) -> list[str]:
        """The features of a line; a comma after one is no part of it, unless there is a feature that is written so."""
        known = self.session.desk.places.get(kind, {})
        return [
            word if word in known or not word.strip(",") else word.rstrip(",") for word in words
        ]

    def _typed(self, rest: list[str], several: bool = False) -> tuple[list[str], Any]:
        """The words before 'in TYPE', and the type; the only one (or, for looking, none) where it is not said."""
        from coterie.core.errors import DataError

        state = self.session.state
        known = list(state.given or state.feature_types)
        if len(rest) > 1 and rest[-2] == "in" and rest[-1] in self.session.desk.sources:
            return rest[:-2], rest[-1]
        if several:
            return rest, None
        if not known:
            raise DataError(
                "Choose the number of groups and the types of features first: k N, then types TYPE ..."
            )
        if len(known) > 1 and rest:
            raise DataError(f"Say of which type, with 'in' at the end: {', '.join(known)}.")
        return rest, known[0]

    # ---- looking -------------------------------------------------------------------------------------------------

    def show(self, rest: list[str]) -> None:
        """Where the session stands, and what can be said next."""
        self._told()
        if not self.session.state.doc_cluster:
            return
        for name in self.session.state.group_names:
            self.say(f"    {name}")
            for member in self.session.examples(name):
                self.say(
                    f"      {cut(f'{member}  {self.texts.get(member, str())}'.rstrip(), _WIDE)}"
                )

    def _told(self) -> None:
        for sentence in self.session.tell():
            self.say(f"  {sentence}")
        said = {
            "k": "Say k N: how many groups are there?",
            "types": "Say types TYPE ...: by which types of features?",
            "seeds": "Say words to see what there is to choose from, seeds GROUP FEATURE ... to give some, then cluster or skip.",
            "review": "Say review to see the features; delete, move or add some; then accept (or stop).",
            "done": "Done: export FILE writes the groups; reopen goes back to the review.",
        }.get(self.session.status, "Say cluster to go on.")
        self.say(f"  {said}")

    def _log(self, rest: list[str]) -> None:
        from coterie.run.session_words import told_entry

        for at, entry in enumerate(self.session.log, 1):
            self.say(f"  {at:>3}  {cut(told_entry(entry, self.session.state.group_names), _WIDE)}")

    def _export(self, rest: list[str]) -> None:
        several(rest, "export FILE", 1, 1)
        path = Path(rest[0]).expanduser()
        write_groups(self.session, path)
        self.say(f"  Written: {shown(path)}")

    def _help(self, rest: list[str]) -> None:
        wide = max(map(len, HELP))
        for usage, sentence in HELP.items():
            self.say(f"  {usage:<{wide}}  {sentence}")
        self.say(
            "  Groups are called by number or name; what has blanks in it is put in quotation marks."
        )

    def _quit(self, rest: list[str]) -> None:
        raise Ended


def _whole(word: str, usage: str) -> int:
    from coterie.core.errors import DataError

    if not word.isdecimal():
        raise DataError(f"'{word}' is no number; it is said so: {usage}")
    return int(word)
