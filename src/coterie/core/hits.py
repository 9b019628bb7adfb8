"""Hits: what a search found, as plain values: members with their scores, and the words around what was asked, marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Piece = tuple[str, bool]  # a stretch of text, and whether it is a word of the query


@dataclass(frozen=True, slots=True)
class Hit:
    """One member that was found."""

    rank: int
    id: str
    position: int
    score: float
    snippet: tuple[Piece, ...]
    title: tuple[Piece, ...] = ()
    about: tuple[tuple[str, str], ...] = ()  # sender, date, group: what is known and worth a line
    words: bool = True  # whether it holds a word of the query
    repeats: tuple[str, ...] = ()  # ids of members further down that say the same

    def record(self) -> dict[str, Any]:
        """The hit as plain values."""
        said = {
            "rank": self.rank,
            "id": self.id,
            "score": self.score,
            "title": plain(self.title),
            "snippet": plain(self.snippet),
        }
        marked = list(dict.fromkeys(text.lower() for text, mark in self.snippet if mark))
        return {
            **said,
            "marked": marked,
            "holds_a_word": self.words,
            "repeated_by": list(self.repeats),
            **dict(self.about),
        }

    def copies(self) -> str:
        """How many others say the same, in words; nothing where none does."""
        n = len(self.repeats)
        return (
            ""
            if not n
            else f"and 1 that repeats it: {self.repeats[0]}"
            if n == 1
            else f"and {n:,} that repeat it"
        )


@dataclass(frozen=True, slots=True)
class Hits:
    """What one query found: the best members, how many match at all, and what is to be said of its words."""

    query: str
    name: str  # of the collection
    members: int
    matching: int  # members that hold a word of the query
    hits: tuple[Hit, ...]
    words: tuple[
        tuple[str, int], ...
    ] = ()  # the words of the query that are known, and how many members hold each
    added: tuple[str, ...] = ()  # words that expansion added
    notes: tuple[str, ...] = ()
    how: str = ""  # by what members were ranked
    seconds: float = field(default=0.0, compare=False)

    def __len__(self) -> int:
        return len(self.hits)

    def sentence(self) -> str:
        """How many members match, in one sentence."""
        if not self.hits:
            return f"Nothing in '{self.name}' matches '{self.query}'."
        best = "the best one" if len(self) == 1 else f"the best {len(self):,}"
        if self.matching == len(self) + sum(len(hit.repeats) for hit in self.hits):
            best = "here it is" if len(self) == 1 else "here they are"
        held = "holds" if self.matching == 1 else "hold"
        of = f"{self.matching:,} of {self.members:,} members of '{self.name}' {held} a word of it"
        return (
            f"{of}; {best}, by {self.how}."
            if self.matching
            else f"No member holds a word of it; {best}, by {self.how}."
        )

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "query": self.query,
            "collection": self.name,
            "members": self.members,
            "matching": self.matching,
            "by": self.how,
            "words": dict(self.words),
            "added": list(self.added),
            "notes": list(self.notes),
            "hits": [hit.record() for hit in self.hits],
        }


def plain(pieces: Sequence[Piece]) -> str:
    """The text of some pieces without their marks.

    >>> plain((("a ", False), ("cat", True)))
    'a cat'
    """
    return "".join(text for text, _ in pieces)
