"""What every organizer is: an affinity or a table in, a partition out, and a place for members that come later.

Organizers by counts look at all tables of the members side by side, and find a group from each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from coterie.core.affinity import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Estimator
from coterie.core.hints import Hints
from coterie.core.links import Links, on_columns, short
from coterie.core.partition import Partition, numbered
from coterie.core.random import seed_of
from coterie.core.workplace import steady


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


class Counted(Organizer):
    """Base of methods of one table of counts: all tables of the members side by side, and a group from each row.

    Members without any count are in no group (-1). Learned: `partition_`, `partitions_` (of the members alone), `objective_`
    (higher is better), `history_` (the members, their number of groups and the objective of the best start), `columns_` (the
    columns as pairs of population and id), `notes_`.
    """

    takes: ClassVar[type] = Links

    partitions_: dict[str, Partition]
    objective_: float
    history_: list[tuple[str, int, float]]
    columns_: list[tuple[str, str]]
    notes_: tuple[str, ...]
    order_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Group the members by their rows of counts."""
        links: Links = self.check(X)
        self.columns_ = [(name, column) for name in neighbors(links) for column in links.ids[name]]
        counts = side_by_side(links, self.columns_)
        used = np.asarray(counts.sum(axis=1)).ravel() > 0
        self.check_counts(used)
        with steady():
            value, likely = self.learn(
                short(counts[used]), seed_of(getattr(self, "random_state", 0))
            )
        labels = np.full(len(links), -1)
        confidence = np.zeros(len(links))
        labels[used] = likely.argmax(axis=1)
        confidence[used] = margin(likely)
        self.partition_, self.order_ = numbered(labels, confidence)
        self.partitions_ = {links.target: self.partition_}
        self.objective_ = value
        self.history_ = [(links.target, self.partition_.n_groups, value)]
        self.notes_ = self._notes(links, used)
        return self

    @property
    def asked(self) -> int | None:
        """The number of groups that was asked for; None where it is chosen."""
        found: int | None = self.get_params(deep=False)["n_groups"]
        return found

    def check_counts(self, used: np.ndarray) -> None:
        """Refuse more groups than members, or than members that have any count."""
        self.check_groups(self.asked, len(used))
        if (self.asked or 1) > used.sum():
            raise DataError(
                f"n_groups is {self.asked} and only {used.sum()} members have any count.",
                owner=type(self).__name__,
            )

    def learn(self, counts: Any, seed: int) -> tuple[float, np.ndarray]:
        """The objective, and how well each row fits each group (higher is better)."""
        raise NotImplementedError(f"{type(self).__name__} does not define learn")

    def fitting(self, counts: Any) -> np.ndarray:
        """How well new rows fit each group, groups as they were learned."""
        raise NotImplementedError(f"{type(self).__name__} does not define fitting")

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members by their counts in the fitted columns, found by name; -1 where there are none."""
        check_is_fitted(self, "partition_")
        links: Links = self.check(X, new=True)
        counts = side_by_side(links, self.columns_)
        used = np.asarray(counts.sum(axis=1)).ravel() > 0
        if not used.any():
            raise DataError(
                "the new members share no column with the fitted ones.", owner=type(self).__name__
            )
        found = np.full(len(links), -1)
        with steady():
            found[used] = self.fitting(short(counts[used]))[:, self.order_].argmax(axis=1)
        return found

    def _notes(self, links: Links, used: np.ndarray) -> tuple[str, ...]:
        notes = []
        if not used.all():
            notes.append(
                f"{int((~used).sum())} of {len(used)} {links.target} have no count in any table and are in no group."
            )
        apart = [
            f"{one}-{other}" for one, other in links.tables if links.target not in (one, other)
        ]
        if apart:
            notes.append(f"{', '.join(apart)}: not a table of '{links.target}', and not used.")
        if self.asked is not None and self.partition_.n_groups < self.asked:
            missing = self.asked - self.partition_.n_groups
            notes.append(f"{missing} of {self.asked} groups have no member.")
        return tuple(notes)


def neighbors(links: Links) -> list[str]:
    """The populations the members have a table with."""
    return [
        name
        for name in links.populations
        if name != links.target and links.between(links.target, name) is not None
    ]


def side_by_side(links: Links, columns: Sequence[tuple[str, str]]) -> Any:
    """Members x these columns, found by name; what is not there is zero."""
    wanted = dict[str, list[str]]()
    for name, column in columns:
        wanted.setdefault(name, []).append(column)
    tables = {
        name: links.between(links.target, name) if name in links.ids else None for name in wanted
    }
    return sp.csr_array(
        sp.hstack(
            [on_columns(tables[name], ids, len(links)) for name, ids in wanted.items()],
            format="csr",
        )
    )


def margin(fit: np.ndarray) -> np.ndarray:
    """How much better the best group fits than the next, over what it fits better than the worst: from 0 to 1."""
    if fit.shape[1] == 1:
        return np.ones(len(fit))
    ranked = np.sort(fit, axis=1)
    span = ranked[:, -1] - ranked[:, 0]
    return np.asarray(
        np.divide(ranked[:, -1] - ranked[:, -2], span, out=np.zeros(len(fit)), where=span > 0)
    )
