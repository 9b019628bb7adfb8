"""The laws of common codes against full enumeration, and against the figures of the report and of its corrections."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import false_discovery_control, norm, poisson
from tests.oracles import sic_laws as slow

from coterie.compare.sic import laws
from coterie.compare.sic.codes import Codes
from coterie.core.errors import DataError, ParameterError

# figure 5 of the report: truth
PI0 = 0.798
P0 = 0.0263
P1 = 0.148
SEVEN = np.array(
    [0.90622, 0.90622, 0.90622, 0.28196, 0.28196, 0.28196, 0.28196]
)  # mean 0.5495, variance of S 0.0498


def test_fourier_transform_and_convolution_against_enumeration():
    p = np.random.default_rng(1).random(12)
    exact = slow.counted(p)
    assert np.abs(laws.by_fft(p) - exact).max() < 1e-15
    assert np.abs(laws.by_convolution(p) - exact).max() < 1e-15


def test_fourier_transform_against_convolution_for_many_iterations():
    p = np.random.default_rng(2).random(600)
    assert np.abs(laws.by_fft(p) - laws.by_convolution(p)).max() < 1e-15
    assert laws.by_fft(p).min() >= 0


def test_tail_keeps_relative_accuracy_where_the_fourier_transform_cannot():
    p = np.full(60, 0.03)
    exact = math.fsum(math.comb(60, k) * 0.03**k * 0.97 ** (60 - k) for k in range(40, 61))
    assert exact < 1e-40
    assert laws.tail(p, 40) == pytest.approx(exact, rel=1e-12)
    assert laws.upper(laws.by_convolution(p))[40] == pytest.approx(exact, rel=1e-12)
    assert laws.upper(laws.by_fft(p))[40] > 1e-20


def test_tails_of_many_pairs_with_their_own_iterations():
    random = np.random.default_rng(3)
    p = random.random(9)
    both = random.random((300, 9)) < 0.6
    k = random.integers(0, 9, 300)
    exact = [slow.counted(p[m])[c:].sum() for m, c in zip(both, k, strict=True)]
    assert np.allclose(laws.tails(p, both, k), exact, rtol=1e-12, atol=0)
    assert np.allclose(
        laws.tails(p, np.ones((10, 9), bool), np.arange(10)),
        laws.upper(slow.counted(p)),
        rtol=1e-12,
    )
    assert laws.tail(p, 0) == 1.0
    assert laws.tail(p, 10) == 0.0


def test_normal_tails_are_too_small_and_the_refined_one_is_near():
    p = np.full(60, 0.0288)
    figures = {5: (0.029, 0.016, 0.034), 7: (0.0017, 0.00012, 0.0008)}
    for k, (exact, plain, refined) in figures.items():
        assert laws.tail(p, k) == pytest.approx(exact, rel=0.05)
        assert laws.normal_tail(p, k) == pytest.approx(plain, rel=0.05)
        assert laws.refined_tail(p, k) == pytest.approx(refined, rel=0.05)
        assert laws.normal_tail(p, k) < laws.refined_tail(p, k)


def test_refined_tail_without_spread_is_a_step():
    assert laws.refined_tail([1.0, 1.0, 0.0], [2, 3]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("p", "distance"), [(0.026, 0.007), (0.148, 0.039)])
def test_poisson_is_an_approximation_for_rare_codes_only(p, distance):
    law = laws.by_convolution(np.full(60, p))
    near = poisson(60 * p).pmf(np.arange(61))
    found = 0.5 * (np.abs(law - near).sum() + 1 - near.sum())
    assert found == pytest.approx(distance, abs=6e-4)
    assert found <= laws.poisson_bound(np.full(60, p))
    assert laws.poisson_bound(np.full(60, p)) == pytest.approx(min(1, 1 / (60 * p)) * 60 * p**2)


def test_joint_law_by_steps_and_by_fourier_transform_against_enumeration():
    random = np.random.default_rng(4)
    p = random.random(7)
    both = random.random(7)
    exact = slow.counted_jointly(p, both)
    assert np.abs(laws.joint_law(p, both) - exact).max() < 3e-16
    assert np.abs(laws.joint_law_by_fft(p, both) - exact).max() < 3e-16
    assert laws.joint_law(p, 0.64).sum() == pytest.approx(1, abs=1e-14)


def test_law_given_tests_is_a_row_of_the_joint_law():
    p = np.random.default_rng(5).random(7)
    exact = slow.counted_jointly(p, np.full(7, 0.3))
    for t in range(1, 8):
        assert np.allclose(
            laws.law_given_tests(p, t), exact[t, : t + 1] / exact[t].sum(), rtol=1e-12, atol=1e-16
        )


def test_moments_against_the_joint_law():
    random = np.random.default_rng(6)
    p = random.random(7)
    uneven = random.random(7)
    for both in (0.64, 0.05, 1.0):
        exact = slow.moments_of(slow.counted_jointly(p, np.full(7, both)))
        assert np.allclose(laws.moments(p, both), exact, rtol=0, atol=1e-14)
    assert np.allclose(
        laws.moments(p, uneven),
        slow.moments_of(slow.counted_jointly(p, uneven)),
        rtol=0,
        atol=1e-14,
    )
    assert laws.moments(p)[1] == pytest.approx((p * (1 - p)).sum() / 49, abs=1e-15)


def test_c1_printed_law_of_tests_misses_those_tested_neither():
    printed = slow.printed_law_of_t(7, 0.8)
    assert printed.sum() == pytest.approx(0.751, abs=5e-4)
    assert laws.joint_law(SEVEN, 0.8**2).sum() == pytest.approx(1, abs=1e-14)


def test_c2_c3_printed_mass_mean_and_variance_are_impossible():
    mass, mean, variance = slow.printed_moments(SEVEN, 0.8)
    assert mass == pytest.approx(16.7, abs=0.05)
    assert mean == pytest.approx(9.18, abs=0.005)
    assert variance == pytest.approx(-74.6, abs=0.05)
    assert laws.moments(SEVEN, 0.8**2) == pytest.approx((0.5495, 0.0498), abs=5e-5)


def test_c4_kind_drawn_once_or_at_every_iteration():
    shared = (1 - PI0) * laws.by_convolution(np.full(60, P1)) + PI0 * laws.by_convolution(
        np.full(60, P0)
    )
    redrawn = laws.by_convolution(np.full(60, (1 - PI0) * P1 + PI0 * P0))
    s = np.arange(61) / 60

    def variance(law):
        return (s**2 * law).sum() - (s * law).sum() ** 2

    assert variance(shared) == pytest.approx(0.0031, abs=6e-5)
    assert variance(redrawn) == pytest.approx(0.0008, abs=6e-5)


def test_c5_independence_estimates_the_overall_rate():
    random = np.random.default_rng(7)
    labels = random.integers(0, 9, (3, 40))
    codes = Codes(labels)
    for rate, sizes in zip(codes.rates(), codes.sizes(), strict=True):
        assert ((sizes / 40) ** 2).sum() == pytest.approx((39 * rate + 1) / 40)
    truth = PI0 * P0 + (1 - PI0) * P1
    fitted = 0.859 * 0.0165 + 0.141 * 0.260
    assert truth == pytest.approx(0.051, abs=5e-4)
    assert fitted == pytest.approx(0.051, abs=5e-4)
    assert abs(0.0607 - truth) > 0.009


def test_c8_dissimilar_pairs_peak_below_zero_however_long_the_run():
    mean, variance = laws.off_center(P0, 0.0607)
    assert (mean, variance) == pytest.approx((-0.144, 0.449), abs=5e-4)
    assert mean / math.sqrt(variance / 1000) == pytest.approx(-6.8, abs=0.05)
    assert laws.off_center(P0, P0) == pytest.approx((0, 1))
    assert laws.off_center(P0, 0.0607, sigma=2)[0] == pytest.approx(2 * mean)


def test_c9_third_moment_is_not_bounded_by_the_second():
    a = math.sqrt((1 - P0) / P0)
    b = math.sqrt(P0 / (1 - P0))
    third = P0 * a**3 + (1 - P0) * b**3
    assert a == pytest.approx(6.1, abs=0.05)
    assert third == pytest.approx(5.93, abs=0.02)
    assert laws.berry_esseen(P0, 60) == pytest.approx(0.56 * third / math.sqrt(60))
    assert laws.berry_esseen(P0, 60) == pytest.approx(0.43, abs=2e-3)
    assert laws.berry_esseen(P0, 1000) == pytest.approx(0.105, abs=5e-4)


def test_c10_risk_is_not_precision():
    assert laws.precision_of(0.05, 0.8, 0.202) == pytest.approx(0.80, abs=5e-3)
    assert laws.precision_of(0.05, 0.8, 0.02) < 0.25
    assert math.isnan(laws.precision_of(0.0, 0.0, 0.2))


def test_thresholds_hold_their_shares():
    random = np.random.default_rng(8)
    t = 20_000
    n = 40_000
    a = math.sqrt((1 - P0) / P0)
    b = -math.sqrt(P0 / (1 - P0))
    dissimilar, similar = (b + (a - b) * random.binomial(t, p, n) / t for p in (P0, P1))
    assert laws.risk_threshold(1, 0.05) == pytest.approx(1.645, abs=1e-3)
    assert (dissimilar > laws.risk_threshold(t, 0.05)).mean() == pytest.approx(0.05, abs=0.01)
    assert (similar > laws.recall_threshold(t, 0.9, P0, P1)).mean() == pytest.approx(0.9, abs=0.015)
    a = math.sqrt((1 - P1) / P1)
    b = -math.sqrt(P1 / (1 - P1))
    centered = b + (a - b) * random.binomial(t, P1, n) / t
    assert (centered > laws.recall_threshold(t, 0.9)).mean() == pytest.approx(0.9, abs=0.015)


def test_planning():
    assert laws.iterations_needed(0.05, 0.95, P0, P1) == 49
    assert laws.iterations_needed(0.001, 0.95, P0, P1) == 79
    z = norm.ppf(0.95)
    t = laws.iterations_needed(0.05, 0.95, P0, P1)
    cut = P0 + z * math.sqrt(P0 * (1 - P0) / t)
    assert norm.sf((cut - P1) / math.sqrt(P1 * (1 - P1) / t)) >= 0.95


def test_fixed_size_test_sets():
    assert float(laws.together(712, 950)) == pytest.approx(0.5615, abs=5e-5)
    assert float(laws.together(712, 950)) < 0.75**2
    random = np.random.default_rng(9)
    drawn = [set(random.choice(6, 4, replace=False)) for _ in range(20_000)]
    assert np.mean([{0, 1} <= d for d in drawn]) == pytest.approx(
        float(laws.together(4, 6)), abs=0.012
    )


def test_benjamini_hochberg_against_scipy():
    random = np.random.default_rng(10)
    values = np.concatenate([random.random(200), random.random(100) * 1e-3])
    assert np.array_equal(
        laws.benjamini_hochberg(values, 0.1), false_discovery_control(values) <= 0.1
    )
    assert laws.benjamini_hochberg(values, 0.1).sum() >= 90
    assert laws.benjamini_hochberg([np.nan, 0.04, np.nan], 0.05).tolist() == [False, True, False]
    assert not laws.benjamini_hochberg([], 0.05).size


def test_one_nearest_neighbor_with_random_labels_against_enumeration():
    """E[s | both tested] = P(same nearest training point) + (1 - P(same)) / L."""
    random = np.random.default_rng(11)
    points = random.normal(size=(9, 2))
    n_train = 4
    n_labels = 5
    n = 30_000
    apart = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    train = np.argsort(random.random((n, 9)), axis=1)[:, :n_train]
    labels = random.integers(0, n_labels, (n, n_train))
    nearest = apart[train].argmin(axis=1)  # (n, 9): which training point is nearest to each
    rows = np.take_along_axis(labels, nearest, axis=1)
    np.put_along_axis(rows, train, -1, axis=1)
    first, second = np.triu_indices(9, 1)
    same, both = Codes(rows).pairs(first, second)
    found = same.sum(axis=1) / both.sum(axis=1)
    chance = np.array(
        [slow.same_nearest(points, p, q, n_train) for p, q in zip(first, second, strict=True)]
    )
    expected = chance + (1 - chance) / n_labels
    error = np.sqrt(np.maximum(expected * (1 - expected), 1e-6) / both.sum(axis=1))
    assert np.abs((found - expected) / error).max() < 4
    assert np.ptp(expected) > 0.4
    assert both.mean() == pytest.approx(float(laws.together(5, 9)), abs=0.01)


def test_refusals_are_sentences():
    with pytest.raises(DataError, match=r"number 1 is 1\.5"):
        laws.by_fft([0.2, 1.5])
    with pytest.raises(DataError, match="at least one probability"):
        laws.tail([], 1)
    with pytest.raises(ParameterError, match="p0 must be below p1"):
        laws.iterations_needed(0.05, 0.95, 0.2, 0.1)
    with pytest.raises(ParameterError, match="risk must be above 0 and below 1"):
        laws.risk_threshold(10, 0.0)
    with pytest.raises(DataError, match="mask of that shape"):
        laws.tails([0.2, 0.3], np.ones((3, 2), bool), np.array([1]))
    with pytest.raises(ParameterError, match="0 to 2"):
        laws.law_given_tests([0.2, 0.3], 3)
