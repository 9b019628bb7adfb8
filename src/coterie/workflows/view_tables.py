"""Views as tables: what each kind of data is turned into where an ensemble of models groups several views."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.random import content_order, seed_of, small_seed, stream
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.views import Views
from coterie.core.workplace import steady
from coterie.organize.default_representations import default_representations
from coterie.organize.representation_vote import principal, spaces_of
from coterie.represent.role import Representer
from coterie.workflows.modalities import modality_of
from coterie.workflows.view_space import SeenViews, seen_marks


class DefaultCoordinates(Representer):
    """Sequences, sets, recordings or pictures on the principal axes of all their default representations side by side.

    Each representation is centered and has a total variance of one. Learned: `chains_` (fitted representers, in rows),
    `center_`, `axes_`.
    """

    takes: ClassVar[type] = Ragged
    also: ClassVar[tuple[type, ...]] = (Pictures,)

    n_components: int = param(20, "Most axes that are kept.", ge=1)
    random_state: int | None = param(0, "Seed of the representations.", ge=0)

    chains_: list[list[Any]]
    center_: np.ndarray
    axes_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit every representation once, and find the axes."""
        self._fitted(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fit, and give where the members lie, without representing them twice."""
        return self._fitted(X)

    def _fitted(self, X: Any) -> np.ndarray:
        members = self.check(X)
        order = content_order(members)
        members = members.take(order)
        seed = seed_of(self.random_state)
        wanted = {
            repr(chain): chain
            for space in spaces_of(default_representations(members).spaces)
            for chain in space
        }
        self.chains_ = []
        blocks = []
        with steady():
            for at, chain in enumerate(wanted.values()):
                fitted: list[Any] = []
                given: Any = members
                for step in chain:
                    own = clone(step)
                    if getattr(own, "random_state", 0) is None:
                        own.set_params(random_state=small_seed(stream(seed, at)))
                    given = own.fit_transform(given)
                    fitted.append(own)
                self.chains_.append(fitted)
                blocks.append(_dense(given))
            most = max(2, min(self.n_components, len(members) // 2))
            self.center_, self.axes_, rows = principal(blocks, most)
        self.n_features_out_ = self.axes_.shape[1]
        return np.asarray(rows[np.argsort(order, kind="stable")])

    def transform(self, X: Any) -> np.ndarray:
        """Where members lie on the axes."""
        check_is_fitted(self, "axes_")
        members = self.check(X, new=True)
        blocks = []
        with steady():
            for chain in self.chains_:
                given: Any = members
                for step in chain:
                    given = step.transform(given)
                blocks.append(_dense(given))
            return np.asarray((np.hstack(blocks) - self.center_) @ self.axes_)


class ViewTables(Representer):
    """Several views as tables: texts as counts of words, tables as they are, others on the axes of their default representations.

    Learned: `names_`, `steps_` (per view, the representers).
    """

    takes: ClassVar[type] = SeenViews
    also: ClassVar[tuple[type, ...]] = (Text, Table, Ragged, Pictures)
    gives: ClassVar[type] = Views

    random_state: int | None = param(0, "Seed of representations that are random.", ge=0)

    names_: tuple[str, ...]
    steps_: dict[str, list[Any]]

    def fit(self, X: SeenViews, y: Any = None) -> Self:
        """Fit what makes a table of each view."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: SeenViews, y: Any = None, **fit_params: Any) -> Views:
        """Fit what makes a table of each view, and give the tables."""
        tables = {}
        self.names_ = tuple(X.views)
        self.steps_ = {}
        for name, view in X.views.items():
            steps = modality_of(view).ensemble_representers(view, name)
            data: Any = view
            try:
                for step in steps:
                    if "random_state" in step.get_params(deep=False):
                        step.set_params(random_state=self.random_state)
                    with warnings.catch_warnings():
                        warnings.filterwarnings("ignore", message="Terms: ")
                        data = step.fit_transform(data)
            except DataError as error:
                raise DataError(f"The view '{name}' cannot be used: {error}") from None
            self.steps_[name] = steps
            tables[name] = Table.of(data)
        self.n_features_out_ = len(self.names_)
        return _marked(tables, X)

    def transform(self, X: SeenViews) -> Views:
        """The views as tables of numbers, and which members each has."""
        check_is_fitted(self, "steps_")
        tables = {}
        for name, view in X.views.items():
            data: Any = view
            for step in self.steps_[name]:
                data = step.transform(data)
            tables[name] = Table.of(data)
        return _marked(tables, X)

    def represent(self, X: Any) -> Views:
        """The same: views have names of their own."""
        return self.transform(X)


def _marked(tables: dict[str, Table], views: SeenViews) -> Views:
    """Tables with the marks of the members that each view has."""
    found = Views.of(tables)
    marks = seen_marks(views)
    return Views(found.tables, {name: found.seen[name] & marks[name] for name in tables})


def _dense(given: Any) -> np.ndarray:
    return np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=np.float64)
