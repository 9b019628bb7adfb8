"""Tests over repeated training, worked by hand; and losses, bounds and the choice of a model."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss as their_log_loss

from coterie.core.errors import DataError, ParameterError
from coterie.judge import (
    corrected_t,
    five_by_two,
    log_loss,
    paired_t,
    select,
    squared_error,
    vc_gap,
    zero_one_error,
)


def test_corrected_t_by_hand():
    rng = np.random.default_rng(0)
    a = rng.normal(0.8, 0.02, size=10)
    b = a - rng.normal(0.02, 0.02, size=10)
    gaps = a - b
    error = np.sqrt(gaps.var(ddof=1) * (1 / 10 + 100 / 900))
    found = corrected_t(a, b, train=900, test=100)
    assert found.statistic == pytest.approx(gaps.mean() / error)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(found.statistic), 9))
    plain = paired_t(a, b)
    assert found.p_value > plain.p_value
    assert found.upper - found.lower > plain.upper - plain.lower
    assert corrected_t(a, a, train=9, test=1).p_value == 1
    assert "spread" in corrected_t([1.0, 2.0], [0.5, 1.5], train=9, test=1).caution


def test_five_by_two_by_hand():
    a = np.array([[0.9, 0.8], [0.85, 0.86], [0.9, 0.88], [0.87, 0.8], [0.91, 0.9]])
    b = np.array([[0.8, 0.79], [0.84, 0.8], [0.85, 0.85], [0.8, 0.79], [0.85, 0.86]])
    gaps = a - b
    variances = [(row[0] - row.mean()) ** 2 + (row[1] - row.mean()) ** 2 for row in gaps]
    t = five_by_two(a, b, combined=False)
    assert t.statistic == pytest.approx(gaps[0, 0] / np.sqrt(np.mean(variances)))
    f = five_by_two(a, b)
    assert f.statistic == pytest.approx((gaps**2).sum() / (2 * sum(variances)))
    assert f.p_value == pytest.approx(stats.f.sf(f.statistic, 10, 5))
    assert five_by_two(a, a).p_value == 1
    with pytest.raises(DataError, match="5 halvings x 2 halves"):
        five_by_two(a[:4], b[:4])
    with pytest.raises(ParameterError, match="train and test"):
        corrected_t([1, 2], [1, 3], train=0, test=1)
    with pytest.raises(DataError, match="at least 2 splits"):
        corrected_t([1], [1], train=1, test=1)


def test_losses_and_the_bound():
    assert squared_error([1, 2], [1, 4]) == 2
    assert zero_one_error(["a", "b"], ["a", "c"]) == 0.5
    chances = np.array([[0.2, 0.8], [0.6, 0.4]])
    truth = [1, 1]
    assert log_loss(chances, truth) == pytest.approx(their_log_loss(truth, chances, labels=[0, 1]))
    h = 10
    n = 1000
    inside = h * (1 + np.log(2 * n / h)) - np.log(0.05 / 4)
    assert vc_gap(h, n, chance=0.05, scale=1) == pytest.approx(1 / n + np.sqrt(inside / n))
    assert vc_gap(5, n) < vc_gap(50, n)
    assert vc_gap(5, 10 * n) < vc_gap(5, n)
    with pytest.raises(ParameterError, match="dimension"):
        vc_gap(0, 10)


@pytest.mark.parametrize(
    ("split", "rounds"), [("folds", 5), ("hold-out", 1), ("leave-one-out", 60)]
)
def test_the_model_with_the_smallest_loss_is_fitted_to_all(split, rounds):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    x = rng.normal(size=(60, 2)) + 3 * y[:, None]
    candidates = {"common": DummyClassifier(), "line": LogisticRegression()}
    found = select(candidates, x, y, split=split, random_state=0)
    assert found.name == "line"
    assert {len(values) for values in found.losses.values()} == {rounds}
    assert found.means["line"] < found.means["common"]
    assert found.model.predict(x).shape == (60,)
    again = select(candidates, x, y, split=split, random_state=0)
    assert np.array_equal(found.losses["line"], again.losses["line"])


def test_the_choice_refuses_what_cannot_be():
    with pytest.raises(DataError, match="cannot be split"):
        select({"line": LogisticRegression()}, np.zeros((4, 1)), [0, 1, 0, 1], folds=9)
    with pytest.raises(ParameterError, match="loss must be one of"):
        select({"line": LogisticRegression()}, np.zeros((4, 1)), [0, 1, 0, 1], loss="hinge")
    with pytest.raises(ParameterError, match="at least one model"):
        select({}, np.zeros((4, 1)), [0, 1, 0, 1])


def test_values_of_halvings_are_two_tables():
    a = np.full((5, 2), 0.5)
    with pytest.raises(DataError, match="two tables alike"):
        five_by_two(a, a[:, :1])
    with pytest.raises(DataError, match="Value 3 of the second method is infinite"):
        five_by_two(a, np.where(np.arange(5)[:, None] == 3, np.inf, a))
    with pytest.raises(DataError, match="two lists alike"):
        corrected_t(a, a, train=9, test=1)


def test_losses_refuse_what_they_would_cross_or_average_to_nothing():
    for loss in (squared_error, zero_one_error):
        with pytest.raises(DataError, match=r"shape \(3,\) and the truth \(3, 1\)"):
            loss([1, 2, 3], [[1], [2], [3]])
        with pytest.raises(DataError, match=r"shape \(2,\) and the truth \(3,\)"):
            loss([1, 2], [1, 2, 3])
        with pytest.raises(DataError, match="nothing to judge"):
            loss([], [])
    with pytest.raises(DataError, match="The truth of example 1 is not a finite number"):
        squared_error([1, 2], [1, np.nan])
    with pytest.raises(DataError, match="The predictions must be numbers"):
        squared_error(["a"], [1])


def test_log_loss_is_infinite_where_the_truth_was_held_impossible():
    assert log_loss([[0.5, 0.5], [0.0, 1.0]], [0, 0]) == np.inf
    assert log_loss([[0.5, 0.5], [0.0, 1.0]], [0, 1]) == pytest.approx(np.log(2) / 2)
    for chances, truth, said in (
        ([[1.5, -0.5]], [0], "Row 0 of the probabilities holds a value that is not from 0 to 1"),
        ([[0.5, np.nan]], [0], "Row 0 of the probabilities"),
        ([[0.5, 0.5]], [0.5], "whole numbers, and value 0 is 0.5"),
        ([[0.5, 0.5]], ["a"], "must be numbers, and value 0 is 'a'"),
        (np.empty((0, 2)), [], "nothing to judge"),
    ):
        with pytest.raises(DataError, match=said):
            log_loss(chances, truth)
