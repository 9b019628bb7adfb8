"""Precision, recall, F1 and error rates by hand and by scikit-learn; what is undefined is NaN and said."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from coterie.core.errors import DataError
from coterie.judge import (
    auc,
    break_even,
    decisions,
    equal_error,
    label_accuracy,
    label_decisions,
    micro_break_even,
    roc,
    trade_off,
)


def tables(seed=0, n=60, k=4):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < 0.3
    return rng.random((n, k)) < np.where(truth, 0.7, 0.2), truth


def test_by_hand():
    found = decisions([1, 1, 1, 0, 0, 0], [1, 0, 1, 1, 0, 0])
    assert (found.tp[0], found.fp[0], found.fn[0], found.tn[0]) == (2, 1, 1, 2)
    assert found.micro_precision == found.micro_recall == found.micro_f1 == pytest.approx(2 / 3)
    assert found.far[0] == pytest.approx(1 / 3)  # of the negatives, not of what was taken
    assert found.hter[0] == pytest.approx(1 / 3)
    assert found.accuracy == pytest.approx(4 / 6)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_averages_equal_scikit_learn(average):
    said, truth = tables()
    found = decisions(said, truth)
    theirs = metrics.precision_recall_fscore_support(truth, said, average=average, zero_division=0)[
        :3
    ]
    ours = [getattr(found, f"{average}_{name}") for name in ("precision", "recall", "f1")]
    assert ours == pytest.approx(theirs)
    assert found.f1.tolist() == pytest.approx(metrics.f1_score(truth, said, average=None))


def test_f1_of_macro_is_not_the_mean_of_f1():
    said, truth = tables(3)
    found = decisions(said, truth)
    p = found.macro_precision
    r = found.macro_recall
    assert found.f1_of_macro == pytest.approx(2 * p * r / (p + r))
    assert found.f1_of_macro != pytest.approx(found.macro_f1)


def test_what_is_undefined():
    said = np.array([[0, 1, 1], [0, 0, 0], [0, 1, 0]])
    truth = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0]])
    found = decisions(said, truth, ("empty", "good", "no positives"))
    assert np.isnan(found.precision[0])  # nothing taken
    assert found.recall[0] == found.f1[0] == 0
    assert np.isnan(found.recall[2])
    assert np.isnan(found.f1[2])
    assert found.skipped == ("no positives",)
    assert found.macro_f1 == pytest.approx((0 + 1) / 2)
    assert found.macro_precision == pytest.approx((0 + 1) / 2)
    nothing = decisions([0, 1], [0, 0])
    assert np.isnan(nothing.micro_f1)
    assert np.isnan(nothing.macro_f1)


def test_labels_micro_f1_is_accuracy():
    rng = np.random.default_rng(1)
    truth = rng.choice(list("abc"), size=50)
    said = rng.choice(list("abc"), size=50)
    found = label_decisions(said, truth)
    assert (
        found.micro_f1
        == found.micro_precision
        == label_accuracy(said, truth)
        == pytest.approx(np.mean(said == truth))
    )
    assert found.macro_f1 == pytest.approx(metrics.f1_score(truth, said, average="macro"))


@pytest.mark.parametrize("seed", range(4))
def test_break_even_lies_between_precision_and_recall(seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(80) < 0.3
    scores = np.round(truth + rng.normal(size=80), 1)
    found = break_even(scores, truth)
    assert min(found.precision, found.recall) <= found.value <= max(found.precision, found.recall)
    said = decisions(scores > found.threshold, truth)
    assert (said.micro_precision, said.micro_recall) == pytest.approx(
        (found.precision, found.recall)
    )


def test_micro_break_even_is_the_precision_of_as_many_pairs_as_are_true():
    scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.6]])
    truth = np.array([[1, 0], [0, 1], [0, 1]])
    assert micro_break_even(scores, truth) == pytest.approx(2 / 3)
    with pytest.raises(DataError, match="nothing to find"):
        micro_break_even(scores, 0 * truth)


def test_equal_error_and_curves():
    rng = np.random.default_rng(5)
    truth = np.arange(2000) < 1000
    scores = rng.normal(size=2000) + 2 * truth
    found = equal_error(scores, truth)
    assert found.value == pytest.approx(0.1587, abs=0.02)
    assert abs(found.far - found.frr) <= 1 / 1000
    ours = trade_off(scores, truth)
    theirs = roc(scores, truth)
    assert ours.area() == pytest.approx(theirs.area()) == pytest.approx(auc(scores, truth))
    assert ours.area() == pytest.approx(metrics.roc_auc_score(truth, scores))
    rates = trade_off(scores, truth, "far-frr")
    assert rates.y == pytest.approx(1 - ours.y)
    back = trade_off(scores, truth, "sensitivity-specificity")
    assert (back.x[::-1], back.y[::-1]) == (pytest.approx(1 - ours.x), pytest.approx(ours.y))
    p, r, _ = metrics.precision_recall_curve(truth, scores)
    curve = trade_off(scores, truth, "precision-recall")
    assert curve.y[::-1] == pytest.approx(p[:-1])
    assert curve.x[::-1] == pytest.approx(r[:-1])
    det = trade_off(scores, truth, "det")
    assert np.polyfit(det.x, det.y, 1) == pytest.approx(
        [-1, -2], abs=0.2
    )  # a straight line for two Gaussians


def test_bad_input():
    with pytest.raises(DataError, match="they must be the same"):
        decisions([1, 0], [1, 0, 0])
    with pytest.raises(DataError, match="take label_decisions"):
        decisions([2, 0], [1, 0])
    with pytest.raises(DataError, match="2 categories and 1 names"):
        decisions([[1, 0]], [[1, 0]], ("a",))
    with pytest.raises(DataError, match="Member 1 has no label"):
        label_decisions(["a", ""], ["a", "b"])
    with pytest.raises(DataError, match="no points"):
        trade_off([2.0, 1.0], [True, False], "det")
