"""Is the difference real? Paired tests for two methods judged on the same examples, queries or seeds.

Every test gives one `TestResult`: the difference first minus second, an interval where the test has one, a
two-sided p, the number of examples, and a caution in words where the p-value should not be trusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from coterie.core.errors import DataError, ParameterError
from coterie.judge.labels import Floats

RandomState: TypeAlias = "int | np.random.Generator | None"
CHUNK_VALUES = 1 << 22
FEW_EXAMPLES, FEW_DISCORDANT, EXACT_BELOW = 30, 10, 25


@dataclass(frozen=True, slots=True)
class TestResult:
    """What a test says, in one line when printed; `discordant` counts the examples on which the two methods differ."""

    __test__ = False

    test: str
    difference: float
    p_value: float
    n: int
    statistic: float = float("nan")
    lower: float = float("nan")
    upper: float = float("nan")
    discordant: int | None = None
    caution: str = ""

    def __str__(self) -> str:
        told = [] if np.isnan(self.statistic) else [f"statistic {self.statistic:.4g}"]
        interval = "" if np.isnan(self.lower) else f" (interval {self.lower:.4g} to {self.upper:.4g})"
        told += [f"difference {self.difference:.4g}{interval}", f"p = {self.p_value:.3g}", f"n = {self.n}"]
        return f"{self.test}: {', '.join(told)}.{' ' if self.caution else ''}{self.caution}"

    def significant(self, level: float = 0.05) -> bool:
        """Whether p is at most the level."""
        return self.p_value <= level


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike | None = None,
    *,
    measure: Callable[..., float] | None = None,
    replicates: int = 5000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> TestResult:
    """Percentile interval and test of measure(first) - measure(second), examples drawn with replacement.

    `measure` takes the outputs of one method on the drawn examples, and their truth when `truth` is given;
    the default is the mean of the outputs. A drawn sample on which the measure is NaN is left out and
    mentioned.
    """
    a, b, n = _paired(first, second, numeric=measure is None)
    answers = None if truth is None else np.asarray(truth)
    if answers is not None and len(answers) != n:
        raise DataError(f"There are {n} outputs and {len(answers)} truths: they must be equally many.")
    rng = _checked(replicates, level, random_state)
    if measure is None:
        observed, drawn = _bootstrap_means(a - b, replicates, rng)
    else:
        observed = _difference(measure, a, b, answers)
        drawn = np.empty(replicates)
        for i in range(replicates):
            pick = rng.integers(0, n, size=n)
            drawn[i] = _difference(measure, a[pick], b[pick], None if answers is None else answers[pick])
    return _percentile("paired bootstrap", observed, drawn, level, n, int(np.sum(a != b)))


def count_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike,
    *,
    measure: Literal["error", "f1"] = "f1",
    replicates: int = 5000,
    level: float = 0.95,
    random_state: RandomState = None,
) -> TestResult:
    """The same test for yes/no predictions, drawn fast and exactly from the eight counts (truth, first,
    second).
    """
    if measure not in ("error", "f1"):
        raise ParameterError(f"measure must be 'error' or 'f1', and was {measure!r}.")
    a, b, n = _paired(first, second, numeric=False)
    y = np.asarray(truth).astype(bool)
    if y.shape != (n,):
        raise DataError(f"There are {n} predictions and {y.size} truths: they must be equally many.")
    rng = _checked(replicates, level, random_state)
    a, b = a.astype(bool), b.astype(bool)
    counts = np.bincount(4 * y + 2 * a + b, minlength=8)
    drawn = _count_difference(rng.multinomial(n, counts / n, size=replicates), measure)
    observed = float(_count_difference(counts[None, :], measure)[0])
    return _percentile(f"bootstrap of {measure}", observed, drawn, level, n, int(np.sum(a != b)))


def mcnemar(first_right: ArrayLike, second_right: ArrayLike, *, exact: bool | None = None) -> TestResult:
    """McNemar's test that two methods are right equally often; p = 1 when they never differ.

    `exact` None takes the exact binomial form below 25 examples on which they differ, and the chi-square
    with continuity correction otherwise.
    """
    a, b, n = _paired(first_right, second_right, numeric=False)
    a, b = a.astype(bool), b.astype(bool)
    only_first, only_second = int(np.sum(a & ~b)), int(np.sum(~a & b))
    discordant = only_first + only_second
    difference = (only_first - only_second) / n
    if discordant == 0:
        return TestResult("McNemar", difference, 1.0, n, 0.0, discordant=0, caution="The methods never differ.")
    statistic = max(abs(only_first - only_second) - 1, 0) ** 2 / discordant
    if exact is None:
        exact = discordant < EXACT_BELOW
    if exact:
        p = float(stats.binomtest(only_first, discordant, 0.5).pvalue)
        return TestResult("McNemar (exact)", difference, p, n, statistic, discordant=discordant)
    p = float(stats.chi2.sf(statistic, 1))
    return TestResult("McNemar", difference, p, n, statistic, discordant=discordant, caution=_caution(n, discordant))


def proportion_test(first_right: ArrayLike, second_right: ArrayLike) -> TestResult:
    """Normal test of two shares of right answers; it takes the methods as independent, so it seldom
    rejects.
    """
    a, b, n = _paired(first_right, second_right, numeric=False)
    a, b = a.astype(bool), b.astype(bool)
    difference, common = float(a.mean() - b.mean()), float((a.mean() + b.mean()) / 2)
    deviation = float(np.sqrt(2 * common * (1 - common) / n))
    z = difference / deviation if deviation else 0.0
    discordant = int(np.sum(a != b))
    p = float(2 * stats.norm.sf(abs(z)))
    return TestResult("proportion", difference, p, n, z, discordant=discordant, caution=_caution(n, discordant))


def wilcoxon(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Wilcoxon's signed-rank test, for instance on the average precision of each query; equal pairs are
    dropped.
    """
    a, b, n = _paired(first, second)
    gaps = a - b
    differing = int(np.count_nonzero(gaps))
    if not differing:
        return TestResult("Wilcoxon", 0.0, 1.0, n, 0.0, discordant=0, caution="The methods never differ.")
    result = stats.wilcoxon(gaps, zero_method="wilcox")
    return TestResult("Wilcoxon", float(gaps.mean()), float(result.pvalue), n, float(result.statistic), discordant=differing)


def paired_t(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> TestResult:
    """Student's paired test and interval; when all differences are the same, p is 1 for zero and 0
    otherwise.
    """
    a, b, n = _paired(first, second)
    if n < 2:
        raise DataError("Student's paired test needs at least 2 pairs, and there is 1.")
    gaps = a - b
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(n))
    differing = int(np.count_nonzero(gaps))
    if error <= 1e-15 * max(abs(mean), float(np.abs(a).max()), float(np.abs(b).max())):
        alike = abs(mean) <= error
        caution = "" if alike else "All differences are equal, so their spread cannot be judged."
        return TestResult("paired t", mean, float(alike), n, lower=mean, upper=mean, discordant=differing, caution=caution)
    t = mean / error
    half = float(stats.t.ppf(0.5 + level / 2, n - 1)) * error
    p = float(2 * stats.t.sf(abs(t), n - 1))
    return TestResult("paired t", mean, p, n, t, mean - half, mean + half, differing)


def sign_test(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Which method wins more often, not by how much; equal pairs are dropped."""
    a, b, n = _paired(first, second)
    wins, losses = int(np.sum(a > b)), int(np.sum(a < b))
    p = float(stats.binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0
    return TestResult("sign", float(np.mean(a - b)), p, n, float(wins), discordant=wins + losses)


def permutation_test(
    first: ArrayLike, second: ArrayLike, *, replicates: int = 10_000, random_state: RandomState = None
) -> TestResult:
    """Paired permutation test of the mean difference: signs are flipped, all of them when 2^n is at most
    `replicates`.
    """
    a, b, n = _paired(first, second)
    gaps = a - b
    rng = _checked(replicates, 0.95, random_state)
    total = abs(float(gaps.sum()))
    edge = total - 1e-12 * float(np.abs(gaps).sum())
    exhaustive = n < 63 and 2**n <= replicates
    rounds = 2**n if exhaustive else replicates
    step = max(1, CHUNK_VALUES // n)
    as_far = 0
    for start in range(0, rounds, step):
        size = min(step, rounds - start)
        if exhaustive:
            flips = (np.arange(start, start + size)[:, None] >> np.arange(n)) & 1
        else:
            flips = rng.integers(0, 2, size=(size, n))
        as_far += int(np.sum(np.abs((1.0 - 2.0 * flips) @ gaps) >= edge))
    p = as_far / rounds if exhaustive else (as_far + 1) / (rounds + 1)
    name = "permutation (all)" if exhaustive else "permutation"
    return TestResult(name, float(gaps.mean()), p, n, total / n, discordant=int(np.count_nonzero(gaps)))


def holm(p_values: ArrayLike) -> Floats:
    """Holm's correction: p-values that keep the chance of any false alarm, over all of them, at the level."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise DataError("The p-values must be a list of numbers from 0 to 1.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)) if p.size else p
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _paired(first: ArrayLike, second: ArrayLike, *, numeric: bool = True) -> tuple[NDArray[Any], NDArray[Any], int]:
    a, b = np.asarray(first), np.asarray(second)
    if numeric:
        a, b = a.astype(np.float64), b.astype(np.float64)
    if a.ndim == 0 or b.ndim == 0 or len(a) != len(b):
        raise DataError(f"The two methods have {a.size} and {b.size} values: a paired test needs equally many.")
    if len(a) == 0:
        raise DataError("There is nothing to compare: give at least one pair of values.")
    for which, values in (("first", a), ("second", b)):
        if values.dtype.kind == "f" and np.isnan(values).any():
            place = int(np.argwhere(np.isnan(values))[0][0])
            raise DataError(f"Value {place} of the {which} method is NaN; drop that example from both methods.")
    return a, b, len(a)


def _checked(replicates: int, level: float, random_state: RandomState) -> np.random.Generator:
    if replicates < 1:
        raise ParameterError(f"replicates must be at least 1, and was {replicates}.")
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, and was {level}.")
    return np.random.default_rng(random_state)


def _difference(measure: Callable[..., float], a: Any, b: Any, truth: Any) -> float:
    if truth is None:
        return float(measure(a)) - float(measure(b))
    return float(measure(a, truth)) - float(measure(b, truth))


def _bootstrap_means(gaps: Floats, replicates: int, rng: np.random.Generator) -> tuple[float, Floats]:
    if gaps.ndim != 1:
        raise DataError("Without a measure the outputs must be one number per example.")
    step = max(1, CHUNK_VALUES // gaps.size)
    sizes = [min(step, replicates - start) for start in range(0, replicates, step)]
    drawn = [gaps[rng.integers(0, gaps.size, size=(size, gaps.size))].mean(axis=1) for size in sizes]
    return float(gaps.mean()), np.concatenate(drawn)


def _count_difference(counts: NDArray[Any], measure: str) -> Floats:
    """Error or F1 of first minus second; a column of `counts` is 4 truth + 2 first + second."""
    code = np.arange(8)
    y, values = (code >> 2) & 1, []
    for bit in (1, 0):
        said = (code >> bit) & 1
        wrong, hits = counts @ (said != y), counts @ (said & y)
        if measure == "error":
            values.append(wrong / counts.sum(axis=1))
        else:
            values.append(np.divide(2 * hits, 2 * hits + wrong, out=np.zeros(len(counts)), where=hits > 0))
    return np.asarray(values[0] - values[1], dtype=np.float64)


def _percentile(test: str, observed: float, drawn: Floats, level: float, n: int, discordant: int) -> TestResult:
    usable = drawn[~np.isnan(drawn)]
    if not usable.size or np.isnan(observed):
        raise DataError("The measure is undefined (NaN) on these examples, so its difference cannot be tested.")
    lower, upper = np.quantile(usable, [(1 - level) / 2, (1 + level) / 2])
    tail = min(int(np.sum(usable <= 0)), int(np.sum(usable >= 0)))
    p = min(1.0, 2 * (tail + 1) / (usable.size + 1))
    caution = _caution(n, discordant)
    if usable.size < drawn.size:
        lost = drawn.size - usable.size
        caution = f"The measure was undefined on {lost} of {drawn.size} samples. {caution}".strip()
    return TestResult(test, observed, p, n, lower=float(lower), upper=float(upper), discordant=discordant, caution=caution)


def _caution(n: int, discordant: int) -> str:
    if n < FEW_EXAMPLES:
        return f"Only {n} examples: the p-value is unreliable."
    if discordant < FEW_DISCORDANT:
        return f"The methods differ on only {discordant} examples: the p-value is unreliable."
    return ""
