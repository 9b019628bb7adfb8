"""What every comparer is: a view in, an affinity out; dense arrays for scikit-learn pipelines."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity
from coterie.core.collection import as_view
from coterie.core.errors import DataError
from coterie.core.estimator import Estimator
from coterie.core.table import Table
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
