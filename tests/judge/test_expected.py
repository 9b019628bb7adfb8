"""Expected Performance Curves: thresholds tried one by one, the known curve of two Gaussians, areas, bands, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie.judge import auc, best_threshold, decisions, expected_areas, expected_performance
from tests.oracles import decisions as slow

KNOWN = [0.2786, 0.2123, 0.1797, 0.1636, 0.1587, 0.1636, 0.1797, 0.2123, 0.2786]


def gaussians(n, seed, shift=2.0):
    rng = np.random.default_rng(seed)
    return np.r_[rng.normal(shift, 1, n), rng.normal(0, 1, n)], np.arange(2 * n) < n


@pytest.mark.parametrize("rates", ["precision-recall", "far-frr", "tpr-tnr"])
@pytest.mark.parametrize("criterion", ["weighted", "first", "second"])
def test_thresholds_equal_those_tried_one_by_one(rates, criterion):
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 9, size=30).astype(float)
    truth = rng.random(30) < 0.5
    test = rng.integers(0, 9, size=40) + 0.25, rng.random(40) < 0.5
    alphas = [0.1, 0.35, 0.5, 0.8]
    found = expected_performance(
        (scores, truth), test, rates=rates, criterion=criterion, alphas=alphas
    )
    for at, alpha in enumerate(alphas):
        theta = slow.chosen(scores.tolist(), truth.tolist(), alpha, rates, criterion)
        assert found.thresholds[at, 0] == theta
        one, other = slow.rates(*test, theta, rates)
        assert (found.first[at], found.second[at]) == pytest.approx((one or 0.0, other))
        tp, fp, fn, _ = slow.at(*test, theta)
        value = 2 * tp / (2 * tp + fp + fn) if rates == "precision-recall" else (one + other) / 2
        assert found.curve.y[at] == pytest.approx(value)


def test_curve_of_two_gaussians():
    alphas = np.arange(1, 10) / 10
    runs = [
        expected_performance(
            gaussians(40_000, s), gaussians(40_000, 9 + s), rates="far-frr", alphas=alphas
        )
        for s in range(6)
    ]
    values = np.array([one.curve.y for one in runs])
    error = values.std(axis=0, ddof=1) / np.sqrt(6)
    assert (np.abs(values.mean(axis=0) - KNOWN) <= 4 * error + 0.001).all()
    thresholds = np.mean([one.thresholds[:, 0] for one in runs], axis=0)
    assert thresholds == pytest.approx(1 + np.log(alphas / (1 - alphas)) / 2, abs=0.06)


def test_a_rising_map_changes_nothing():
    dev = gaussians(200, 0)
    test = gaussians(200, 1)
    plain = expected_performance(dev, test)
    straight = expected_performance((4 * dev[0] - 8, dev[1]), (4 * test[0] - 8, test[1]))
    assert np.array_equal(plain.curve.y, straight.curve.y)
    bent = expected_performance((np.exp(test[0]), test[1]), (np.exp(test[0]), test[1]))
    assert np.array_equal(expected_performance(test, test).curve.y, bent.curve.y)


def test_criterion_is_smallest_where_it_was_minimized():
    dev = gaussians(150, 2)
    test = gaussians(150, 3)
    alphas = np.linspace(0.05, 0.95, 19)
    own, other = (
        expected_performance(d, test, rates="far-frr", alphas=alphas) for d in (test, dev)
    )
    cost = [alphas * one.first + (1 - alphas) * one.second for one in (own, other)]
    assert (cost[0] <= cost[1] + 1e-12).all()
    assert (cost[0] < cost[1] - 1e-6).any()


def test_areas_of_both_rates_are_that_of_the_roc():
    test = gaussians(1000, 4, shift=1.0)
    found = expected_areas(test, test, rates="tpr-tnr", low=0, high=1)
    assert found.both == pytest.approx((auc(*test) + 0.5) / 2, abs=5e-4)
    part = expected_areas(gaussians(300, 5), gaussians(300, 6), low=0.5, high=1)
    assert 0.5 < part.both < 1
    assert part.both == pytest.approx((part.of_first + part.of_second) / 2)


def test_several_categories_have_a_threshold_each():
    one = gaussians(80, 7)
    other = gaussians(80, 8, shift=1.0)
    dev = np.c_[one[0], 10 * other[0]], np.c_[one[1], other[1]]
    single = [expected_performance(d, d) for d in (one, (10 * other[0], other[1]))]
    both = expected_performance(dev, dev, average="macro")
    assert both.thresholds == pytest.approx(np.c_[single[0].thresholds, single[1].thresholds])
    assert both.curve.y == pytest.approx((single[0].curve.y + single[1].curve.y) / 2)
    micro = expected_performance(dev, dev)
    at = micro.thresholds[45]
    assert micro.curve.y[45] == pytest.approx(decisions(dev[0] > at, dev[1]).micro_f1)


def test_bands_hold_the_curve_and_equal_index_resampling():
    dev = gaussians(300, 9)
    test = gaussians(150, 10)
    found = expected_performance(dev, test, alphas=[0.3, 0.5, 0.7], replicates=2000, random_state=0)
    assert ((found.curve.lower < found.curve.y) & (found.curve.y < found.curve.upper)).all()
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(800):
        pick = rng.integers(0, 300, size=300)
        drawn.append(
            [decisions(test[0][pick] > t, test[1][pick]).micro_f1 for t in found.thresholds[:, 0]]
        )
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert found.curve.lower == pytest.approx(low, abs=0.012)
    assert found.curve.upper == pytest.approx(high, abs=0.012)
    same = expected_performance(dev, test, alphas=[0.3, 0.5, 0.7], replicates=2000, random_state=0)
    assert np.array_equal(same.curve.lower, found.curve.lower)
    wide = expected_performance(
        dev, test, alphas=[0.3, 0.5, 0.7], replicates=150, resample_development=True, random_state=0
    )
    assert (wide.curve.upper - wide.curve.lower).sum() > (
        found.curve.upper - found.curve.lower
    ).sum()


def test_bands_of_several_categories_draw_documents():
    dev = np.c_[gaussians(60, 1)[0], gaussians(60, 2)[0]], np.c_[[gaussians(60, 1)[1]] * 2].T
    found = expected_performance(dev, dev, replicates=200, random_state=0, alphas=[0.4, 0.6])
    assert ((found.curve.lower <= found.curve.y) & (found.curve.y <= found.curve.upper)).all()


def test_bad_input():
    good = gaussians(20, 0)
    with pytest.raises(DataError, match="development list has no negative example"):
        expected_performance((good[0], np.ones(40, bool)), good)
    with pytest.raises(DataError, match="development list has a score that is not a finite number"):
        expected_performance((np.r_[np.inf, good[0][1:]], good[1]), good)
    with pytest.raises(DataError, match="Category 1 of the development data has no positive"):
        expected_performance(
            (np.c_[good[0], good[0]], np.c_[good[1], 0 * good[1]]),
            (np.c_[good[0], good[0]], np.c_[good[1], good[1]]),
        )
    with pytest.raises(DataError, match="1 categories and the test data 2"):
        expected_performance(good, (np.c_[good[0], good[0]], np.c_[good[1], good[1]]))
    with pytest.raises(ParameterError, match="rates must be one of"):
        expected_performance(good, good, rates="roc")
    with pytest.raises(ParameterError, match="alphas must rise"):
        expected_performance(good, good, alphas=[0.5, 0.4])
    with pytest.raises(ParameterError, match="low below high"):
        expected_areas(good, good, low=0.8, high=0.5)
    with pytest.warns(UserWarning, match="take all and to take none"):
        flat = expected_performance((np.zeros(40), good[1]), good)
    assert flat.notes
    assert np.isneginf(flat.thresholds).all()


def test_best_threshold_of_one_list():
    scores = [0.9, 0.8, 0.3, 0.1]
    truth = [1, 1, 0, 0]
    assert best_threshold(scores, truth) == pytest.approx(0.55)


def test_settings_that_cannot_be_are_refused():
    good = gaussians(20, 0)
    with pytest.raises(
        ParameterError, match="rates must be one of precision-recall, far-frr, tpr-tnr, and was 'x'"
    ):
        best_threshold(*good, rates="x")
    for alpha in (2, -0.1, float("nan")):
        with pytest.raises(ParameterError, match="alpha must lie from 0 to 1"):
            best_threshold(*good, alpha=alpha)
    for points in (1, 0, 10.5, True):
        with pytest.raises(ParameterError, match="points must be a whole number from 2"):
            expected_areas(good, good, points=points)


def test_words_are_no_scores_and_numbers_no_marks():
    good = gaussians(20, 0)
    with pytest.raises(
        DataError, match="scores of the test data must be numbers, and value 0 is '"
    ):
        expected_performance(good, (good[0].astype(str), good[1]))
    with pytest.raises(
        DataError, match=r"The development list has a truth that must be yes or no .* is 2"
    ):
        expected_performance((good[0], good[1] + 1), good)
    with pytest.raises(DataError, match="The list has scores that must be numbers"):
        best_threshold(["a", "b"], [0, 1])
    with pytest.raises(
        DataError, match=r"The list has a truth that must be yes or no .* value 0 is '1'"
    ):
        best_threshold([1.0, 2.0], ["1", "0"])
    with pytest.raises(DataError, match="The alphas must be numbers"):
        expected_performance(good, good, alphas=["a"])
    with pytest.raises(DataError, match="test data must be a pair"):
        expected_performance(good, 3)
