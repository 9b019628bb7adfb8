"""Estimator: a keyword-only dataclass with declared parameters that scikit-learn can clone, search and pipe."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity, Dense
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.params import Settings
from coterie.core.table import Table


class Estimator(Settings, BaseEstimator):
    """Base of all methods: parameters are declared with `param()`, checked when `fit` starts, never in the constructor."""

    takes: ClassVar[type] = Table
    also: ClassVar[tuple[type, ...]] = ()  # further kinds of views it takes as they are
    gives: ClassVar[type] = Table
    gaps: ClassVar[bool] = False  # whether a table may have NaN
    categories: ClassVar[bool] = False  # whether a table may have categorical columns
    sparse: ClassVar[bool] = False  # whether a table may be sparse
    least: ClassVar[int] = 1  # members needed

    __repr__ = Settings.__repr__

    def check(self, data: Any, *, new: bool = False) -> Any:
        """Check the parameters and turn `data` into what this method takes; `new` compares it with what was fitted."""
        if new:
            check_is_fitted(self)
        else:
            self.check_params()
        view = self._as_taken(data)
        if not new and len(view) < self.least:
            raise DataError(f"{type(self).__name__} needs at least {self.least} members, and got n_samples = {len(view)}.")
        if len(view) == 0:
            raise DataError(f"{type(self).__name__}: found array with 0 sample(s), where a minimum of 1 is required.")
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
        if isinstance(data, Dense) and np.isnan(data.values).any():
            row, col = np.argwhere(np.isnan(data.values))[0]
            raise DataError(f"{owner}: the affinity has NaN at row {row}, column {col}.")
        return data

    def _check_table(self, table: Table) -> None:
        owner = type(self).__name__
        if table.shape[1] == 0:
            raise DataError(f"{owner}: 0 feature(s) (shape=({table.shape[0]}, 0)) while a minimum of 1 is required.")
        if table.sparse and not self.sparse:
            raise DataError(f"{owner} does not take sparse input; pass a dense array (.toarray()).")
        if table.categories and not self.categories:
            first = table.names[int(table.categorical[0])]
            raise DataError(f"{owner} takes numbers only, and column '{first}' holds words; use Gower, or encode it first.")
        data = table.values.data if table.sparse else table.values
        finite = np.isfinite(data) if not self.gaps else ~np.isinf(data)
        if finite.all():
            return
        if table.sparse:
            raise DataError(f"{owner}: input contains NaN or infinity.")
        row, col = np.argwhere(~finite)[0]
        what = "infinity" if np.isinf(data[row, col]) else "NaN"
        raise DataError(f"{owner}: input contains {what} at row {row}, column '{table.names[col]}'; fill or drop it first.")

    def _check_width(self, data: Any, table: Table, new: bool) -> None:
        owner, names = type(self).__name__, _string_names(data)
        if not new:
            self.n_features_in_ = table.shape[1]
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return
        if names is not None and hasattr(self, "feature_names_in_") and list(names) != list(self.feature_names_in_):
            raise DataError(
                f"{owner}: The feature names should match those that were passed during fit: "
                f"{_name_difference(list(names), list(self.feature_names_in_))}"
            )
        if table.shape[1] != self.n_features_in_:
            raise DataError(f"X has {table.shape[1]} features, but {owner} is expecting {self.n_features_in_} features as input.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.sparse
        tags.input_tags.allow_nan = self.gaps
        tags.input_tags.categorical = self.categories
        tags.input_tags.string = self.categories
        return tags


def _string_names(data: Any) -> np.ndarray | None:
    columns = getattr(data, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    kinds = {isinstance(name, str) for name in names}
    if kinds == {True, False}:
        raise TypeError("Feature names are only supported if all input features have string names; convert them with str.")
    return np.array(names, dtype=object) if kinds == {True} else None


def _name_difference(new: list[str], old: list[str]) -> str:
    unseen, missing = [n for n in new if n not in old], [n for n in old if n not in new]
    if unseen:
        return f"unseen at fit time: {', '.join(unseen[:5])}."
    if missing:
        return f"seen at fit time, yet now missing: {', '.join(missing[:5])}."
    return "they must be in the same order as they were in fit."
