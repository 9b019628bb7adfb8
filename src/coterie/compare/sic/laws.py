"""The laws of how often two members share a code: exact tails, partial test sets, thresholds, planning, many tests at once.

Throughout, `p` holds per iteration the probability that a pair gets one code, k counts the iterations in which it did,
and t those in which both were tested. The iterations are independent, so k has a Poisson-binomial law.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtr, ndtri

from coterie.core.errors import DataError, ParameterError

_CELLS = 4_000_000  # values held at once while many tails are computed


def by_fft(p: ArrayLike) -> np.ndarray:
    """P(K = 0), ..., P(K = N) by a Fourier transform: quick, exact to about 1e-16 absolutely (not in far tails).

    >>> by_fft([0.5, 0.5]).round(3).tolist()
    [0.25, 0.5, 0.25]
    """
    chances = _chances(p, "p")
    n = chances.size
    turn = np.exp(2j * np.pi * np.arange(n + 1) / (n + 1))
    values = np.ones(n + 1, dtype=complex)
    for chance in chances:
        values *= 1.0 + (turn - 1.0) * chance
    return np.clip(np.fft.fft(values).real / (n + 1), 0.0, 1.0)


def by_convolution(p: ArrayLike) -> np.ndarray:
    """P(K = 0), ..., P(K = N) one iteration after the other; keeps relative accuracy in the far tails."""
    chances = _chances(p, "p")
    law = np.zeros(chances.size + 1)
    law[0] = 1.0
    for chance in chances:
        moved = law[:-1] * chance
        law *= 1.0 - chance
        law[1:] += moved
    return law


def upper(law: np.ndarray) -> np.ndarray:
    """P(K >= 0), P(K >= 1), ... from a law over 0, 1, ...; small terms are added first."""
    over = np.minimum(np.cumsum(law[::-1])[::-1], 1.0)
    over[0] = 1.0
    return over


def tail(p: ArrayLike, k: int) -> float:
    """P(K >= k), exact also where it is tiny.

    >>> tail([0.5, 0.5, 0.5], 3)
    0.125
    """
    chances = _chances(p, "p")
    return float(tails(chances, np.ones((1, chances.size), dtype=bool), np.array([k]))[0])


def tails(p: ArrayLike, both: np.ndarray, k: np.ndarray) -> np.ndarray:
    """P(K >= k) for many pairs; `both[j, i]` says whether iteration i counts for pair j. Exact, about N k steps a pair."""
    chances = _chances(p, "p")
    both = np.asarray(both, dtype=bool)
    k = np.asarray(k, dtype=np.int64)
    if both.shape != (k.size, chances.size):
        raise DataError(
            f"{k.size} pairs in {chances.size} iterations need a mask of that shape, and it was {both.shape}."
        )
    if both.all():
        known = np.append(upper(by_convolution(chances)), 0.0)
        return known[np.clip(k, 0, chances.size + 1)]
    out = np.ones(k.size)
    order = np.argsort(k, kind="stable")
    start = int(np.searchsorted(k[order], 0, side="right"))
    while start < k.size:
        most = max(int(k[order[min(start + 2048, k.size) - 1]]), 1)
        chosen = order[start : start + max(1, min(2048, _CELLS // most))]
        out[chosen] = _reaching(chances, both[chosen], k[chosen])
        start += len(chosen)
    return out


def _reaching(p: np.ndarray, both: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Chance to ever get k codes in common; every pair starts k steps below one common end that it never leaves."""
    most = int(k.max())
    law = np.zeros((most, k.size))
    law[most - k, np.arange(k.size)] = 1.0
    reached = np.zeros(k.size)
    for i in np.flatnonzero(both.any(axis=0)):
        chance = p[i] * both[:, i]
        moved = law * chance
        law *= 1.0 - chance
        law[1:] += moved[:-1]
        reached += moved[-1]
    return np.minimum(reached, 1.0)


def normal_tail(p: ArrayLike, k: ArrayLike) -> np.ndarray:
    """P(K >= k) by a plain normal law; far too small in the tail of rare coincidences (see `refined_tail`)."""
    chances = _chances(p, "p")
    return np.asarray(
        ndtr(
            -_standard(
                chances.sum(), (chances * (1 - chances)).sum(), np.asarray(k, dtype=np.float64)
            )
        )
    )


def refined_tail(p: ArrayLike, k: ArrayLike) -> np.ndarray:
    """P(K >= k) by a normal law corrected for skewness: 1 - [F(x) + g (1 - x^2) f(x) / 6]."""
    chances = _chances(p, "p")
    spread = chances * (1 - chances)
    return refined(chances.sum(), spread.sum(), (spread * (1 - 2 * chances)).sum(), k)


def refined(mean: ArrayLike, variance: ArrayLike, third: ArrayLike, k: ArrayLike) -> np.ndarray:
    """The same from the first three central sums of each pair's law."""
    variance = np.asarray(variance, dtype=np.float64)
    x = _standard(mean, variance, np.asarray(k, dtype=np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        skew = np.where(variance > 0, np.asarray(third, dtype=np.float64) / variance**1.5, 0.0)
        bend = np.where(
            np.isfinite(x),
            skew * (x * x - 1.0) * np.exp(-0.5 * x * x) / (6.0 * math.sqrt(2.0 * math.pi)),
            0.0,
        )
    return np.clip(ndtr(-x) + bend, 0.0, 1.0)


def _standard(mean: Any, variance: Any, k: np.ndarray) -> np.ndarray:
    """(k - 1/2 - mean) / sd; without spread, plus or minus infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (k - 0.5 - mean) / np.sqrt(variance)
    return np.nan_to_num(x, nan=-np.inf, posinf=np.inf, neginf=-np.inf)


def poisson_bound(p: ArrayLike) -> float:
    """How far, at most, the law of K is from the Poisson law of the same mean (total variation)."""
    chances = _chances(p, "p")
    mean = float(chances.sum())
    return min(1.0, 1.0 / mean) * float((chances**2).sum()) if mean > 0 else 0.0


def together(n_tested: ArrayLike, n_members: int) -> np.ndarray:
    """Chance that a pair is tested together when exactly `n_tested` members are: n (n - 1) / (D (D - 1)).

    Where every member is tested with probability rho by itself it is rho squared instead.

    >>> float(together(712, 950).round(4))
    0.5615
    """
    n = np.asarray(n_tested, dtype=np.float64)
    if n_members < 2:
        raise DataError(f"A pair needs two members, and there are {n_members}.")
    return n * (n - 1) / (n_members * (n_members - 1.0))


def joint_law(p: ArrayLike, both: ArrayLike) -> np.ndarray:
    """table[t, k] = P(T = t, K = k) when iteration i tests the pair together with chance `both[i]`; step by step."""
    chances = _chances(p, "p")
    both = np.broadcast_to(_chances(both, "both"), np.shape(np.atleast_1d(p)))
    table = np.zeros((chances.size + 1, chances.size + 1))
    table[0, 0] = 1.0
    for chance, met in zip(chances, both, strict=True):
        apart = table[:-1] * (met * (1 - chance))
        same = table[:-1, :-1] * (met * chance)
        table *= 1 - met
        table[1:] += apart
        table[1:, 1:] += same
    return table


def joint_law_by_fft(p: ArrayLike, both: ArrayLike) -> np.ndarray:
    """The same table by a Fourier transform in two dimensions."""
    chances = _chances(p, "p")
    both = np.broadcast_to(_chances(both, "both"), np.shape(np.atleast_1d(p)))
    n = chances.size
    turn = np.exp(2j * np.pi * np.arange(n + 1) / (n + 1))
    values = np.ones((n + 1, n + 1), dtype=complex)
    for chance, met in zip(chances, both, strict=True):
        values *= (1 - met) + met * turn[:, None] * ((1 - chance) + chance * turn[None, :])
    return np.clip(np.fft.fft2(values).real / (n + 1) ** 2, 0.0, 1.0)


def law_given_tests(p: ArrayLike, t: int) -> np.ndarray:
    """P(K = 0), ..., P(K = t) of a pair tested together in t of the iterations, any t of them alike."""
    chances = _chances(p, "p")
    if not 0 <= t <= chances.size:
        raise ParameterError(
            f"A pair is tested together in 0 to {chances.size} of the iterations, and {t} was asked for."
        )
    if t == chances.size:
        return by_convolution(chances)
    law = joint_law(chances, t / chances.size)[t, : t + 1]
    return law / law.sum()


def moments(p: ArrayLike, both: ArrayLike = 1.0) -> tuple[float, float]:
    """Mean and variance of S = K / T given that the pair was tested together at all; closed form where `both` is one number."""
    chances = _chances(p, "p")
    met = np.unique(_chances(both, "both"))
    n = chances.size
    if met.size > 1:
        table = joint_law(chances, both)[1:]
        share = np.arange(n + 1)[None, :] / np.arange(1, n + 1)[:, None]
        whole = table.sum()
        mean = float((share * table).sum() / whole)
        return mean, float((share**2 * table).sum() / whole) - mean**2
    t = np.arange(1, n + 1)
    weight = _binomial(n, t, float(met[0]))
    inverse = float((weight / t).sum() / weight.sum())
    total = float(chances.sum())
    squares = float((chances**2).sum())
    mean = total / n
    crossed = (total**2 - squares) / (n * (n - 1)) if n > 1 else 0.0
    return mean, inverse * mean + (1 - inverse) * crossed - mean**2


def _binomial(n: int, t: np.ndarray, met: float) -> np.ndarray:
    if met >= 1.0:
        return (t == n).astype(float)
    logs = (
        gammaln(n + 1)
        - gammaln(t + 1)
        - gammaln(n - t + 1)
        + t * np.log(max(met, 1e-300))
        + (n - t) * math.log1p(-met)
    )
    return np.exp(logs - logs.max())


def off_center(p0: ArrayLike, rate: ArrayLike, sigma: float = 1.0) -> tuple[float, float]:
    """Mean and variance per iteration of the weighted score of dissimilar pairs when weights use `rate` in place of `p0`.

    The mean is negative as soon as the overall rate is above p0, however many iterations there are.
    """
    chances = _chances(p0, "p0")
    used = _chances(rate, "rate")
    mean = np.mean((chances - used) / np.sqrt(used * (1 - used)))
    return sigma * float(mean), sigma**2 * float(
        np.mean(chances * (1 - chances) / (used * (1 - used)))
    )


def berry_esseen(p0: ArrayLike, t: int) -> float:
    """How far, at most, the law of the standardized mean of t weighted scores is from a normal law."""
    chances = _chances(p0, "p0")
    return (
        0.56
        * float(np.mean(((1 - chances) ** 2 + chances**2) / np.sqrt(chances * (1 - chances))))
        / math.sqrt(t)
    )


def risk_threshold(t: ArrayLike, risk: float, sigma: float = 1.0) -> np.ndarray:
    """Weighted score that a share `risk` of the dissimilar pairs tested t times exceeds: z sigma / sqrt(t)."""
    return np.asarray(
        ndtri(1 - _share(risk, "risk")) * sigma / np.sqrt(np.asarray(t, dtype=np.float64))
    )


def recall_threshold(
    t: ArrayLike,
    recall: float,
    p0: ArrayLike | None = None,
    p1: ArrayLike | None = None,
    sigma: float = 1.0,
) -> np.ndarray:
    """Weighted score that a share `recall` of the similar pairs tested t times exceeds.

    With p0 and p1 the weights are those centered on dissimilar pairs; without, those centered on similar pairs.
    """
    z = ndtri(_share(recall, "recall"))
    root = np.sqrt(np.asarray(t, dtype=np.float64))
    if p0 is None or p1 is None:
        return np.asarray(-z * sigma / root)
    mean, variance = off_center(p1, p0, sigma)
    return np.asarray(mean - z * math.sqrt(variance) / root)


def iterations_needed(risk: float, recall: float, p0: float, p1: float) -> int:
    """Common tests a pair needs so that at most `risk` of the dissimilar and at least `recall` of the similar pass.

    >>> iterations_needed(0.05, 0.95, 0.0263, 0.148)
    49
    """
    if not 0 < p0 < p1 < 1:
        raise ParameterError(
            f"p0 must be below p1, both between 0 and 1, and they were {p0} and {p1}.",
            owner="iterations_needed",
        )
    strict = ndtri(1 - _share(risk, "risk"))
    kept = ndtri(_share(recall, "recall"))
    spread = max(strict * math.sqrt(p0 * (1 - p0)) + kept * math.sqrt(p1 * (1 - p1)), 0.0)
    return max(1, math.ceil((spread / (p1 - p0)) ** 2))


def precision_of(risk: float, recall: float, pi1: float) -> float:
    """Share of truly similar pairs among those that pass; a small risk alone does not make it high.

    >>> round(precision_of(0.05, 0.8, 0.202), 2)
    0.8
    """
    kept = pi1 * recall
    wrong = (1 - pi1) * risk
    return kept / (kept + wrong) if kept + wrong > 0 else float("nan")


def benjamini_hochberg(
    p_values: ArrayLike, rate: float = 0.05, n_tests: int | None = None
) -> np.ndarray:
    """Which tests pass when, in the mean, at most a share `rate` of those that pass are wrong; NaN was not tested.

    `n_tests` says how many tests there are in all, when only the most promising are given.

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5], 0.05).tolist()
    [True, False, False, False]
    """
    values = np.asarray(p_values, dtype=np.float64)
    known = ~np.isnan(values)
    ordered = np.sort(values[known])
    every = max(ordered.size, n_tests or 1)
    below = np.flatnonzero(ordered <= _share(rate, "rate") * np.arange(1, ordered.size + 1) / every)
    return (
        known & (values <= ordered[below[-1]]) if below.size else np.zeros(values.shape, dtype=bool)
    )


def _chances(values: ArrayLike, name: str) -> np.ndarray:
    """Probabilities as a flat array; the first one outside 0 to 1 is named."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    bad = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if array.ndim != 1 or array.size == 0:
        raise DataError(
            f"{name} must be a list of at least one probability, and has shape {array.shape}."
        )
    if bad.size:
        raise DataError(
            f"{name} must be probabilities from 0 to 1, and number {bad[0]} is {array[bad[0]]}."
        )
    return array


def _share(value: float, name: str) -> float:
    if not 0 < value < 1:
        raise ParameterError(f"{name} must be above 0 and below 1, and was {value}.")
    return float(value)
