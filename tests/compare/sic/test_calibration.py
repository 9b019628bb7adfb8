"""How iterations are weighed: means, deviations, coins, and where dissimilar pairs come to lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from coterie import Affinity
from coterie.compare.sic.calibration import levels
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.scores import Binary, Randomized, Weighted
from coterie.core.errors import DataError
from coterie.parts.pairwise import dense


@dataclass
class Kinds:
    """A mixture as the scores read it."""

    pi0: float
    pi1: float
    p0: np.ndarray
    p1: np.ndarray


def drawn(n: int, d: int, classes: int, tested: float, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    labels = np.minimum(random.geometric(3.0 / classes, (n, d)) - 1, classes - 1)
    labels[random.random((n, d)) > tested] = -1
    return labels


def values(affinity: Affinity) -> np.ndarray:
    return dense(affinity).values


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    return np.allclose(found, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


def planted(kept: np.ndarray, d: int, seed: int, classes: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Codes that are the true class with chance kept[i], else drawn at random; classes are named anew in each iteration."""
    random = np.random.default_rng(seed)
    truth = np.arange(d) % 4
    rows = [
        np.where(
            random.random(d) < k, random.permutation(classes)[truth], random.integers(0, classes, d)
        )
        for k in kept
    ]
    return np.array(rows), truth


def test_uninformative_iterations_earn_nothing():
    labels = drawn(20, 15, 4, 0.9)
    dull = np.stack([np.zeros(15, dtype=int), np.arange(15)])
    more = Codes(np.concatenate([dull, labels]))
    assert close(values(Weighted().affinity(more)), values(Weighted().affinity(Codes(labels))))
    assert not close(values(Binary().affinity(more)), values(Binary().affinity(Codes(labels))))
    with pytest.raises(DataError, match="No iteration tells two pairs apart"):
        Weighted().affinity(Codes(dull))


def test_each_iteration_has_mean_zero_and_deviation_sigma():
    labels = drawn(30, 40, 5, 0.8)
    first, second = np.triu_indices(40, 1)
    for i in range(30):
        row = values(Weighted(sigma=1.7).affinity(Codes(labels[i : i + 1])))[first, second]
        row = row[~np.isnan(row)]
        assert row.mean() == pytest.approx(0, abs=1e-12)
        assert (row**2).mean() == pytest.approx(1.7**2, rel=1e-12)


def test_levels_have_the_mean_and_the_variance_asked_for():
    random = np.random.default_rng(6)
    p = random.uniform(0.01, 0.99, 2000)
    mu = random.normal(0, 3, 2000)
    sigma = random.uniform(0.1, 3, 2000)
    same, apart = levels(p, sigma, mu)
    assert np.allclose(p * same + (1 - p) * apart, mu, atol=1e-12)
    assert np.allclose(p * same**2 + (1 - p) * apart**2, sigma**2 + mu**2, rtol=1e-12)


def test_coins_have_mean_zero_and_variance_sigma_squared():
    d = 900
    p0 = 0.1
    q = 0.25
    sigma = 1.3
    random = np.random.default_rng(7)
    labels = random.integers(0, 10, (12, d))  # independent codes: one code with chance 0.1
    codes = Codes(labels)
    mixture = Kinds(0.5, 0.5, np.full(12, p0), np.full(12, 0.5))
    first, second = np.triu_indices(d, 1)
    found = Randomized(q=q, sigma=sigma, p0="em", seed=5).affinity(codes, mixture=mixture)
    scores = values(found)[first, second] * 12  # sums of 12 scores
    assert scores.mean() / 12 == pytest.approx(0, abs=0.01)
    assert scores.var() / 12 == pytest.approx(sigma**2, rel=0.02)
    wide = values(found)
    calm = values(
        Randomized(q=q, sigma=sigma, p0="em", expected=True).affinity(codes, mixture=mixture)
    )
    assert np.abs((wide - calm)[first, second].mean()) < 0.01
    assert (wide == wide.T).all()


def test_recentering_brings_dissimilar_pairs_to_zero():
    labels, truth = planted(np.full(80, 0.5), d=120, seed=8)
    apart = truth[:, None] != truth[None, :]
    plain, moved = (values(Weighted(recenter=r).affinity(Codes(labels))) for r in (False, True))
    assert plain[apart].mean() < -0.1
    assert abs(moved[apart].mean()) < 0.3 * abs(plain[apart].mean())
    shift = (plain - moved).ravel()
    assert np.allclose(shift, shift[0], atol=1e-12)
    assert np.median(moved[np.triu_indices(120, 1)]) == pytest.approx(0, abs=1e-12)


def test_dissimilar_pairs_lie_below_zero_by_the_predicted_bias():
    labels, truth = planted(np.linspace(0.2, 0.8, 60), d=120, seed=12)
    first, second = np.triu_indices(120, 1)
    apart = truth[first] != truth[second]
    codes = Codes(labels)
    same, _ = codes.pairs(first, second)
    p0 = same[apart].mean(axis=0)
    rates = codes.rates()
    predicted = np.mean((p0 - rates) / np.sqrt(rates * (1 - rates)))
    found = values(Weighted().affinity(codes))[first, second][apart].mean()
    assert found == pytest.approx(predicted, abs=1e-12)
    assert found < -0.1
    mixture = Kinds(0.75, 0.25, p0, p0)
    centered = values(Weighted(p0="em").affinity(codes, mixture=mixture))[first, second][apart]
    assert centered.mean() == pytest.approx(0, abs=1e-12)
