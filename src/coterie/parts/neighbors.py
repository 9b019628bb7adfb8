"""Nearest neighbors of any affinity, and graphs made of them: both ways, mutual, shared, locally scaled, connected.

Widths of a Gaussian kernel are here too: a grid around the median distance, and local ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from coterie.core.affinity import Affinity, Dense, Graph, Lazy, is_searched, nearest_in
from coterie.core.errors import DataError, ParameterError
from coterie.parts.approximate import searched
from coterie.parts.pairwise import (
    LISTED,
    changed,
    dense,
    median_distance,
    reduce_bands,
    sampled,
    similarity,
)

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


How = Literal["union", "mutual", "shared"]
_FAINT = 1e-12  # the least weight of a link


def nearest(
    affinity: Affinity, k: int, *, without_self: bool | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and values of each row's k nearest members, the nearest first, ties to the lower position.

    Itself is left out of members x members unless told otherwise. A graph with fewer than k neighbours in a row is
    filled up with position -1 (infinitely far, or similarity 0).
    """
    n, m = affinity.shape
    skip = affinity.square if without_self is None else without_self
    if k < 1:
        raise ParameterError(f"k must be from 1, and was {k}.", owner="nearest")
    k = min(k, m - 1 if skip else m)
    index = np.empty((n, k), dtype=np.int64)
    value = np.empty((n, k))
    if isinstance(affinity, Graph):
        return _graph_nearest(affinity, k, skip)
    search = partial(nearest_in, k=k, itself=not skip)
    for rows, near, values in reduce_bands(
        search, affinity, label="neighbors", beside=n * k * LISTED
    ):
        index[rows] = near
        value[rows] = values
    return index, value


def near_ones(
    affinity: Affinity, k: int, approximate: bool | str = "auto", effort: float = 1.0
) -> tuple[np.ndarray, np.ndarray, float | None]:
    """What `nearest` gives of members x members, by a search where one is asked for, and the recall of that search (or None)."""
    found = search_near(affinity, k, approximate, effort)
    return (*nearest(affinity, k), None) if found is None else found


def search_near(
    affinity: Affinity, k: int, approximate: bool | str = "auto", effort: float = 1.0
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """The same by a search, where one is asked for and there are rows that can be searched; None elsewhere."""
    if k < 1 or not affinity.square or not is_searched(affinity, approximate, effort):
        return None
    index, value, recall = searched(affinity, min(k, affinity.n - 1), effort)
    none = np.isnan(value)
    index[none] = -1
    value[none] = np.inf if affinity.kind == "distance" else 0.0
    return index, value, recall


def _graph_nearest(graph: Graph, k: int, skip: bool) -> tuple[np.ndarray, np.ndarray]:
    matrix = graph.values
    n = graph.shape[0]
    far = 1.0 if graph.kind == "distance" else -1.0
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    cols = matrix.indices.astype(np.int64)
    values = matrix.data
    if skip:
        other = rows != cols
        rows = rows[other]
        cols = cols[other]
        values = values[other]
    order = np.lexsort((cols, far * values, rows))
    rows = rows[order]
    cols = cols[order]
    values = values[order]
    count = np.bincount(rows, minlength=n)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    near = place < k
    index = np.full((n, k), -1, dtype=np.int64)
    value = np.full((n, k), np.inf if graph.kind == "distance" else 0.0)
    index[rows[near], place[near]] = cols[near]
    value[rows[near], place[near]] = values[near]
    return index, value


def nearest_rows(
    values: np.ndarray, k: int, queries: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest rows of a table by Euclidean distance, exact: found block by block, then measured without rounding."""
    table = np.ascontiguousarray(values, dtype=np.float64)
    center = table.mean(axis=0)
    asked = table if queries is None else np.ascontiguousarray(queries, dtype=np.float64)
    lazy = Lazy(_squared_tile, asked - center, table - center, "distance", queries is None)
    index, _ = nearest(lazy, k, without_self=queries is None)
    away = np.empty(index.shape)
    for place in range(index.shape[1]):
        away[:, place] = np.sqrt(np.square(asked - table[index[:, place]]).sum(axis=1))
    order = np.lexsort((index, away), axis=1)
    return np.take_along_axis(index, order, axis=1), np.take_along_axis(away, order, axis=1)


def _squared_tile(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    away = -2.0 * (rows @ cols.T)
    away += np.einsum("ij,ij->i", rows, rows)[:, None]
    away += np.einsum("ij,ij->i", cols, cols)[None, :]
    return np.maximum(away, 0.0, out=away)


def neighbor_graph(
    affinity: Affinity, k: int, how: How = "union", *, connect: bool = False
) -> Graph:
    """The graph of each member's k nearest, made symmetric; `connect` ties a member without links to its nearest."""
    if not affinity.square:
        raise DataError("A neighbour graph is of members x members.")
    index, value = nearest(affinity, k)
    found = symmetrized(_as_graph(index, value, affinity.kind), how)
    return joined(found, affinity) if connect else found


def _as_graph(index: np.ndarray, value: np.ndarray, kind: Any) -> Graph:
    n = len(index)
    there = index >= 0
    rows = np.repeat(np.arange(n), index.shape[1]).reshape(index.shape)
    return Graph(
        sp.csr_array((value[there], (rows[there], index[there])), shape=(n, n)),
        kind,
        symmetric=False,
    )


def symmetrized(graph: Graph, how: How = "union") -> Graph:
    """Links that count in both directions: those of either side, of both sides, or by the share of neighbours in common.

    `shared` gives similarities: neighbours in common over the larger neighbourhood, for members linked from either side.
    """
    linked = graph.values.copy()
    linked.data = np.ones_like(linked.data)
    linked.setdiag(0.0)
    linked.eliminate_zeros()
    both = linked + linked.T
    if how == "shared":
        return _shared(linked, both)
    if how not in ("union", "mutual"):
        raise ParameterError(
            f"how must be union | mutual | shared, and was {how!r}.", owner="symmetrized"
        )
    pairs = both.tocoo()
    stays = pairs.data > (1.5 if how == "mutual" else 0.5)
    rows = pairs.row[stays]
    cols = pairs.col[stays]
    here = _values_at(graph, rows, cols)
    there = _values_at(graph, cols, rows)
    pick = np.fmin if graph.kind == "distance" else np.fmax
    return Graph(
        sp.csr_array((pick(here, there), (rows, cols)), shape=graph.shape),
        graph.kind,
        symmetric=True,
    )


def _shared(linked: Any, both: Any) -> Graph:
    common = sp.csr_array((linked @ linked.T) * (both > 0))
    size = np.maximum(np.asarray(linked.sum(axis=1)).ravel(), 1.0)
    pairs = common.tocoo()
    share = pairs.data / np.maximum(size[pairs.row], size[pairs.col])
    return Graph(
        sp.csr_array((share, (pairs.row, pairs.col)), shape=linked.shape),
        "similarity",
        symmetric=True,
    )


def _values_at(graph: Graph, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """Stored values at these places, NaN where nothing is stored."""
    matrix = graph.values
    m = graph.shape[1]
    keys = (
        np.repeat(np.arange(graph.shape[0], dtype=np.int64), np.diff(matrix.indptr)) * m
        + matrix.indices
    )
    wanted = rows.astype(np.int64) * m + cols
    place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    return (
        np.where(keys[place] == wanted, matrix.data[place], np.nan)
        if len(keys)
        else np.full(len(rows), np.nan)
    )


def locally_scaled(
    affinity: Affinity, k: int, *, neighbor: int = NEIGHBOR, connect: bool = False
) -> Graph:
    """Similarities exp(-d^2 / (s_i s_j)) of the k nearest, where s is the distance of a member's 7th neighbour."""
    if affinity.kind != "distance":
        raise DataError("Local scaling is for distances, and this affinity is a similarity.")
    index, value = nearest(affinity, max(k, neighbor))
    own = widths_of(value, neighbor)
    matrix = scaled_weights(index[:, :k], value[:, :k], own, own)
    found = Graph(undirected(matrix), "similarity", symmetric=True)
    return joined(found, affinity) if connect else found


def widths_of(gaps: np.ndarray, neighbor: int) -> np.ndarray:
    """A row's own width: the distance of that neighbour (the farthest there is); never zero, where duplicates are many."""
    own = np.where(np.isfinite(gaps), gaps, -np.inf)[:, :neighbor].max(axis=1, initial=-np.inf)
    positive = gaps[np.isfinite(gaps) & (gaps > 0)]
    return np.where(own > 0, own, positive.min() if positive.size else 1.0)


def scaled_weights(
    index: np.ndarray, gaps: np.ndarray, widths: np.ndarray, member_widths: np.ndarray
) -> Any:
    """Rows x members weights exp(-d^2 / (s_i s_j)) of the neighbours listed; a far outlier keeps faint ones."""
    there = index >= 0
    spread = widths[:, None] * member_widths[np.where(there, index, 0)]
    weights = np.maximum(np.exp(-(np.where(there, gaps, 0.0) ** 2) / spread), _FAINT)
    rows = np.repeat(np.arange(len(index)), index.shape[1]).reshape(index.shape)
    shape = (len(index), len(member_widths))
    return sp.csr_array((weights[there], (rows[there], index[there])), shape=shape)


def components(graph: Graph) -> tuple[int, np.ndarray]:
    """How many pieces the graph has, and the piece of every member (numbered by first member)."""
    n, labels = connected_components(graph.values, directed=False)
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return int(n), np.argsort(np.argsort(first))[codes]


def joined(graph: Graph, affinity: Affinity) -> Graph:
    """The graph with every member that has no link tied to its nearest one, by the affinity's value or a weight of 1."""
    n = graph.shape[0]
    links = graph.values.tocoo()
    stays = (links.row != links.col) & (
        (graph.kind == "distance") | (links.data != 0)
    )  # a link of length 0 is one
    rows = links.row[stays].astype(np.int64)
    cols = links.col[stays].astype(np.int64)
    data = links.data[stays]
    alone = np.setdiff1d(np.arange(n), np.concatenate([rows, cols]))
    if not len(alone) or n < 2:
        return graph
    index, value = nearest(affinity, 1)
    alone = alone[index[alone, 0] >= 0]
    near = index[alone, 0]
    weight = value[alone, 0] if affinity.kind == graph.kind else np.full(len(alone), _least(data))
    here = np.concatenate([alone, near])
    there = np.concatenate([near, alone])
    _, once = np.unique(
        here * n + there, return_index=True
    )  # two that are alone may be each other's nearest
    ends = np.concatenate([rows, here[once]]), np.concatenate([cols, there[once]])
    matrix = sp.csr_array(
        (np.concatenate([data, np.tile(weight, 2)[once]]), ends), shape=graph.shape
    )
    return Graph(matrix, graph.kind, symmetric=graph.symmetric)


def _least(weights: np.ndarray) -> float:
    return float(weights.min()) if len(weights) else 1.0
