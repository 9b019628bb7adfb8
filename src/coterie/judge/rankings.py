"""Measures of ranked lists: P@r, R@r, F@r, R-precision, average precision and its means, exact under ties.

Members with equal scores stand in no order of their own, so every value here is the expected value over all
orders of the tied ones, in closed form; the order of the input file never matters. Missing pairs (NaN, with
missing="last") are one tied block behind all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie.core.given import numbers_of, yes_no_of
from coterie.judge.blocks import AffinityLike, Missing, query_rows
from coterie.judge.labels import Floats, Labels
from coterie.parts.tied import TieBlocks as TieBlocks
from coterie.parts.tied import tie_blocks as tie_blocks

Ties = Literal["middle", "best", "worst"]


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """Every member as a query for the others of its class.

    Means are over the queries that have at least one relevant member. `skipped` queries have none;
    `unknown` queries have no truth; `missing` counts the pairs without a score that were ranked last.
    """

    mean_ap: float
    r_precision: float
    precision_at: dict[int, float]
    recall_at: dict[int, float]
    f_at: dict[int, float]
    ap_per_query: Floats
    ap_per_class: dict[Any, float]
    queries: int
    skipped: int
    unknown: int
    missing: int

    @property
    def mean_over_classes(self) -> float:
        """The mean of the per-class means, where every class weighs the same."""
        return float(np.mean(list(self.ap_per_class.values())))

    def summary(self) -> dict[str, float]:
        """The numbers as one flat dict, ready for a scoreboard."""
        flat = {"mean_ap": self.mean_ap, "r_precision": self.r_precision}
        for letter, values in (("P", self.precision_at), ("R", self.recall_at), ("F", self.f_at)):
            flat |= {f"{letter}@{r}": value for r, value in values.items()}
        counts = {
            "queries": self.queries,
            "skipped": self.skipped,
            "unknown": self.unknown,
            "missing": self.missing,
        }
        return flat | {name: float(value) for name, value in counts.items()}


def average_precision(
    scores: ArrayLike, relevant: ArrayLike, *, missing: Missing = "error", total: int | None = None
) -> float:
    """Average precision of one list; NaN when nothing is relevant.

    `total` is the number of relevant members wherever they are: those that the list does not hold count 0.
    """
    blocks = _one(scores, relevant, missing)
    there = _total(blocks.total, total)
    return (
        blocks.average_precision() * blocks.total / there
        if blocks.total
        else (0.0 if there else float("nan"))
    )


def precision_mean_all_ranks(
    scores: ArrayLike, relevant: ArrayLike, *, missing: Missing = "error"
) -> float:
    """The mean of P@1, P@2, ... down to the end of the list, which Keller 2006 (section 3.2) words as average precision."""
    blocks = _one(scores, relevant, missing)
    if not blocks.total:
        return 0.0
    ranks = np.arange(1, blocks.listed + 1)
    ends = np.column_stack([blocks.before, blocks.before + blocks.size]).ravel()
    hits = np.interp(
        ranks, ends, np.column_stack([blocks.found, blocks.found + blocks.relevant]).ravel()
    )
    return float(np.mean(hits / ranks))


def worst_average_precision(listed: int, relevant: int) -> float:
    """Average precision when all relevant members stand last: (1/R) sum_i i / (n - R + i).

    >>> round(worst_average_precision(10, 1), 3)
    0.1
    """
    if not 1 <= relevant <= listed:
        raise ParameterError(f"relevant must be from 1 to listed ({listed}), and was {relevant}.")
    i = np.arange(1, relevant + 1)
    return float(np.mean(i / (listed - relevant + i)))


def eleven_point(
    scores: ArrayLike,
    relevant: ArrayLike,
    *,
    ties: Ties = "middle",
    missing: Missing = "error",
    total: int | None = None,
) -> float:
    """Mean over recall 0, .1, ..., 1 of the largest precision at that recall or more; NaN when nothing is relevant.

    The largest precision has no closed form over the orders of tied members: "best" and "worst" are the two extreme orders,
    and "middle" is the mean of the two (all three are the same without ties). Recall that is never reached counts 0.
    """
    if ties not in ("middle", "best", "worst"):
        raise ParameterError(f"ties must be 'middle', 'best' or 'worst', and was {ties!r}.")
    values, marks = as_list(scores, relevant, missing)
    there = _total(int(marks.sum()), total)
    if not there:
        return float("nan")
    found = [
        _eleven(values, marks, there, best)
        for best in (True, False)
        if ties in ("middle", "best" if best else "worst")
    ]
    return float(np.mean(found))


def _eleven(
    values: Floats, marks: np.ndarray[Any, np.dtype[np.bool_]], total: int, best: bool
) -> float:
    """The same for one order: of members with equal scores the relevant ones first (or last)."""
    last = np.where(np.isnan(values), np.inf, -values)
    hits = np.cumsum(marks[np.lexsort((~marks if best else marks, last, np.isnan(values)))])
    precision = hits / np.arange(1, hits.size + 1)
    most = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    needed = -(-np.arange(11) * total // 10)
    return float(most[np.searchsorted(hits, needed, "left")].mean())


def _total(found: int, total: int | None) -> int:
    if total is not None and total < found:
        raise ParameterError(
            f"total must be at least the {found} relevant members of the list, and was {total}."
        )
    return found if total is None else int(total)


def precision_at(
    scores: ArrayLike, relevant: ArrayLike, r: int, *, missing: Missing = "error"
) -> float:
    """Relevant members among the first r, over r (also when the list is shorter than r)."""
    return _one(scores, relevant, missing).hits(_rank(r)) / r


def recall_at(
    scores: ArrayLike, relevant: ArrayLike, r: int, *, missing: Missing = "error"
) -> float:
    """Relevant members among the first r, over all relevant ones; NaN when nothing is relevant."""
    blocks = _one(scores, relevant, missing)
    return blocks.hits(_rank(r)) / blocks.total if blocks.total else float("nan")


def f_at(scores: ArrayLike, relevant: ArrayLike, r: int, *, missing: Missing = "error") -> float:
    """Harmonic mean of P@r and R@r, which is 2 hits / (r + number of relevant); NaN when nothing is
    relevant.
    """
    blocks = _one(scores, relevant, missing)
    return 2 * blocks.hits(_rank(r)) / (r + blocks.total) if blocks.total else float("nan")


def r_precision(scores: ArrayLike, relevant: ArrayLike, *, missing: Missing = "error") -> float:
    """P@r where r is the number of relevant members; NaN when there is none."""
    blocks = _one(scores, relevant, missing)
    return blocks.hits(blocks.total) / blocks.total if blocks.total else float("nan")


def retrieval(
    affinity: AffinityLike,
    truth: Labels,
    *,
    member_truth: Labels | None = None,
    at: Sequence[int] = (1, 5, 10),
    missing: Missing = "error",
) -> Retrieval:
    """Judge an affinity by retrieval: each member queries for the others of its class, row by row.

    `truth` is one class per query. For queries that are not the members, give the classes of the members as
    `member_truth`; without it a query never finds itself. Similarities rank from the largest, distances
    from the smallest.
    """
    ranks = [_rank(r) for r in at]
    coded, rows = query_rows(affinity, truth, member_truth, missing)
    ap = np.full(coded.codes.size, np.nan)
    hits = np.zeros((coded.codes.size, len(ranks)))
    totals = np.zeros(coded.codes.size)
    r_precisions = np.zeros(coded.codes.size)
    lost = 0
    for query, scores, relevant in rows:
        lost += int(np.isnan(scores).sum())
        blocks = tie_blocks(scores, relevant)
        totals[query] = blocks.total
        if blocks.total:
            ap[query] = blocks.average_precision()
            hits[query] = [blocks.hits(r) for r in ranks]
            r_precisions[query] = blocks.hits(blocks.total) / blocks.total
    used = totals > 0
    if not used.any():
        raise DataError("No query has another member of its class, so there is nothing to find.")
    classes = {
        name: float(ap[used & (coded.codes == c)].mean())
        for c, name in enumerate(coded.names)
        if (used & (coded.codes == c)).any()
    }
    found = hits[used]
    return Retrieval(
        float(ap[used].mean()),
        float(r_precisions[used].mean()),
        {r: float((found[:, i] / r).mean()) for i, r in enumerate(ranks)},
        {r: float((found[:, i] / totals[used]).mean()) for i, r in enumerate(ranks)},
        {r: float((2 * found[:, i] / (r + totals[used])).mean()) for i, r in enumerate(ranks)},
        ap,
        classes,
        int(used.sum()),
        int(((coded.codes >= 0) & ~used).sum()),
        int((coded.codes < 0).sum()),
        lost,
    )


def as_list(
    scores: ArrayLike, relevant: ArrayLike, missing: Missing
) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Check one ranked list: as many scores as relevance marks (yes or no), and NaN only where missing
    pairs are allowed.
    """
    values = numbers_of(scores, "The scores")
    marks = yes_no_of(relevant, "The relevance")
    if values.ndim != 1 or values.shape != marks.shape:
        raise DataError(
            f"Scores {values.shape} and relevance {marks.shape} must be two lists of the same length."
        )
    if values.size == 0:
        raise DataError("The list is empty: give at least one score.")
    if missing not in ("error", "last"):
        raise ParameterError(f"missing must be 'error' or 'last', and was {missing!r}.")
    if missing == "error" and np.isnan(values).any():
        place = int(np.flatnonzero(np.isnan(values))[0])
        raise DataError(
            f"Score {place} is NaN; fill it, or pass missing='last' to rank such members last."
        )
    return values, marks


def _one(scores: ArrayLike, relevant: ArrayLike, missing: Missing) -> TieBlocks:
    return tie_blocks(*as_list(scores, relevant, missing))


def _rank(r: int) -> int:
    if isinstance(r, bool) or not isinstance(r, int | np.integer) or r < 1:
        raise ParameterError(
            f"The rank of P@r, R@r and F@r must be a whole number from 1, and was {r!r}."
        )
    return int(r)
