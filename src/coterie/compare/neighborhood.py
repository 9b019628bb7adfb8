"""Neighborhood: each member's nearest neighbors as a sparse similarity, scaled by how dense it is around each member."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from coterie.compare.role import Comparer
from coterie.core.affinity import Affinity, Graph
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.parts.neighbors import nearest, scaled_weights, search_near, undirected, widths_of
from coterie.parts.pairwise import distance


class Neighborhood(Comparer):
    """Each member's nearest neighbors, scaled by local density.

    The weight of an edge is exp(-d^2 / (s_i s_j)), where s is a member's distance to its `scale`-th neighbor (local
    scaling); an edge counts in both directions with the larger of its weights. Nothing of size n x n is held.
    """

    takes: ClassVar[type] = Affinity
    least: ClassVar[int] = 2

    neighbors: int = param(10, "Neighbors per member.", ge=1)
    scale: int = param(3, "The neighbor whose distance is a member's own width.", ge=1)
    approximate: bool | str = param(
        False,
        "Search for neighbors, without all pairs; 'auto' does so where it is faster.",
        choices=("auto",),
        advanced=True,
    )

    affinity_: Graph
    recall_: (
        float | None
    )  # the share of the true neighbors that a search found; None without a search
    widths_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the neighbors of every member and weigh them."""
        affinity: Affinity = self.check(X)
        if not affinity.square:
            raise DataError(
                f"fit takes members x members, and the affinity is {affinity.shape[0]} x {affinity.shape[1]}.",
                owner="Neighborhood",
            )
        distances = distance(affinity)
        found = search_near(distances, self.neighbors, self.approximate)
        if found is None:
            index, gaps = nearest(distances, self.neighbors)
            self.recall_ = None
        else:
            index, gaps, self.recall_ = found
        self.widths_ = widths_of(gaps, self.scale)
        self.affinity_ = Graph(
            undirected(scaled_weights(index, gaps, self.widths_, self.widths_)),
            "similarity",
            symmetric=True,
        )
        return self

    def compare(self, X: Any) -> Affinity:
        """The neighbors of new members among the fitted ones."""
        queries: Affinity = self.check(X, new=True)
        if queries.shape[1] != len(self.widths_):
            raise DataError(
                f"Neighborhood was fitted on {len(self.widths_)} members, and the affinity has {queries.shape[1]} columns."
            )
        index, gaps = nearest(distance(queries), self.neighbors, without_self=False)
        weights = scaled_weights(index, gaps, widths_of(gaps, self.scale), self.widths_)
        return Graph(weights, "similarity", symmetric=False, own=False)
