"""The width of a Gaussian kernel: a grid around the median distance, local widths, and weights from distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.parts.pairwise import changed, dense, median_distance, sampled, similarity

GRID = 14  # widths tried
SPAN = (0.1, 2.5)  # of the median distance
NEIGHBOR = 7  # whose distance is a member's own width (Zelnik-Manor and Perona)


def typical_distance(affinity: Affinity) -> float:
    """The median distance between members; the mean positive one where most are identical; 0 where all are."""
    median = median_distance(affinity)
    if median > 0:
        return median
    values = affinity.values.data if isinstance(affinity, Graph) else sampled(affinity, 1000)
    positive = values[(values > 0) & np.isfinite(values)]
    return float(positive.mean()) if positive.size else 0.0


def alike(affinity: Affinity) -> Affinity:
    """As a similarity: a distance goes through a kernel of its typical width, and is 1 where all members are identical."""
    if affinity.kind == "similarity":
        return affinity
    width = typical_distance(affinity)
    return (
        similarity(affinity, width) if width > 0 else changed(affinity, np.ones_like, "similarity")
    )


def width_grid(affinity: Affinity) -> np.ndarray:
    """14 widths, evenly spaced on a log scale from 0.1 to 2.5 typical distances; none where all members are identical."""
    typical = typical_distance(affinity)
    return typical * np.geomspace(*SPAN, GRID) if typical > 0 else np.empty(0)


def squarable(width: float) -> float:
    """The width, or the nearest one whose square is a number that can be divided by.

    >>> squarable(2.0), squarable(1e-300)
    (2.0, 1e-150)
    """
    return min(max(width, 1e-150), 1e150)


@dataclass(frozen=True, eq=False)
class Kernel:
    """Weights from distances: exp(-d^2 / (2 width^2)), or exp(-d^2 / (s_i s_j)) where every member has its own width."""

    width: float = 1.0
    local: np.ndarray | None = None

    @classmethod
    def own_widths(cls, distances: np.ndarray) -> Kernel:
        """Every member's width is the distance of its 7th neighbour (the farthest where there are fewer)."""
        return cls(local=own_widths(distances, skip_self=True))

    def members(self, distances: Any) -> Any:
        """Members x members weights with an empty diagonal, dense or sparse as the distances are; always symmetric."""
        if sp.issparse(distances):
            return self._sparse(sp.csr_array(distances))
        scaled = np.square(distances)
        if self.local is None:
            self._scale(scaled)
        else:
            scaled /= -np.outer(self.local, self.local)
        weights = np.exp(scaled, out=scaled)
        np.fill_diagonal(weights, 0.0)
        return weights

    def queries(self, distances: np.ndarray) -> np.ndarray:
        """Queries x members weights; a query's own width, where widths are local, comes from its own neighbours."""
        with np.errstate(over="ignore"):  # whoever is beyond all numbers has no weight
            scaled = np.square(distances)
        if self.local is None:
            self._scale(scaled)
        else:
            scaled /= -np.outer(own_widths(distances, skip_self=False), self.local)
        return np.exp(scaled, out=scaled)

    def _scale(self, squared: np.ndarray) -> None:
        with np.errstate(over="ignore"):  # what is far beyond a very small width has no weight
            squared *= -0.5 / squarable(self.width) ** 2

    def _sparse(self, graph: Any) -> Any:
        weights = graph.copy()
        if self.local is None:
            spread: Any = 2.0 * squarable(self.width) ** 2
        else:
            rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
            spread = self.local[rows] * self.local[graph.indices]
        with np.errstate(over="ignore"):
            weights.data = np.exp(-np.square(graph.data) / spread)
        return undirected(weights)


def own_widths(distances: np.ndarray, *, skip_self: bool) -> np.ndarray:
    """The 7th smallest distance of every row, never zero."""
    place = min(NEIGHBOR - (0 if skip_self else 1), distances.shape[1] - 1)
    widths = np.partition(distances, place, axis=1)[:, place]
    positive = widths[widths > 0]
    return np.where(widths > 0, widths, positive.min() if positive.size else 1.0)


def undirected(matrix: Any) -> Any:
    """A sparse graph without loops where a link counts in both directions with the larger of its two weights."""
    square = sp.csr_array(matrix, dtype=np.float64)
    square = sp.csr_array(square.maximum(square.T))
    square.setdiag(0.0)
    square.eliminate_zeros()
    square.sort_indices()
    return square


def member_weights(affinity: Affinity) -> Any:
    """A similarity as weights: nothing negative, no diagonal, symmetric; sparse for a graph, else dense."""
    if isinstance(affinity, Graph):
        matrix = affinity.values.copy()
        matrix.data = np.maximum(matrix.data, 0.0)
        return undirected(matrix)
    weights = np.maximum(even(dense(affinity)), 0.0)
    np.fill_diagonal(weights, 0.0)
    return weights


def even(affinity: Dense) -> np.ndarray:
    """The values of a dense affinity, the mean of both directions where they differ."""
    return affinity.values if affinity.symmetric else (affinity.values + affinity.values.T) / 2
