"""What is said of two groupings side by side, the same on the terminal and on the page: measures, groups, moves, sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from coterie.judge.verdicts import TestResult
from coterie.show.markup import clip
from coterie.workflows.system_words import p_words

MEANINGS = {
    "adjusted Rand": "How often both agree on two members, beyond chance: 1 where they are the same, about 0 by chance.",
    "NMI": "The share of the information they have in common; the V-measure is the same number.",
    "BCubed F": "How much of its group a member keeps, and how little else it meets there: both in one number.",
    "kept together": "The share of its old group that a member finds again in its new one.",
    "kept apart": "The share of its new group that a member knows from its old one.",
}
_NAME = 48  # letters of a group's name in a sentence
NOWHERE = "in no group"
_SAME = 0.9  # Jaccard overlap from which a group is said to be as it was
_LEVEL = 0.05
Called = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of agreement: its value, and what groups of the same sizes drawn at random get."""

    name: str
    value: float
    chance: float  # their mean
    most: float  # what 95 of 100 of them do not exceed
    meaning: str

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "name": self.name,
            "value": self.value,
            "chance": self.chance,
            "chance_95": self.most,
            "meaning": self.meaning,
        }


@dataclass(frozen=True, slots=True)
class Pair:
    """A group of the first side and what became of it; a side is None where a group is gone or new."""

    first: int | None
    second: int | None
    first_name: str
    second_name: str
    first_size: int
    second_size: int
    shared: int
    overlap: float = 0.0  # Jaccard
    mostly: str = ""  # where most of a group that is gone went, or most of a new one came from

    @property
    def same(self) -> bool:
        """Whether it is as it was, nearly."""
        return self.overlap >= _SAME

    def sentence(self) -> str:
        """What became of it, in words."""
        if self.second is None:
            if self.mostly and 2 * self.shared < self.first_size:
                return f"Dissolved: the largest part ({self.shared:,} of {self.first_size:,}) went to {_named(self.mostly)}."
            most = (
                f" {_share(self.shared, self.first_size)} went to {_named(self.mostly)}."
                if self.mostly
                else ""
            )
            return f"Gone.{most}"
        if self.first is None:
            if self.mostly and 2 * self.shared < self.second_size:
                return f"New: the largest part ({self.shared:,} of {self.second_size:,}) came from {_named(self.mostly)}."
            most = (
                f" {_share(self.shared, self.second_size)} came from {_named(self.mostly)}."
                if self.mostly
                else ""
            )
            return f"New.{most}"
        lost = self.first_size - self.shared
        won = self.second_size - self.shared
        if not lost and not won:
            return "The same members."
        said = [f"{lost:,} left"] * bool(lost) + [f"{won:,} joined"] * bool(won)
        return f"{' and '.join(said)}."

    def record(self) -> dict[str, Any]:
        """The same as plain values; groups are numbered from 1."""
        return {
            "first": None if self.first is None else self.first + 1,
            "second": None if self.second is None else self.second + 1,
            "first_name": self.first_name,
            "second_name": self.second_name,
            "first_size": self.first_size,
            "second_size": self.second_size,
            "shared": self.shared,
            "overlap": self.overlap,
            "said": self.sentence(),
        }


@dataclass(frozen=True, slots=True)
class Flow:
    """Members that were in one group and are in another; `stays` where the second is what became of the first."""

    first: int
    second: int
    members: int
    stays: bool

    def record(self, was: Called, now: Called) -> dict[str, Any]:
        """The same as plain values; groups are numbered from 1, and 0 is in none."""
        names = {"from_name": was(self.first), "to_name": now(self.second)}
        return {
            "from": self.first + 1,
            "to": self.second + 1,
            **names,
            "members": self.members,
            "stays": self.stays,
        }


@dataclass(frozen=True, slots=True)
class Against:
    """Both sides against known answers: (share right, NMI) of each, and McNemar's test of who is right more often."""

    column: str
    members: int
    first: tuple[float, float]
    second: tuple[float, float]
    test: TestResult

    def sentence(self, names: tuple[str, str]) -> str:
        """Who agrees better with the answers, and whether that is more than luck."""
        known = (
            f"Against '{clip(self.column, _NAME)}' ({_members(self.members)} with a known answer)"
        )
        if not self.test.discordant:
            return f"{known} both are right on the same {self.first[0]:.0%}."
        shares = f"{names[0]} is right on {_percent(self.first[0])} and {names[1]} on {_percent(self.second[0])}"
        luck = "more than luck" if self.test.significant(_LEVEL) else "no more than luck may do"
        how = f"McNemar, p {_p(self.test.p_value)}; groups were named after the answers of these same members"
        return f"{known} {shares}; the difference is {luck} ({how})."

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        sides = {
            "first_right": self.first[0],
            "first_nmi": self.first[1],
            "second_right": self.second[0],
        }
        more = {
            "second_nmi": self.second[1],
            "differ_on": self.test.discordant,
            "p_value": self.test.p_value,
        }
        return {"column": self.column, "members": self.members, **sides, **more}


@dataclass(frozen=True, slots=True)
class Words:
    """The comparison in sentences, the most important first."""

    names: tuple[str, str]
    members: int
    moved: int
    numbers: Mapping[str, float]
    chance: tuple[float, float]
    p_value: float
    nulls: int
    pairs: Sequence[Pair]
    left: tuple[int, int]
    further: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    def with_flows(
        self, flows: Sequence[Flow], was: Called, now: Called, against: Sequence[Against]
    ) -> Words:
        """The same with the largest move and what known answers say."""
        largest = next((flow for flow in flows if not flow.stays), None)
        said: tuple[str, ...] = ()
        if largest is not None:
            way = f"from {_named(was(largest.first))} to {_named(now(largest.second))}"
            said = (f"The largest move: {_members(largest.members)} {way}.",)
        return replace(
            self, further=said, answers=tuple(one.sentence(self.names) for one in against)
        )

    def verdict(self) -> str:
        """How alike they are, in a few words."""
        return f"The groups are {self.alike}."

    @property
    def alike(self) -> str:
        """How alike they are, as an end of a sentence."""
        rand = self.numbers["adjusted Rand"]
        if not self.moved:
            return "the same"
        if self.p_value > _LEVEL:
            return "no more alike than by chance"
        steps = ((0.9, "nearly the same"), (0.65, "much alike"), (0.35, "partly alike"))
        return next((words for least, words in steps if rand >= least), "alike in little")

    def sentences(self) -> list[str]:
        """All of it."""
        return [
            self._stayed(),
            self._agreed(),
            self._groups(),
            *self.further,
            *self.answers,
            *self._left(),
        ]

    def _stayed(self) -> str:
        if not self.moved:
            return f"All {self.members:,} members are in the same groups in {self.names[0]} and {self.names[1]}."
        stay = self.members - self.moved
        return f"{stay:,} of {self.members:,} members ({stay / self.members:.0%}) stay in their group, and {self.moved:,} move."

    def _agreed(self) -> str:
        rand = self.numbers["adjusted Rand"]
        shared = self.numbers["NMI"]
        said = f"Adjusted Rand is {rand:.3f} and NMI {shared:.3f}, where 1 is the same"
        drawn = f"{self.nulls:,} groupings of the same sizes drawn at random"
        return (
            f"{said}; of {drawn}, 95% stay below {_above(self.chance[1])} (p {_p(self.p_value)})."
        )

    def _groups(self) -> str:
        old = [pair for pair in self.pairs if pair.first is not None]
        same = sum(pair.same for pair in old)
        gone = sum(pair.second is None for pair in old)
        new = sum(pair.first is None for pair in self.pairs)
        changed = len(old) - same - gone
        parts = [
            (same, f"{_are(same)} as before"),
            (changed, "changed"),
            (gone, f"{_are(gone)} gone"),
        ]
        what = "group" if len(old) == 1 else "groups"
        told = ", ".join(f"{many:,} {how}" for many, how in parts if many)
        fresh = f"; {self.names[1]} has {new} of its own" if new else ""
        return (
            f"Of the {len(old):,} {what} of {self.names[0]}, {told}{fresh}."
            if old
            else f"{self.names[0]} has no groups{fresh}."
        )

    def _left(self) -> list[str]:
        found = [(many, name) for many, name in zip(self.left, self.names, strict=True) if many]
        if not found:
            return []
        told = " and ".join(f"{_members(many)} of {name}" for many, name in found)
        return [
            f"{told[0].upper()}{told[1:]} {'is' if sum(self.left) == 1 else 'are'} not in the other, and left out."
        ]


def _members(many: int) -> str:
    return "1 member" if many == 1 else f"{many:,} members"


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


def _share(part: int, whole: int) -> str:
    return f"All {whole:,}" if part == whole else f"{part:,} of {whole:,}"


def _named(name: str) -> str:
    return "no group" if name == NOWHERE else f"'{clip(name, _NAME)}'"


def _percent(share: float) -> str:
    return f"{share:.1%}".replace(".0%", "%")


def _above(value: float) -> str:
    """A bound with three digits, rounded away from zero so that it holds."""
    return f"{ceil(max(value, 0.0005) * 1000) / 1000:.3f}"


def other_source(names: tuple[str, str], sources: tuple[str, str]) -> list[str]:
    """That the two were made from different sources, where they were; ids alone then say who is who.

    >>> other_source(("a-1", "b-1"), ("mail", "mail")), len(other_source(("a-1", "b-1"), ("mail", "news")))
    ([], 1)
    """
    if sources[0] == sources[1]:
        return []
    return [
        f"{names[0]} and {names[1]} were made from different sources; members are taken as the same where their ids are."
    ]


def _p(p: float) -> str:
    words = p_words(p)
    return words if words.startswith("<") else f"= {words}"
