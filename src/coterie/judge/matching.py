"""Which cluster stands for which class: the best matching, its error, the breakdown per class, and cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from coterie.core.errors import DataError
from coterie.judge.labels import Contingency, Labels, contingency


@dataclass(frozen=True, slots=True)
class Matching:
    """The one-to-one pairing of clusters and classes with the most members in agreement.

    `pairs` holds (cluster, class, members in both). Clusters or classes too many for a partner are listed
    apart; all their members, and the unassigned ones, are errors.
    """

    pairs: tuple[tuple[Any, Any, int], ...]
    unmatched_clusters: tuple[Any, ...]
    unmatched_classes: tuple[Any, ...]
    agreement: int
    n: int

    @property
    def error(self) -> float:
        """Share of members outside the agreement."""
        return 1.0 - self.agreement / self.n


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """How one class is spread: (cluster, members, whether the class is dominant there), largest part
    first.
    """

    category: Any
    size: int
    unassigned: int
    parts: tuple[tuple[Any, int, bool], ...]

    def __str__(self) -> str:
        sizes = " ".join(f"{count}{'*' if star else ''}" for _, count, star in self.parts)
        rest = f" ({self.unassigned} unassigned)" if self.unassigned else ""
        return f"{self.category}: {sizes}{rest}".rstrip()


@dataclass(frozen=True, slots=True)
class CoreScores:
    """How well a chosen set meets the true core; precision is NaN when nothing was chosen."""

    precision: float
    recall: float
    f: float
    chosen: int
    core: int


def match(labels: Labels | Contingency, truth: Labels | None = None) -> Matching:
    """The best permutation of cluster names (Hungarian method; a table that is not square is padded with
    zeros).
    """
    table = contingency(labels, truth)
    dense = table.table
    rows, cols = linear_sum_assignment(dense, maximize=True)
    kept = [(int(a), int(b)) for a, b in zip(rows, cols, strict=True) if dense[a, b] > 0]
    used_rows = {a for a, _ in kept}
    used_cols = {b for _, b in kept}
    return Matching(
        tuple((table.clusters[a], table.classes[b], int(dense[a, b])) for a, b in kept),
        tuple(name for a, name in enumerate(table.clusters) if a not in used_rows),
        tuple(name for b, name in enumerate(table.classes) if b not in used_cols),
        int(sum(dense[a, b] for a, b in kept)),
        table.n,
    )


def clustering_error(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """1 - the largest share of members in agreement over all one-to-one matchings of clusters and classes."""
    return match(labels, truth).error


def breakdown(labels: Labels | Contingency, truth: Labels | None = None) -> list[CategoryRow]:
    """One row per class: its parts over the clusters, largest first, starred where the class is dominant.

    A class that shares the first place in a cluster with another is starred there too.
    """
    table = contingency(labels, truth)
    dominant = table.dominant
    sizes = table.class_sizes
    rows = []
    for b, name in enumerate(table.classes):
        cells = np.flatnonzero(table.cols == b)
        cells = cells[np.argsort(-table.counts[cells], kind="stable")]
        parts = tuple(
            (
                table.clusters[table.rows[c]],
                int(table.counts[c]),
                bool(table.counts[c] == dominant[table.rows[c]]),
            )
            for c in cells
        )
        rows.append(CategoryRow(name, int(sizes[b]), int(table.unassigned[b]), parts))
    return rows


def core_scores(chosen: ArrayLike | Sequence[Any], core: ArrayLike | Sequence[Any]) -> CoreScores:
    """Precision, recall and F of a chosen set against the true core.

    Both are ids (or positions), or both are masks of True and False over the same members. With as many
    chosen as there are in the core the three coincide: the one-class accuracy.
    """
    got = np.asarray(chosen)
    wanted = np.asarray(core)
    if (got.dtype == bool) != (wanted.dtype == bool) and got.size and wanted.size:
        raise DataError(
            "Give the chosen members and the core in the same way: both as ids, or both as True/False."
        )
    if wanted.dtype == bool:
        if got.shape != wanted.shape:
            raise DataError(
                f"The chosen mask has {got.size} members and the core {wanted.size}: they must be equally many."
            )
        got = np.flatnonzero(got)
        wanted = np.flatnonzero(wanted)
    ours = set(got.tolist())
    theirs = set(wanted.tolist())
    if not theirs:
        raise DataError("The true core is empty, so there is nothing to judge against.")
    hits = len(ours & theirs)
    precision = hits / len(ours) if ours else float("nan")
    return CoreScores(
        precision, hits / len(theirs), 2 * hits / (len(ours) + len(theirs)), len(ours), len(theirs)
    )
