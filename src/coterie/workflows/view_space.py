"""The space that several views share: each view represented by its kind, then the components that are present in all of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.collection import View
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.pictures import Pictures
from coterie.core.ragged import Ragged
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.workplace import steady
from coterie.parts.term_weights import unit_length
from coterie.represent.role import Representer
from coterie.represent.shared_axes import SharedAxes, mean_of_views
from coterie.workflows.modalities import modality_of

_ROUND = 3  # factors from which rows of texts are brought to length one


@dataclass(frozen=True, eq=False)
class SeenViews:
    """Several views of the same members as they were read, by name."""

    views: Mapping[str, View]

    def __len__(self) -> int:
        return len(next(iter(self.views.values())))

    def take(self, indices: Sequence[int] | np.ndarray) -> SeenViews:
        """The members at these positions, in every view."""
        return SeenViews({name: view.take(indices) for name, view in self.views.items()})

    def __repr__(self) -> str:
        return f"SeenViews({len(self)} members; {', '.join(f'{name}: {view!r}' for name, view in self.views.items())})"


class SharedSpace(Representer):
    """What several views share, as coordinates: each view represented by its kind, then pair-wise cluster analysis.

    Learned: `names_`, `steps_` (per view, the representers), `weights_` and `offsets_` (a row of a view times its weights, plus
    the offset, is where the member lies), `consensus_` of every component and `chance_` (that of views shuffled against each
    other), `shared_` (components above chance), `everywhere_` (those that are lost when any one view is shuffled).
    """

    takes: ClassVar[type] = SeenViews
    also: ClassVar[tuple[type, ...]] = (Text, Table, Ragged, Pictures)
    least: ClassVar[int] = 3

    n_components: int = param(
        50, "Most components that are kept, of those shared by more than chance.", ge=1
    )
    tau: float = param(
        1.0, "Regularization, in the scale where a view's mean variance is one.", gt=0
    )
    rank: int = param(150, "Directions of each view that are looked at.", ge=1)
    random_state: int | None = param(0, "Seed of the factors and shuffles.", ge=0)

    names_: tuple[str, ...]
    steps_: dict[str, list[Any]]
    weights_: dict[str, np.ndarray]
    offsets_: dict[str, np.ndarray]
    consensus_: np.ndarray
    chance_: float
    shared_: int
    everywhere_: int
    round_: bool

    def fit(self, X: Any, y: Any = None) -> Self:
        """Represent each view, and find what all of them share."""
        self.check_params()
        seen = self._seen(X)
        if len(seen.views) < 2:
            raise DataError("SharedSpace needs at least two views.")
        self.names_ = tuple(seen.views)
        self.steps_ = {}
        tables: dict[str, Table] = {}
        for name, view in seen.views.items():
            self.steps_[name], tables[name] = represented(view, name)
        marks = seen_marks(seen)
        with steady():
            found = SharedAxes.of(
                tables,
                marks,
                n_components=self.n_components,
                tau=self.tau,
                rank=self.rank,
                random_state=self.random_state,
            )
        kept = found.width
        self.consensus_ = found.consensus
        self.chance_ = found.chance
        self.shared_ = found.shared
        self.everywhere_ = found.everywhere
        self.round_ = kept >= _ROUND and all(
            modality_of(view).is_counts(view) for view in seen.views.values()
        )
        self.weights_ = dict(found.weights)
        self.offsets_ = dict(found.offsets)
        self.n_features_out_ = kept
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Where members lie by the views that each is seen in (at least one): the mean over these."""
        check_is_fitted(self, "weights_")
        seen = self._seen(X)
        marks = self.said(seen)
        factors = {name: self.factors(name, view) for name, view in seen.views.items()}
        return self.placed(mean_of_views(factors, marks))

    def said(self, X: Any) -> dict[str, np.ndarray]:
        """Per view, whether each member is seen in it and holds anything there that was learned from."""
        seen = self._seen(X)
        return {
            name: mark & filled(self.rows(name, seen.views[name]))
            for name, mark in seen_marks(seen).items()
        }

    def transform_view(self, name: str, view: Any) -> np.ndarray:
        """Where members lie by one view alone."""
        return self.placed(self.factors(name, view))

    def placed(self, factors: np.ndarray) -> np.ndarray:
        """Factors as coordinates: of texts (and three factors or more) rows of length one, since their lengths say little."""
        if not self.round_:
            return np.asarray(factors)
        lengths = np.linalg.norm(factors, axis=1, keepdims=True)
        return np.divide(factors, lengths, out=np.zeros_like(factors), where=lengths > 0)

    def factors(self, name: str, view: Any) -> np.ndarray:
        """The factors of members by one view alone."""
        if name not in self.names_:
            raise DataError(
                f"There is no view '{name}' in this run; it has {', '.join(self.names_)}."
            )
        with steady():
            return np.asarray(self.rows(name, view) @ self.weights_[name] + self.offsets_[name])

    def known(self, X: Any) -> np.ndarray:
        """Whether members hold anything that was learned from, in any of their views."""
        return np.any(list(self.said(X).values()), axis=0)

    def rows(self, name: str, view: Any) -> Any:
        """Members of one view as numbers, before anything is shared."""
        return numbers(self.steps_[name], view)

    def _seen(self, X: Any) -> SeenViews:
        """Views by name; a bare view is the first one that was fitted."""
        if hasattr(X, "views"):
            return X
        if hasattr(self, "names_"):
            return SeenViews({self.names_[0]: X})
        raise DataError("SharedSpace takes several views of the same members.")


def seen_marks(seen: SeenViews) -> dict[str, np.ndarray]:
    """Per view, whether it has each member: a text that is not empty, a row that is not all gaps, a sequence with a step."""
    return {name: modality_of(view).present(view) for name, view in seen.views.items()}


def represented(view: View, name: str) -> tuple[list[Any], Table]:
    """The fitted representers of one view, by its kind, and its members as a table of numbers."""
    steps = modality_of(view).representers(view, name)
    data: Any = view
    try:
        for step in steps:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Terms: ")
                data = step.fit(data).represent(data)
    except DataError as error:
        raise DataError(f"The view '{name}' cannot be used: {error}") from None
    names = getattr(data, "names", ())
    rows = numbers([], data)
    return steps, Table(rows, names) if names else Table.of(rows)


def numbers(steps: Sequence[Any], view: Any) -> Any:
    """Members of a view as rows of numbers by representers that were fitted; sparse rows have length one."""
    for step in steps:
        view = step.represent(view)
    rows = Table.of(view).values
    return unit_length(rows) if sp.issparse(rows) else rows


def filled(rows: Any) -> np.ndarray:
    """Whether sparse rows hold anything; rows of plain numbers always do."""
    return np.diff(rows.indptr) > 0 if hasattr(rows, "indptr") else np.ones(len(rows), dtype=bool)
