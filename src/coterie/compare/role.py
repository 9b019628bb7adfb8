"""What every comparer is: a view in, an affinity out; dense arrays for scikit-learn pipelines.

Those of tables learn, prepare the rows once, and leave the pairs to a tile computed when asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity, Kind, Lazy, Tile
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.estimator import Estimator
from coterie.core.table import Table
from coterie.parts.near_rows import NearRows
from coterie.parts.pairwise import dense


class Comparer(TransformerMixin, Estimator):
    """A view -> Affinity: `fit` learns `affinity_`, `compare(new)` gives queries x members.

    `fit_transform` and `transform` give dense arrays, so that a comparer stands in a scikit-learn Pipeline.
    """

    gives: ClassVar[type] = Affinity
    members_: Any
    often: ClassVar[int] = (
        600  # members at most where all pairs are compared a dozen times over, for the evidence
    )
    by_order: ClassVar[bool] = True  # whether the order of the steps of a member matters to it
    agrees: ClassVar[bool] = (
        True  # whether a fitted member compared as a new one gets the row it had
    )
    transient: ClassVar[
        tuple[str, ...]
    ] = ()  # learned attributes that are made again rather than stored

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the members and set `affinity_`."""
        raise NotImplementedError(f"{type(self).__name__} does not define fit")

    def compare(self, X: Any) -> Affinity:
        """How new members relate to the fitted ones: an affinity, queries x members."""
        raise NotImplementedError(f"{type(self).__name__} does not define compare")

    def check_alike(self, X: Any) -> Any:
        """New members, checked, in the kind of view that was fitted (`members_`)."""
        check_is_fitted(self)
        kind = type(self.members_)
        view = self.check(
            X if kind is self.takes else as_view(X, kind, type(self).__name__), new=True
        )
        if not isinstance(view, kind):
            raise DataError(
                f"{type(self).__name__} takes {kind.__name__}, and was given {type(view).__name__}."
            )
        return view.held(self.members_.sparse) if isinstance(view, Table) else view

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fit, and give the affinity as a dense members x members array."""
        return dense(self.fit(X, y).affinity_).values

    def transform(self, X: Any) -> np.ndarray:
        """Queries x members as a dense array."""
        return dense(self.compare(X)).values

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """One column per fitted member."""
        return np.array([f"member{j}" for j in range(self.affinity_.shape[1])], dtype=object)


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
