"""Mates: members seen in one view ranked for queries seen in another, both placed in the space that the views share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.params import param
from coterie.organize.retrieval.role import Retriever, Row
from coterie.parts.mates import MEASURES, MateRanks, both_ways, mate_ranks, scores_between

_BLOCK = 64  # queries scored at once
_DIGITS = 12  # of a cosine: members alike tie, whatever the order in which a product was summed


class Mates(Retriever):
    """Members of one view ranked for queries of another: both as factors of a space shared by the views, such as PWCA's."""

    measure: str = param(
        "cosine",
        "How alike factors are: their cosine, inner product, or its size.",
        choices=MEASURES,
    )

    members_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the candidates in: their factors by one view, as `transform_view` of PWCA, KCCA or CCA gives them."""
        self.members_ = np.asarray(self.check(X).values)
        self.empty_ = np.linalg.norm(self.members_, axis=1) == 0
        self.n_members_ = len(self.members_)
        return self

    def rows(self, queries: Any) -> Iterator[Row]:
        """Of every query (factors by another view): its score with every candidate; a query of zeros matches nobody."""
        asked = np.asarray(self.check(queries, new=True).values)
        for first in range(0, len(asked), _BLOCK):
            block = asked[first : first + _BLOCK]
            found = scores_between(block, self.members_, self.measure)
            if self.measure == "cosine":
                found = np.round(found, _DIGITS)
            found[:, self.empty_] = -np.inf
            for query, scores in zip(block, found, strict=True):
                yield scores, ~self.empty_ & bool(query.any())

    def ranks(self, queries: Any) -> MateRanks:
        """Where the mate of every query stands among the candidates; the mate of query i is candidate i."""
        return mate_ranks(
            np.asarray(self.check(queries, new=True).values), self.members_, self.measure
        )

    def average_precision(self, queries: Any) -> float:
        """The mean of 1 / rank of the mates in both directions: candidates for the queries, and queries for the candidates."""
        check_is_fitted(self, "n_members_")
        return both_ways(
            [np.asarray(self.check(queries, new=True).values), self.members_], self.measure
        )
