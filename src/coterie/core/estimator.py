"""Estimator: a keyword-only dataclass with declared parameters that scikit-learn can clone, search and pipe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity, Condensed, Dense, Graph, Lazy
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.links import Links
from coterie.core.params import Settings
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
