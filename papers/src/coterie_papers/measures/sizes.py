"""How often tests reject: their size where nothing differs and their power where something does, on simulated systems.

Two systems and the truth make a table of eight counts, and every test here is a function of such tables, so that thousands
of samples are tested at once, exactly as the tests of `significance` and `bootstraps` would. Keller 2006, section 3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import stats

from coterie.core.errors import ParameterError
from coterie.core.random import stream
from coterie.judge.bootstraps import count_difference
from coterie.judge.labels import Floats, Ints
from coterie.judge.significance import EXACT_BELOW
from coterie.judge.verdicts import CHUNK_VALUES, check_level

TESTS = ("McNemar", "proportion", "bootstrap error", "bootstrap F1")
_CODE = np.arange(8)
_TRUE = _CODE >> 2 & 1
_FIRST = _CODE >> 1 & 1
_SECOND = _CODE & 1


@dataclass(frozen=True, slots=True)
class Joint:
    """Two simulated systems: how common positives are, recall and false positive rate of each, and how often they disagree
    beyond what those make necessary (share of the positives, and of the negatives, that only one of them takes, on each side).
    """

    name: str
    prevalence: float
    recall: tuple[float, float]
    false_positives: tuple[float, float]
    apart: tuple[float, float]

    def table(self) -> Floats:
        """The probabilities of the eight cases 4 truth + 2 first + second."""
        sides = []
        for (a, b), extra in zip((self.false_positives, self.recall), self.apart, strict=True):
            both = min(a, b) - extra
            sides += [1 - max(a, b) - extra, b - both, a - both, both]
        found = np.array(sides) * np.repeat([1 - self.prevalence, self.prevalence], 4)
        if (found < 0).any():
            raise ParameterError(
                f"The systems of '{self.name}' cannot disagree that much at these rates."
            )
        return found

    @property
    def error_difference(self) -> float:
        """True error of the first less that of the second."""
        return float(self.table() @ ((_FIRST != _TRUE).astype(float) - (_SECOND != _TRUE)))

    @property
    def f1_difference(self) -> float:
        """True F1 of the first less that of the second."""
        return float(count_difference(self.table()[None, :], "f1")[0])


def _case(
    name: str,
    prevalence: float,
    recall: float,
    false: float,
    apart: tuple[float, float],
    more: float = 0.0,
) -> Joint:
    return Joint(name, prevalence, (recall + more, recall), (false, false), apart[::-1])


NO_DIFFERENCE = (
    _case("H0 balanced, close", 0.5, 0.8, 0.1, (0.01, 0.01)),
    _case("H0 balanced, different", 0.5, 0.8, 0.1, (0.08, 0.06)),
    _case("H0 5% positives, close", 0.05, 0.6, 0.01, (0.02, 0.001)),
    _case("H0 5% positives, different", 0.05, 0.6, 0.02, (0.2, 0.01)),
)
DIFFERENCE = (
    _case("H1 balanced, close (recall +.03)", 0.5, 0.8, 0.1, (0.01, 0.01), 0.03),
    _case("H1 5% positives, close (recall +.05)", 0.05, 0.6, 0.01, (0.02, 0.001), 0.05),
)


@dataclass(frozen=True, slots=True, eq=False)
class Rejections:
    """The share of samples in which each test of `TESTS` rejects, and its standard error by simulation."""

    case: str
    n: int
    samples: int
    rates: dict[str, float]

    def error(self, test: str) -> float:
        """Standard error of a rate, from the number of samples."""
        rate = self.rates[test]
        return float(np.sqrt(rate * (1 - rate) / self.samples))


def benchmark_tests(
    case: Joint,
    n: int,
    *,
    samples: int = 600,
    replicates: int | None = None,
    level: float = 0.05,
    random_state: int = 0,
) -> Rejections:
    """How often four tests reject on samples of `n` examples; the bootstraps use 50 / level replicates unless told."""
    if n < 1 or samples < 1:
        raise ParameterError(f"n and samples must be at least 1, and were {n} and {samples}.")
    check_level(level)
    many = int(np.ceil(50 / level)) if replicates is None else replicates
    counts = stream(random_state, 0).multinomial(n, case.table(), size=samples)
    p_values = {"McNemar": mcnemar_of(counts), "proportion": proportion_of(counts)}
    rejected = {name: float(np.mean(p <= level)) for name, p in p_values.items()}
    error, f1 = _bootstraps(counts, many, level, stream(random_state, 1))
    return Rejections(
        case.name, n, samples, rejected | {"bootstrap error": error, "bootstrap F1": f1}
    )


def mcnemar_of(counts: Ints) -> Floats:
    """McNemar's p-value of every row of counts: exact where few examples tell the systems apart."""
    right = _FIRST == _TRUE
    other = _SECOND == _TRUE
    only_first = counts @ (right & ~other)
    only_second = counts @ (~right & other)
    apart = only_first + only_second
    statistic = np.maximum(np.abs(only_first - only_second) - 1, 0) ** 2 / np.maximum(apart, 1)
    exact = np.minimum(2 * stats.binom.cdf(np.minimum(only_first, only_second), apart, 0.5), 1.0)
    return np.where(apart < EXACT_BELOW, exact, stats.chi2.sf(statistic, 1))


def proportion_of(counts: Ints) -> Floats:
    """The p-value of the proportion test of every row of counts."""
    n = counts.sum(axis=1)
    a = counts @ (_FIRST == _TRUE) / n
    b = counts @ (_SECOND == _TRUE) / n
    common = (a + b) / 2
    deviation = np.sqrt(2 * common * (1 - common) / n)
    z = np.divide(a - b, deviation, out=np.zeros(len(counts)), where=deviation > 0)
    return np.asarray(2 * stats.norm.sf(np.abs(z)), dtype=np.float64)


def _bootstraps(
    counts: Ints, replicates: int, level: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Shares of rows whose bootstrap of the error, and of F1, rejects."""
    step = max(1, CHUNK_VALUES // (8 * replicates))
    rejected = np.zeros(2)
    for start in range(0, len(counts), step):
        rows = counts[start : start + step]
        shares = np.repeat(rows / rows.sum(axis=1, keepdims=True), replicates, axis=0)
        drawn = rng.multinomial(int(rows[0].sum()), shares)
        for at, measure in enumerate(("error", "f1")):
            found = count_difference(drawn, measure).reshape(len(rows), replicates)
            tail = np.minimum((found <= 0).sum(axis=1), (found >= 0).sum(axis=1))
            rejected[at] += int((2 * (tail + 1) / (replicates + 1) <= level).sum())
    return float(rejected[0] / len(counts)), float(rejected[1] / len(counts))


def power_order(found: Sequence[Rejections], slack: float = 1.0) -> bool:
    """Whether bootstrap F1 >= bootstrap error >= McNemar >= proportion holds in every row, up to so many standard errors."""
    order = ("bootstrap F1", "bootstrap error", "McNemar", "proportion")
    return all(
        row.rates[one] >= row.rates[other] - slack * max(row.error(one), row.error(other))
        for row in found
        for one, other in pairwise(order)
    )
