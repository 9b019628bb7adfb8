"""What representations of several views share: views checked and prepared, regularization chosen by mates, new members placed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param, params_of
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.core.views import Views
from coterie.core.workplace import workplace
from coterie.parts.consensus import nearly_constant
from coterie.parts.mates import both_ways
from coterie.parts.row_kernels import RowKernel, median_width, usable_width
from coterie.parts.sides import FeatureSide
from coterie.parts.view_forms import Landmarks, Products, Whole, same
from coterie.parts.view_places import place_of
from coterie.parts.view_routes import Seats
from coterie.represent.view_members import ViewMembers

KERNELS = ("linear", "gaussian", "polynomial", "precomputed")
GRID = (
    0.03,
    0.1,
    0.3,
    1.0,
    3.0,
    10.0,
)  # of regularization, in the scale where a view's mean variance is one
WHOLE = 3000  # members up to which kernels are held whole when no rank is asked for
_RANK = 300  # of the factors beyond that, unless there are hardly more columns
_FAR = 100.0  # how much the sizes of views may differ before it is said
_HELD = 0.25  # of the members, to choose the regularization on
_TINY = 1e-8  # of the mean eigenvalue: regularization below it leaves the result to rounding
Form = Whole | FeatureSide | Products
Forms = dict[str, Form]


class SharedViews(ViewMembers):
    """Base of representations of the same members in several views.

    Learned: `names_` (the views), `rows_` (the members used), `duals_` (weights of the fitted members, by view), `factors_` (the
    members' common scores; `common` has them as `transform` places them), `strength_` (of each component, falling), `kept_` (the
    share of each view's variance that its factors hold), `tried_` (mates found by each regularization tried), `notes_`.
    """

    least: ClassVar[int] = 3
    regularization: ClassVar[str] = "tau"
    by_products: ClassVar[bool] = False  # whether a view may be there as products only
    counts: ClassVar[tuple[str, ...]] = ("all",)  # words that may stand for a number of components

    rank: int | str | None = param(
        None,
        "Rank of each view's factors, or all; left out, all up to 3,000 members and 300 beyond.",
        ge=1,
        choices=("all",),
    )
    center: bool = param(True, "Whether the mean of each view is taken away.", advanced=True)
    scale_kernels: bool = param(
        True, "Whether each view is divided by its mean variance.", advanced=True
    )
    random_state: int | None = param(
        0, "Seed of shuffles, factors and centers.", ge=0, advanced=True
    )

    factors_: np.ndarray
    strength_: np.ndarray
    kept_: dict[str, float]
    tried_: dict[float, float]
    notes_: tuple[str, ...]

    def check_params(self) -> None:
        """Raise ParameterError for the first parameter outside its range; those that take a word or a number say both."""
        self.wanted()
        for info in params_of(type(self)):
            value = getattr(self, info.name)
            either = bool(info.choices) and info.annotation.startswith(("int |", "float |"))
            named = isinstance(value, str | bool) and value not in info.choices
            if either and (named or (value is None and "None" not in info.annotation)):
                must = f"{' | '.join(info.choices)} or a number {replace(info, choices=()).range}"
                raise ParameterError(
                    f"{info.name} must be {must}, and was {value!r}.", owner=type(self).__name__
                )
        super().check_params()

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find what the views share."""
        views = self.viewed(X)
        notes = list[str]()
        used = self.used(views, notes)
        if self.rank not in (None, "all") and self.comparing[0] == "precomputed":
            notes.append("rank is not used, because kernels that are given are held whole.")
        value, self.tried_ = self._chosen(views, used)
        forms, seats = self.prepared(views, used)
        self._warn_of_sizes(forms, value)
        self.solve(forms, seats, value, notes)
        self._note_constant(notes)
        self.notes_ = tuple(notes)
        for note in notes:
            warnings.warn(f"{type(self).__name__}: {note}", stacklevel=2)
        return self

    def solve(self, forms: Forms, seats: Seats, value: float, notes: list[str]) -> None:
        """Find the components for one regularization, and learn them."""
        raise NotImplementedError(f"{type(self).__name__} does not define solve")

    def used(self, views: Views, notes: list[str]) -> np.ndarray:
        """The members to fit on: those that every view has."""
        complete = views.complete
        if len(complete) < self.least:
            raise DataError(
                f"{type(self).__name__} needs at least {self.least} members seen in every view, and got {len(complete)}."
            )
        if len(complete) < len(views):
            notes.append(
                f"{len(views) - len(complete)} of {len(views)} members are not in every view and were left out."
            )
        return complete

    def wanted(self) -> int | None:
        """How many components are looked for; None for one of the words in `counts`."""
        asked: Any = self.n_components
        if isinstance(asked, str) and asked in self.counts:
            return None
        whole = isinstance(asked, Integral) and not isinstance(asked, bool)
        if not whole or asked < 1:
            said = " or ".join(f"'{word}'" for word in self.counts)
            raise ParameterError(
                f"n_components must be a whole number from 1, or {said}, and was {asked!r}.",
                owner=type(self).__name__,
            )
        return int(asked)

    def prepared(self, views: Views, used: np.ndarray) -> tuple[Forms, Seats]:
        """Each view centered, scaled and ready to be solved, and which of the members used it has."""
        self.names_ = views.names
        self.rows_ = used
        self.widths_ = {name: views[name].shape[1] for name in views}
        seats = Seats(len(used), tuple(np.flatnonzero(views.seen[name][used]) for name in views))
        self.columns_ = {name: used[rows] for name, rows in zip(views, seats.rows, strict=True)}
        self.known_ = {}
        forms = {}
        for at, name in enumerate(views):
            forms[name] = self._form(name, views[name].take(self.columns_[name]), at, seats)
        self.kept_ = {name: getattr(form, "share", 1.0) for name, form in forms.items()}
        return forms, seats

    def learned(self, forms: Forms, duals: list[np.ndarray]) -> None:
        """Keep the weights of the fitted members, and what places new ones."""
        self.duals_ = dict(zip(forms, duals, strict=True))
        self.n_features_out_ = duals[0].shape[1]
        linear = self.comparing[0] == "linear"
        self.places_ = {
            name: place_of(form, self.duals_[name], linear=linear) for name, form in forms.items()
        }

    def _form(self, name: str, table: Table, at: int, seats: Seats) -> Form:
        owner = f"{type(self).__name__}: view '{name}'"
        rows = table.values
        how: dict[str, Any] = {"center": self.center, "scale": self.scale_kernels}
        kernel, width = self.comparing
        seed = stream(self.random_state, 11, at)
        rank = self._rank(seats.n, table.shape[1], kernel, len(seats.rows))
        if kernel == "precomputed":
            given = rows.toarray() if table.sparse else rows
            return Whole.of(given[:, self.columns_[name]], None, owner, **how)
        if kernel == "linear":
            self.known_[name] = np.asarray(abs(rows).sum(axis=0)).ravel() > 0
            if rank == 0:
                return Products.of(rows, owner, random_state=seed, **how)
            return (
                Whole.of(rows, linear, owner, **how)
                if rank is None
                else _thin(rows, same, rank, owner, seed, how)
            )
        dense = _dense(rows)
        size = usable_width(
            median_width(dense, kernel, owner) if width is None else float(width), owner
        )
        chosen = RowKernel(kernel, size, owner=owner)
        compared = partial(curved, kernel=chosen)
        if rank is None:
            return Whole.of(dense, compared, owner, **how)
        return _thin(
            dense,
            Landmarks.of(dense, compared, rank, seed),
            rank,
            owner,
            seed,
            how,
            chosen.diagonal(dense).sum(),
        )

    def _rank(self, n: int, columns: int, kernel: str, n_views: int) -> int | None:
        """The rank of thin factors; None for whole kernels, 0 for products only."""
        if self.rank not in (None, "all") and kernel != "precomputed":
            return int(self.rank)
        if n > WHOLE and self.rank is None and kernel != "precomputed":
            return columns if kernel == "linear" and columns <= 2 * _RANK else _RANK
        if n > WHOLE and kernel == "linear" and self.by_products:
            return 0
        size = 8 * n * n * (n_views + 2)
        here = workplace().budget
        if size > here:
            way = "fit on fewer members" if kernel == "precomputed" else "give a number as rank"
            raise DataError(
                f"the kernels of {n} members need {size / 1e9:.1f} GB, and there are {here / 1e9:.1f}; "
                f"{way}.",
                owner=type(self).__name__,
            )
        return None

    def _note_constant(self, notes: list[str]) -> None:
        """Views that are not centered share that nothing was taken away: a component that tells no members apart."""
        for at in [] if self.center else np.flatnonzero(nearly_constant(self.factors_)).tolist():
            notes.append(
                f"component {at + 1} is nearly the same for all members and tells none of them apart, because the views are not "
                "centered; leave it out, or leave center on."
            )

    def _warn_of_sizes(self, forms: Mapping[str, Form], value: float) -> None:
        owner = type(self).__name__
        totals = {name: _trace(form) for name, form in forms.items()}
        if not self.scale_kernels and max(totals.values()) > _FAR * min(totals.values()):
            small = min(totals, key=totals.__getitem__)
            large = max(totals, key=totals.__getitem__)
            warnings.warn(
                f"{owner}: view '{small}' is far smaller than '{large}' and will decide alone; leave scale_kernels on.",
                stacklevel=3,
            )
        least = max(totals.values()) / len(self.rows_)
        if 0 < value < _TINY * least:
            warnings.warn(
                f"{owner}: {self.regularization} = {value:g} is so small beside the mean variance {least:.3g} that rounding may "
                "decide.",
                stacklevel=3,
            )

    def _chosen(self, views: Views, used: np.ndarray) -> tuple[float, dict[float, float]]:
        """The regularization given, or the one of the grid that finds most mates among members held out."""
        given = getattr(self, self.regularization)
        if not isinstance(given, str):
            if not np.isfinite(given):
                raise ParameterError(
                    f"{self.regularization} must be finite, and was {given}.",
                    owner=type(self).__name__,
                )
            return float(given), {}
        complete = np.intersect1d(used, views.complete)
        held = np.sort(
            stream(self.random_state, 5).permutation(complete)[: max(int(_HELD * len(complete)), 2)]
        )
        if len(complete) - len(held) < self.least:
            raise DataError(
                f"{self.regularization}='held-out' needs more members seen in every view than "
                f"{len(complete)}.",
                owner=type(self).__name__,
            )
        inner = clone(self).set_params(
            **{self.regularization: GRID[0]}, rank=None if self.rank == "all" else self.rank
        )
        forms, seats = inner.prepared(views, np.setdiff1d(used, held))
        new = views.take(held)
        found = {}
        for value in GRID:
            inner.solve(forms, seats, value, [])
            found[value] = both_ways([inner.directed(name, new[name]) for name in views])
        return max(found, key=found.__getitem__), found


class KernelViews(SharedViews):
    """Base of representations of several views by any kernel."""

    kernel: str = param("linear", "How two members are compared inside a view.", choices=KERNELS)
    width: float | None = param(
        None, "Width of a gaussian or polynomial kernel; the median distance when left out.", gt=0
    )

    @property
    def comparing(self) -> tuple[str, float | None]:
        return self.kernel, self.width


def linear(one: Any, other: Any) -> np.ndarray:
    """Inner products of two blocks of rows, dense or sparse."""
    found = one @ other.T
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found)


def curved(one: Any, other: Any, *, kernel: RowKernel) -> np.ndarray:
    """A kernel by name of two blocks of rows."""
    return kernel.block(_dense(one), _dense(other))


def _dense(rows: Any) -> np.ndarray:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def _thin(
    rows: Any,
    features: Callable[[Any], Any],
    rank: int,
    owner: str,
    seed: Any,
    how: dict[str, Any],
    trace: float = 0.0,
) -> FeatureSide:
    """Thin factors; with landmarks, the share they hold is one of the kernel itself, whose trace is given."""
    found = FeatureSide.of(rows, features, rank, owner, random_state=seed, **how)
    if trace:
        seen = float(np.square(features(rows)).sum()) / trace
        object.__setattr__(found, "share", min(found.share * seen, 1.0))
    return found


def _trace(form: Form) -> float:
    return (
        float(form.spectrum.values.sum() / form.share)
        if isinstance(form, FeatureSide)
        else form.trace
    )
