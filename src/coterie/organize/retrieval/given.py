"""Given: rankings from scores that something else computes, an affinity of queries x members or a function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from coterie.core.affinity import Affinity, count
from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.organize.retrieval.role import Retriever, Row, checked_scores

_BLOCK = 64  # queries looked at together


class Given(Retriever):
    """Members ranked by scores from elsewhere: an Affinity of queries x members, or a function of queries and members."""

    relevance: Any = param(
        None,
        "A function of queries and members that gives queries x members, such as NNTR's `relevance`.",
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the members in: whatever `relevance` takes as its second argument, or, for affinities, anything with a length."""
        if self.relevance is not None and not callable(self.relevance):
            raise ParameterError(
                f"relevance must be a function of queries and members, and was {self.relevance!r:.60}.",
                owner="Given",
            )
        self.members_ = X
        self.n_members_ = X.n if isinstance(X, Affinity) else _many(X)
        self.empty_ = np.zeros(self.n_members_, dtype=bool)
        return self

    def rows(self, queries: Any) -> Iterator[Row]:
        """Of every query: its scores; a distance counts from the nearest. Members at -inf do not match.

        A query for which every member is at -inf holds nothing known, and matches nobody.
        """
        if isinstance(queries, Affinity):
            if queries.shape[1] != self.n_members_:
                raise DataError(
                    f"the affinity has {queries.shape[1]} columns for {self.n_members_} members.",
                    owner="Given",
                )
            sign = 1.0 if queries.kind == "similarity" else -1.0
            for first in range(0, queries.shape[0], _BLOCK):
                values = sign * queries.block(slice(first, first + _BLOCK), slice(None))
                yield from self._listed(values)
            return
        if self.relevance is None:
            raise DataError(
                "queries must be an Affinity of queries x members where there is no function `relevance`.",
                owner="Given",
            )
        yield from self._listed(self.relevance(queries, self.members_), _many(queries, "queries"))

    def _listed(self, values: Any, n_queries: int | None = None) -> Iterator[Row]:
        for scores in checked_scores(values, n_queries, self.n_members_, "Given"):
            yield scores, np.isfinite(scores)


def _many(given: Any, what: str = "members") -> int:
    try:
        return count(given)
    except TypeError:
        raise DataError(
            f"the {what} must be rows of something, and were {type(given).__name__}.", owner="Given"
        ) from None
