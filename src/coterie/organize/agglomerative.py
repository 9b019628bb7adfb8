"""Agglomerative: groups merged two by two, the nearest first, until one is left; and a rule for where to stop."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.cluster.hierarchy import linkage

from coterie.core.affinity import Affinity, Condensed
from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Organizer
from coterie.core.hints import Hints
from coterie.core.params import param
from coterie.core.partition import Hierarchy, numbered
from coterie.core.workplace import fits, steady
from coterie.parts.constrained import Ties
from coterie.parts.distances import Distances, query_bands, same_kind
from coterie.parts.groups import group_sums
from coterie.parts.kept import broken, tell_unkept
from coterie.parts.tied_distances import tied_distances, true_heights

_CENTROID = (
    "ward",
    "centroid",
    "median",
)  # linkages of centers: squared distances, read as straight lines
_GUIDED: dict[str, Any] = {
    "average": np.mean,
    "complete": np.max,
}  # linkages that keep members apart


class Agglomerative(Organizer):
    """Groups merged from the bottom up, with the whole tree.

    `hierarchy_` holds every merge and its height. Where `n_groups` is None the tree is cut in the largest relative gap
    between two merges, (upper - lower) / upper, for 2 to sqrt(n) groups; `gaps_` tells the gap of every such number. Of a
    neighbor graph the distance is the shortest path, and twice the longest one where there is no path. With hints (average and
    complete linkage) members that belong together are merged first, and those apart as late as can be.
    """

    guided: ClassVar[bool] = True

    n_groups: int | None = param(
        None, "How many groups; None cuts in the largest relative gap of the merge heights.", ge=1
    )
    linkage: Literal["single", "complete", "average", "weighted", "ward", "centroid", "median"] = (
        param(
            "average",
            "How far two groups are: nearest members, farthest ones, the mean (weighted: of halves), or a distance of centers.",
            choices=("single", "complete", "average", "weighted", "ward", "centroid", "median"),
        )
    )

    hierarchy_: Hierarchy
    gaps_: dict[int, float]
    kind_: str
    far_: float
    spreads_: np.ndarray

    def fit(self, X: Any, y: Any = None, hints: Hints | None = None) -> Self:
        """Merge all members into one tree, and cut it.

        `hints` are pairs that belong together or apart, and labels, which are such pairs too (but for seeded ones).
        """
        affinity = self.check_square(X)
        n = len(affinity)
        self.check_groups(self.n_groups, n)
        self.kind_ = affinity.kind
        distances = Distances.of(affinity, "Agglomerative")
        self.far_ = distances.far
        ties = Ties.of(self.check_hints(hints, n), "Agglomerative")
        copies = (
            2 if ties is None else 3
        )  # the distances of all pairs, and those that the merging works on
        copies += self.linkage in _CENTROID  # and squares of them
        fits(
            copies * 4.5 * n * n + max(0, distances.size() - 8 * n * n),
            f"The tree of {n} members",
            "take Medoids",
        )
        half = distances.condensed()
        merges, least = (self._tree(half, n), 1) if ties is None else self._bound(half, ties)
        self.hierarchy_ = Hierarchy(merges)
        self.gaps_ = relative_gaps(self.hierarchy_.heights)
        enough = {k: gap for k, gap in self.gaps_.items() if k >= least}
        wanted = self.n_groups if self.n_groups is not None else max(least, widest(enough))
        self.partition_, _ = numbered(self.hierarchy_.cut(wanted).labels)
        if ties is not None and wanted < least:
            one, other = (
                ties.called(member) for member in broken(ties, self.partition_.labels)[0].tolist()
            )
            raise DataError(
                f"in the tree, {wanted} groups do not keep {one} and {other} apart; "
                f"ask for {least}, or take Medoids or Spectral.",
                owner="Agglomerative",
            )
        self.spreads_ = self._spreads(half)
        if ties is not None:
            tell_unkept(ties, self.partition_.labels)
        return self

    def _tree(self, half: np.ndarray, n: int) -> np.ndarray:
        with steady():
            return linkage(half, self.linkage) if n > 1 else np.empty((0, 4))

    def _bound(self, half: np.ndarray, ties: Ties) -> tuple[np.ndarray, int]:
        """The tree under hints, and the fewest groups that keep all laws in it."""
        if self.linkage not in _GUIDED:
            raise ParameterError(
                f"hints take linkage='average' or 'complete', and it was {self.linkage!r}.",
                owner="Agglomerative",
            )
        ties.check(self.n_groups or ties.needed())
        changed, limit = tied_distances(half, ties)
        return true_heights(
            self._tree(changed, len(ties.piece)), half, limit, _GUIDED[self.linkage]
        )

    def predict(self, X: Any) -> np.ndarray:
        """The group that is nearest by the linkage's own rule, by the mean distance where that is equal.

        single: the nearest member; complete: the farthest; average and weighted: the mean; ward, centroid and median:
        the mean squared distance less half the mean square inside the group (the squared distance of the center, for
        straight-line distances), for ward times size / (size + 1). A member that a neighbor graph does not link is `far_`;
        a query without any link is in no group.
        """
        queries = same_kind(self.check_queries(X), self.kind_, "Agglomerative")
        found = np.empty(queries.shape[0], dtype=np.int64)
        for rows, places in query_bands(self._placed, queries, "Agglomerative"):
            found[rows] = places
        return found

    def _placed(self, values: np.ndarray) -> np.ndarray:
        """The groups of new members by their distances to all fitted ones."""
        alone = ~np.isfinite(values).any(axis=1)
        score, mean = self._scores(np.where(np.isfinite(values), values, self.far_))
        tied = score <= score.min(axis=1, keepdims=True)
        return np.where(alone, -1, np.where(tied, mean, np.inf).argmin(axis=1))

    def _scores(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Queries x groups: the linkage's distance, and the mean distance."""
        labels = self.partition_.labels
        sizes = self.partition_.sizes
        order = np.argsort(labels, kind="stable")
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        values = values[:, order]
        mean = np.add.reduceat(values, starts, axis=1) / sizes
        if self.linkage == "single":
            return np.minimum.reduceat(values, starts, axis=1), mean
        if self.linkage == "complete":
            return np.maximum.reduceat(values, starts, axis=1), mean
        if self.linkage not in _CENTROID:
            return mean, mean
        score = np.add.reduceat(np.square(values), starts, axis=1) / sizes - self.spreads_
        return (score * sizes / (sizes + 1) if self.linkage == "ward" else score), mean

    def _spreads(self, half: np.ndarray) -> np.ndarray:
        """Half the mean squared distance inside each group; only the linkages of centers ask for it."""
        labels = self.partition_.labels
        sizes = self.partition_.sizes
        if self.linkage not in _CENTROID:
            return np.zeros(len(sizes))
        squares: Affinity = Condensed(np.square(half), len(labels), "distance")
        own = group_sums(squares, labels, len(sizes))[np.arange(len(labels)), labels]
        return np.bincount(labels, weights=own, minlength=len(sizes)) / (2.0 * sizes**2)


def relative_gaps(heights: np.ndarray) -> dict[int, float]:
    """For each number of groups from 2 to sqrt(n): how much of the next merge's height lies above the last one.

    >>> {k: round(gap, 2) for k, gap in relative_gaps(np.array([1.0, 1.0, 1.2, 6.0])).items()}
    {2: 0.8, 3: 0.17}
    """
    rising = (
        np.maximum.accumulate(heights) if len(heights) else heights
    )  # centers may come nearer by a merge
    n = len(rising) + 1
    most = min(max(2, int(np.ceil(np.sqrt(n)))), n - 1)  # n groups would be no grouping
    found = {}
    for k in range(2, most + 1):
        lower = float(rising[n - k - 1])
        upper = float(rising[n - k])
        found[k] = (upper - lower) / upper if upper > 0 else 0.0
    return found


def widest(gaps: dict[int, float]) -> int:
    """The number of groups with the largest gap, the smaller one at a tie; 1 where there is no gap at all."""
    best = max(gaps.values(), default=0.0)
    return min(k for k, gap in gaps.items() if gap == best) if best > 1e-9 else 1
