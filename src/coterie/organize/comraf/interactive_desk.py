"""What a session works on: members, tables of their features made on demand, lists of features to choose from, and spellings."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence, Links
from coterie.organize.comraf.interactive_state import State, digest_of_table
from coterie.organize.comraf.interactive_steps import SessionSettings

# mid-frequency: shares of the members, and members at least
LOW = 0.03
HIGH = 0.31
FEWEST = 3
SORTS = ("members", "name", "rare")
_NEAR = 3  # spellings named

Source = Cooccurrence | Callable[[], Cooccurrence]
Contexts = Callable[[str, str], Sequence[str]]  # type and feature -> places where it stands


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feature to choose: in how many members it is, how often, and where it stands, in some examples."""

    feature: str
    members: int
    occurrences: int
    contexts: tuple[str, ...] = ()


@dataclass(eq=False)
class Desk:
    """Members and the tables of their features; a table that is given as a function is made when its type is chosen."""

    ids: tuple[str, ...]
    sources: Mapping[str, Source]
    settings: SessionSettings
    rng_seed: int
    contexts: Contexts | None = None
    made: dict[str, Cooccurrence] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    places: dict[str, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        data: Any,
        ids: Sequence[str] | None,
        settings: SessionSettings,
        rng_seed: int,
        contexts: Contexts | None,
    ) -> Desk:
        """From links (their populations are the types), or a mapping of type to table, or to a function that makes it."""
        if isinstance(data, Mapping):
            sources: dict[str, Source] = {
                str(kind): _source(str(kind), source) for kind, source in data.items()
            }
            known = [source for source in sources.values() if isinstance(source, Cooccurrence)]
            ids = ids if ids is not None else known[0].rows if known else None
        else:
            links = data if isinstance(data, Links) else Links.of(data)
            tables = {
                name: links.between(links.target, name)
                for name in links.populations
                if name != links.target
            }
            sources = {name: table for name, table in tables.items() if table is not None}
            ids = links.ids[links.target]
        if not sources:
            raise DataError(
                "there is no type of features: no table ties the members to anything.",
                owner="Session",
            )
        if ids is None:
            raise ParameterError(
                "ids must name the members where all tables are functions.", owner="Session"
            )
        if len(ids) < 2:
            raise DataError(
                f"there {'is only 1 member' if len(ids) else 'are no members'}, and nothing to group.",
                owner="Session",
            )
        if len(set(ids)) < len(ids):
            raise DataError(
                "two members have the same id; every id must be there once.", owner="Session"
            )
        return cls(tuple(str(one) for one in ids), sources, settings, rng_seed, contexts)

    def table(self, kind: str) -> Cooccurrence:
        """The table of a type: members x features."""
        if kind not in self.made:
            if kind not in self.sources:
                raise ParameterError(
                    f"There is no type '{kind}'; there are {', '.join(self.sources)}."
                )
            source = self.sources[kind]
            table: Any = source if isinstance(source, Cooccurrence) else source()
            if not isinstance(table, Cooccurrence):
                raise DataError(
                    f"The function of '{kind}' must give a table of counts (Cooccurrence), and gave {_kind(table)}."
                )
            if tuple(map(str, table.rows)) != self.ids:
                raise DataError(f"The table of '{kind}' has other members than the session.")
            self.made[kind] = table
            self.digests[kind] = digest_of_table(table)
            self.places[kind] = {name: at for at, name in enumerate(table.cols)}
        return self.made[kind]

    def tables(self, state: State) -> dict[str, Cooccurrence]:
        """The tables of the chosen types; refused where the counts are no longer those of the session."""
        found = {kind: self.table(kind) for kind in state.feature_types}
        for kind in found:
            if self.digests[kind] != state.tables[kind]:
                raise DataError(
                    f"The counts of '{kind}' are not those this session was begun with (the data changed, or was read otherwise)."
                )
        return found

    def fitting(self, state: State) -> State:
        """The state, if all features it speaks of are there."""
        self.tables(state)
        for of in (state.draft, state.seed_groups, state.used, state.given):
            for kind, groups in of.items():
                self.known(kind, [feature for group in groups for feature in group])
        for tie in state.ties:
            self.known(tie["type"], tie["features"])
        return state

    def members_with(self, kind: str) -> np.ndarray:
        """In how many members each feature is."""
        table = self.table(kind)
        return np.bincount(table.counts.indices[table.counts.data > 0], minlength=len(table.cols))

    def candidates(
        self,
        kind: str,
        low: int | None = None,
        high: int | None = None,
        sort: str = "members",
        search: str = "",
        most: int | None = None,
        examples: int = 0,
    ) -> list[Candidate]:
        """Features to choose from: those in `low` or more and fewer than `high` members, whose names hold `search`."""
        if sort not in SORTS:
            raise ParameterError(f"sort must be one of {', '.join(SORTS)}, and was '{sort}'.")
        table = self.table(kind)
        held = self.members_with(kind)
        n = len(self.ids)
        low = max(FEWEST, int(np.ceil(LOW * n))) if low is None else low
        high = int(np.ceil(HIGH * n)) if high is None else high
        often = np.bincount(
            table.counts.indices, weights=table.counts.data, minlength=len(table.cols)
        )
        sought = search.casefold()
        found = [
            at
            for at in np.flatnonzero((held >= low) & (held < high)).tolist()
            if sought in table.cols[at].casefold()
        ]
        if sort == "name":
            found.sort(key=lambda at: table.cols[at])
        else:
            sign = -1 if sort == "members" else 1
            found.sort(key=lambda at: (sign * int(held[at]), table.cols[at]))
        return [
            Candidate(
                table.cols[at],
                int(held[at]),
                int(often[at]),
                self.places_of(kind, table.cols[at], examples),
            )
            for at in found[:most]
        ]

    def places_of(self, kind: str, feature: str, most: int) -> tuple[str, ...]:
        """Where a feature stands, in some examples."""
        if self.contexts is None or most < 1:
            return ()
        return tuple(self.contexts(kind, feature))[:most]

    def known(self, kind: str, features: Sequence[str]) -> list[str]:
        """Features that are there, each once; the sentence names the nearest spellings of one that is not."""
        self.table(kind)
        place = self.places[kind]
        found = []
        for feature in dict.fromkeys(str(one) for one in features):
            if feature not in place:
                folded = feature.casefold()
                if folded in place:
                    feature = folded
                else:
                    raise DataError(
                        f"'{feature}' is not among the {kind} of the members.{self.near(folded, list(place))}"
                    )
            found.append(feature)
        return list(dict.fromkeys(found))

    def near(self, feature: str, names: Sequence[str]) -> str:
        """A hint on the nearest spellings, or nothing; only names of about the same length are compared."""
        alike = [name for name in names if abs(len(name) - len(feature)) <= 3]
        close = difflib.get_close_matches(feature, alike, n=_NEAR)
        return f" Near it: {', '.join(close)}." if close else ""

    def groups(self, kind: str, given: Any, state: State) -> list[list[str]]:
        """k lists of features that are there, none in two of them; `given` may be a mapping of group names to features."""
        k = state.k
        if isinstance(given, Mapping):
            strange = [name for name in given if name not in state.group_names]
            if strange:
                raise ParameterError(
                    f"There is no group '{strange[0]}'; the groups are {', '.join(state.group_names)}."
                )
            given = [given.get(name, ()) for name in state.group_names]
        if not _listed(given) or not all(map(_listed, given)):
            raise ParameterError(
                f"The seeds of '{kind}' must be {k} lists of features, and were {given!r}."
            )
        if len(given) != k:
            raise ParameterError(
                f"There are {k} groups, and {len(given)} lists of {kind} were given."
            )
        found = [self.known(kind, group) for group in given]
        owner: dict[str, int] = {}
        for at, group in enumerate(found):
            for feature in group:
                if feature in owner:
                    one, other = (state.group_names[g] for g in (owner[feature], at))
                    raise DataError(
                        f"'{feature}' is in the groups '{one}' and '{other}'; a feature can be a seed of one group only."
                    )
                owner[feature] = at
        return found


def _source(kind: str, source: Any) -> Source:
    if not isinstance(source, Cooccurrence) and not callable(source):
        raise DataError(
            f"'{kind}' must be a table of counts or a function that makes one, and was {_kind(source)}.",
            owner="Session",
        )
    return source


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _listed(value: Any) -> bool:
    """Whether this is a list of things, and no text."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
