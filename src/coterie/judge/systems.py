"""Several systems on the same members: every measure with its interval, and which differences are real.

Decisions, scores and ranked lists of queries each know how to measure the members as they are and drawn again; the interval
of a measure and the test of a difference come from the same draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.judge.bootstraps import Tables, percentile
from coterie.judge.decisions import Decisions
from coterie.judge.labels import Floats, Ints
from coterie.judge.rankings import TieBlocks
from coterie.judge.significance import holm, mcnemar, wilcoxon
from coterie.judge.verdicts import FEW_EXAMPLES, RandomState, TestResult, caution_for, checked
from coterie.parts.thresholds import Marks, blocks_of, break_even_at, cut_of

Values = dict[str, Floats]
SMALLER_IS_BETTER = ("EER", "HTER", "error")
_ON_ERRORS = "it looks at the members that only one of the two gets right, which is all that a difference of accuracy is made of"
_ON_QUERIES = "it pairs the queries, which differ far more among themselves than systems do"
_ON_DRAWS = "{} is no mean over {}, so that a test on errors would answer another question"


class Judged(Protocol):
    """Systems that can be measured as they are and on members drawn again."""

    @property
    def unit(self) -> str: ...  # what is drawn: "members", "documents", "queries"
    @property
    def n(self) -> int: ...
    def observed(self) -> Values: ...
    def drawn(self, replicates: int, rng: np.random.Generator) -> Values: ...
    def tested(self, measure: str, i: int, j: int) -> TestResult | None: ...
    def discordant(self, i: int, j: int) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Decisions of systems: yes or no on members, one label per member ("labels"), or yes or no on several categories."""

    truth: Marks  # members x categories
    said: Sequence[Marks]
    kind: str  # "yes/no", "labels" or "categories"

    @property
    def unit(self) -> str:
        return "documents" if self.kind == "categories" else "members"

    @property
    def n(self) -> int:
        return len(self.truth)

    def observed(self) -> Values:
        return _gathered(
            [self._measured(found) for found in Tables.of(self.truth, self.said).as_they_are()]
        )

    def drawn(self, replicates: int, rng: np.random.Generator) -> Values:
        chunks = [
            _gathered([self._measured(found) for found in systems])
            for systems in Tables.of(self.truth, self.said).drawn(replicates, rng)
        ]
        return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}

    def tested(self, measure: str, i: int, j: int) -> TestResult | None:
        if measure != "accuracy" or self.kind == "categories":
            return None
        return mcnemar(*((self.said[at] == self.truth).all(axis=1) for at in (i, j)))

    def discordant(self, i: int, j: int) -> int:
        return int((self.said[i] != self.said[j]).any(axis=1).sum())

    def _measured(self, found: Decisions) -> Values:
        if self.kind == "labels":
            return {"macro F1": found.macro_f1, "accuracy": found.micro_recall}
        if self.kind == "categories":
            return {
                "micro F1": found.micro_f1,
                "macro F1": found.macro_f1,
                "micro precision": np.nan_to_num(found.micro_precision),
                "micro recall": found.micro_recall,
            }
        return {
            "F1": found.micro_f1,
            "precision": np.nan_to_num(found.micro_precision),
            "recall": found.micro_recall,
            "accuracy": found.accuracy,
            "HTER": found.hter[..., 0],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of systems on members that are positive or not, equal scores never parted."""

    truth: Marks
    scores: Sequence[Floats]
    unit: str = "members"

    @property
    def n(self) -> int:
        return len(self.truth)

    def observed(self) -> Values:
        return _gathered(
            [
                self._measured(*blocks_of(one), np.ones(self.n, dtype=np.int64))
                for one in self.scores
            ]
        )

    def drawn(self, replicates: int, rng: np.random.Generator) -> Values:
        blocks = [blocks_of(one) for one in self.scores]
        rows: list[Values] = []
        for _ in range(replicates):
            weights = np.bincount(rng.integers(0, self.n, size=self.n), minlength=self.n)
            rows.append(_gathered([self._measured(*one, weights) for one in blocks]))
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    def tested(self, measure: str, i: int, j: int) -> TestResult | None:
        return None

    def discordant(self, i: int, j: int) -> int:
        one, other = (blocks_of(self.scores[at])[1] for at in (i, j))
        return int((one != other).sum())

    def _measured(self, distinct: Floats, place: Ints, weights: Ints) -> Values:
        found = cut_of(distinct, place, self.truth, weights)
        if not found.positives or not found.negatives:
            return dict.fromkeys(
                ("average precision", "AUC", "break-even point", "EER"), np.array(np.nan)
            )
        size = np.diff(found.hits + found.alarms)
        hits = np.diff(found.hits)
        there = hits > 0
        before = (found.hits + found.alarms)[:-1]
        ahead = found.hits[:-1]
        sizes, found_in, ranks, firsts = (
            part[there].astype(np.int64) for part in (size, hits, before, ahead)
        )
        blocks = TieBlocks(sizes, found_in, ranks, firsts, int(weights.sum()))
        at = break_even_at(found)
        nearest = int(np.argmin(np.abs(found.far - found.frr)))
        return {
            "average precision": np.array(blocks.average_precision()),
            "AUC": np.trapezoid(found.recall, found.far),
            "break-even point": (found.precision[at] + found.recall[at]) / 2,
            "EER": (found.far[nearest] + found.frr[nearest]) / 2,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Queried:
    """Ranked lists of systems for the same queries: each measure as a table of queries x systems."""

    values: Values
    unit: str = "queries"

    @property
    def n(self) -> int:
        return len(next(iter(self.values.values())))

    def observed(self) -> Values:
        return {name: table.mean(axis=0) for name, table in self.values.items()}

    def drawn(self, replicates: int, rng: np.random.Generator) -> Values:
        weights = rng.multinomial(self.n, np.full(self.n, 1 / self.n), size=replicates) / self.n
        return {name: weights @ table for name, table in self.values.items()}

    def tested(self, measure: str, i: int, j: int) -> TestResult | None:
        return wilcoxon(self.values[measure][:, i], self.values[measure][:, j])

    def discordant(self, i: int, j: int) -> int:
        table = next(iter(self.values.values()))
        return int((table[:, i] != table[:, j]).sum())


def _gathered(parts: Sequence[Values]) -> Values:
    return {
        name: np.stack([np.asarray(part[name], dtype=np.float64) for part in parts], axis=-1)
        for name in parts[0]
    }


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One measure of every system, with the interval of each."""

    name: str
    value: Floats
    lower: Floats
    upper: Floats

    @property
    def best(self) -> tuple[int, ...]:
        """The places of the best system, and of those that are as good."""
        top = self.value.min() if self.name in SMALLER_IS_BETTER else self.value.max()
        return tuple(np.flatnonzero(self.value == top).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two systems, the test of their difference in the main measure, and the p-value corrected for all pairs (Holm)."""

    first: str
    second: str
    result: TestResult
    p_value: float

    def sentence(self, measure: str, level: float = 0.05) -> str:
        """What the test says, in words."""
        gap = self.result.difference
        if self.p_value > level:
            return f"Nothing shows that {self.first} and {self.second} differ in {measure}."
        ahead = (gap > 0) != (measure in SMALLER_IS_BETTER)
        better, other = (self.first, self.second) if ahead else (self.second, self.first)
        if self.result.unreliable:
            return f"{better} looks better than {other} by {abs(gap):.3f} in {measure}, on too little to be sure of it."
        return f"{better} is better than {other}: {abs(gap):.3f} in {measure} is more than chance explains."


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Measures of every system, and the test of every pair in the main one."""

    systems: tuple[str, ...]
    n: int
    unit: str
    measures: tuple[Measured, ...]
    main: str
    pairs: tuple[Pair, ...]
    test: str
    why: str

    def measure(self, name: str) -> Measured:
        """One measure by name."""
        return next(one for one in self.measures if one.name == name)


def compare_systems(
    systems: Sequence[str],
    judged: Sequence[Judged],
    main: str | None = None,
    *,
    replicates: int = 2000,
    level: float = 0.95,
    random_state: RandomState = 0,
) -> Comparison:
    """Measure systems, the first measure (or the one named) with a test of every two; the rest with intervals only."""
    if len(systems) < 2:
        raise DataError(f"A comparison needs at least two systems, and there is {len(systems)}.")
    rng = checked(replicates, level, random_state)
    names = tuple(systems)
    measures = []
    tests = {}
    for one in judged:
        seen = one.observed()
        drawn = one.drawn(replicates, rng)
        for name, value in seen.items():
            if np.isnan(
                value
            ).any():  # not defined on these members, such as HTER without negatives
                continue
            lower, upper = np.nanquantile(drawn[name], [(1 - level) / 2, (1 + level) / 2], axis=0)
            measures.append(Measured(name, value, lower, upper))
            tests[name] = (one, drawn[name])
    wanted = measures[0].name if main is None else main
    if wanted not in tests:
        raise ParameterError(f"measure must be one of {', '.join(tests)}, and was {wanted!r}.")
    one, draws = tests[wanted]
    value = next(found.value for found in measures if found.name == wanted)
    results = [
        _tested(one, wanted, i, j, float(value[i] - value[j]), draws[:, i] - draws[:, j], level)
        for i, j in combinations(range(len(names)), 2)
    ]
    corrected = holm([result.p_value for result in results])
    pairs = tuple(
        Pair(names[i], names[j], result, float(p))
        for (i, j), result, p in zip(
            combinations(range(len(names)), 2), results, corrected, strict=True
        )
    )
    test, why = _why(one, wanted, results[0])
    return Comparison(names, one.n, one.unit, tuple(measures), wanted, pairs, test, why)


def _tested(
    judged: Judged, measure: str, i: int, j: int, gap: float, drawn: Floats, level: float
) -> TestResult:
    """The test that fits the measure, with the interval of the draws."""
    boot = percentile(
        f"bootstrap of {measure}", gap, drawn, level, judged.n, judged.discordant(i, j)
    )
    found = judged.tested(measure, i, j)
    if found is None:
        return boot
    few = (
        f"Only {judged.n} {judged.unit}: the interval is rough." if judged.n < FEW_EXAMPLES else ""
    )
    caution = found.caution or few
    if found.unreliable:
        caution = caution_for(found.n, found.discordant or 0, judged.unit)
    return TestResult(
        found.test,
        gap,
        found.p_value,
        found.n,
        found.statistic,
        boot.lower,
        boot.upper,
        found.discordant,
        caution,
        found.unreliable,
    )


def _why(judged: Judged, measure: str, result: TestResult) -> tuple[str, str]:
    if isinstance(judged, Queried):
        return "Wilcoxon's signed-rank test", _ON_QUERIES
    if result.test.startswith("McNemar"):
        return "McNemar's test", _ON_ERRORS
    what = (
        "bootstrap percentile test over documents"
        if judged.unit == "documents"
        else "bootstrap percentile test"
    )
    if judged.unit == "documents":
        return (
            what,
            "the decisions on one document hang together, so that whole documents are drawn, never single decisions",
        )
    if measure in ("precision", "recall", "accuracy", "HTER"):
        return (
            what,
            f"{measure} is a ratio of two counts that both vary, and drawing members again lets both vary",
        )
    return what, _ON_DRAWS.format(measure, judged.unit)
