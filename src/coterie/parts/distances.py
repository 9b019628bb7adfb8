"""Distances as organizers need them: finite, the same in both directions, along paths where only neighbors are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial.distance import squareform

from coterie.core.affinity import Affinity, Condensed, Dense, Graph, Kind, Lazy
from coterie.core.errors import DataError
from coterie.core.table import row_blocks
from coterie.core.workplace import fits
from coterie.parts import pairwise
from coterie.parts.neighbors import even

_SOURCES = 256  # members whose paths are followed at once
_SAMPLE = 1000  # members looked at for the largest distance when all of them are never held
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances between members of any affinity; `far` stands for 'infinitely far', twice the largest that is known.

    Of a neighbor graph they are lengths of shortest paths along the links, whichever way a link points; members that no
    path joins are `far` from each other.
    """

    affinity: Affinity
    far: float
    owner: str

    @classmethod
    def of(cls, affinity: Affinity, owner: str) -> Distances:
        """The distances of a square affinity; a similarity s is turned into 1 - s."""
        if isinstance(affinity, Graph):
            graph = Graph(links(affinity, owner), "distance", affinity.symmetric)
            far = _doubled(_longest_path(graph.values))
            return cls(
                graph, max(far, 1.0) if affinity.kind == "similarity" else far, owner
            )  # not similar at all is 1 away
        if isinstance(affinity, Lazy):
            values: np.ndarray = pairwise.sampled(affinity, _SAMPLE)
        else:
            values = affinity.values  # type: ignore[attr-defined]
        return cls(affinity, _doubled(_largest(values, affinity.kind)), owner)

    def __len__(self) -> int:
        return self.affinity.shape[0]

    def all(self) -> np.ndarray:
        """Members x members; what the caller gets may be the affinity's own array, so it is read only."""
        n = len(self)
        fits(self.size(), f"{self.owner} of {n} members")
        if isinstance(self.affinity, Graph):
            return self.rows(np.arange(n))
        whole = pairwise.dense(self.affinity)
        values = even(
            Dense(as_distance(whole.values, whole.kind, self.owner), "distance", whole.symmetric)
        )
        mine = values is not getattr(self.affinity, "values", None)
        if not _all_finite(values) or values.diagonal().any():
            values = values if mine else values.copy()
            self._fill(values)
            np.fill_diagonal(values, 0.0)
        return values

    def size(self) -> int:
        """Bytes that all distances take at most while they are made, beside what the affinity holds."""
        square = 8 * len(self) ** 2
        if isinstance(self.affinity, Graph):
            return 2 * square
        turned = self.affinity.kind == "similarity" or not self.affinity.symmetric
        return square * (3 if turned else 1) + pairwise.tile_bytes(self.affinity)

    def condensed(self) -> np.ndarray:
        """The upper triangle, row by row, as one array."""
        if isinstance(self.affinity, Graph) or not self.affinity.symmetric:
            return np.asarray(squareform(self.all(), checks=False))
        half: Condensed = pairwise.condensed(self.affinity)
        values = as_distance(half.values, half.kind, self.owner)
        if values is getattr(self.affinity, "values", None):
            return self.filled(values)
        self._fill(values)
        return values

    def between(self, members: np.ndarray) -> np.ndarray:
        """These members x these members."""
        if isinstance(self.affinity, Graph):
            return self.rows(members, members)
        values = self._part(members, members)
        values = self.filled(values if self.affinity.symmetric else (values + values.T) / 2)
        np.fill_diagonal(values, 0.0)
        return values

    def rows(self, members: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
        """These members x all members (or some others), finite."""
        return self.filled(self.reach(members, others))

    def reach(self, members: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
        """These members x all members (or some others), infinite where no path leads."""
        cols = np.arange(len(self)) if others is None else others
        if isinstance(self.affinity, Graph):
            out = np.empty((len(members), len(cols)))
            for a in range(0, len(members), _SOURCES):
                found = dijkstra(
                    self.affinity.values, directed=False, indices=members[a : a + _SOURCES]
                )
                out[a : a + _SOURCES] = found[:, cols]
            return out
        values = self._part(members, cols)
        if not self.affinity.symmetric:
            values = (values + self._part(cols, members).T) / 2
        values[members[:, None] == cols[None, :]] = 0.0
        return values

    def filled(self, values: np.ndarray) -> np.ndarray:
        """A copy with `far` where a distance is infinite."""
        return np.where(np.isfinite(values), values, self.far)

    def _fill(self, values: np.ndarray) -> None:
        """The same in the array itself, a block at a time."""
        for rows in row_blocks(len(values), values.shape[1] if values.ndim > 1 else 1):
            part = values[rows]
            np.copyto(part, self.far, where=~np.isfinite(part))

    def _part(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return np.array(
            as_distance(
                pairwise.submatrix(self.affinity, rows, cols), self.affinity.kind, self.owner
            )
        )


def _all_finite(values: np.ndarray) -> bool:
    return all(bool(np.isfinite(values[rows]).all()) for rows in row_blocks(*values.shape))


def as_distance(values: np.ndarray, kind: Kind, owner: str) -> np.ndarray:
    """Plain values of an affinity as distances; refuses a distance below 0 and a similarity above 1."""
    if kind == "distance":
        if values.size and values.min() < 0:
            raise DataError(
                f"the affinity has the distance {values.min():g}, and a distance is never below 0.",
                owner=owner,
            )
        return values
    if values.size and values.max() > 1 + _ROUNDING:
        raise DataError(
            f"{owner} turns a similarity s into the distance 1 - s, and the affinity goes up to {values.max():g}; "
            "divide it by its largest value, or compare with a distance."
        )
    turned: Any = pairwise.distance(Dense(values.reshape(1, -1), kind, False))
    return np.asarray(turned.values).reshape(values.shape)


def links(graph: Graph, owner: str) -> Any:
    """The links of a neighbor graph as distances, sparse; a similarity that is not positive is no link."""
    matrix = sp.csr_array(graph.values, copy=True)
    if graph.kind == "similarity":
        matrix.data = np.maximum(matrix.data, 0.0)
        matrix.eliminate_zeros()
    matrix.data = np.array(
        as_distance(matrix.data, graph.kind, owner)
    )  # a link of length 0 stays a link
    return matrix


def query_bands(
    take: Callable[[np.ndarray], np.ndarray], queries: Affinity, owner: str
) -> Iterator[tuple[slice, np.ndarray]]:
    """What `take` makes of distances of new members to all fitted ones, some rows at a time; they are infinite without a link.

    It is called by the workers, so that no more bands are held than the memory given has room for.
    """
    asked = (
        Graph(links(queries, owner), "distance", False, own=False)
        if isinstance(queries, Graph)
        else queries
    )

    def taken(values: np.ndarray, *_: Any) -> tuple[np.ndarray]:
        return (take(as_distance(values, asked.kind, owner)),)

    yield from pairwise.reduce_bands(taken, asked, label="place")  # type: ignore[misc]


def same_kind(queries: Affinity, kind: str, owner: str) -> Affinity:
    """Refuse new members that are given as a distance to a method fitted on a similarity, or the other way round."""
    if queries.kind != kind:
        raise DataError(f"{owner} was fitted on a {kind}, and predict was given a {queries.kind}.")
    return queries


def _longest_path(matrix: Any) -> float:
    """The longest of the shortest paths to the first member of each piece: half a bound on every path of the graph."""
    _, piece = connected_components(matrix, directed=False)
    _, first = np.unique(piece, return_index=True)
    return float(dijkstra(matrix, directed=False, indices=first, min_only=True).max(initial=0.0))


def _largest(values: np.ndarray, kind: Kind) -> float:
    """The largest finite distance."""
    if kind == "similarity":
        return float(1.0 - values.min(initial=1.0))
    top = float(values.max(initial=0.0))
    return top if np.isfinite(top) else float(values.max(initial=0.0, where=np.isfinite(values)))


def _doubled(largest: float) -> float:
    return 2.0 * largest if largest > 0 else 1.0
