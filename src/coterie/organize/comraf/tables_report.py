"""What each table of counts is like before anything is clustered: how empty, how much it tells, and where it is too sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.links import Links, replace_target
from coterie.core.random import stream
from coterie.parts.moves import Counts, phi, raw_information
from coterie.parts.workers import in_order

SPARSE = "sparse: likely harmful at weight one"
_SHUFFLES = 20  # tables with their columns dealt anew
_ROWS = 1000  # rows looked at when pairs of rows are counted
_OCCURRENCES = 1_000_000  # that are dealt one by one; of more the rows are drawn as a whole
_CELLS = 500_000  # rows x columns that are drawn at once
_LOUD = 10.0  # a count that would weigh so many times one of the main table is too loud


@dataclass(frozen=True, slots=True)
class View:
    """One table from the side of the population asked about.

    `chance` is the mean information of 20 tables with the same sums, every occurrence dealt to a random column (of tables with
    more than a million occurrences, such as pixels, rows are drawn at random from the same distribution), and `excess` what
    the table has beyond it. Where every entry is 1, raw information depends on nothing but the sums of rows and columns,
    so for such tables (who is cited, who wrote) the excess is 0 whatever they hold; elsewhere it is how much occurrences of one
    column gather in one row. `lift` sees what is shared: how many times more often than by chance two rows share two columns.
    It is None where chance makes no such pair.
    """

    pair: tuple[str, str]
    rows: int
    columns: int
    total: float
    empty: float  # share of rows without any count
    per_row: float  # mean number of columns a row meets
    raw: float  # nats
    chance: float
    lift: float | None
    loud: float  # what one count would weigh at weight one, in counts of the main table: the largest of the target with mostly ones

    @property
    def excess(self) -> float:
        return self.raw - self.chance

    @property
    def sparse(self) -> bool:
        """Whether a few counts would speak as loud as all those of the main table."""
        return self.loud > _LOUD

    def sentence(self) -> str:
        """What a person should know before this table is used."""
        name = "-".join(self.pair)
        each = self.per_row / max(1.0 - self.empty, 1e-12)
        said = f"{name}: {self.empty:.0%} of {self.pair[0]} meet nothing, the others {each:.1f} columns each"
        if self.lift is not None and self.lift < 1.1:
            said += "; sharing one column says little about sharing another"
        if self.sparse:
            said += f"; {SPARSE}, where each of its counts would weigh {self.loud:.0f} times one of the main table"
        return said + "."


@dataclass(frozen=True, slots=True)
class ViewReport:
    """All tables, side by side; `print(report)` shows them."""

    views: tuple[View, ...]

    def sentences(self) -> list[str]:
        """One per table."""
        return [view.sentence() for view in self.views]

    def records(self) -> list[dict[str, Any]]:
        """One plain dict per table."""
        return [
            {
                "table": "-".join(view.pair),
                "rows": view.rows,
                "columns": view.columns,
                "counts": view.total,
                "empty": view.empty,
                "per_row": view.per_row,
                "information": view.raw,
                "chance": view.chance,
                "excess": view.excess,
                "lift": view.lift,
                "note": SPARSE if view.sparse else "",
            }
            for view in self.views
        ]

    def __str__(self) -> str:
        head = [
            "table",
            "counts",
            "empty rows",
            "columns per row",
            "I(raw)",
            "by chance",
            "excess",
            "lift",
            "",
        ]
        rows = [
            [
                "-".join(view.pair),
                f"{view.total:,.0f}",
                f"{view.empty:.0%}",
                f"{view.per_row:.1f}",
                f"{view.raw:.3f}",
                f"{view.chance:.3f}",
                f"{view.excess:+.3f}",
                "-" if view.lift is None else f"{view.lift:.1f}",
                SPARSE if view.sparse else "",
            ]
            for view in self.views
        ]
        return aligned([head, *rows])


def view_report(links: Any, target: str | None = None, random_state: Any = 0) -> ViewReport:
    """What each table of the links is like, seen from the target: before clustering, so that nobody adds a table blindly."""
    found: Links = as_view(links, (Links,), "view_report")
    found = found if target is None or target == found.target else replace_target(found, target)
    sides = [
        (pair if pair[0] == found.target else pair[::-1] if pair[1] == found.target else pair)
        for pair in found.tables
    ]
    tables = [Counts.of(found.between(*pair).counts) for pair in sides]  # type: ignore[union-attr]
    own = [counts for pair, counts in zip(sides, tables, strict=True) if found.target in pair]
    main = max(
        (counts.total for counts in [one for one in own if one.single and one.total > 0] or own),
        default=0.0,
    )
    if main <= 0:
        raise DataError(
            f"there is no table with a count between '{found.target}' and anything else.",
            owner="view_report",
        )

    def look(task: tuple[int, tuple[str, str], Counts]) -> View:
        at, pair, counts = task
        return _view(pair, counts, main, stream(random_state, at))

    tasks = [
        (at, pair, counts) for at, (pair, counts) in enumerate(zip(sides, tables, strict=True))
    ]
    return ViewReport(tuple(in_order(look, tasks, "look at tables")))


def _view(
    pair: tuple[str, str], counts: Counts, main: float, generator: np.random.Generator
) -> View:
    held = np.diff(counts.ptr)
    some = (
        np.arange(len(counts))
        if len(counts) <= _ROWS
        else np.sort(generator.choice(len(counts), _ROWS, replace=False))
    )
    chance = []
    doubles = []
    for _ in range(_SHUFFLES):
        chance.append(_by_chance(counts, generator))
        doubles.append(_doubles(_dealt(counts, generator, apart=False), some))
    expected = float(np.mean(doubles))
    return View(
        pair,
        len(counts),
        counts.width,
        counts.total,
        float((held == 0).mean()),
        float(held.mean()),
        raw_information(counts),
        float(np.mean(chance)),
        _doubles(counts, some) / expected if expected > 0 else None,
        main / counts.total if counts.total > 0 else float("inf"),
    )


def _by_chance(counts: Counts, generator: np.random.Generator) -> float:
    """The information of a table with the same sums, its occurrences in random columns."""
    if not counts.whole or counts.total <= _OCCURRENCES:
        return raw_information(_dealt(counts, generator, apart=True))
    columns = np.bincount(counts.idx, weights=counts.val, minlength=counts.width)
    shares = columns[columns > 0] / counts.total
    rows = np.add.reduceat(np.append(counts.val, 0).astype(np.int64), counts.ptr[:-1])[
        np.diff(counts.ptr) > 0
    ]
    most = max(1, _CELLS // len(shares))
    some = rows if len(rows) <= most else generator.choice(rows, most, replace=False)
    drawn = generator.multinomial(some, shares)
    gaps = (
        phi(drawn).sum(axis=1) - phi(some) - drawn @ np.log(shares)
    )  # sum times divergence of every row
    gaps *= (counts.total - some) / (counts.total - 1.0)  # the sums of the columns are given
    return float(gaps.mean() * len(rows) / counts.total)


def _dealt(counts: Counts, generator: np.random.Generator, *, apart: bool) -> Counts:
    """The same counts in the same rows, in columns dealt anew: every occurrence apart, or entry by entry."""
    import scipy.sparse as sp

    val = counts.val.copy()
    idx = counts.idx
    ptr = counts.ptr.copy()
    if apart and counts.whole:
        ptr = np.concatenate([[0], np.cumsum(val)])[ptr]
        idx = np.repeat(idx, val)
        val = np.ones(int(ptr[-1]), dtype=val.dtype)
    return Counts.of(
        sp.csr_array((val, generator.permutation(idx), ptr), shape=(len(counts), counts.width))
    )


def _doubles(counts: Counts, rows: np.ndarray) -> float:
    """Pairs of columns that pairs of these rows share, over all the pairs of columns they could."""
    import scipy.sparse as sp

    there = sp.csr_array(
        (np.ones(len(counts.idx)), counts.idx, counts.ptr), shape=(len(counts), counts.width)
    )[rows]
    shared = (there @ there.T).tocsr()
    own = shared.diagonal()
    pairs = own * (own - 1)
    possible = pairs.sum() ** 2 - (pairs**2).sum()
    return (
        float(((shared.data * (shared.data - 1)).sum() - pairs.sum()) / possible)
        if possible > 0
        else 0.0
    )


def aligned(table: Sequence[Sequence[str]]) -> str:
    """Rows of words in columns: the first and the last to the left, numbers to the right; a line under the head."""
    widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
    left = {
        c for c in range(len(widths)) if not any(ch.isdigit() for row in table[1:] for ch in row[c])
    } | {0}
    lines = [
        "  ".join(
            word.ljust(width) if c in left else word.rjust(width)
            for c, (word, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines) + "\n"
