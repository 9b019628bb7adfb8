"""Estimator: a keyword-only dataclass with declared parameters that scikit-learn can clone, search and pipe; and its roles.

A representer takes a view and gives a table or ragged of numbers. An organizer takes an affinity, gives a partition, and has a
place for members that come later. Comparers need the driver of pairs and are in `compare`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity, Condensed, Dense, Graph, Lazy
from coterie.core.collection import as_view
from coterie.core.errors import DataError, ParameterError
from coterie.core.hints import Hints
from coterie.core.links import Links
from coterie.core.params import Settings
from coterie.core.partition import Partition
from coterie.core.table import Table, row_blocks


class NamesError(DataError, TypeError):
    """Columns are called by words and by numbers."""


class Estimator(Settings, BaseEstimator):
    """Base of all methods: parameters are declared with `param()`, checked when `fit` starts, never in the constructor."""

    takes: ClassVar[type] = Table
    also: ClassVar[tuple[type, ...]] = ()  # further kinds of views it takes as they are
    gives: ClassVar[type] = Table
    gaps: ClassVar[bool] = False  # whether a table may have NaN
    categories: ClassVar[bool] = False  # whether a table may have categorical columns
    sparse: ClassVar[bool] = False  # whether a table may be sparse
    least: ClassVar[int] = 1  # members needed
    largest: ClassVar[float] = (
        1e100  # values above it, whose powers and sums are no numbers any more, are refused
    )

    __repr__ = Settings.__repr__

    n_features_in_: int
    feature_names_in_: np.ndarray

    def check(self, data: Any, *, new: bool = False) -> Any:
        """Check the parameters and turn `data` into what this method takes; `new` compares it with what was fitted."""
        if new:
            check_is_fitted(self)
        else:
            self.check_params()
        view = self._as_taken(data)
        if not new and len(view) < self.least:
            raise DataError(
                f"{type(self).__name__} needs at least {self.least} members, and got n_samples = {len(view)}."
            )
        if len(view) == 0:
            raise DataError(
                "found array with 0 sample(s), where a minimum of 1 is required.",
                owner=type(self).__name__,
            )
        if isinstance(view, Links):
            self._check_links(view)
        if isinstance(view, Table):
            self._check_table(view)
            self._check_width(data, view, new)
        return view

    def _as_taken(self, data: Any) -> Any:
        owner = type(self).__name__
        if self.takes is not Affinity:
            return as_view(data, (self.takes, *self.also), owner)
        if not isinstance(data, Affinity):
            raise DataError(
                f"{owner} takes an Affinity, and was given {type(data).__name__}; say what a square array is with "
                "Affinity.of(array, kind='distance') or put a comparer before it in a coterie.Pipeline."
            )
        if isinstance(data, (Dense, Condensed)) and data.values.dtype.kind not in "biuf":
            raise DataError(
                f"an affinity holds numbers, and this one holds {data.values.dtype}.", owner=owner
            )
        if not isinstance(data, Lazy):
            self._check_held(data)
        return data

    def _check_held(self, affinity: Any) -> None:
        """Refuse an affinity that holds what no method can use; one that computes its values is not asked for all of them."""
        owner = type(self).__name__
        held = affinity.values.data if isinstance(affinity, Graph) else affinity.values
        gap = _first(held, np.isnan)
        if gap is not None or np.isnan(getattr(affinity, "diagonal", 0.0)):
            where = (
                f" at row {gap[0]}, column {gap[1]}"
                if gap is not None and len(gap) > 1
                else "; fill or drop that pair first"
            )
            raise DataError(f"the affinity has NaN{where}.", owner=owner)
        if _first(held, np.isinf if affinity.kind == "similarity" else np.isneginf) is not None:
            raise DataError(
                "the affinity has an infinite value; a distance may be infinite, a similarity not.",
                owner=owner,
            )
        if _first(held, self._too_large) is not None:
            raise DataError(
                f"the affinity has values above {self.largest:g}, whose powers are too large; scale it first.",
                owner=owner,
            )

        if _first(held, np.asarray) is not None and _first(held, self._of_some_size) is None:
            raise DataError(
                f"all values of the affinity are below {1 / self.largest:g}, and their powers too small; scale it first.",
                owner=owner,
            )

    def _of_some_size(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(values) >= 1 / self.largest)

    def _too_large(self, values: np.ndarray) -> np.ndarray:
        """Finite numbers above the largest that is taken, by size."""
        return np.asarray((np.abs(values) > np.float64(self.largest)) & np.isfinite(values))

    def _check_links(self, links: Links) -> None:
        empty = next((name for name, ids in links.ids.items() if not len(ids)), None)
        if empty is not None:
            raise DataError(
                f"the population '{empty}' is empty (0 feature(s)); leave its tables out.",
                owner=type(self).__name__,
            )

    def _check_table(self, table: Table) -> None:
        owner = type(self).__name__
        if table.shape[1] == 0:
            raise DataError(
                f"0 feature(s) (shape=({table.shape[0]}, 0)) while a minimum of 1 is required.",
                owner=owner,
            )
        if table.sparse and not self.sparse:
            raise DataError(f"{owner} does not take sparse input; pass a dense array (.toarray()).")
        if table.categories and not self.categories:
            first = table.names[int(table.categorical[0])]
            raise DataError(
                f"{owner} takes numbers only, and column '{first}' holds words; use Gower, or encode it first."
            )
        data = table.values.data if table.sparse else table.values
        found = _first(data, np.isinf if self.gaps else _not_finite)
        if found is None:
            self._check_largest(table, data)
            return
        if table.sparse:
            raise DataError("input contains NaN or infinity.", owner=owner)
        row, col = found
        what = "infinity" if np.isinf(data[row, col]) else "NaN"
        raise DataError(
            f"input contains {what} at row {row}, column '{table.names[col]}'; fill or drop it first.",
            owner=owner,
        )

    def _check_largest(self, table: Table, data: np.ndarray) -> None:
        found = _first(data, self._too_large) if np.isfinite(self.largest) else None
        if found is not None:
            where = "" if table.sparse else f" at row {found[0]}, column '{table.names[found[1]]}'"
            raise DataError(
                f"input contains a value above {self.largest:g}{where}, whose powers are too large; "
                "scale it first.",
                owner=type(self).__name__,
            )

    def _check_width(self, data: Any, table: Table, new: bool) -> None:
        owner = type(self).__name__
        names = _string_names(data)
        if not new:
            self.n_features_in_ = table.shape[1]
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return
        if (
            names is not None
            and hasattr(self, "feature_names_in_")
            and list(names) != list(self.feature_names_in_)
        ):
            raise DataError(
                f"The feature names should match those that were passed during fit: "
                f"{_name_difference(list(names), list(self.feature_names_in_))}",
                owner=owner,
            )
        if table.shape[1] != self.n_features_in_:
            raise DataError(
                f"X has {table.shape[1]} features, but {owner} is expecting {self.n_features_in_} features as input."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.sparse
        tags.input_tags.allow_nan = self.gaps
        tags.input_tags.categorical = self.categories
        tags.input_tags.string = self.categories
        return tags


def _first(data: np.ndarray, bad: Callable[[np.ndarray], np.ndarray]) -> tuple[int, ...] | None:
    """Where the first bad number is, looked for a block at a time, so that no copy of the whole is made; None without one."""
    for rows in row_blocks(len(data), data.shape[1] if data.ndim > 1 else 1):
        found = bad(data[rows])
        if found.any():
            first = np.argwhere(found)[0]
            return (rows.start + int(first[0]), *map(int, first[1:]))
    return None


def _not_finite(values: np.ndarray) -> np.ndarray:
    return np.asarray(~np.isfinite(values))


def _string_names(data: Any) -> np.ndarray | None:
    columns = getattr(data, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    kinds = {isinstance(name, str) for name in names}
    if kinds == {True, False}:
        raise NamesError(
            "Feature names are only supported if all input features have string names; convert them with str."
        )
    return np.array(names, dtype=object) if kinds == {True} else None


def _name_difference(new: list[str], old: list[str]) -> str:
    unseen = [n for n in new if n not in old]
    missing = [n for n in old if n not in new]
    if unseen:
        return f"unseen at fit time: {', '.join(unseen[:5])}."
    if missing:
        return f"seen at fit time, yet now missing: {', '.join(missing[:5])}."
    return "they must be in the same order as they were in fit."


class Representer(TransformerMixin, Estimator):
    """A view -> Table or Ragged: `fit`, `transform`, `fit_transform`; `represent` keeps the names of the columns."""

    n_features_out_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the members."""
        raise NotImplementedError(f"{type(self).__name__} does not define fit")

    def transform(self, X: Any) -> Any:
        """The numbers of these members as an array or sparse matrix."""
        raise NotImplementedError(f"{type(self).__name__} does not define transform")

    def represent(self, X: Any) -> Any:
        """What `transform` gives as a Table whose columns have names."""
        values = self.transform(X)
        names = tuple(str(name) for name in self.get_feature_names_out())
        return Table(values, names) if len(names) == values.shape[1] else Table.of(values)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` gives."""
        width = getattr(self, "n_features_out_", 0)
        return np.array([f"{type(self).__name__.lower()}{j}" for j in range(width)], dtype=object)


class Organizer(ClusterMixin, Estimator):
    """Affinity, Table, Ragged or links -> Partition: `fit`, `fit_predict`, `predict(new)`; `partition_`, `labels_`."""

    takes: ClassVar[type] = Affinity
    gives: ClassVar[type] = Partition
    guided: ClassVar[bool] = (
        False  # whether fit takes hints: labels of some members, pairs together or apart
    )

    represents: ClassVar[bool] = (
        False  # whether it represents members itself, and is given them as they were read
    )
    cuts_graph: ClassVar[bool] = (
        False  # whether an exploration gives it the graph of nearest neighbors, not all pairs
    )

    partition_: Partition

    def fit(self, X: Any, y: Any = None) -> Self:
        """Group the members and set `partition_`."""
        raise NotImplementedError(f"{type(self).__name__} does not define fit")

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members, given how they relate to the fitted ones (an affinity, queries x members)."""
        raise NotImplementedError(f"{type(self).__name__} does not define predict")

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fit, and give the group of every member."""
        return self.fit(X, y, **fit_params).labels_

    @property
    def labels_(self) -> np.ndarray:
        """The group of every fitted member, -1 in none."""
        check_is_fitted(self, "partition_")
        return self.partition_.labels

    def check_square(self, X: Any) -> Affinity:
        """The affinity checked: members x members, at least as many as this method needs."""
        affinity: Affinity = self.check(X)
        if not affinity.square:
            raise DataError(
                f"fit takes members x members, and the affinity is "
                f"{affinity.shape[0]} x {affinity.shape[1]}.",
                owner=type(self).__name__,
            )
        return affinity

    def check_queries(self, X: Any) -> Affinity:
        """The affinity of new members checked: as many columns as there were members in fit, of the same kind."""
        check_is_fitted(self, "partition_")
        queries: Affinity = self.check(X, new=True)
        if queries.shape[1] != len(self.partition_):
            raise DataError(
                f"predict takes queries x {len(self.partition_)} members, and the affinity has "
                f"{queries.shape[1]} columns.",
                owner=type(self).__name__,
            )
        return queries

    def check_hints(
        self, hints: Hints | None, n: int, ids: Sequence[str] | None = None
    ) -> Hints | None:
        """The hints checked: as many members, nothing that cannot all be true; None where nothing is known."""
        if hints is None:
            return None
        if not self.guided:
            raise ParameterError(f"{type(self).__name__} takes no hints.")
        if not isinstance(hints, Hints):
            raise ParameterError(
                f"hints must be Hints.of(members, labels, ...), and was {hints!r:.60}.",
                owner=type(self).__name__,
            )
        if len(hints) != n:
            raise DataError(
                f"the hints are on {len(hints)} members, and there are {n}.",
                owner=type(self).__name__,
            )
        return hints.consistent(type(self).__name__, ids) if hints else None

    def check_groups(self, n_groups: int | None, n: int) -> None:
        """Refuse more groups than members."""
        if n_groups is not None and n_groups > n:
            many = "is only 1 member" if n == 1 else f"are only {n} members"
            raise DataError(f"n_groups is {n_groups} and there {many}.", owner=type(self).__name__)
