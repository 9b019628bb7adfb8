"""How well mates are found: average precision of every pair of views in both directions, and methods set side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError
from coterie.judge.scoreboard import Scoreboard
from coterie.parts.mates import MateRanks, checked_factors, mate_ranks

PRECISION = "average precision"
FIRST = "recall at 1"
TEN = "recall at 10"
MEDIAN = "median rank"


@dataclass(frozen=True, eq=False)
class MateTable:
    """Where mates stood, for every view that asks and every other view that answers, among the same candidates."""

    views: tuple[str, ...]
    ranks: Mapping[tuple[str, str], MateRanks]  # (asks, answers)
    measure: str

    @property
    def average_precision(self) -> float:
        """The mean of 1 / rank over all queries, over both directions of all pairs of views."""
        return self._mean(lambda one: one.average_precision)

    def recall(self, first: int) -> float:
        """The share of mates among the first so many, over all pairs in both directions."""
        return self._mean(lambda one: one.recall(first))

    @property
    def median(self) -> float:
        """The median rank of a mate over all queries of all pairs."""
        return float(np.median(np.concatenate([one.ranks for one in self.ranks.values()])))

    @property
    def candidates(self) -> int:
        return next(iter(self.ranks.values())).candidates

    @property
    def chance(self) -> float:
        """The average precision of a random order of as many candidates."""
        return next(iter(self.ranks.values())).chance

    def between(self, one: str, other: str) -> float:
        """The average precision of two views, the mean of both directions."""
        for pair in ((one, other), (other, one)):
            if pair not in self.ranks:
                raise DataError(
                    f"There are no mates of '{one}' and '{other}'; the views are {', '.join(self.views)}."
                )
        return (
            self.ranks[one, other].average_precision + self.ranks[other, one].average_precision
        ) / 2

    def values(self) -> dict[str, float]:
        """The four measures of a scoreboard, by name."""
        return {
            PRECISION: self.average_precision,
            FIRST: self.recall(1),
            TEN: self.recall(10),
            MEDIAN: self.median,
        }

    def records(self) -> list[dict[str, Any]]:
        """One plain dict per ordered pair of views."""
        return [
            {
                "asks": asks,
                "answers": answers,
                "average_precision": one.average_precision,
                "recall_at_1": one.recall(1),
                "recall_at_10": one.recall(10),
                "median_rank": one.median,
                "chance": one.chance,
                "candidates": one.candidates,
            }
            for (asks, answers), one in self.ranks.items()
        ]

    def to_text(self) -> str:
        """Aligned columns, one line per ordered pair, and the mean of all."""
        head = ("asks", "answers", PRECISION, FIRST, TEN, MEDIAN)
        pairs = [
            (*pair, one.average_precision, one.recall(1), one.recall(10), one.median)
            for pair, one in self.ranks.items()
        ]
        mean = (
            "all pairs",
            "",
            self.average_precision,
            self.recall(1),
            self.recall(10),
            self.median,
        )
        lines = [
            head,
            *(
                (*row[:2], *(f"{value:.3f}" for value in row[2:5]), f"{row[5]:g}")
                for row in (*pairs, mean)
            ),
        ]
        widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
        table = [
            "  ".join(part.ljust(wide) for part, wide in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        ground = f"{self.candidates:,} candidates, ranked by {self.measure}; a random order has {PRECISION} {self.chance:.4f}."
        return "\n".join([*table, ground]) + "\n"

    def _mean(self, value: Any) -> float:
        return float(np.mean([value(one) for one in self.ranks.values()]))


def mate_table(views: Mapping[str, ArrayLike], measure: str = "cosine") -> MateTable:
    """Ranks of mates between all views, in both directions; row i of every view is the same member.

    The rows are factors in one space, of members that were not fitted: `{name: model.transform_view(name, rows)}`.

    >>> mate_table({"en": np.eye(4), "de": np.eye(4)}).average_precision
    1.0
    """
    rows = {str(name): checked_factors(values, f"view '{name}'") for name, values in views.items()}
    if len(rows) < 2:
        raise DataError(
            f"Mates stand in two views or more, and {len(rows)} {'was' if len(rows) == 1 else 'were'} given."
        )
    sizes = {name: values.shape[1] for name, values in rows.items()}
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"'{name}' has {size}" for name, size in sizes.items())
        raise DataError(f"Views in one space have equally many factors, and these differ: {said}.")
    found = {
        (one, other): mate_ranks(rows[one], rows[other], measure)
        for one, other in permutations(rows, 2)
    }
    return MateTable(tuple(rows), found, measure)


def mate_board(tables: Mapping[str, Iterable[MateTable]], title: str = "") -> Scoreboard:
    """Methods side by side over pairs, triples and more of views: `tables` has per method one table for each combination.

    Combinations of two views, of three and so on are data sets of their own, and the combinations in them are the runs that a
    test pairs; a combination that comes again, as with other members, is a further run. Average precision depends on the number
    of candidates, so that combinations of one size must share it.
    """
    board = Scoreboard(title, higher={MEDIAN: False})
    pools: dict[str, int] = {}
    for method, given in tables.items():
        times: dict[str, int] = {}
        for table in given:
            data = f"{len(table.views)} views"
            run = " - ".join(table.views)
            times[run] = times.get(run, 0) + 1
            seed = run if times[run] == 1 else f"{run}, run {times[run]}"
            if pools.setdefault(data, table.candidates) != table.candidates:
                raise DataError(
                    f"Average precision depends on the candidates: {method} with {run} has "
                    f"{table.candidates:,} of them, and before there were {pools[data]:,}."
                )
            for measure, value in table.values().items():
                board.add(method, measure, data, value, seeds=[seed])
    return board


def by_view(tables: Iterable[MateTable]) -> dict[str, float]:
    """Per view, the mean average precision of all combinations that hold it: a row of the tables of Hardoon and Pelckmans."""
    found: dict[str, list[float]] = {}
    for table in tables:
        for name in table.views:
            found.setdefault(name, []).append(table.average_precision)
    return {name: float(np.mean(values)) for name, values in found.items()}
