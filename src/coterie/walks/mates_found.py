"""What a search for mates finds, and how well it worked on pairs that were held out; as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.parts.mates import MateRanks


@dataclass(frozen=True, slots=True)
class Mate:
    """One candidate: its rank, its id, how alike it is, a line of what it is, and whether it is the member asked for itself."""

    rank: int
    id: str
    score: float
    snippet: str
    itself: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one view for something seen in another."""

    asked: str  # an id, or the text of a query
    source: str
    target: str
    candidates: int
    mates: tuple[Mate, ...]
    own: float = float("nan")  # where the member itself stands, where it is in the target too
    learned: bool = False  # whether that pair was learned from

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        rows = [{"rank": m.rank, "id": m.id, "score": m.score, "snippet": m.snippet, "itself": m.itself} for m in self.mates]
        own = None if self.own != self.own else self.own
        known = {"candidates": self.candidates, "own_rank": own, "learned_from_it": self.learned}
        return {"asked": self.asked, "from": self.source, "to": self.target, **known, "mates": rows}


@dataclass(frozen=True, eq=False)
class Measured:
    """How well mates were found among pairs that were held out, from every view to every other."""

    ranks: Mapping[tuple[str, str], MateRanks]
    trained: int
    tau: float

    @property
    def candidates(self) -> int:
        return next(iter(self.ranks.values())).candidates

    @property
    def average_precision(self) -> float:
        """The mean over all ordered pairs of views."""
        return float(np.mean([found.average_precision for found in self.ranks.values()]))

    @property
    def chance(self) -> float:
        return next(iter(self.ranks.values())).chance

    def rows(self) -> list[list[str]]:
        """One row per direction: average precision, share found first and among ten, median rank."""
        return [
            [one, other, f"{r.average_precision:.3f}", f"{r.recall(1):.0%}", f"{r.recall(10):.0%}", f"{r.median:g}"]
            for (one, other), r in self.ranks.items()
        ]

    def sentence(self) -> str:
        """All of it in one sentence."""
        return (
            f"Learned from {self.trained:,} pairs, mates among {self.candidates:,} others are found with an average precision of "
            f"{self.average_precision:.3f}, where chance would give {self.chance:.3f}."
        )

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        ways = [
            {"from": one, "to": other, "average_precision": r.average_precision, "recall_1": r.recall(1),
             "recall_10": r.recall(10), "median_rank": r.median}
            for (one, other), r in self.ranks.items()
        ]  # fmt: skip
        mean = {"average_precision": self.average_precision, "chance": self.chance}
        return {"learned_from": self.trained, "candidates": self.candidates, "tau": self.tau, **mean, "ways": ways}
