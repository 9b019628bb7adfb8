"""Bounds that hold for every weighting of candidates at once: PAC-Bayes with the binary relative entropy (Maurer 2004).

For n >= 8 pairs and candidates with a prior fixed before the pairs were seen, with probability at least 1 - delta, for all
weightings rho: kl(empirical || true) <= (KL(rho || prior) + ln(2 sqrt(n) / delta)) / n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from coterie.core.errors import DataError, ParameterError

LEAST = 8  # pairs the theorem needs
_NEVER = 1e-12  # chance below which nothing is divided by it
_TEMPERATURES = np.concatenate([[0.0], np.geomspace(0.1, 1e4, 60)])


def binary_kl(q: float, p: float) -> float:
    """q ln(q/p) + (1-q) ln((1-q)/(1-p)); infinite where p excludes what q allows.

    >>> round(binary_kl(0.1, 0.2), 6)
    0.03669
    """
    if (q > 0 and p <= 0) or (q < 1 and p >= 1):
        return float("inf")
    return (
        float(xlogy(q, q) - xlogy(q, p) + xlogy(1 - q, 1 - q) - xlogy(1 - q, 1 - p))
        if 0 < p < 1
        else 0.0
    )


def upper(q: float, c: float) -> float:
    """The largest p with kl(q || p) <= c."""
    return _end(q, c, q, 1.0)


def lower(q: float, c: float) -> float:
    """The smallest p with kl(q || p) <= c."""
    return _end(q, c, q, 0.0)


def _end(q: float, c: float, inside: float, outside: float) -> float:
    """Bisection between a p that is within c and one that is beyond it, until no number lies between them."""
    if not 0 <= q <= 1 or c < 0:
        raise ParameterError(
            f"A share lies in 0 to 1 and its distance is not negative; they were {q} and {c}."
        )
    if binary_kl(q, outside) <= c:
        return outside
    while (middle := (inside + outside) / 2) not in (inside, outside):
        if binary_kl(q, middle) <= c:
            inside = middle
        else:
            outside = middle
    return outside


def xi(n: int) -> float:
    """sum_k C(n,k) (k/n)^k (1-k/n)^(n-k), which for losses of 0 and 1 may stand for 2 sqrt(n).

    >>> round(xi(8) / 8**0.5, 2), round(xi(100) / 10, 2)
    (1.5, 1.32)
    """
    k = np.arange(n + 1)
    logs = (
        gammaln(n + 1)
        - gammaln(k + 1)
        - gammaln(n - k + 1)
        + xlogy(k, k / n)
        + xlogy(n - k, 1 - k / n)
    )
    return float(np.exp(logs).sum())


def relative_entropy(weights: np.ndarray, prior: np.ndarray) -> float:
    """KL(weights || prior)."""
    held = weights > 0
    return float(max(np.sum(weights[held] * np.log(weights[held] / prior[held])), 0.0))


def budget(divergence: float, n: int, delta: float, *, exact: bool = True) -> float:
    """(KL + ln(xi(n) / delta)) / n: how far the true risk may be from the empirical one."""
    if n < LEAST:
        raise DataError(
            f"A certificate needs at least {LEAST} pairs that were not fitted, and there are {n}."
        )
    if not 0 < delta < 1:
        raise ParameterError(f"delta must lie between 0 and 1, and was {delta}.")
    return (divergence + float(np.log((xi(n) if exact else 2 * np.sqrt(n)) / delta))) / n


@dataclass(frozen=True, eq=False)
class Weighting:
    """The weighting of candidates with the smallest bound on its risk."""

    weights: np.ndarray
    beta: float
    risk: float
    divergence: float
    bound: float


def best_weighting(
    risks: np.ndarray,
    n: int,
    delta: float,
    prior: np.ndarray | None = None,
    *,
    chance: np.ndarray | None = None,
    exact: bool = True,
) -> Weighting:
    """Weights proportional to prior exp(-beta risk), beta chosen by the bound; legitimate, since it holds for all at once.

    With `chance`, the risks that unrelated views would have, weights follow risk / chance, and beta has the smallest bound
    beside the weighted chance.
    """
    if not len(risks):
        raise DataError("There are no candidates to weight.")
    before = (
        np.full(len(risks), 1 / len(risks))
        if prior is None
        else np.asarray(prior, dtype=np.float64)
    )
    least = np.ones(len(risks)) if chance is None else np.maximum(chance, _NEVER)
    ratios = risks / least
    tries = []
    for beta in _TEMPERATURES:
        logs = np.log(before) - beta * (ratios - ratios.min())
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        risk = float(min(max(weights @ risks, 0.0), 1.0))
        divergence = relative_entropy(weights, before)
        bound = upper(risk, budget(divergence, n, delta, exact=exact))
        tries.append(Weighting(weights, float(beta), risk, divergence, bound))
    return min(
        tries, key=lambda one: one.bound / (1.0 if chance is None else float(one.weights @ least))
    )
