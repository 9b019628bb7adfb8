"""Accuracy of clusterings as Bekkerman 2008 reports it: micro, macro, balance, and precision along a sequence of unions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from coterie.judge.labels import (
    CategoryRow,
    Contingency,
    Labels,
    breakdown,
    contingency,
    macro_accuracy,
    micro_accuracy,
    nmi,
    well_balanced,
)


@dataclass(frozen=True, slots=True)
class Accuracies:
    """Shares of members (micro) and mean over clusters (macro) that are of the dominant class of their cluster.

    With as many clusters as classes this is an accuracy, and comparable with that of a classifier only where the partition is
    well balanced; with another number of clusters it is a precision, which grows with the number.
    """

    micro: float
    macro: float
    nmi: float
    clusters: int
    classes: int
    well_balanced: bool

    @property
    def called(self) -> str:
        """What the numbers are: an accuracy, or only a precision."""
        return "accuracy" if self.clusters == self.classes else "precision"

    def __str__(self) -> str:
        balance = "well balanced" if self.well_balanced else "not well balanced"
        return f"{self.called} micro {self.micro:.3f}, macro {self.macro:.3f}, NMI {self.nmi:.3f}, {balance}"


def accuracies(labels: Labels | Contingency, truth: Labels | None = None) -> Accuracies:
    """Micro and macro accuracy, NMI and the balance in one call.

    Unassigned members stay in the denominator of the micro accuracy; clusters that are empty are not in the macro mean.

    >>> str(accuracies([0, 0, 1, 1], ["a", "a", "b", "a"]))
    'accuracy micro 0.750, macro 0.750, NMI 0.344, well balanced'
    """
    table = contingency(labels, truth)
    sizes = len(table.clusters), len(table.classes)
    return Accuracies(
        micro_accuracy(table), macro_accuracy(table), nmi(table), *sizes, well_balanced(table)
    )


def precision_along(levels: Iterable[Labels], truth: Labels) -> list[tuple[int, float]]:
    """Number of clusters and share of members in the dominant class of theirs, at every level of a sequence of unions."""
    tables = (contingency(labels, truth) for labels in levels)
    return [(len(table.clusters), micro_accuracy(table)) for table in tables]


def breakdown_lines(labels: Labels | Contingency, truth: Labels | None = None) -> list[str]:
    """One line per class as in Table 4.9: the sizes of its parts, largest first, starred where the class is dominant."""
    rows: list[CategoryRow] = breakdown(labels, truth)
    width = max(len(str(row.category)) for row in rows)
    return [f"{row.category!s:<{width}} {str(row).partition(':')[2].strip()}" for row in rows]
