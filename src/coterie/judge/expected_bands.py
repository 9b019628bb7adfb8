"""Bands of Expected Performance Curves: test data (and development data) drawn again, from counts where that is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coterie.core.errors import DataError
from coterie.judge.decisions import Decisions
from coterie.judge.labels import Floats, Ints
from coterie.judge.trade import Blocks, Criterion, Rates, choose, chosen_places, performance
from coterie.judge.verdicts import CHUNK_VALUES
from coterie.parts.thresholds import Marks, cut_of


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The lists of a curve and how its thresholds are chosen."""

    dev: Sequence[Blocks]
    test: Sequence[tuple[Floats, Marks]]
    alphas: Floats
    rates: Rates
    criterion: Criterion
    average: str

    def __post_init__(self) -> None:
        if len(self.dev) != len(self.test):
            raise DataError(
                f"The development data have {len(self.dev)} categories and the test data {len(self.test)}."
            )
        if not any(marks.any() and not marks.all() for _, marks in self.test):
            raise DataError("The test data need at least one positive and one negative example.")

    def thresholds(self) -> Floats:
        """Trade-offs x categories."""
        return choose(self.dev, self.alphas, self.rates, self.criterion)

    def decided(self, thresholds: Floats, weights: Floats | None = None) -> Decisions:
        """Decisions on the test data at these thresholds, every example counted as often as its weight says."""
        parts = [_taken(*one, thresholds[:, k], weights) for k, one in enumerate(self.test)]
        tp, fp, positive, negative = (np.stack(part, axis=-1) for part in zip(*parts, strict=True))
        return Decisions(tuple(range(len(parts))), tp, fp, positive - tp, negative - fp)


def _taken(
    scores: Floats, marks: Marks, thresholds: Floats, weights: Floats | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Positives and negatives above each threshold, and all of both."""
    order = np.argsort(scores, kind="stable")
    at = np.searchsorted(scores[order], thresholds, "right")
    weight = np.ones(scores.size) if weights is None else weights
    sums = []
    for side in (marks, ~marks):
        below = np.concatenate([[0.0], np.cumsum((weight * side)[order])])
        sums.append((below[-1] - below[at], np.full(thresholds.size, below[-1])))
    return sums[0][0], sums[1][0], sums[0][1], sums[1][1]


def drawn_tests(
    chosen: Chosen, thresholds: Floats, replicates: int, rng: np.random.Generator
) -> Floats:
    """The curve on samples of the test data (replicates x trade-offs), from the numbers of examples between thresholds."""
    coded = [_between(*one, thresholds[:, k]) for k, one in enumerate(chosen.test)]
    _, where, counts = np.unique(
        np.stack([code for code, _ in coded], axis=1), axis=0, return_index=True, return_counts=True
    )
    n = int(counts.sum())
    step = max(1, CHUNK_VALUES // (counts.size + 4 * thresholds.size))
    found = []
    for start in range(0, replicates, step):
        weights = rng.multinomial(n, counts / n, size=min(step, replicates - start)).astype(
            np.float64
        )
        parts = [_summed(weights, code[where], place) for code, place in coded]
        tp, fp, positive, negative = (np.stack(part, axis=-1) for part in zip(*parts, strict=True))
        made = Decisions(tuple(range(len(parts))), tp, fp, positive - tp, negative - fp)
        found.append(performance(made, chosen.rates, chosen.average)[2])
    return np.concatenate(found)


def _between(scores: Floats, marks: Marks, thresholds: Floats) -> tuple[Ints, Ints]:
    """Per example twice the number of distinct thresholds below it, plus one for a positive; per trade-off its threshold's
    place among the distinct ones.
    """
    distinct, place = np.unique(thresholds, return_inverse=True)
    return 2 * np.searchsorted(distinct, scores, "left") + marks, place.astype(np.int64)


def _summed(weights: Floats, code: Ints, place: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Weighted positives and negatives above the threshold of every trade-off, and all of both."""
    many = int(place.max()) + 2
    sums = []
    for side in (1, 0):
        there = np.flatnonzero(code % 2 == side)
        table = sparse.csr_array(
            (np.ones(there.size), (there, code[there] // 2)), shape=(code.size, many)
        )
        by_place = np.asarray((table.T @ weights.T).T)
        above = by_place[:, ::-1].cumsum(axis=1)[:, ::-1]
        sums.append((above[:, 1:][:, place], np.repeat(above[:, :1], place.size, axis=1)))
    return sums[0][0], sums[1][0], sums[0][1], sums[1][1]


def drawn_again(
    chosen: Chosen, thresholds: Floats, replicates: int, rng: np.random.Generator
) -> Floats:
    """The curve where both the development and the test data were drawn again; a draw that lacks a side is NaN."""
    found = np.full((replicates, chosen.alphas.size), np.nan)
    sizes = [len(chosen.dev[0][2]), len(chosen.test[0][1])]
    for i in range(replicates):
        dev, test = (
            np.bincount(rng.integers(0, n, size=n), minlength=n).astype(np.float64) for n in sizes
        )
        moved = np.empty_like(thresholds)
        for k, (distinct, place, marks) in enumerate(chosen.dev):
            cut = cut_of(distinct, place, marks, dev)
            if not cut.positives or not cut.negatives:
                break
            moved[:, k] = cut.thresholds[
                chosen_places(cut, chosen.alphas, chosen.rates, chosen.criterion)
            ]
        else:
            found[i] = performance(chosen.decided(moved, test), chosen.rates, chosen.average)[2]
    return found
