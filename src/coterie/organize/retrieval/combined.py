"""Combined: two ways to rank members as one, with their weight given or found on development queries."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.organize.retrieval.index import Index
from coterie.organize.retrieval.latent import Latent
from coterie.organize.retrieval.role import Retriever, Row
from coterie.parts.one_spread import one_spread
from coterie.parts.tied import tie_blocks

GRID = np.arange(21) / 20  # weights that are tried: 0, 0.05, ..., 1


class Combined(Retriever):
    """Two retrievers as one: weight * the first + (1 - weight) * the second, each brought to one spread per query."""

    takes: ClassVar[type] = tuple

    one: Any = param(None, "The first retriever, which the weight is of; None is Index().")
    other: Any = param(None, "The second retriever; None is Latent().")
    weight: float = param(
        0.5, "The share of the first in the sum (the lambda of Keller 2006).", ge=0, le=1
    )
    rescale: bool = param(
        True, "Whether both scores are divided by their standard deviation over the members first."
    )

    weight_: float
    tuning_: list[tuple[float, float]]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the members in, as a pair: what the first retriever takes, and what the second takes."""
        self.check_params()
        first, second = self._pair(X, "the members")
        for name, part in (("one", self.one), ("other", self.other)):
            if part is not None and not isinstance(part, Retriever):
                raise ParameterError(
                    f"{name} must be a retriever such as Index(), and was {part!r:.60}.",
                    owner="Combined",
                )
        self.one_ = (Index() if self.one is None else copy.copy(self.one)).fit(first)
        self.other_ = (Latent() if self.other is None else copy.copy(self.other)).fit(second)
        if self.one_.n_members_ != self.other_.n_members_:
            raise DataError(
                f"the first has {self.one_.n_members_} members and the second {self.other_.n_members_}.",
                owner="Combined",
            )
        self.n_members_ = self.one_.n_members_
        self.empty_ = self.one_.empty_ | self.other_.empty_
        self.weight_ = float(self.weight)
        self.tuning_ = []
        return self

    def rows(self, queries: Any) -> Iterator[Row]:
        """Of every query (a pair: its form for the first, and for the second): the weighted sum of both scores.

        Where a query holds nothing known to one of the two, the other ranks alone.
        """
        for one, other in self._both(queries):
            yield (
                self._sum(*self._scaled(one, other), self.weight_),
                self._listed(one, other, self.weight_),
            )

    def tune(self, queries: Any, relevant: Sequence[Any] | np.ndarray) -> Self:
        """Find the weight of the grid 0, 0.05, ..., 1 with the best mean average precision on these development queries.

        `relevant` has per query the positions of the relevant members, or a mark per member. Queries without any are left out.
        Measured is what `search` lists: a relevant member that a weight does not list counts as never found. Of equally good
        weights the largest is taken. `weight_` is the weight found, and `tuning_` has all of them.
        """
        check_is_fitted(self, "weight_")
        precision = np.zeros(len(GRID))
        used = 0
        rows = list(self._both(queries))
        if len(rows) != len(relevant):
            raise DataError(
                f"there are {len(rows)} queries, and relevant members of {len(relevant)}.",
                owner="Combined",
            )
        for (one, other), wanted in zip(rows, relevant, strict=True):
            marks = _marks(wanted, self.n_members_)
            if marks.any():
                scaled = self._scaled(one, other)
                lists = (
                    (self._sum(*scaled, weight), self._listed(one, other, weight))
                    for weight in GRID
                )
                precision += [_precision(scores, listed, marks) for scores, listed in lists]
                used += 1
        if not used:
            raise DataError(
                "no development query has a relevant member, so that no weight can be found.",
                owner="Combined",
            )
        precision /= used
        self.weight_ = float(GRID[np.flatnonzero(precision >= precision.max() - 1e-12)[-1]])
        self.tuning_ = [
            (float(weight), float(value)) for weight, value in zip(GRID, precision, strict=True)
        ]
        return self

    def _scaled(self, one: Row, other: Row) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both scores of a query on one scale, and the members that both can score."""
        among = _scored(one, other)
        held = (np.where(among & np.isfinite(row[0]), row[0], 0.0) for row in (one, other))
        first, second = (one_spread(scores, among) if self.rescale else scores for scores in held)
        return first, second, among

    def _sum(
        self, one: np.ndarray, other: np.ndarray, among: np.ndarray, weight: float
    ) -> np.ndarray:
        return np.where(among, weight * one + (1 - weight) * other, -np.inf)

    def _listed(self, one: Row, other: Row, weight: float) -> np.ndarray:
        """Members that match by a retriever that counts."""
        found = np.zeros(self.n_members_, dtype=bool)
        for (_, listed), counts in ((one, weight > 0), (other, weight < 1)):
            found |= listed & counts
        return found & _scored(one, other)

    def _both(self, queries: Any) -> Iterator[tuple[Row, Row]]:
        """Of every query: what either retriever says; as many queries must there be of both."""
        first, second = self._pair(queries, "the queries")
        rows, others = self.one_.rows(first), self.other_.rows(second)
        for at, (one, other) in enumerate(itertools.zip_longest(rows, others)):
            if one is None or other is None:
                more = at + 1 + sum(1 for _ in (others if one is None else rows))
                n, m = (at, more) if one is None else (more, at)
                raise DataError(
                    f"the first has {n} queries and the second {m}; give each query to both.",
                    owner="Combined",
                )
            yield one, other

    def _pair(self, given: Any, what: str) -> tuple[Any, Any]:
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise DataError(
                f"{what} must be a pair, one form for each of the two retrievers.", owner="Combined"
            )
        return given[0], given[1]


def _scored(one: Row, other: Row) -> np.ndarray:
    """Members that both can score; a retriever that can score nobody, as the query holds nothing known to it, is not asked."""
    parts = [finite for finite in (np.isfinite(one[0]), np.isfinite(other[0])) if finite.any()]
    return np.logical_and.reduce(parts) if parts else np.zeros(len(one[0]), dtype=bool)


def _precision(scores: np.ndarray, listed: np.ndarray, relevant: np.ndarray) -> float:
    """The average precision of a list; relevant members that are not in it were never found."""
    blocks = tie_blocks(scores[listed], relevant[listed])
    return blocks.average_precision() * blocks.total / int(relevant.sum()) if blocks.total else 0.0


def _marks(wanted: Any, n: int) -> np.ndarray:
    """Which members are relevant, from marks (one per member, True and False or 1 and 0) or from positions."""
    given = np.asarray(wanted)
    if given.size and given.dtype.kind not in "biu":
        first = given.ravel().tolist()[0]
        raise DataError(
            f"relevant members are positions (whole numbers) or a mark per member, and were given {first!r:.30}.",
            owner="Combined",
        )
    marks = given.ndim == 1 and len(given) == n and np.isin(given, (0, 1)).all()
    if given.dtype == bool or (marks and len(np.unique(given)) < n):  # no position is there twice
        if given.shape != (n,):
            raise DataError(
                f"relevance has a mark per member, {n} of them, and the shape {given.shape}.",
                owner="Combined",
            )
        return given.astype(bool)
    if marks and n:
        raise DataError(
            f"{given.tolist()} may be positions or marks of {n} member{'s' * (n > 1)}; give marks as True and False.",
            owner="Combined",
        )
    found = np.zeros(n, dtype=bool)
    places = given.astype(np.int64).ravel()
    if len(places) and (places.min() < 0 or places.max() >= n):
        raise DataError(f"relevant members are positions from 0 to {n - 1}.", owner="Combined")
    found[places] = True
    return found
