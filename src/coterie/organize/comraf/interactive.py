"""Interactive clustering by a person's criterion: a session in which seeds are given, members clustered, and seeds enlarged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from coterie.core.errors import CoterieError, DataError, ParameterError, StoreError
from coterie.core.random import seed_of
from coterie.core.workplace import workplace
from coterie.organize.comraf.interactive_desk import Contexts, Desk
from coterie.organize.comraf.interactive_file import (
    FORMAT,
    check_log,
    damaged,
    read,
    text_of,
    write,
)
from coterie.organize.comraf.interactive_moves import applied
from coterie.organize.comraf.interactive_state import (
    AUTOMATIC,
    DONE,
    MEMBERS_STEP,
    REVIEW,
    STEPS,
    Entry,
    State,
    digest_of_ids,
    effective,
    since_step,
)
from coterie.organize.comraf.interactive_steps import SessionSettings
from coterie.organize.comraf.interactive_views import Views, plain_lists

_CHOICES = (
    "groups",
    "types",
    "draft",
    "seeds",
    "delete",
    "move",
    "add",
    "settle",
    "accept",
    "stop",
    "reopen",
)


class Session(Views):
    """Members clustered by a person's criterion: k groups, types of features, seeds of each group, and reviews of more seeds.

    `data` are links (the populations tied to the members are the types of features), or a mapping of type to a table of counts
    or to a function that makes one when the type is chosen. Every transition goes into `log`; with a `path` the session is
    saved after each, and `Session.load` goes on with it; a path where there is a file already is refused. The same log gives the
    same bytes (`to_json`).

    >>> from coterie.core.links import Cooccurrence
    >>> session = Session({"words": Cooccurrence.of([(0, "good", 1), (1, "good", 2), (2, "bad", 1), (3, "bad", 1)], "abcd")})
    >>> session.choose_groups(2).choose_types("words").seed([["good"], ["bad"]]).run().status
    'review'
    >>> session.accept().run().status, session.labels.tolist()
    ('done', [0, 0, 1, 1])
    """

    def __init__(
        self,
        data: Any,
        *,
        ids: Sequence[str] | None = None,
        random_state: Any = 0,
        settings: SessionSettings | None = None,
        contexts: Contexts | None = None,
        path: str | Path | None = None,
    ) -> None:
        chosen = SessionSettings() if settings is None else settings
        chosen.check_params()
        if path is not None and Path(path).exists():
            raise DataError(
                f"There is a session at '{path}' already; go on with it by Session.load, or give another path."
            )
        self.desk = Desk.of(data, ids, chosen, seed_of(random_state), contexts)
        self.path = None if path is None else Path(path)
        self.log: list[Entry] = []
        self._past: list[
            State
        ] = []  # states before each entry in force; after a load, since the last step that needed nobody
        self.state = State()
        self._do({"do": "begin"})

    # ---- choices of a person ------------------------------------------------------------------------------------------

    def choose_groups(self, k: int, names: Sequence[str] = ()) -> Self:
        """How many groups there are, and what they are called."""
        return self._do({"do": "groups", "k": k, "names": [str(name) for name in names]})

    def choose_types(self, *types: str) -> Self:
        """Which types of features members are clustered by; types with fewer usable features than groups are left out."""
        return self._do({"do": "types", "types": [str(kind) for kind in types]})

    def draft(self, *features: str, to: int | str, type: str | None = None) -> Self:
        """Write down the seeds of one group, in place of those written before; `seed()` gives what is written down."""
        kind = self._type(type, chosen=True)
        return self._do(
            {
                "do": "draft",
                "type": kind,
                "features": list(map(str, features)),
                "to": self.group(to),
            }
        )

    def seed(self, groups: Any = None) -> Self:
        """Seeds of the groups: a mapping of type to k lists (or to a mapping of group name to a list); left out, the draft.

        Where one type was chosen, its k lists are enough. Without any seed the members are clustered as they are (`skip`).
        """
        kinds = self.state.feature_types
        if groups is None and self._last("seeds"):
            return self
        if groups is None or groups == {}:
            groups = self.state.draft if groups is None else {}
        elif not isinstance(groups, Mapping) or (
            len(kinds) == 1 and not set(groups) <= set(self.desk.sources)
        ):
            if len(kinds) != 1:
                raise ParameterError(
                    f"Say of which type the seeds are: {', '.join(kinds) or 'choose types first'}."
                )
            groups = {kinds[0]: groups}
        plain = {kind: plain_lists(of) for kind, of in groups.items()}
        return self._do({"do": "seeds", "groups": plain})

    def skip(self) -> Self:
        """No seeds: the members are clustered as they are."""
        return self.seed({})

    def delete(self, *features: str, type: str | None = None) -> Self:
        """Take features out of their groups; they are not proposed again."""
        kind = self._type(type)
        if self.status == REVIEW and set(features) <= set(self.state.rejected.get(kind, ())):
            return self
        return self._do({"do": "delete", "type": kind, "features": list(map(str, features))})

    def move(self, *features: str, to: int | str, type: str | None = None) -> Self:
        """Move features to another group, by its number (from 1) or its name."""
        return self._put("move", features, to, type)

    def add(self, *features: str, to: int | str, type: str | None = None) -> Self:
        """Add features to a group, by its number (from 1) or its name."""
        return self._put("add", features, to, type)

    def settle(self, tie: int, to: int | str | None = None) -> Self:
        """Say to which group an open cluster of features (numbered from 1, see `state.ties`) belongs; to none when left out."""
        return self._do(
            {"do": "settle", "tie": int(tie) - 1, "to": None if to is None else self.group(to)}
        )

    def accept(self, iteration: int | None = None) -> Self:
        """Take the groups of features as they are now; `iteration` names the review that is meant, so that it is taken once."""
        now = self.state.iteration
        meant = now if iteration is None else iteration
        if meant < now or (
            iteration is None and self.status == MEMBERS_STEP and self._last("accept")
        ):
            return self
        return self._do({"do": "accept", "iteration": meant})

    def stop(self) -> Self:
        """End with the groups there are."""
        return self if self.status == DONE else self._do({"do": "stop"})

    def reopen(self) -> Self:
        """Go back to the review of the groups of features after the end."""
        return self if self.status == REVIEW else self._do({"do": "reopen"})

    def undo(self, step: bool = False) -> Self:
        """Take back the last choice and all that followed from it; with `step`, the last step alone.

        In a session that was loaded, what was clustered before the choice taken back is clustered anew, from the log; choices
        since the last clustering are taken back at once.
        """
        kept = effective(self.log)
        back = (
            1
            if step
            else next((at for at, one in enumerate(reversed(kept), 1) if one["do"] in _CHOICES), 0)
        )
        if len(kept) - back < 1 or not back:
            raise ParameterError("There is nothing to undo: the session has just begun.")
        past = list(self._past)
        if len(past) >= back:
            state = past[-back]
            past = past[: len(past) - back]
        else:
            state, past = self._replayed(kept[: len(kept) - back])
        return self._take(state, past, {"do": "undo", "back": back})

    # ---- steps that need nobody -----------------------------------------------------------------------------------------

    def advance(self, step: str | None = None) -> Self:
        """Do the step the session is at; with `step`, only where it is that one, so that asking twice does it once.

        A step that is stopped, or fails, leaves everything as it was.
        """
        if self.status not in AUTOMATIC:
            if step is not None:
                return self
            raise ParameterError(f"Nothing goes on by itself here: the status is '{self.status}'.")
        if step is not None and step != self.status:
            return self
        return self._do({"do": STEPS[self.status]})

    def run(self) -> Self:
        """Do all steps that need nobody, up to the next choice or the end."""
        while self.status in AUTOMATIC:
            workplace().stop_if_asked()
            self.advance()
        return self

    # ---- the log and the file -------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """State and log as JSON; a replay of the log on the same data gives the same bytes."""
        return text_of(
            {
                "format": FORMAT,
                "collection_id": digest_of_ids(self.desk.ids),
                "rng_seed": self.desk.rng_seed,
                "settings": self.desk.settings.record(),
                "log": self.log,
                "base": self._base(),
                **self.state.record(),
            }
        )

    def save(self, path: str | Path) -> Path:
        """Write the session, whole or not at all."""
        place = Path(path)
        write(place, self.to_json())
        return place

    @classmethod
    def load(
        cls,
        path: str | Path,
        data: Any,
        *,
        ids: Sequence[str] | None = None,
        contexts: Contexts | None = None,
    ) -> Self:
        """A saved session on the same data; it goes on saving to that file."""
        place = Path(path)
        record = read(place)
        try:
            settings = SessionSettings.of(record["settings"])
        except ParameterError as error:
            raise damaged(place, str(error).rstrip(".")) from None
        found = cls(
            data, ids=ids, random_state=record["rng_seed"], settings=settings, contexts=contexts
        )
        if record["collection_id"] != digest_of_ids(found.desk.ids):
            raise DataError(f"The session '{place.name}' is of other members than these.")
        state = State.of(record)
        found.desk.tables(state)
        try:  # the choices since the last step made again: they must lead to where the session stands, and can be undone
            base = found.desk.fitting(State.of({**record, **record["base"]}))
            again, found._past = found._replayed(since_step(record["log"]), base)
        except CoterieError as error:
            raise damaged(place, str(error).rstrip(".")) from None
        if again != state:
            raise damaged(place, "its log does not lead to where it stands")
        found.log = record["log"]
        found.state = again
        found.path = place
        return found

    @classmethod
    def of_log(
        cls,
        data: Any,
        log: Iterable[Entry],
        *,
        ids: Sequence[str] | None = None,
        random_state: Any = 0,
        settings: SessionSettings | None = None,
    ) -> Self:
        """The session that a log tells of, made anew from the data."""
        found = cls(data, ids=ids, random_state=random_state, settings=settings)
        entries = list(log)
        check_log(entries)
        (found.state, found._past) = found._replayed(effective(entries))
        found.log = entries
        return found

    def _base(self) -> dict[str, Any]:
        """What was otherwise when the last step that needed nobody was done: choices since then can be undone after a load."""
        later = len(since_step(self.log))
        base = self._past[-later] if later else self.state
        return {
            name: value
            for name, value in base.record().items()
            if value != getattr(self.state, name)
        }

    def _replayed(
        self, entries: Sequence[Entry], state: State | None = None
    ) -> tuple[State, list[State]]:
        """The state after these entries, and those before each of them."""
        state = State() if state is None else state
        past = list[State]()
        for entry in entries:
            past.append(state)
            state = applied(self.desk, state, entry)
        return state, past

    def _do(self, entry: Entry) -> Self:
        """One transition: worked out, then logged, then kept; the same choice said again at once changes nothing."""
        kept = [one for one in effective(self.log) if one["do"] in _CHOICES]
        if entry["do"] in ("groups", "types", "seeds") and kept and kept[-1] == entry:
            return self
        state = applied(self.desk, self.state, entry)
        return self if state == self.state else self._take(state, [*self._past, self.state], entry)

    def _take(self, state: State, past: list[State], entry: Entry) -> Self:
        """The next state with its line of the log; where it cannot be saved, everything stays as it was."""
        before = self.state, self._past, self.log
        self.state = state
        self._past = past
        self.log = [*self.log, entry]
        try:
            if self.path is not None:
                self.save(self.path)
        except StoreError:
            self.state, self._past, self.log = before
            raise
        return self

    def _put(self, how: str, features: Sequence[str], to: int | str, kind: str | None) -> Self:
        return self._do(
            {
                "do": how,
                "type": self._type(kind),
                "features": list(map(str, features)),
                "to": self.group(to),
            }
        )

    def _last(self, choice: str) -> bool:
        kept = [one for one in effective(self.log) if one["do"] in _CHOICES]
        return bool(kept) and kept[-1]["do"] == choice

    def __repr__(self) -> str:
        return f"Session({len(self.desk.ids)} members, {self.status}, iteration {self.state.iteration})"
