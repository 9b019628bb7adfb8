"""Neighborhood: each member's nearest neighbors as a sparse similarity, scaled by how dense it is around each member."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.compare.role import Comparer
from coterie.core.affinity import Affinity, Graph
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.parts.neighbors import nearest
from coterie.parts.pairwise import distance

_FAINT = 1e-12  # the least weight of an edge, so that a far outlier keeps its neighbors


class Neighborhood(Comparer):
    """Each member's nearest neighbors, scaled by local density.

    The weight of an edge is exp(-d^2 / (s_i s_j)), where s is a member's distance to its `scale`-th neighbor (local
    scaling); an edge counts in both directions with the larger of its weights. Nothing of size n x n is held.
    """

    takes: ClassVar[type] = Affinity
    least: ClassVar[int] = 2

    neighbors: int = param(10, "Neighbors per member.", ge=1)
    scale: int = param(3, "The neighbor whose distance is a member's own width.", ge=1)

    affinity_: Graph

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the neighbors of every member and weigh them."""
        affinity: Affinity = self.check(X)
        if not affinity.square:
            raise DataError(
                f"Neighborhood: fit takes members x members, and the affinity is {affinity.shape[0]} x {affinity.shape[1]}."
            )
        index, gaps = nearest(distance(affinity), self.neighbors)
        self.widths_ = self._own_widths(gaps)
        matrix = self._weights(index, gaps, self.widths_, affinity.shape)
        matrix = sp.csr_array(matrix.maximum(matrix.T))
        self.affinity_ = Graph(matrix, "similarity", symmetric=True)
        return self

    def compare(self, X: Any) -> Affinity:
        """The neighbors of new members among the fitted ones."""
        queries: Affinity = self.check(X, new=True)
        if queries.shape[1] != len(self.widths_):
            raise DataError(
                f"Neighborhood was fitted on {len(self.widths_)} members, and the affinity has {queries.shape[1]} columns."
            )
        index, gaps = nearest(distance(queries), self.neighbors, without_self=False)
        return Graph(self._weights(index, gaps, self._own_widths(gaps), queries.shape), "similarity", symmetric=False, own=False)

    def _own_widths(self, gaps: np.ndarray) -> np.ndarray:
        """Distance to the scale-th neighbor; where that is zero (duplicates), the least positive one anywhere."""
        width = gaps[:, min(self.scale, gaps.shape[1]) - 1]
        positive = gaps[gaps > 0]
        return np.where(width > 0, width, positive.min() if positive.size else 1.0)

    def _weights(self, index: np.ndarray, gaps: np.ndarray, widths: np.ndarray, shape: tuple[int, int]) -> Any:
        spread = widths[:, None] * self.widths_[index]
        weights = np.maximum(np.exp(-(gaps**2) / spread), _FAINT)
        return sp.csr_array((weights.ravel(), index.ravel(), np.arange(0, index.size + 1, index.shape[1])), shape=shape)
