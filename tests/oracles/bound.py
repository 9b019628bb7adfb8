"""Slow twins of the bound of two moments: adaptive quadrature pair by pair, best affine functions, exact Gaussian laws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import quad


def distance(p: float, gap: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Squared Mahalanobis distance of two means by the mixed covariance at prior p of the first."""
    return float(gap @ np.linalg.solve(p * first + (1 - p) * second, gap))


def affine_risk(p: float, gap: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Least mean square error of an affine function for labels 1 (prior p) and 0: variance left after a regression."""
    mixed = p * first + (1 - p) * second + p * (1 - p) * np.outer(gap, gap)
    link = p * (1 - p) * gap
    return float(p * (1 - p) - link @ np.linalg.solve(mixed, link))


def bound(
    square: Callable[[np.ndarray], np.ndarray],
    atom: float,
    gap: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> float:
    """Information of the best affine function at every prior, weighted and summed adaptively over the logit."""

    def part(u: float) -> float:
        p = 1 / (1 + np.exp(-u))
        q = 1 / (1 + np.exp(u))
        far = distance(p, gap, first, second)
        return float((p * q) ** 2 * far / (1 + p * q * far) * square(np.array([p]))[0] * p * q)

    found = sum(
        quad(part, a, b, epsabs=1e-12, epsrel=1e-10, limit=400)[0]
        for a, b in ((-33, -9), (-9, 0), (0, 9), (9, 33))
    )
    far = distance(0.5, gap, first, second)
    return found + atom * far / 16 / (1 + far / 4)


def gaussian_kl(gap: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """KL of N(gap, first) from N(0, second)."""
    turned = np.linalg.solve(second, first)
    return float(
        (
            np.trace(turned)
            - len(gap)
            - np.linalg.slogdet(turned)[1]
            + gap @ np.linalg.solve(second, gap)
        )
        / 2
    )


def equal_spreads(far: float) -> float:
    """The bound on Jeffreys' divergence of two laws with one covariance, in closed form."""
    v = np.sqrt(1 + 4 / far)
    return float(2 / v * np.log((v + 1) / (v - 1)))
