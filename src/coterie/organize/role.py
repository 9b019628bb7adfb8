"""What every organizer is: an affinity in, a partition out, and a place for members that come later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Estimator
from coterie.core.hints import Hints
from coterie.core.partition import Partition


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
