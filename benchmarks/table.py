"""The rows of the benchmark table: what a script of benchmarks/speed hands in, and when its goals are reached.

How to write a script (benchmarks/speed/NAME.py; `make bench` finds it by itself and runs it in a process of its own):

    from timing import Row, quick, race, report, sizes

    n, d = sizes(full=(10_000, 50), small=(2_000, 50))        # numbers of the command line win; --quick takes the small ones
    found = race({"coterie": ours, "scipy": theirs}, times=3)  # CPU seconds of one thread, by turns, the first turn not counted
    report(found.row("pairs", "Euclidean distances", f"{n} x {d}", peer="scipy", goal=2.0, error=gap, tolerance=1e-12))
    report(Row("explore", "2,000 documents", ours=41.0, unit="wall s", limit=60.0, peak=peak, room=2e9))
    report(Row("memory", "likelihood matrix", "N = 5,000", peak=peak, budget=400e6))        # reached: peak <= 1.15 x budget
    report(Row("near", "approximate graph", quality=0.97, quality_of="recall at 10", quality_goal=0.95))
    report(Row("gpu", "co-classification", failed="no GPU here"))                           # said in the table, never lost

The first word is a section of SECTIONS below (add yours there). A row may have several goals: it is reached when all hold, and
says which do not. `race` gives the spread of the ratio over its turns, and the highest memory of the process during our turns
(`found.peak`; a row takes it by itself). A peer that runs on a part is given as `scale={"scipy": 10.0}` (its seconds are
multiplied, and the row says so). `alone(function, *given)` of timing.py runs a piece in a fresh process and gives (what it
returned, peak bytes of that process). What cannot be measured is reported as `failed="..."`; an exception in a script becomes
such a row by itself. `why="..."` is shown only where a goal is missed. `report` prints a line, and where COTERIE_BENCH_OUT names
a file, adds the row to it as one line of JSON.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

SECTIONS = {
    "hmm": "1. Hidden Markov models: one per sequence, and all sequences under all models",
    "one hmm": "2. One hidden Markov model of everything",
    "codes": "3. Co-classification counts of SIC",
    "crf": "4. The CRF of a SIC iteration",
    "dtw": "5. Dynamic time warping of all pairs",
    "bottleneck": "6. Sequential information bottleneck and MDC",
    "mcl": "7. MCL",
    "risk": "8. Nearest neighbor risk of all pairs of sets",
    "views": "9. Pair-wise cluster analysis of two views",
    "topics": "10. PLSA, TTMM and LDA, steps and passes",
    "mmd": "11. Maximum mean discrepancy, and the search for a width by eigengaps",
    "threads": "12. Workers",
    "pairs": "Pairwise distances",
    "ssd": "State-space dynamics",
    "core": "The core of a pool of documents",
    "nntr": "NNTR",
    "search": "Search",
    "explore": "A whole exploration",
    "startup": "Starting",
    "web": "The web page",
    "near": "Approximate neighbors",
    "communities": "Communities of graphs",
    "million": "A million members",
    "memory": "Memory under a declared budget",
    "cluster": "A cluster",
    "gpu": "A GPU",
    "other": "Others",
}
OVER = 1.15  # a peak may be so many times the declared budget


@dataclass(frozen=True)
class Row:
    """One line of the table. Times are in `unit`, memory in bytes; what is None was not measured or has no goal."""

    section: str
    name: str
    size: str = ""
    ours: float | None = None
    peer: str = ""
    theirs: float | None = None
    ratio: float | None = (
        None  # theirs / ours, median over the turns; without it the quotient of the two
    )
    low: float | None = None  # the smallest and the largest ratio of the turns
    high: float | None = None
    goal: float | None = None  # the ratio is to be at least this
    limit: float | None = None  # ours is to be at most this
    error: float | None = None  # how far ours is from the peer's
    tolerance: float | None = None
    quality: float | None = (
        None  # something else that is to be at least quality_goal, and what it is
    )
    quality_of: str = ""
    quality_goal: float | None = None
    peak: float | None = None
    budget: float | None = (
        None  # declared with using(memory=...): the peak is to be at most 1.15 times this
    )
    room: float | None = None  # the peak is to be at most this
    unit: str = "CPU s"
    note: str = ""
    why: str = ""  # said where a goal is missed: the reason, as far as it is known
    failed: str = ""  # why there is no measurement
    script: str = ""  # filled in by the runner

    def __post_init__(self) -> None:
        if self.section not in SECTIONS:
            raise ValueError(
                f"{self.section!r} is no section of the table; SECTIONS in benchmarks/table.py has {list(SECTIONS)}."
            )
        if self.ratio is None and self.ours and self.theirs is not None:
            object.__setattr__(self, "ratio", self.theirs / self.ours)

    def goals(self) -> list[tuple[str, bool]]:
        """Every goal in words, and whether it is reached."""
        found: list[tuple[str, bool]] = []
        if self.goal is not None:
            found.append(
                (
                    f"at least {self.goal:g} times",
                    self.ratio is not None and self.ratio >= self.goal,
                )
            )
        if self.limit is not None:
            found.append(
                (
                    f"at most {self.limit:g} {self.unit}",
                    self.ours is not None and self.ours <= self.limit,
                )
            )
        if self.tolerance is not None:
            found.append(
                (
                    f"equal to {self.tolerance:.0e}",
                    self.error is not None and self.error <= self.tolerance,
                )
            )
        if self.quality_goal is not None:
            reached = self.quality is not None and self.quality >= self.quality_goal
            found.append((f"{self.quality_of} at least {self.quality_goal:g}", reached))
        if self.budget is not None:
            reached = self.peak is not None and self.peak <= OVER * self.budget
            found.append((f"peak at most {OVER:g} times the budget", reached))
        if self.room is not None:
            found.append(
                (
                    f"peak at most {amount(self.room)}",
                    self.peak is not None and self.peak <= self.room,
                )
            )
        return found

    def reached(self) -> bool | None:
        """Whether all goals hold; None where there is no goal."""
        goals = self.goals()
        return all(held for _, held in goals) if goals else None

    def verdict(self) -> str:
        """Reached, missed (and what), or not measured (and why)."""
        if self.failed:
            return f"not measured: {self.failed}"
        missed = [words for words, held in self.goals() if not held]
        if missed:
            return "missed: " + "; ".join(missed) + (f" ({self.why})" if self.why else "")
        return "reached" if self.goals() else "no goal"

    def line(self) -> str:
        """What a person reads in the terminal."""
        parts = [f"{self.name}, {self.size}" if self.size else self.name]
        if self.ours is not None:
            parts.append(f"ours {self.ours:.4g} {self.unit}")
        if self.theirs is not None:
            parts.append(f"{self.peer} {self.theirs:.4g}")
        if self.ratio is not None:
            spread = (
                f" ({self.low:.3g} to {self.high:.3g})"
                if self.low is not None and self.high is not None
                else ""
            )
            parts.append(f"{self.ratio:.3g} times{spread}")
        if self.error is not None:
            parts.append(f"{self.error:.1e} apart")
        if self.quality is not None:
            parts.append(f"{self.quality_of} {self.quality:.4g}")
        if self.peak is not None:
            over = (
                f" ({self.peak / self.budget:.2f} of {amount(self.budget)})" if self.budget else ""
            )
            parts.append(f"peak {amount(self.peak)}{over}")
        if self.note:
            parts.append(self.note)
        return "; ".join(parts) + f" [{self.verdict()}]"

    @classmethod
    def of(cls, given: dict[str, Any]) -> Row:
        """A row from its JSON; what this version does not know is left out."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in known})


def amount(size: float) -> str:
    """Bytes for a person."""
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def report(row: Row) -> None:
    """Print the row, and hand it to the runner if there is one."""
    print("  " + row.line(), flush=True)
    if place := os.environ.get("COTERIE_BENCH_OUT"):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(
                json.dumps(
                    {name: value for name, value in asdict(row).items() if value not in (None, "")}
                )
                + "\n"
            )
