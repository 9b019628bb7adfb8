"""Slow twins of divergences: sums and integrals written as the definitions say, with no shared code."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy.integrate import quad

WEIGHTS: dict[str, Callable[[float], float]] = {
    "kl": lambda p: 1 / (p**2 * (1 - p)),
    "reverse-kl": lambda p: 1 / (p * (1 - p) ** 2),
    "jeffreys": lambda p: 1 / (p * (1 - p)) ** 2,
    "js": lambda p: 1 / (2 * p * (1 - p)),
    "hellinger": lambda p: 1 / (2 * (p * (1 - p)) ** 1.5),
    "triangular": lambda p: 8.0,
    "chi2": lambda p: 2 / p**3,
}
DEFINED: dict[str, Callable[[float, float], float]] = {  # one term of the sum over outcomes
    "kl": lambda p, q: p * math.log(p / q),
    "reverse-kl": lambda p, q: q * math.log(q / p),
    "jeffreys": lambda p, q: (p - q) * math.log(p / q),
    "js": lambda p, q: 0.5 * p * math.log(2 * p / (p + q)) + 0.5 * q * math.log(2 * q / (p + q)),
    "hellinger": lambda p, q: (math.sqrt(p) - math.sqrt(q)) ** 2,
    "variational": lambda p, q: abs(p - q),
    "triangular": lambda p, q: (p - q) ** 2 / (p + q),
    "chi2": lambda p, q: (p - q) ** 2 / q,
}
RISKS: dict[str, Callable[[float], float]] = {
    "zero-one": lambda e: min(e, 1 - e),
    "square": lambda e: e * (1 - e),
    "log": lambda e: -e * math.log(e) - (1 - e) * math.log(1 - e) if 0 < e < 1 else 0.0,
    "hinge": lambda e: 2 * min(e, 1 - e),
}


def defined(name: str, p: Sequence[float], q: Sequence[float]) -> float:
    """The divergence by its own definition."""
    return sum(DEFINED[name](a, b) for a, b in zip(p, q, strict=True))


def information(loss: str, prior: float, p: Iterable[float], q: Iterable[float]) -> float:
    """Prior risk less posterior risk."""
    after = 0.0
    for a, b in zip(p, q, strict=True):
        mixed = prior * a + (1 - prior) * b
        after += mixed * RISKS[loss](prior * a / mixed)
    return RISKS[loss](prior) - after


def integral(
    weight: Callable[[float], float],
    loss: str,
    p: Sequence[float],
    q: Sequence[float],
    margin: float = 1e-7,
) -> float:
    """The information of a loss with a weight over the log odds of the prior, piece by piece.

    Between margins; the 0-1 information, which has corners, between its first and its last one, beyond which it is zero.
    """
    corners = sorted({0.0, *(math.log(b / a) for a, b in zip(p, q, strict=True))})
    if loss not in ("zero-one", "hinge"):
        end = math.log((1 - margin) / margin)
        corners = [-end, *corners, end]

    def term(odds: float) -> float:
        x = 1 / (1 + math.exp(-odds))
        return information(loss, x, p, q) * weight(x) * x * (1 - x)

    return sum(
        quad(term, low, high, epsabs=1e-6, epsrel=1e-7)[0] for low, high in pairwise(corners)
    )


def threshold_rules(outcomes: int, ordered: bool = True) -> list[tuple[int, ...]]:
    """Sets of outcomes that a rule gives to P: all thresholds either way (linear rules), or every subset."""
    if ordered:
        ups = [tuple(range(k)) for k in range(outcomes + 1)]
        return sorted({*ups, *(tuple(range(k, outcomes)) for k in range(outcomes + 1))})
    return [tuple(x for x in range(outcomes) if code >> x & 1) for code in range(2**outcomes)]


def restricted(
    rules: Iterable[tuple[int, ...]], prior: float, p: Sequence[float], q: Sequence[float]
) -> float:
    """0-1 information of the best of some rules."""
    risks = [
        prior * (1 - sum(p[x] for x in rule)) + (1 - prior) * sum(q[x] for x in rule)
        for rule in rules
    ]
    return min(prior, 1 - prior) - min(risks)


def cross_fitted(
    p: np.ndarray,
    q: np.ndarray,
    folds_p: np.ndarray,
    folds_q: np.ndarray,
    model: object,
    priors: np.ndarray,
) -> np.ndarray:
    """Held-out square-loss risk at every prior, point by point: one model per fold, chances moved by the odds ratio."""
    from sklearn.base import clone

    wrong = np.zeros(len(priors))
    for fold in sorted(set(folds_p)):
        train = np.concatenate([p[folds_p != fold], q[folds_q != fold]])
        n_p = int((folds_p != fold).sum())
        n_q = int((folds_q != fold).sum())
        one = clone(model).fit(train, [1] * n_p + [0] * n_q)
        start = n_p / (n_p + n_q)
        for points, of_p in ((p[folds_p == fold], True), (q[folds_q == fold], False)):
            for point in points:
                chance = min(max(one.predict_proba(point[None])[0, 1], 1e-6), 1 - 1e-6)
                ratio = chance / (1 - chance) * (1 - start) / start
                for k, prior in enumerate(priors):
                    moved = prior * ratio / (prior * ratio + 1 - prior)
                    wrong[k] += (
                        prior * (1 - moved) ** 2 / len(p)
                        if of_p
                        else (1 - prior) * moved**2 / len(q)
                    )
    return wrong
