"""What a search for mates finds, and how well it worked on pairs that were held out; as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coterie.judge.mates import MateTable
from coterie.represent.shared_views import GRID


@dataclass(frozen=True, slots=True)
class Mate:
    """One candidate: its rank, its id, how alike it is, a line of what it is, and whether it is the member asked for itself.

    `alone` says that it lacks the view that was asked from, and `mutual` that of those it would choose the member asked for.
    """

    rank: int
    id: str
    score: float
    snippet: str
    itself: bool = False
    alone: bool = False
    mutual: bool = False


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
        rows = [
            {
                "rank": m.rank,
                "id": m.id,
                "score": m.score,
                "snippet": m.snippet,
                "itself": m.itself,
                "alone": m.alone,
                "mutual": m.mutual,
            }
            for m in self.mates
        ]
        own = None if self.own != self.own else self.own
        known = {"candidates": self.candidates, "own_rank": own, "learned_from_it": self.learned}
        return {"asked": self.asked, "from": self.source, "to": self.target, **known, "mates": rows}


@dataclass(frozen=True, eq=False)
class Measured(MateTable):
    """How well mates were found among pairs that were held out, from every view to every other; and what was learned from."""

    trained: int = 0
    tau: float = 1.0
    tuned: bool = False  # whether tau was chosen by pairs held out once more

    def rows(self) -> list[list[str]]:
        """One row per direction: average precision, share found first and among ten, median rank."""
        return [
            [
                one,
                other,
                f"{r.average_precision:.3f}",
                f"{r.recall(1):.0%}",
                f"{r.recall(10):.0%}",
                f"{r.median:g}",
            ]
            for (one, other), r in self.ranks.items()
        ]

    def sentence(self) -> str:
        """All of it in one sentence."""
        return (
            f"Learned from {self.trained:,} pairs, mates among {self.candidates:,} others are found with an average "
            f"precision of {self.average_precision:.3f}, where chance would give {self.chance:.3f}."
        )

    def sentences(self) -> list[str]:
        """The same, and which tau was chosen where it was."""
        return [self.sentence(), tau_chosen(self.tau)] if self.tuned else [self.sentence()]

    def record(self) -> dict[str, Any]:
        """The same as plain values."""
        ways = [
            {
                "from": one,
                "to": other,
                "average_precision": r.average_precision,
                "recall_1": r.recall(1),
                "recall_10": r.recall(10),
                "median_rank": r.median,
            }
            for (one, other), r in self.ranks.items()
        ]
        mean = {"average_precision": self.average_precision, "chance": self.chance}
        many = {"learned_from": self.trained, "candidates": self.candidates}
        return {**many, "tau": self.tau, "tuned": self.tuned, **mean, "ways": ways}


def tau_chosen(tau: float) -> str:
    """Which regularization pairs that were held out chose, and whether a further one might do better.

    >>> tau_chosen(3.0)
    'Tau was chosen from 0.03 to 10 by pairs held out: 3.'
    """
    said = f"Tau was chosen from {GRID[0]:g} to {GRID[-1]:g} by pairs held out: {tau:g}"
    return (
        f"{said}, at the edge; try tau {tau / 3 if tau == GRID[0] else tau * 3:g}."
        if tau in (GRID[0], GRID[-1])
        else f"{said}."
    )
