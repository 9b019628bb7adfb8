"""What every retriever is: members in, and for each query a score per member and a ranking of those that match."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.estimator import Estimator
from coterie.core.partition import Ranking

Row = tuple[
    np.ndarray, np.ndarray
]  # of one query: a score per member, and which members may be listed


class Retriever(Estimator):
    """Members -> for every query a Ranking: `fit(members)`, `scores(queries)`, `search(queries, most)`.

    Learned by every one: `n_members_`, and `empty_`, a mark per member that holds nothing to be found by. Such a member has the
    score -inf for every query, so that it stands last in any order, and `search` never lists it.
    """

    gives: ClassVar[type] = Ranking

    n_members_: int
    empty_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the members in."""
        raise NotImplementedError(f"{type(self).__name__} does not define fit")

    def rows(self, queries: Any) -> Iterator[Row]:
        """Of every query in turn: the score of each member, and which of them match it at all."""
        raise NotImplementedError(f"{type(self).__name__} does not define rows")

    def scores(self, queries: Any) -> np.ndarray:
        """Queries x members, more is better; -inf for members that hold nothing."""
        check_is_fitted(self, "n_members_")
        found = [scores for scores, _ in self.rows(queries)]
        return np.stack(found) if found else np.zeros((0, self.n_members_))

    def search(self, queries: Any, most: int | None = 10) -> list[Ranking]:
        """The best members of every query that match it, the best first, equal ones in the order they came; None lists all.

        A query that holds nothing known to the members has an empty ranking, and a warning names it.
        """
        check_is_fitted(self, "n_members_")
        owner = type(self).__name__
        if most is not None and (
            isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1
        ):
            raise ParameterError(
                f"most must be a whole number from 1, or None for all, and was {most!r}.",
                owner=owner,
            )
        found = []
        lost = []
        for at, (scores, listed) in enumerate(self.rows(queries)):
            order = best(scores, listed, most)
            found.append(Ranking(order, scores[order]))
            if not len(order):
                lost.append(at)
        if lost:
            some = (
                f"query {lost[0]} matches"
                if len(lost) == 1
                else f"{len(lost)} queries (the first is query {lost[0]}) match"
            )
            warnings.warn(
                f"{owner}: {some} no member, and the ranking is empty.", UserWarning, stacklevel=2
            )
        return found


def best(scores: np.ndarray, listed: np.ndarray, most: int | None) -> np.ndarray:
    """Positions of the best that may be listed, the best first; equal scores keep their order, also where the list is cut.

    >>> best(np.array([1.0, 3.0, 3.0, 9.0]), np.array([True, True, True, False]), 2).tolist()
    [1, 2]
    """
    among = np.flatnonzero(listed)
    if most is not None and most < len(among):
        cut = np.partition(scores[among], len(among) - most)[len(among) - most]
        among = among[scores[among] >= cut]
    order = among[np.argsort(-scores[among], kind="stable")]
    return order if most is None else order[:most]


def checked_scores(values: Any, n_queries: int | None, n_members: int, owner: str) -> np.ndarray:
    """Scores from elsewhere as queries x members; the wrong shape and NaN are refused by name."""
    found = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
    if (
        found.ndim != 2
        or found.shape[1] != n_members
        or (n_queries is not None and found.shape[0] != n_queries)
    ):
        rows = "queries" if n_queries is None else f"{n_queries} queries"
        raise DataError(
            f"scores must be {rows} x {n_members} members, and have the shape {found.shape}.",
            owner=owner,
        )
    if np.isnan(found).any():
        query, member = np.argwhere(np.isnan(found))[0]
        raise DataError(f"the score of query {query} and member {member} is NaN.", owner=owner)
    return found
