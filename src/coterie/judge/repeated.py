"""Tests for results of repeated training: resampled splits share examples, so that Student's test alone is too bold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from coterie.core.errors import DataError, ParameterError
from coterie.judge.verdicts import TestResult, check_level, paired


def corrected_t(
    first: ArrayLike, second: ArrayLike, *, train: int, test: int, level: float = 0.95
) -> TestResult:
    """Student's paired test over random splits with the variance of Nadeau and Bengio (2003): s^2 (1/J + test/train).

    One value per split for each method; `train` and `test` are the numbers of examples of a split. Without the second term
    the test takes splits that share examples as independent and rejects far too often.
    """
    a, b, n = paired(first, second)
    if n < 2:
        raise DataError("The corrected test needs at least 2 splits, and there is 1.")
    if train < 1 or test < 1:
        raise ParameterError(
            f"train and test must be numbers of examples from 1, and were {train} and {test}."
        )
    check_level(level)
    gaps = a - b
    mean = float(gaps.mean())
    error = float(np.sqrt(gaps.var(ddof=1) * (1 / n + test / train)))
    differing = int(np.count_nonzero(gaps))
    if error <= 1e-15 * max(1.0, abs(mean)):
        return _flat("corrected t", mean, n, differing)
    half = float(stats.t.ppf(0.5 + level / 2, n - 1)) * error
    p = float(2 * stats.t.sf(abs(mean / error), n - 1))
    return TestResult("corrected t", mean, p, n, mean / error, mean - half, mean + half, differing)


def five_by_two(first: ArrayLike, second: ArrayLike, *, combined: bool = True) -> TestResult:
    """The test of five halvings, each half once for training and once for testing (values as 5 x 2 tables).

    `combined` takes all ten differences (Alpaydin 1999: F with 10 and 5 degrees of freedom); without it only the first
    counts in the numerator (Dietterich 1998: t with 5 degrees).
    """
    a, b, _ = paired(first, second, tables=True)
    if a.shape != (5, 2) or b.shape != (5, 2):
        raise DataError(
            f"The values must be two tables of 5 halvings x 2 halves, and have the shapes {a.shape} and {b.shape}."
        )
    gaps = a - b
    spread = float(np.square(gaps - gaps.mean(axis=1, keepdims=True)).sum(axis=1).mean())
    mean = float(gaps.mean())
    differing = int(np.count_nonzero(gaps))
    name = "5x2cv F" if combined else "5x2cv t"
    if spread <= 1e-30:
        return _flat(name, mean, 10, differing)
    if combined:
        f = float(np.square(gaps).sum() / (10 * spread))
        return TestResult(name, mean, float(stats.f.sf(f, 10, 5)), 10, f, discordant=differing)
    t = float(gaps[0, 0] / np.sqrt(spread))
    return TestResult(name, mean, float(2 * stats.t.sf(abs(t), 5)), 10, t, discordant=differing)


def _flat(name: str, mean: float, n: int, differing: int) -> TestResult:
    """All differences are the same: p is 1 for zero; otherwise nothing says how far they scatter."""
    caution = "" if mean == 0 else "All differences are equal, so their spread cannot be judged."
    return TestResult(name, mean, float(mean == 0), n, discordant=differing, caution=caution)
