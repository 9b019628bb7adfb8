"""Systems piece by piece: a measure of every query, class or category, which labels are taken for which, scores by category."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import DataError
from coterie.judge.bootstraps import Tables
from coterie.judge.systems import Scored, Values
from coterie.judge.verdicts import TestResult
from coterie.parts.thresholds import Marks

MACRO = {"average precision": "macro average precision", "AUC": "macro AUC"}
MOST_CONFUSED = 20  # pairs of labels in the table of confusions


@dataclass(frozen=True, slots=True, eq=False)
class Breakdown:
    """One measure of every system on each query, class or category; NaN where it is not defined."""

    measure: str
    of: str  # "query", "class" or "category"
    rows: tuple[str, ...]
    sizes: tuple[int, ...]  # relevant documents, or members
    values: np.ndarray  # rows x systems

    @property
    def title(self) -> str:
        """What is shown, as a heading."""
        return f"{self.measure[0].upper()}{self.measure[1:]} per {self.of}"

    def ordered(self, order: np.ndarray) -> Breakdown:
        """The same with its rows in this order."""
        at = order.tolist()
        return Breakdown(
            self.measure,
            self.of,
            tuple(self.rows[i] for i in at),
            tuple(self.sizes[i] for i in at),
            self.values[at],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Confusions:
    """Which label is taken for which, and how often by each system; the commonest first."""

    rows: tuple[tuple[str, str, tuple[int, ...]], ...]
    more: int  # pairs of labels that are not listed


@dataclass(frozen=True, slots=True, eq=False)
class ScoredCategories:
    """Scores of systems on several categories: means over categories of what needs no threshold, whole documents drawn."""

    truth: Marks  # documents x categories, each with both kinds
    scores: Sequence[np.ndarray]
    unit: str = "documents"

    @property
    def n(self) -> int:
        return len(self.truth)

    def observed(self) -> Values:
        found = self.each()
        return {name: np.nanmean(table, axis=0) for name, table in found.items()}

    def each(self) -> Values:
        """Categories x systems, by the name of the mean."""
        parts = [one.observed() for one in self._parts()]
        return {mean: np.stack([part[name] for part in parts]) for name, mean in MACRO.items()}

    def drawn(self, replicates: int, rng: np.random.Generator) -> Values:
        shape = (replicates, len(self.scores))
        sums, counts = ({name: np.zeros(shape) for name in MACRO.values()} for _ in range(2))
        for one in self._parts():
            values = one.drawn(
                replicates, copy.deepcopy(rng)
            )  # every category sees the same documents
            for name, mean in MACRO.items():
                known = np.isfinite(values[name])
                sums[mean] += np.where(known, values[name], 0.0)
                counts[mean] += known
        return {
            name: np.divide(sums[name], many, out=np.full(shape, np.nan), where=many > 0)
            for name, many in counts.items()
        }

    def tested(self, measure: str, i: int, j: int) -> TestResult | None:
        return None

    def discordant(self, i: int, j: int) -> int:
        return int((self.scores[i] != self.scores[j]).any(axis=1).sum())

    def _parts(self) -> list[Scored]:
        return [
            Scored(self.truth[:, k], [one[:, k] for one in self.scores])
            for k in range(self.truth.shape[1])
        ]


def scored_categories(
    names: Sequence[str], truth: Marks, scores: Sequence[np.ndarray]
) -> tuple[ScoredCategories, tuple[Breakdown, ...], list[str]]:
    """Scores by category, of the categories that have positive and negative documents; the others are noted."""
    usable = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
    if not usable.size:
        raise DataError(
            "No category has both positive and negative documents, so that nothing can be ranked."
        )
    lost = [name for at, name in enumerate(names) if at not in set(usable.tolist())]
    notes = (
        [f"Nothing can be ranked in {_few(lost)}: all documents are positive, or none is."]
        if lost
        else []
    )
    judged = ScoredCategories(truth[:, usable], [one[:, usable] for one in scores])
    rows = tuple(names[at] for at in usable.tolist())
    sizes = tuple(truth[:, usable].sum(axis=0).tolist())
    parts = tuple(
        Breakdown(short, "category", rows, sizes, judged.each()[mean]).ordered(_largest(sizes))
        for short, mean in MACRO.items()
    )
    return judged, parts, notes


def f1_of_each(names: Sequence[str], truth: Marks, said: Sequence[Marks], of: str) -> Breakdown:
    """F1 of every class or category, the largest first; those without a positive have none."""
    values = np.stack([found.f1 for found in Tables.of(truth, said).as_they_are()], axis=1)
    sizes = tuple(int(many) for many in truth.sum(axis=0))
    return Breakdown("F1", of, tuple(names), sizes, values).ordered(_largest(sizes))


def confusions(truth: Iterable[str], said: Iterable[Iterable[str]]) -> Confusions:
    """What is taken for what, in words."""
    truth = list(truth)
    counted = [Counter((a, b) for a, b in zip(truth, one, strict=True) if a != b) for one in said]
    together = sum(counted, Counter())
    order = sorted(together, key=lambda pair: (-together[pair], pair))
    rows = tuple((*pair, tuple(one[pair] for one in counted)) for pair in order[:MOST_CONFUSED])
    return Confusions(rows, max(len(order) - MOST_CONFUSED, 0))


def _largest(sizes: Sequence[int]) -> np.ndarray:
    return np.argsort(-np.asarray(sizes), kind="stable")


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (
        f" and {len(names) - 5:,} more categories" if len(names) > 5 else ""
    )
