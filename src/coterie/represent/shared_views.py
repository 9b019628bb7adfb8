"""What representations of several views share: views prepared, new members placed from any view, mates, and assignment."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.parts.mates import scores_between
from coterie.parts.row_kernels import RowKernel, median_width
from coterie.parts.sides import FeatureSide, KernelSide, Side, nystroem
from coterie.represent.role import Representer

KERNELS = ("linear", "gaussian", "polynomial", "precomputed")
GRID = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # of regularization, in the scale where a view's mean variance is one
_WHOLE = 3000  # members up to which kernels are held whole when no rank is asked for
_RANK = 300  # of the factors beyond that
_FAR = 100.0  # how much the sizes of views may differ before it is said


class SharedViews(Representer):
    """Base of representations of the same members in several views.

    Learned: `names_` (the views), `sides_` (each prepared), `duals_` (weights of the fitted members, by view), `factors_` (the
    members' common scores), `strength_` (of each component, falling), `tau_`, `notes_`.
    """

    takes: ClassVar[type] = Views
    sparse: ClassVar[bool] = True
    least: ClassVar[int] = 3

    kernel: str = param("linear", "How two members are compared inside a view.", choices=KERNELS)
    width: float | None = param(None, "Width of a gaussian or polynomial kernel; the median distance when left out.", gt=0)
    rank: int | None = param(None, "Rank of each view's factors; all up to 3,000 members, and 300 beyond.", ge=1)
    center: bool = param(True, "Whether the mean of each view is taken away.", advanced=True)
    scale_kernels: bool = param(True, "Whether each view is divided by its mean variance.", advanced=True)

    names_: tuple[str, ...]
    sides_: dict[str, Side]
    duals_: dict[str, np.ndarray]
    factors_: np.ndarray
    strength_: np.ndarray
    notes_: tuple[str, ...]

    def viewed(self, X: Any, *, new: bool = False) -> Views:
        """The views checked: at least two of them, the columns that were fitted, numbers only."""
        owner = type(self).__name__
        if new:
            check_is_fitted(self)
        else:
            self.check_params()
        views = Views.of(X, owner)
        if not new and len(views.names) < 2:
            raise DataError(f"{owner} needs at least two views, and got one; for one view use LSA, or a kernel's Embedding.")
        if not new and len(views.complete) < self.least:
            raise DataError(f"{owner} needs at least {self.least} members seen in every view, and got {len(views.complete)}.")
        for name in views:
            self._check_view(name, views[name], new)
        return views

    def _check_view(self, name: str, table: Table, new: bool) -> None:
        owner = f"{type(self).__name__}, view '{name}'"
        if new and name not in self.names_:
            raise DataError(f"{owner}: no such view was fitted; there are {', '.join(self.names_)}.")
        if table.categories:
            raise DataError(f"{owner}: column '{table.names[int(table.categorical[0])]}' holds words; encode it first.")
        values = table.values.data if table.sparse else table.values
        if not np.isfinite(values).all():
            raise DataError(f"{owner}: there is a value that is NaN or infinite.")
        if new and table.shape[1] != self.widths_[name]:
            raise DataError(f"{owner}: there are {table.shape[1]} columns, and {self.widths_[name]} were fitted.")

    def prepared(self, views: Views, random_state: Any) -> dict[str, Side]:
        """Each view centered, scaled and factored."""
        self.names_ = views.names
        self.widths_ = {name: views[name].shape[1] for name in views}
        sides = {name: self._side(name, views[name], at, random_state) for at, name in enumerate(views)}
        self._warn_of_sizes(sides)
        return sides

    def _side(self, name: str, table: Table, at: int, random_state: Any) -> Side:
        owner, rows = f"{type(self).__name__}: view '{name}'", table.values
        how: dict[str, Any] = {"center": self.center, "scale": self.scale_kernels}
        rank = self.rank or (_RANK if len(table) > _WHOLE else None)
        if self.kernel == "precomputed":
            return KernelSide.of(rows, None, owner, **how)
        seed = stream(random_state, 11, at)
        if self.kernel == "linear":
            if rank is None:
                return KernelSide.of(rows, linear, owner, **how)
            return FeatureSide.of(rows, _same, rank, owner, random_state=seed, **how)
        dense = np.asarray(rows.toarray() if table.sparse else rows, dtype=np.float64)
        width = median_width(dense, self.kernel, owner) if self.width is None else self.width
        compared = partial(curved, RowKernel(self.kernel, width, owner=owner))
        if rank is None:
            return KernelSide.of(dense, compared, owner, **how)
        return FeatureSide.of(dense, nystroem(dense, compared, rank, seed), rank, owner, random_state=seed, **how)

    def _warn_of_sizes(self, sides: Mapping[str, Side]) -> None:
        totals = {name: float(side.spectrum.values.sum()) for name, side in sides.items()}
        if not self.scale_kernels and max(totals.values()) > _FAR * min(totals.values()):
            small, large = min(totals, key=totals.__getitem__), max(totals, key=totals.__getitem__)
            warnings.warn(
                f"{type(self).__name__}: view '{small}' is far smaller than '{large}' and will decide alone; leave "
                "scale_kernels on.",
                stacklevel=3,
            )

    def transform_view(self, name: str, rows: Any) -> np.ndarray:
        """The factors of new members seen in one view."""
        check_is_fitted(self)
        if name not in self.names_:
            raise DataError(f"{type(self).__name__} has no view '{name}'; it has {', '.join(self.names_)}.")
        table = Table.of(rows)
        self._check_view(name, table, True)
        return self.sides_[name].place(table.values, self.duals_[name])

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
            raise DataError(f"{type(self).__name__}: member {int(np.argmin(seen))} is seen in no view.")
        return np.asarray(total / seen[:, None])

    def similarity(self, first: str, one: Any, second: str, other: Any, measure: str = "cosine") -> np.ndarray:
        """How alike members seen in one view are to members seen in another: rows x rows."""
        return scores_between(self.transform_view(first, one), self.transform_view(second, other), measure)

    def assign(self, X: Any) -> dict[str, np.ndarray]:
        """The cluster of every member in each view: the component with the largest factor by size."""
        views = self.viewed(X, new=True)
        return {name: np.abs(self.transform_view(name, views[name])).argmax(axis=1) for name in views}

    def agreement(self, X: Any) -> float:
        """The share of members that all views put in the same cluster."""
        found = list(self.assign(X).values())
        if len(found) < 2:
            raise ParameterError(f"{type(self).__name__}: agreement needs at least two views.")
        return float(np.mean(np.all([found[0] == other for other in found[1:]], axis=0)))


def linear(one: Any, other: Any) -> np.ndarray:
    """Inner products of two blocks of rows, dense or sparse."""
    found = one @ other.T
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found)


def curved(kernel: RowKernel, one: Any, other: Any) -> np.ndarray:
    """A kernel by name of two blocks of rows."""
    dense = [np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64) for rows in (one, other)]
    return kernel.block(*dense)


def _same(rows: Any) -> Any:
    return rows
