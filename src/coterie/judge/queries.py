"""Measures of many ranked lists: means over queries, each query with its own list; queries without an answer are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError
from coterie.core.given import yes_no_of
from coterie.judge.blocks import Missing
from coterie.judge.labels import Floats
from coterie.judge.rankings import average_precision, eleven_point, precision_at


@dataclass(frozen=True, slots=True, eq=False)
class QueryScores:
    """Means over the queries that have a relevant document, and each query's own values (NaN for the others).

    `skipped` counts the queries without a relevant document.
    """

    mean_ap: float
    eleven_point: float
    precision_at: dict[int, float]
    ap_per_query: Floats
    eleven_per_query: Floats
    precision_per_query: dict[int, Floats]
    queries: int
    skipped: int

    def summary(self) -> dict[str, float]:
        """The numbers as one flat dict, ready for a scoreboard."""
        flat = {"mean_ap": self.mean_ap, "eleven_point": self.eleven_point}
        flat |= {f"P@{r}": value for r, value in self.precision_at.items()}
        return flat | {"queries": float(self.queries), "skipped": float(self.skipped)}


def over_queries(
    lists: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    at: Sequence[int] = (5, 10, 20),
    totals: Sequence[int] | None = None,
    missing: Missing = "error",
) -> QueryScores:
    """Mean average precision, 11-point precision and precision at n of lists of (scores, relevant), one per query.

    `totals` gives the relevant documents of each query wherever they are; those that a list does not hold count 0. A list
    may be empty where `totals` is given.
    """
    if totals is not None and len(totals) != len(lists):
        raise DataError(
            f"There are {len(lists)} lists and {len(totals)} totals: they must be equally many."
        )
    ap = np.full(len(lists), np.nan)
    eleven = np.full(len(lists), np.nan)
    first = {r: np.full(len(lists), np.nan) for r in at}
    for i, (scores, relevant) in enumerate(lists):
        total = (
            int(np.sum(yes_no_of(relevant, f"The relevance of query {i}")))
            if totals is None
            else int(totals[i])
        )
        if not total:
            continue
        empty = np.size(np.asarray(scores)) == 0
        ap[i] = 0.0 if empty else average_precision(scores, relevant, missing=missing, total=total)
        eleven[i] = 0.0 if empty else eleven_point(scores, relevant, missing=missing, total=total)
        for r in at:
            first[r][i] = 0.0 if empty else precision_at(scores, relevant, r, missing=missing)
    used = ~np.isnan(ap)
    if not used.any():
        raise DataError("No query has a relevant document, so there is nothing to judge.")
    means = {r: float(values[used].mean()) for r, values in first.items()}
    counts = int(used.sum()), int((~used).sum())
    return QueryScores(
        float(ap[used].mean()), float(eleven[used].mean()), means, ap, eleven, first, *counts
    )
