"""The bars that the default answers are held to, each as a figure, what it should reach, and whether it does.

`measure_bars` takes the rows of a run, as `board.py --json` keeps them. A figure that the run says nothing of, since no collection
or no rival of that kind was in it, is NaN: its bar is not measured, which is neither held nor missed.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RECORD = Path(__file__).resolve().parents[2] / "docs" / "decisions" / "defaults.md"

# With the number of classes given: by how much ours is to be above one rival, and above the best single one.
GIVEN = {
    "tables": 0.0,
    "text": 0.08,
    "sequences": 0.10,
    "pictures": 0.10,
    "recordings": 0.06,
    "tagged names": 0.06,
    "sets": 0.0,
}
ABOVE = (
    ("tables", ("k-means",), 0.12),
    ("tables", ("Gaussian mixture", "Gaussian mixture, tied"), 0.02),
    ("text", ("SequentialIB alone",), 0.02),
)
OURS = ("SequentialIB alone",)  # rivals that are a part of ours, and have a bar of their own
FREE = {"text": 0.12, "tables": 0.05}  # with nothing given; all other kinds:
FREE_ELSE = 0.08
KINDS = (
    "text",
    "tables",
    "sequences",
    "sets",
    "recordings",
    "pictures",
    "tagged names",
    "vectors",
    "views",
)
SAMPLED = {"text": 5000, "tables": 4000, "vectors": 4000}  # members from which some are drawn
SAMPLED_ELSE = 2000


@dataclass(frozen=True)
class Bar:
    """One bar: what was measured and what it should reach."""

    number: int  # of the group of bars
    name: str
    figure: float
    bar: float
    is_least: bool = True  # whether the figure should be at least the bar, else at most
    names: tuple[str, ...] = ()  # the collections that speak against it

    @property
    def is_measured(self) -> bool:
        """Whether the run says anything of it."""
        return not math.isnan(self.figure)

    @property
    def is_held(self) -> bool:
        """Whether the figure reaches the bar."""
        if not self.is_measured:
            return False
        return self.figure >= self.bar if self.is_least else self.figure <= self.bar

    def line(self) -> str:
        """The bar as one line."""
        held = "held" if self.is_held else "NOT HELD"
        figure = f"{self.figure:.3f}" if self.is_measured else "-"
        wanted = f"{'at least' if self.is_least else 'at most'} {self.bar:g}"
        said = f"{self.number}  {self.name:<66} {figure:>7}  {wanted:<14} "
        said += held if self.is_measured else "not measured"
        return said + (f": {', '.join(self.names)}" if self.names else "")


def as_json(bars: Iterable[Bar]) -> list[dict[str, Any]]:
    """Bars as plain values; a figure that was not measured is null."""
    return [
        {
            **asdict(bar),
            "figure": bar.figure if bar.is_measured else None,
            "held": bar.is_held if bar.is_measured else None,
        }
        for bar in bars
    ]


def measure_bars(rows: Sequence[Any], record: str | None = None) -> list[Bar]:
    """All bars; `record` is the text of the decision record, in which a collection may be named as an exception."""
    if record is None:
        record = RECORD.read_text(encoding="utf-8") if RECORD.exists() else ""
    labelled = [row for row in rows if row.classes]
    given = [row for row in labelled if row.mode == "k"]
    free = [row for row in labelled if row.mode == "free"]
    return [
        *_given(given, record),
        *_free(free, given),
        *_repeated(labelled),
        *_verdicts([row for row in rows if row.mode == "free"], given),
    ]


# ---- 1: with the number of classes given --------------------------------------------------------------------------


def _given(rows: Sequence[Any], record: str) -> list[Bar]:
    bars = []
    for modality, rivals, least in ABOVE:
        some = [row for row in rows if row.modality == modality]
        named = " / ".join(rivals)
        bars.append(Bar(1, f"{modality}: above {named}", _lead(some, rivals), least))
    for modality, least in GIVEN.items():
        if modality == "tables":
            continue  # which have two bars above
        some = [row for row in rows if row.modality == modality]
        others = sorted({name for row in some for name in row.rivals if name not in OURS})
        bars.append(Bar(1, f"{modality}: above the best single rival", _lead(some, others), least))
    far = [row for row in rows if row.rivals and row.regret > 0.15]
    known = set(re.findall(r"`([a-z0-9_]+)`", record))
    unnamed = tuple(sorted(row.name for row in far if row.name not in known))
    bars.append(
        Bar(
            1,
            "collections over .15 below their best rival that the record does not name",
            float(len(unnamed)) if any(row.rivals for row in rows) else math.nan,
            0.0,
            False,
            unnamed,
        )
    )
    halves = [average([row for row in rows if row.half == half], _ari) for half in HALVES_OF]
    bars.append(Bar(1, "report half, less the choose half", halves[1] - halves[0], -0.04))
    return bars


HALVES_OF = ("choose", "report")


def _lead(rows: Sequence[Any], rivals: Sequence[str]) -> float:
    """How far ours is above the best of some rivals, each on the collections that it was run on."""
    leads = [_above(rows, name) for name in rivals]
    known = [lead for lead in leads if not math.isnan(lead)]
    return min(known, default=math.nan)


def _above(rows: Sequence[Any], rival: str) -> float:
    return average(
        [row for row in rows if rival in row.rivals], lambda row: row.ari - row.rivals[rival]
    )


# ---- 2: with nothing given ----------------------------------------------------------------------------------------


def _free(rows: Sequence[Any], given: Sequence[Any]) -> list[Bar]:
    bars = []
    for modality in KINDS:
        some = [row for row in rows if row.modality == modality]
        if modality == "views" or not some:
            continue
        names = sorted({name for row in some for name in row.rivals})
        least = FREE.get(modality, FREE_ELSE)
        name = f"{modality}: above the best rival that chooses its own number"
        bars.append(Bar(2, name, _lead(some, names), least))
    with_k = {row.name: row.ari for row in given}
    both = [row for row in rows if row.name in with_k]
    below = average(both, lambda row: with_k[row.name] - row.ari)
    bars.append(Bar(2, "below ours with the number given", below, 0.06, False))
    within = [row for row in rows if is_within_two(row)]
    share = len(within) / len(rows) if rows else math.nan
    bars.append(Bar(2, "share with a shown number within a factor 2 of the classes", share, 0.8))
    giants = [row for row in rows if row.classes > 2 and row.largest > 0.8]
    bars.append(
        Bar(
            2,
            "collections of over two classes answered with one group over 80%",
            float(len(giants)) if rows else math.nan,
            0.0,
            False,
            tuple(sorted(row.name for row in giants)),
        )
    )
    return bars


def is_within_two(row: Any) -> bool:
    """Whether one of the numbers of groups that are shown is within a factor 2 of the number of classes."""
    shown = (row.groups, *(getattr(row, "levels", None) or ()))
    return any(0.5 <= groups / row.classes <= 2 for groups in shown)


# ---- 3: orders of the rows, and seeds -----------------------------------------------------------------------------


def _repeated(rows: Sequence[Any]) -> list[Bar]:
    known = [row for row in rows if not math.isnan(row.orders)]
    whole = [row for row in known if row.members <= SAMPLED.get(row.modality, SAMPLED_ELSE)]
    drawn = [row for row in known if row.members > SAMPLED.get(row.modality, SAMPLED_ELSE)]
    bars = []
    for name, some, least in (
        ("two orders of the rows, all members: least ARI", whole, 1.0),
        ("two orders of the rows, a sample: least ARI", drawn, 0.95),
    ):
        differing = tuple(sorted({row.name for row in some if row.orders < least - 1e-9}))
        lowest = min((row.orders for row in some), default=math.nan)
        bars.append(Bar(3, name, lowest, least, True, differing))
    seeds = [
        row.seeds
        for row in rows
        if not math.isnan(row.seeds) and row.verdict not in ("weak", "none")
    ]
    mean = statistics.fmean(seeds) if seeds else math.nan
    bars.append(Bar(3, "two seeds, verdicts other than weak and none: mean ARI", mean, 0.85))
    return bars


# ---- 4: the verdict -----------------------------------------------------------------------------------------------


def _verdicts(free: Sequence[Any], given: Sequence[Any]) -> list[Bar]:
    strict = [row for row in free if "strict" in row.tags]
    called = tuple(sorted(row.name for row in strict if row.is_grouped))
    bars = [
        Bar(
            4,
            f"strict structureless ({len(strict)}) called grouped",
            _share(called, strict),
            0.05,
            False,
            called,
        )
    ]
    most = {row.name: max(row.rivals.values(), default=math.nan) for row in given}
    clear = [row for row in free if most.get(row.name, math.nan) >= 0.4]
    missed = tuple(sorted(row.name for row in clear if not row.is_grouped))
    bars.append(
        Bar(
            4,
            "called none though a rival with k reaches .4",
            _share(missed, clear),
            0.1,
            False,
            missed,
        )
    )
    strong = [row for row in free if row.verdict == "strong" and row.classes]
    wrong = tuple(sorted(row.name for row in strong if row.ari < 0.3))
    bars.append(Bar(4, "strong and below ARI .3", _share(wrong, strong), 0.12, False, wrong))
    median = statistics.median([row.ari for row in strong]) if strong else math.nan
    bars.append(Bar(4, "median ARI of strong", median, 0.55))
    bars.append(
        Bar(
            4,
            "rank correlation of stability with ARI",
            correlate([row for row in free if row.classes]),
            0.6,
        )
    )
    alone = [row for row in free if "one-class" in row.tags]
    praised = tuple(sorted(row.name for row in alone if row.verdict == "strong"))
    bars.append(Bar(4, "a single class called strong", _share(praised, alone), 0.1, False, praised))
    return bars


def _share(some: Sequence[str], of: Sequence[Any]) -> float:
    return len(some) / len(of) if of else math.nan


def correlate(rows: Sequence[Any]) -> float:
    """The rank correlation of the printed stability with ARI (Spearman); NaN of fewer than three collections."""
    from scipy.stats import spearmanr

    pairs = [(row.stability, row.ari) for row in rows if row.stability == row.stability]
    if len(pairs) < 3:
        return math.nan
    return float(spearmanr(*zip(*pairs, strict=True)).statistic)


# ---- means --------------------------------------------------------------------------------------------------------


def average(rows: Iterable[Any], value: Callable[[Any], float]) -> float:
    """The mean over collections, inside families first; NaN where there is none."""
    families: dict[str, list[float]] = {}
    for row in rows:
        number = value(row)
        if number == number:
            families.setdefault(row.family, []).append(number)
    means = [statistics.fmean(numbers) for numbers in families.values()]
    return statistics.fmean(means) if means else math.nan


def _ari(row: Any) -> float:
    return float(row.ari)
