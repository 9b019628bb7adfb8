"""What all comparers over tables share: learn, prepare the rows once, leave the pairs to a tile computed when asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from coterie.compare.role import Comparer
from coterie.core.affinity import Affinity, Kind, Lazy, Tile
from coterie.core.errors import DataError
from coterie.core.table import Table
from coterie.parts.near_rows import NearRows

Search = Callable[[], NearRows]


class OverTable(Comparer):
    """A comparer of rows; a method gives `prepare` (row-aligned arrays) and `tile` (a function that can be pickled)."""

    kind: ClassVar[Kind] = "distance"
    positive: ClassVar[bool] = False  # whether values below zero are refused

    affinity_: Lazy

    def learn(self, table: Table) -> None:
        """Learn what must be frozen (means, ranges, widths); nothing by default."""

    def prepare(self, table: Table) -> tuple[Any, ...]:
        """Row-aligned arrays that the tile needs."""
        raise NotImplementedError(f"{type(self).__name__} does not define prepare")

    def tile(self) -> Tile:
        """The function from two prepared blocks to the values of their pairs."""
        raise NotImplementedError(f"{type(self).__name__} does not define tile")

    def search(self, rows: tuple[Any, ...]) -> Search | None:
        """How near ones of the prepared rows are found without all pairs; None where they cannot be."""
        return None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the members and set `affinity_`, which computes its values when asked."""
        table = self._checked(X, new=False)
        self.learn(table)
        rows = (*self.prepare(table), np.arange(len(table)))
        self.affinity_ = Lazy(self.tile(), rows, rows, self.kind, True, self.search(rows))
        return self

    def compare(self, X: Any) -> Affinity:
        """How new members relate to the fitted ones: an affinity, queries x members."""
        table = self._checked(X, new=True).held(sparse=hasattr(self.affinity_.cols[0], "tocsr"))
        rows = (*self.prepare(table), np.full(len(table), -1))
        return Lazy(self.affinity_.tile, rows, self.affinity_.cols, self.kind, False)

    def _checked(self, X: Any, *, new: bool) -> Table:
        table: Table = self.check(X, new=new)
        values = table.values.data if table.sparse else table.values
        if self.positive and values.size and np.nanmin(values) < 0:
            row, column = np.argwhere(np.asarray(table.values) < 0)[0]
            raise DataError(
                f"Negative values in data: row {row}, column '{table.names[column]}' is below 0, "
                "and shares or counts are needed.",
                owner=type(self).__name__,
            )
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.positive
        return tags


def fitted_rows(X: Any) -> Any:
    """A dense table as one C-contiguous block of float64, a sparse one as it is."""
    return X if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float64)
