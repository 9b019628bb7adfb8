"""Nearest: every member gets the label of the nearest member trained on; the default classifier of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.compare.sic.columns import Columns, columns
from coterie.compare.sic.roles import Diverter, Reason
from coterie.core.params import param
from coterie.core.random import small_seed, stream
from coterie.core.table import Table

_BAND = (
    4096  # members looked at together; a constant, so that results never depend on the workplace
)


@dataclass(frozen=True, slots=True, eq=False)
class _Neighbors:
    """The members trained on: their rows, what is taken from a product with them, and which columns count."""

    members: np.ndarray
    labels: np.ndarray
    rows: Any  # columns that were not drawn are zero
    half: (
        np.ndarray | None
    )  # half the squared length and what gaps are expected to add; None for cosines
    weight: np.ndarray | None  # 1 for columns drawn, else 0; None: all


class Nearest(Diverter):
    """Nearest neighbor: numbers to comparable spread, one column per level of a word, gaps at their expected distance.

    A word column weighs as much as a number: all its levels together have the variance of one standardized column.
    The squared distance across a gap is its expected value, (x - mean)^2 + variance.
    """

    takes: ClassVar[tuple[type, ...]] = (Table,)

    scale: str = param(
        "auto",
        "standard (deviation 1), rank, none; auto standardizes unless all columns are numbers of like spread.",
        choices=("auto", "standard", "rank", "none"),
    )
    metric: str = param(
        "auto",
        "euclidean or cosine; auto is cosine for sparse tables.",
        choices=("auto", "euclidean", "cosine"),
    )
    columns: float = param(
        1.0, "Share of the columns looked at, drawn anew in every iteration.", gt=0, le=1
    )
    n_neighbors: int = param(
        1, "Trained members that vote; the nearest wins a tie.", ge=1, advanced=True
    )

    def train_share(self, n_units: int) -> float:
        """As many members as the square root of all: the nearest of few tells coarse groups, of many only near twins."""
        return float(1 / np.sqrt(max(n_units, 4)))

    def label_range(self, n_train: int) -> tuple[int, int]:
        """Many more labels than trained members: two of them rarely share one by chance."""
        return max(2, 10 * n_train), max(2, 10 * n_train)

    def prepare(self, view: Any, like: Any = None) -> Columns:
        """The table as rows of comparable numbers."""
        return columns(
            Table.of(view), "center" if self.scale == "none" else self.scale, "Nearest", like
        )

    def draw(self, data: Columns, generator: np.random.Generator) -> dict[str, Any]:
        """Which columns are looked at, as a seed."""
        return {} if self.columns == 1 else {"columns seed": small_seed(generator)}

    def train(
        self,
        data: Columns,
        members: np.ndarray,
        labels: np.ndarray,
        drawn: Mapping[str, Any],
        generator: np.random.Generator,
        contrast: Any = None,
    ) -> _Neighbors:
        """Keep the rows, in random order so that no tie goes by the order of the file; equal rows count once."""
        order = generator.permutation(len(members))
        _, first = np.unique(data.same[members[order]], return_index=True)
        order = order[np.sort(first)]
        kept = np.asarray(members)[order]
        weight = self._weight(data, drawn)
        rows = _weighted(data.rows[kept], weight)
        lengths = (
            np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
            if data.table.sparse
            else np.einsum("ij,ij->i", rows, rows)
        )
        if self._cosine(data):
            over = np.divide(1.0, np.sqrt(lengths), out=np.zeros_like(lengths), where=lengths > 0)
            return _Neighbors(kept, np.asarray(labels)[order], _scaled(rows, over), None, weight)
        if data.known is not None:
            spread = data.spread if weight is None else data.spread * weight
            lengths = lengths + ~data.known[kept] @ spread
        return _Neighbors(kept, np.asarray(labels)[order], rows, lengths / 2, weight)

    def apply(self, trained: _Neighbors, data: Columns, members: np.ndarray) -> np.ndarray:
        """The label of the nearest; members with the very same row get the very same label."""
        rows, back = np.unique(data.same[members], return_inverse=True)
        k = min(self.n_neighbors, len(trained.members))
        labels = [
            _voted(self._near(trained, data, rows[a : a + _BAND]), trained.labels, k)
            for a in range(0, len(rows), _BAND)
        ]
        return np.concatenate(labels)[back.ravel()] if labels else trained.labels[:0]

    def reasons(
        self, trained: _Neighbors, data: Columns, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """Columns in which these members lie unusually close to the trained member that most of them share."""
        nearest = self._near(trained, data, np.asarray(members)).argmax(axis=1)
        shared = int(np.bincount(nearest).argmax())
        mine = np.asarray(members)[nearest == shared]
        center = int(trained.members[shared])
        if data.table.sparse:
            return _sparse_reasons(data, mine, center)
        gap = np.square(data.rows[mine] - data.rows[center])
        both = (
            np.ones_like(gap, dtype=bool)
            if data.known is None
            else data.known[mine] & data.known[center]
        )
        seen = both if trained.weight is None else both & (trained.weight > 0)
        width = data.table.shape[1]
        got = np.bincount(data.source, weights=(gap * seen).sum(axis=0), minlength=width)
        usual = np.bincount(
            data.source, weights=seen.sum(axis=0) * 2 * data.spread, minlength=width
        )
        close = 1.0 - np.divide(got, usual, out=np.ones_like(got), where=usual > 0)
        order = [int(j) for j in np.argsort(-close, kind="stable") if close[j] > 0]
        return tuple(
            (_near_words(data.table, j, np.asarray(members)), float(close[j])) for j in order
        )

    def _near(self, trained: _Neighbors, data: Columns, rows: np.ndarray) -> np.ndarray:
        """Members x trained members, larger is nearer: the product, less half the trained one's squared length."""
        product = data.rows[rows] @ trained.rows.T
        score = np.asarray(product.toarray() if data.table.sparse else product, dtype=np.float64)
        if trained.half is not None:
            score -= trained.half
        return score

    def _cosine(self, data: Columns) -> bool:
        return self.metric == "cosine" or (self.metric == "auto" and data.table.sparse)

    def _weight(self, data: Columns, drawn: Mapping[str, Any]) -> np.ndarray | None:
        if "columns seed" not in drawn:
            return None
        width = data.table.shape[1]
        count = max(1, round(self.columns * width))
        chosen = np.zeros(width)
        chosen[stream(int(drawn["columns seed"])).permutation(width)[:count]] = 1.0
        return chosen[data.source]


def _voted(near: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """The label most of the k nearest have; the nearest among those with equally many."""
    if k == 1:
        return np.asarray(labels[near.argmax(axis=1)])
    order = np.argsort(-near, axis=1, kind="stable")[:, :k]
    names, codes = np.unique(labels, return_inverse=True)
    said = codes.ravel()[order]
    votes = (said[:, :, None] == said[:, None, :]).sum(axis=2)
    return np.asarray(
        names[np.take_along_axis(said, votes.argmax(axis=1)[:, None], axis=1).ravel()]
    )


def _weighted(rows: Any, weight: np.ndarray | None) -> Any:
    if weight is None:
        return rows
    return rows.multiply(weight[None, :]).tocsr() if hasattr(rows, "tocsr") else rows * weight


def _scaled(rows: Any, factor: np.ndarray) -> Any:
    return (
        rows.multiply(factor[:, None]).tocsr() if hasattr(rows, "tocsr") else rows * factor[:, None]
    )


def _near_words(table: Table, column: int, members: np.ndarray) -> str:
    """Where these members lie: their mean, or the word most of them have; the same in every iteration."""
    seen = table.values[members, column]
    seen = seen[~np.isnan(seen)]
    if column in table.categories:
        return f"{table.names[column]} is {table.level(column, float(np.bincount(seen.astype(np.int64)).argmax()))}"
    middle = float(seen.mean())
    head = f"{table.names[column]} near"
    if column in table.dates or np.isnan(middle):
        return f"{head} {table.level(column, middle)}"
    return Reason(head, (middle,))


def _sparse_reasons(
    data: Columns, members: np.ndarray, center: int
) -> tuple[tuple[str, float], ...]:
    """Columns that make up the product with the shared trained member, as shares of it."""
    product = np.asarray(data.rows[members].multiply(data.rows[[center]]).sum(axis=0)).ravel()
    total = float(np.abs(product).sum())
    order = [int(j) for j in np.argsort(-product, kind="stable")[:50] if product[j] > 0]
    return tuple((data.table.names[j], float(product[j]) / total) for j in order)
