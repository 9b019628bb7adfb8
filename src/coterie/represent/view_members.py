"""Members seen in one view or several: checked, placed among the fitted components, ranked as mates, and put in clusters."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Representer
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.parts.mates import scores_between
from coterie.parts.view_groups import agreed, rule
from coterie.parts.view_places import Place

_TALL = 512  # queries scored at once


class ViewMembers(Representer):
    """What is done with members once the views' components are known."""

    takes: ClassVar[type] = Views
    sparse: ClassVar[bool] = True

    n_components: int | str
    center: bool
    random_state: int | None

    names_: tuple[str, ...]
    rows_: np.ndarray
    widths_: dict[str, int]
    columns_: dict[str, np.ndarray]
    known_: dict[str, np.ndarray]
    duals_: dict[str, np.ndarray]
    places_: dict[str, Place]
    factors_: np.ndarray
    n_features_out_: int

    @property
    def comparing(self) -> tuple[str, float | None]:
        """The kernel inside a view, and its width."""
        return "linear", None

    @property
    def common(self) -> np.ndarray:
        """The fitted members (`rows_`) as `transform` places them from all views that each is seen in, members x components."""
        check_is_fitted(self)
        return self.factors_

    def viewed(self, X: Any, *, new: bool = False) -> Views:
        """The views checked: at least two of them, the columns that were fitted, numbers only."""
        owner = type(self).__name__
        if new:
            check_is_fitted(self)
        else:
            self.check_params()
        views = Views.of(X, owner)
        if not new and len(views.names) < 2:
            raise DataError(
                f"{owner} needs at least two views, and got one; for one view use LSA, or a kernel's Embedding."
            )
        for name in views:
            self._check_view(name, views[name], views.seen[name], new)
        return views

    def _check_view(self, name: str, table: Table, seen: np.ndarray, new: bool) -> None:
        owner = f"{type(self).__name__}, view '{name}'"
        if new and name not in self.names_:
            raise DataError(
                f"no such view was fitted; there are {', '.join(self.names_)}.", owner=owner
            )
        if table.categories:
            raise DataError(
                f"column '{table.names[int(table.categorical[0])]}' holds words; encode it first.",
                owner=owner,
            )
        wrong = _first_wrong(table, seen)
        if wrong is not None:
            raise DataError(
                f"there is a value that is NaN or infinite, at row {wrong[0]}, column '{wrong[1]}'.",
                owner=owner,
            )
        if not new and self.comparing[0] == "precomputed" and table.shape[1] != len(table):
            raise DataError(
                f"a kernel of the fitted members is square, and this has {len(table)} rows and {table.shape[1]} columns.",
                owner=owner,
            )
        if new and table.shape[1] != self.widths_[name]:
            said = (
                f"{owner}: there are {table.shape[1]} columns, and {self.widths_[name]} were fitted"
            )
            if self.comparing[0] == "precomputed":
                said += f"; a kernel of n new members has a row for each and a column for each fitted one, n x {self.widths_[name]}"
            raise DataError(f"{said}.")

    def transform_view(self, name: str, rows: Any) -> np.ndarray:
        """The factors of new members seen in one view; a warning counts those of whom nothing is known."""
        table = self._new(name, rows)
        blank = self._blank(name, table)
        if blank.any():
            warnings.warn(
                f"{type(self).__name__}: {int(blank.sum())} of {len(table)} rows of view '{name}' hold nothing that was fitted, "
                f"row {int(blank.argmax())} first; their factors say nothing of them.",
                stacklevel=2,
            )
        return self.placed(name, table)

    def placed(self, name: str, table: Table) -> np.ndarray:
        """The factors of rows that were checked."""
        rows = table.values
        if self.comparing[0] == "precomputed":
            rows = (rows.toarray() if table.sparse else rows)[:, self.columns_[name]]
        return self.places_[name].place(rows)

    def blank(self, name: str, rows: Any) -> np.ndarray:
        """Marks of rows of which nothing is known: no word in common with the fitted members, or a kernel of zeros only."""
        return self._blank(name, self._new(name, rows))

    def _new(self, name: str, rows: Any) -> Table:
        check_is_fitted(self)
        if name not in self.names_:
            raise DataError(
                f"{type(self).__name__} has no view '{name}'; it has {', '.join(self.names_)}."
            )
        table = Table.of(rows)
        self._check_view(name, table, np.ones(len(table), dtype=bool), True)
        return table

    def _blank(self, name: str, table: Table) -> np.ndarray:
        kernel = self.comparing[0]
        if kernel not in ("linear", "precomputed"):
            return np.zeros(len(table), dtype=bool)
        known = (
            self.known_[name]
            if kernel == "linear"
            else np.isin(np.arange(table.shape[1]), self.columns_[name])
        )
        return np.asarray((table.values != 0) @ known == 0).ravel()

    def transform(self, X: Any) -> np.ndarray:
        """The factors of members by the views that each is seen in: their mean; any fitted view alone is enough."""
        views = self.viewed(X, new=True)
        total = np.zeros((len(views), self.n_features_out_))
        seen = np.zeros(len(views))
        for name in views:
            here = views.seen[name]
            total[here] += self.transform_view(name, views[name].take(np.flatnonzero(here)))
            seen += here
        if (seen == 0).any():
            raise DataError(
                f"member {int(np.argmin(seen))} is seen in no view.", owner=type(self).__name__
            )
        return np.asarray(total / seen[:, None])

    def weights(self, name: str) -> np.ndarray:
        """What each column of a view weighs in each component (columns x components); linear kernels only."""
        check_is_fitted(self)
        found = self.places_[name].by_column() if name in self.places_ else None
        if found is None:
            raise ParameterError(
                "only columns of fitted views with a linear kernel have weights.",
                owner=type(self).__name__,
            )
        return found

    def similarity(
        self, first: str, one: Any, second: str, other: Any, measure: str = "cosine"
    ) -> np.ndarray:
        """How alike members seen in one view are to members seen in another: rows x rows."""
        return scores_between(
            self.directed(first, one, measure), self.directed(second, other, measure), measure
        )

    def retrieve(
        self,
        first: str,
        queries: Any,
        second: str,
        candidates: Any,
        most: int = 5,
        measure: str = "cosine",
    ) -> tuple[np.ndarray, np.ndarray]:
        """The candidates (rows of the second view) most alike to every query (rows of the first), and how alike they are.

        By the cosine, candidates of which nothing is known come last, with minus infinity; a query of which nothing is known
        finds nobody: its positions are -1 and its scores minus infinity, and a warning counts such queries.
        """
        if not isinstance(most, Integral) or most < 1:
            raise ParameterError(
                f"most must be a whole number of at least 1, and was {most!r}.",
                owner=type(self).__name__,
            )
        one = self.directed(first, queries, measure)
        other = self.directed(second, candidates, measure)
        positions = np.empty((len(one), min(most, len(other))), dtype=np.int64)
        scores = np.empty(positions.shape)
        for top in range(0, len(one), _TALL):
            block = scores_between(one[top : top + _TALL], other, measure)
            best = np.argsort(-block, axis=1, kind="stable")[:, :most]
            positions[top : top + _TALL] = best
            scores[top : top + _TALL] = np.take_along_axis(block, best, axis=1)
        lost = ~one.any(axis=1) if measure == "cosine" else np.zeros(len(one), dtype=bool)
        if lost.any():
            positions[lost] = -1
            warnings.warn(
                f"{type(self).__name__}: {int(lost.sum())} of {len(one)} queries hold nothing that was fitted, query "
                f"{int(lost.argmax())} first, and find nobody: their positions are -1.",
                stacklevel=2,
            )
        return positions, scores

    def directed(self, name: str, rows: Any, measure: str = "cosine") -> np.ndarray:
        """Factors; those of rows of which nothing is known are zeros when directions are compared, and are ranked last."""
        table = self._new(name, rows)
        found = self.placed(name, table)
        return (
            np.where(self._blank(name, table)[:, None], 0.0, found)
            if measure == "cosine"
            else found
        )

    def assign(
        self, X: Any, n_clusters: int | None = None, method: str = "kmeans"
    ) -> dict[str, np.ndarray]:
        """The cluster of every member by each view alone; -1 where the view does not have it.

        Clusters are learned from the fitted members: `kmeans` on the leading components (one fewer than clusters where views
        are centered), `argmax` for the largest component by size, `varimax` for the largest after a rotation.
        """
        views = self.viewed(X, new=True)
        found = {}
        seed = stream(self.random_state, 13)
        learned = rule(
            self.common,
            n_clusters,
            method,
            type(self).__name__,
            centered=self.center,
            random_state=seed,
        )
        for name in views:
            here = np.flatnonzero(views.seen[name])
            found[name] = np.full(len(views), -1, dtype=np.int64)
            found[name][here] = learned.labels(self.placed(name, views[name].take(here)))
        return found

    def agreement(self, X: Any, n_clusters: int | None = None, method: str = "kmeans") -> float:
        """The share of members, of those in two views or more, that all their views put in the same cluster."""
        return agreed(self.assign(X, n_clusters, method), type(self).__name__)


def _first_wrong(table: Table, seen: np.ndarray) -> tuple[int, str] | None:
    """Row and column of the first value that is not finite, among the rows that are seen."""
    if table.sparse:
        at = np.flatnonzero(~np.isfinite(table.values.data))
        rows = np.searchsorted(table.values.indptr, at, side="right") - 1
        columns = table.values.indices[at]
    else:
        rows, columns = np.nonzero(~np.isfinite(table.values))
    among = np.flatnonzero(seen[rows])
    return (int(rows[among[0]]), table.names[int(columns[among[0]])]) if len(among) else None
