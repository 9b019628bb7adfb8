"""Measures of ranked lists: P@r, R@r, F@r, R-precision, average precision and its means, exact under ties.

Members with equal scores stand in no order of their own, so every value here is the expected value over all
orders of the tied ones, in closed form; the order of the input file never matters. Missing pairs (NaN, with
missing="last") are one tied block behind all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coterie.core.errors import DataError, ParameterError
from coterie.judge.blocks import AffinityLike, Missing, query_rows
from coterie.judge.labels import Floats, Ints, Labels


@dataclass(frozen=True, slots=True, eq=False)
class TieBlocks:
    """The runs of equal scores that hold a relevant member, best first: their size, how many are relevant,
    and how many members (`before`) and relevant members (`found`) stand in front of them.
    """

    size: Ints
    relevant: Ints
    before: Ints
    found: Ints
    listed: int

    @property
    def total(self) -> int:
        """Relevant members in the whole list."""
        return int(self.relevant.sum())

    def hits(self, r: int) -> float:
        """Expected number of relevant members among the first r."""
        share = np.clip((r - self.before) / self.size, 0.0, 1.0)
        return float(np.sum(self.relevant * share))

    def average_precision(self) -> float:
        """Expected mean of the precision at the ranks of the relevant members; NaN when there is none.

        A block of n with r relevant, N0 before it and R0 found, adds (r/n) sum_j (R0 + 1 +
        (j-1)(r-1)/(n-1)) / (N0+j), j = 1..n; the sum over j is done with harmonic numbers.
        """
        if not self.total:
            return float("nan")
        slope = np.where(self.size > 1, (self.relevant - 1) / np.maximum(self.size - 1, 1), 0.0)
        harmonic = _harmonic_numbers(self.listed)
        inverse_ranks = harmonic[self.before + self.size] - harmonic[self.before]
        steps = self.size - (self.before + 1) * inverse_ranks
        blocks = self.relevant / self.size * ((self.found + 1) * inverse_ranks + slope * steps)
        return float(np.sum(blocks)) / self.total


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


def tie_blocks(scores: Floats, relevant: np.ndarray[Any, np.dtype[np.bool_]]) -> TieBlocks:
    """Cut a list (more is better, NaN is missing and last) into its tied blocks that hold a relevant
    member.
    """
    absent = np.isnan(scores)
    present = np.sort(scores[~absent])
    wanted = np.sort(scores[~absent & relevant])
    values, counts = np.unique(wanted, return_counts=True)
    left, right = np.searchsorted(present, values, "left"), np.searchsorted(present, values, "right")
    before = present.size - right
    found = wanted.size - np.searchsorted(wanted, values, "right")
    parts = [(right - left)[::-1], counts[::-1], before[::-1], found[::-1]]
    lost = int((absent & relevant).sum())
    if lost:
        tail = (int(absent.sum()), lost, present.size, wanted.size)
        parts = [np.append(part, value) for part, value in zip(parts, tail, strict=True)]
    size, hit, ahead, behind = (np.asarray(part, dtype=np.int64) for part in parts)
    return TieBlocks(size, hit, ahead, behind, scores.size)


def average_precision(scores: ArrayLike, relevant: ArrayLike, *, missing: Missing = "error") -> float:
    """Average precision of one list; NaN when nothing is relevant."""
    return _one(scores, relevant, missing).average_precision()


def precision_at(scores: ArrayLike, relevant: ArrayLike, r: int, *, missing: Missing = "error") -> float:
    """Relevant members among the first r, over r (also when the list is shorter than r)."""
    return _one(scores, relevant, missing).hits(_rank(r)) / r


def recall_at(scores: ArrayLike, relevant: ArrayLike, r: int, *, missing: Missing = "error") -> float:
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


def as_list(scores: ArrayLike, relevant: ArrayLike, missing: Missing) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Check one ranked list: as many scores as relevance marks, and NaN only where missing pairs are
    allowed.
    """
    values, marks = np.asarray(scores, dtype=np.float64), np.asarray(relevant).astype(bool)
    if values.ndim != 1 or values.shape != marks.shape:
        raise DataError(f"Scores {values.shape} and relevance {marks.shape} must be two lists of the same length.")
    if values.size == 0:
        raise DataError("The list is empty: give at least one score.")
    if missing not in ("error", "last"):
        raise ParameterError(f"missing must be 'error' or 'last', and was {missing!r}.")
    if missing == "error" and np.isnan(values).any():
        place = int(np.flatnonzero(np.isnan(values))[0])
        raise DataError(f"Score {place} is NaN; fill it, or pass missing='last' to rank such members last.")
    return values, marks


def _one(scores: ArrayLike, relevant: ArrayLike, missing: Missing) -> TieBlocks:
    return tie_blocks(*as_list(scores, relevant, missing))


def _rank(r: int) -> int:
    if isinstance(r, bool) or not isinstance(r, int | np.integer) or r < 1:
        raise ParameterError(f"The rank of P@r, R@r and F@r must be a whole number from 1, and was {r!r}.")
    return int(r)


@lru_cache(maxsize=4)
def _harmonic_table(size: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, size))])


def _harmonic_numbers(n: int) -> Floats:
    """H(0) .. H(n) at least, from a table whose length is a power of two."""
    return _harmonic_table(1 << (n + 1).bit_length())
