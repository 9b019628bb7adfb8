"""Is the difference real? Paired tests for two methods judged on the same examples, queries or seeds.

Every test gives one `TestResult`: the difference first minus second, an interval where the test has one, a
two-sided p, the number of examples, and a caution in words where the p-value should not be trusted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from coterie.core.errors import DataError
from coterie.core.given import numbers_of
from coterie.judge.bootstraps import count_bootstrap as count_bootstrap
from coterie.judge.bootstraps import document_bootstrap as document_bootstrap
from coterie.judge.bootstraps import paired_bootstrap as paired_bootstrap
from coterie.judge.labels import Floats
from coterie.judge.repeated import corrected_t as corrected_t
from coterie.judge.repeated import five_by_two as five_by_two
from coterie.judge.verdicts import (
    CHUNK_VALUES,
    RandomState,
    caution_for,
    check_level,
    checked,
    is_unreliable,
    paired,
)
from coterie.judge.verdicts import TestResult as TestResult

EXACT_BELOW = 25


def mcnemar(
    first_right: ArrayLike, second_right: ArrayLike, *, exact: bool | None = None
) -> TestResult:
    """McNemar's test that two methods are right equally often; p = 1 when they never differ.

    `exact` None takes the exact binomial form below 25 examples on which they differ, and the chi-square
    with continuity correction otherwise.
    """
    a, b, n = paired(first_right, second_right, "marks")
    only_first = int(np.sum(a & ~b))
    only_second = int(np.sum(~a & b))
    discordant = only_first + only_second
    difference = (only_first - only_second) / n
    if discordant == 0:
        return TestResult(
            "McNemar", difference, 1.0, n, 0.0, discordant=0, caution="The methods never differ."
        )
    statistic = max(abs(only_first - only_second) - 1, 0) ** 2 / discordant
    if exact is None:
        exact = discordant < EXACT_BELOW
    if exact:
        p = float(stats.binomtest(only_first, discordant, 0.5).pvalue)
        return TestResult("McNemar (exact)", difference, p, n, statistic, discordant=discordant)
    p = float(stats.chi2.sf(statistic, 1))
    return TestResult(
        "McNemar",
        difference,
        p,
        n,
        statistic,
        discordant=discordant,
        caution=caution_for(n, discordant),
        unreliable=is_unreliable(n, discordant),
    )


def proportion_test(first_right: ArrayLike, second_right: ArrayLike) -> TestResult:
    """Normal test of two shares of right answers; it takes the methods as independent, so it seldom
    rejects.
    """
    a, b, n = paired(first_right, second_right, "marks")
    difference = float(a.mean() - b.mean())
    common = float((a.mean() + b.mean()) / 2)
    deviation = float(np.sqrt(2 * common * (1 - common) / n))
    z = difference / deviation if deviation else 0.0
    discordant = int(np.sum(a != b))
    p = float(2 * stats.norm.sf(abs(z)))
    return TestResult(
        "proportion",
        difference,
        p,
        n,
        z,
        discordant=discordant,
        caution=caution_for(n, discordant),
        unreliable=is_unreliable(n, discordant),
    )


def wilcoxon(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Wilcoxon's signed-rank test, for instance on the average precision of each query; equal pairs are
    dropped. Below 30 pairs, or 10 that differ, a caution says that the p-value is unreliable.
    """
    a, b, n = paired(first, second)
    gaps = a - b
    differing = int(np.count_nonzero(gaps))
    if not differing:
        return TestResult(
            "Wilcoxon", 0.0, 1.0, n, 0.0, discordant=0, caution="The methods never differ."
        )
    result = stats.wilcoxon(gaps, zero_method="wilcox")
    caution = caution_for(n, differing)
    statistic = float(result.statistic)
    return TestResult(
        "Wilcoxon",
        float(gaps.mean()),
        float(result.pvalue),
        n,
        statistic,
        discordant=differing,
        caution=caution,
        unreliable=is_unreliable(n, differing),
    )


def paired_t(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> TestResult:
    """Student's paired test and interval; when all differences are the same, p is 1 for zero and 0
    otherwise.
    """
    check_level(level)
    a, b, n = paired(first, second)
    if n < 2:
        raise DataError("Student's paired test needs at least 2 pairs, and there is 1.")
    gaps = a - b
    mean = float(gaps.mean())
    error = float(gaps.std(ddof=1) / np.sqrt(n))
    differing = int(np.count_nonzero(gaps))
    if error <= 1e-15 * max(abs(mean), float(np.abs(a).max()), float(np.abs(b).max())):
        alike = abs(mean) <= error
        caution = "" if alike else "All differences are equal, so their spread cannot be judged."
        return TestResult(
            "paired t",
            mean,
            float(alike),
            n,
            lower=mean,
            upper=mean,
            discordant=differing,
            caution=caution,
        )
    t = mean / error
    half = float(stats.t.ppf(0.5 + level / 2, n - 1)) * error
    p = float(2 * stats.t.sf(abs(t), n - 1))
    return TestResult("paired t", mean, p, n, t, mean - half, mean + half, differing)


def sign_test(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Which method wins more often, not by how much; equal pairs are dropped."""
    a, b, n = paired(first, second)
    wins = int(np.sum(a > b))
    losses = int(np.sum(a < b))
    p = float(stats.binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0
    return TestResult("sign", float(np.mean(a - b)), p, n, float(wins), discordant=wins + losses)


def permutation_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    replicates: int = 10_000,
    random_state: RandomState = None,
) -> TestResult:
    """Paired permutation test of the mean difference: signs are flipped, all of them when 2^n is at most
    `replicates`.
    """
    a, b, n = paired(first, second)
    gaps = a - b
    rng = checked(replicates, 0.95, random_state)
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
    return TestResult(
        name, float(gaps.mean()), p, n, total / n, discordant=int(np.count_nonzero(gaps))
    )


def holm(p_values: ArrayLike) -> Floats:
    """Holm's correction: p-values that keep the chance of any false alarm, over all of them, at the level."""
    p = numbers_of(p_values, "The p-values")
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise DataError("The p-values must be a list of numbers from 0 to 1.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)) if p.size else p
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
