"""An affinity as links between members for methods of graphs: a graph as it is, anything else by its nearest neighbors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.affinity import Affinity, Graph, Kind
from coterie.core.errors import DataError
from coterie.parts.neighbors import (
    NEIGHBOR,
    near_ones,
    nearest,
    typical_distance,
    undirected,
    widths_of,
)

Net = tuple[
    np.ndarray, np.ndarray, np.ndarray
]  # links as kernels take them: starts of rows, columns, weights
_FAINT = 1e-12  # the least weight of a link that comes from a distance
_LEAST = 1e-100  # weights whose products are still numbers; below is no link


@dataclass(frozen=True, eq=False)
class Linking:
    """How an affinity was made into links, so that rows of new members become links of the same kind.

    Distances of a graph go through exp(-d^2 / (2 width^2)), with their typical distance as width; of anything else the nearest
    neighbors stay, with exp(-d^2 / (s_i s_j)), where s is the distance of a member's 7th neighbor. Similarities are weights.
    """

    owner: str
    kind: Kind
    neighbors: int
    width: float = 1.0
    widths: np.ndarray | None = None

    @classmethod
    def of(cls, affinity: Affinity, neighbors: int, owner: str) -> tuple[Linking, Any]:
        """How it was done, and the links: sparse, in both directions, positive, without those of a member with itself."""
        if isinstance(affinity, Graph):
            width = 1.0 if affinity.kind == "similarity" else typical_distance(affinity)
            how = cls(owner, affinity.kind, neighbors, width)
            weights = how._weighed(affinity)
            _tell_directed(affinity, owner)
        else:
            found = _nearest(affinity, neighbors)
            widths = None if affinity.kind == "similarity" else widths_of(found[1], NEIGHBOR)
            how = cls(owner, affinity.kind, neighbors, 1.0, widths)
            weights = how._of_nearest(*found, widths, affinity.shape)
        return how, undirected(weights)

    def rows(self, queries: Affinity) -> Any:
        """New members x members: the links of each."""
        if queries.kind != self.kind:
            raise DataError(
                f"{self.owner} was fitted on a {self.kind}, and predict was given a {queries.kind}."
            )
        if isinstance(queries, Graph) and self.widths is None:
            return self._weighed(queries)
        if isinstance(queries, Graph):
            most = max(int(np.diff(queries.values.indptr).max(initial=0)), 1)
            index, value = nearest(queries, most, without_self=False)
        else:
            index, value = _nearest(queries, self.neighbors, without_self=False)
        own = None if self.widths is None else widths_of(value, NEIGHBOR)
        return self._of_nearest(index, value, own, queries.shape)

    def _weighed(self, graph: Graph) -> Any:
        """The links of a graph that says which there are."""
        links = graph.values.copy()
        if links.nnz and links.data.min() < 0:
            row, col = (int(at[0]) for at in _negative(links))
            what = "weight" if self.kind == "similarity" else "distance"
            raise DataError(
                f"the link from member {row} to {col} has the {what} {links[row, col]:.4g}; links are from 0 up, "
                "so leave out or change what is below.",
                owner=self.owner,
            )
        if self.kind == "distance":
            scaled = links.data / self.width if self.width > 0 else np.zeros_like(links.data)
            links.data = np.maximum(np.exp(-0.5 * np.square(np.minimum(scaled, 1e6))), _FAINT)
        return _usable(links)

    def _of_nearest(
        self, index: np.ndarray, value: np.ndarray, own: np.ndarray | None, shape: tuple[int, int]
    ) -> Any:
        """The links of those listed; what is infinitely far, or not alike at all, is none."""
        there = (index >= 0) & np.isfinite(value)
        if self.widths is None and self.kind == "similarity":
            there &= value > 0
            weights = np.where(there, value, 0.0)
        else:
            gaps = np.where(there, value, 0.0)
            theirs = self.width if self.widths is None else self.widths[np.where(there, index, 0)]
            mine = np.full((len(index), 1), self.width) if own is None else own[:, None]
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                weights = np.exp(
                    -(0.5 if self.widths is None else 1.0) * (gaps / mine) * (gaps / theirs)
                )
            weights = np.maximum(np.where(np.isnan(weights), 1.0, weights), _FAINT)
        rows = np.repeat(np.arange(len(index)), index.shape[1]).reshape(index.shape)
        return _usable(sp.csr_array((weights[there], (rows[there], index[there])), shape=shape))


def _usable(links: Any) -> Any:
    links.data[links.data < _LEAST] = 0.0
    links.eliminate_zeros()
    return links


def _nearest(
    affinity: Affinity, neighbors: int, *, without_self: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and values of the nearest, with as many more as a width is read off, which are then no links.

    Of many members they are searched for, where that can be done, and a search that finds too few says so.
    """
    many = max(neighbors, NEIGHBOR) if affinity.kind == "distance" else neighbors
    index, value = (
        near_ones(affinity, many)[:2]
        if without_self
        else nearest(affinity, many, without_self=False)
    )
    index[:, neighbors:] = -1
    return index, value


def _negative(links: Any) -> tuple[np.ndarray, np.ndarray]:
    at = np.flatnonzero(links.data < 0)[:1]
    return np.searchsorted(links.indptr, at, side="right") - 1, links.indices[at]


def _tell_directed(graph: Graph, owner: str) -> None:
    """Say that directions are not used, where the graph has any."""
    if graph.symmetric:
        return
    apart = abs(graph.values - graph.values.T)
    if apart.nnz and apart.max() > 0:
        warnings.warn(
            f"{owner}: the graph is directed; a link counts in both directions, with the larger of its two weights.",
            UserWarning,
            stacklevel=4,
        )


def arrays(links: Any) -> Net:
    """A sparse matrix by rows as kernels take it."""
    ptr = links.indptr.astype(np.int64, copy=False)
    idx = links.indices.astype(np.int32, copy=False)
    return ptr, idx, np.ascontiguousarray(links.data, dtype=np.float64)


def staying(net: Net, labels: np.ndarray) -> np.ndarray:
    """The share of each member's links, by weight, that stay in its group; 1 for a member without links."""
    from coterie._kernels.communities import inside

    total, within = inside(*net, labels)
    return np.divide(within, total, out=np.ones(len(total)), where=total > 0)


def toward(rows: Any, labels: np.ndarray, n_groups: int, weights: np.ndarray | None = None) -> Any:
    """Rows x groups, sparse: the weight of each row's links to the members of each group; members in no group count for none."""
    inside = np.flatnonzero(labels >= 0)
    counts = np.ones(len(inside)) if weights is None else weights[inside]
    members = sp.csr_array((counts, (inside, labels[inside])), shape=(len(labels), n_groups))
    return sp.csr_array(rows @ members)


def strongest(rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """The column of each row's largest stored value, the lower one of equals, and that value; -1 and 0 in an empty row."""
    matrix = sp.csr_array(rows)
    matrix.sort_indices()
    n = matrix.shape[0]
    filled = np.flatnonzero(np.diff(matrix.indptr) > 0)
    best = np.full(n, -1, dtype=np.int64)
    value = np.zeros(n)
    if len(filled):
        most = np.maximum.reduceat(matrix.data, matrix.indptr[filled])
        wins = np.flatnonzero(matrix.data == np.repeat(most, np.diff(matrix.indptr)[filled]))
        row = np.repeat(filled, np.diff(matrix.indptr)[filled])[wins]
        first = np.append(True, row[1:] != row[:-1])
        best[filled] = matrix.indices[wins[first]]
        value[filled] = most
    return best, value
