"""Integrals of products of what states emit: the building block of probability product kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import i0e, logsumexp

from coterie.core.errors import DataError, ParameterError
from coterie.parts.emissions import Emissions, Normal

_LOG_2PI = float(np.log(2 * np.pi))
_CELLS = (
    2**18
)  # numbers held at once for whole covariances; a constant, so that results never depend on the workplace


def log_products(a: Emissions, b: Emissions, power: float = 1.0) -> np.ndarray:
    """log of the integral of p(x)^power q(x)^power, for every state p of every model of `a` and q of `b`: (A, K, B, L)."""
    from coterie.parts.mixtures import Mixture
    from coterie.parts.symbols import Categorical, Counts

    if type(a) is not type(b) or a.dim != b.dim:
        raise DataError("Products are taken of states of one family with as many values each.")
    if isinstance(a, Mixture) and isinstance(b, Mixture):
        return _of_mixtures(a, b, power)
    if isinstance(a, Categorical) and isinstance(b, Categorical):
        return _of_symbols(a, b, power)
    if isinstance(a, Counts) and isinstance(b, Counts):
        return _of_counts(a.rates, b.rates, power)
    if isinstance(a, Normal) and isinstance(b, Normal):
        return _of_gaussians(a, b, power)
    raise DataError(f"Products of states that emit {a.name} are not known.")


def _of_gaussians(a: Normal, b: Normal, power: float) -> np.ndarray:
    if a.square != b.square:
        raise DataError(
            "Products are taken of states of one form: both with whole covariances, or both with variances."
        )
    d = a.dim
    first = _sizes(a)
    second = _sizes(b)
    means_a = a.means.reshape(-1, d)
    means_b = b.means.reshape(-1, d)
    spreads_a = a.spreads.reshape(len(means_a), -1)
    spreads_b = b.spreads.reshape(len(means_b), -1)
    gaps = _whole_gaps if a.square else _plain_gaps
    found = gaps(means_a, spreads_a, means_b, spreads_b, power)
    found += (1 - power) / 2 * (first[:, None] + second[None, :])
    found += d * ((1 - power) * _LOG_2PI - np.log(power) - _LOG_2PI / 2)
    return found.reshape(*a.means.shape[:2], *b.means.shape[:2])


def _sizes(laws: Normal) -> np.ndarray:
    """Logarithms of the determinants of all states."""
    if laws.square:
        return np.linalg.slogdet(laws.spreads)[1].ravel()
    return np.log(laws.spreads).sum(axis=2).ravel()


def _plain_gaps(
    m: np.ndarray, c: np.ndarray, n: np.ndarray, e: np.ndarray, power: float
) -> np.ndarray:
    """-1/2 log|S| - 1/2 gap' S^-1 gap with S the sum of the variances over the power; value by value."""
    found = np.zeros((len(m), len(n)))
    for value in range(m.shape[1]):
        total = np.add.outer(c[:, value], e[:, value]) / power
        gap = np.subtract.outer(m[:, value], n[:, value])
        found -= 0.5 * (np.log(total) + gap * gap / total)
    return found


def _whole_gaps(
    m: np.ndarray, c: np.ndarray, n: np.ndarray, e: np.ndarray, power: float
) -> np.ndarray:
    """The same of whole covariances, by Cholesky factors, some states at a time."""
    d = m.shape[1]
    found = np.empty((len(m), len(n)))
    height = max(1, _CELLS // (len(n) * d * d))
    c = c.reshape(-1, d, d)
    e = e.reshape(-1, d, d)
    for lo in range(0, len(m), height):
        rows = slice(lo, lo + height)
        roots = np.linalg.cholesky((c[rows, None] + e[None]) / power)
        gap = np.linalg.solve(roots, (m[rows, None] - n[None])[..., None])[..., 0]
        sizes = np.log(np.diagonal(roots, axis1=-2, axis2=-1)).sum(axis=-1)
        found[rows] = -sizes - 0.5 * np.square(gap).sum(axis=-1)
    return found


def _of_mixtures(a: Emissions, b: Emissions, power: float) -> np.ndarray:
    """Sums over all pairs of components; for the power one only."""
    from coterie.parts.mixtures import Mixture

    assert isinstance(a, Mixture)
    assert isinstance(b, Mixture)
    if power != 1:
        raise ParameterError(
            f"Products of mixtures are known for power=1 only, and power was {power:g}; use Gaussian states."
        )
    parts = _of_gaussians(a.components, b.components, 1.0)
    shape = (*a.weights.shape, *b.weights.shape)
    with np.errstate(divide="ignore"):
        weights = np.log(a.weights)[..., None, None, None] + np.log(b.weights)
    return np.asarray(logsumexp(parts.reshape(shape) + weights, axis=(2, 5)))


def _of_symbols(a: Emissions, b: Emissions, power: float) -> np.ndarray:
    """Sums over all symbols, column by column."""
    from coterie.parts.symbols import Categorical

    assert isinstance(a, Categorical)
    assert isinstance(b, Categorical)
    if a.sizes != b.sizes:
        raise DataError(
            f"Products are taken of states over the same symbols, and there are {a.sizes} and {b.sizes} of them."
        )
    total = np.zeros((*a.probabilities.shape[:2], *b.probabilities.shape[:2]))
    for part in a.columns():
        sums = np.tensordot(
            a.probabilities[..., part] ** power, b.probabilities[..., part] ** power, axes=(2, 2)
        )
        with np.errstate(divide="ignore"):
            total += np.log(sums)
    return total


def _of_counts(a: np.ndarray, b: np.ndarray, power: float) -> np.ndarray:
    """Sums over all counts of Poisson laws: a Bessel function for the power one, an exponential for one half."""
    forms: dict[float, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
        1.0: lambda x, y: np.log(i0e(2 * x * y)) - np.square(x - y),
        0.5: lambda x, y: -np.square(x - y) / 2,
    }
    if power not in forms:
        raise ParameterError(
            f"Products of Poisson states are known for power=1 and power=0.5 only, and power was {power:g}."
        )
    total = np.zeros((*a.shape[:2], *b.shape[:2]))
    for value in range(a.shape[2]):
        total += forms[power](np.sqrt(a[:, :, value])[:, :, None, None], np.sqrt(b[:, :, value]))
    return total
