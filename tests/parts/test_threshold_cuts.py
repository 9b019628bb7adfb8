"""All cuts of a list equal the cuts tried one by one; ties are never parted and bad lists are refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import decisions as slow

from coterie.core.errors import DataError
from coterie.parts.thresholds import break_even_at, cut, marked, middle_of_best


@pytest.mark.parametrize("seed", range(5))
def test_counts_equal_thresholds_tried_one_by_one(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, size=20).astype(float)
    truth = rng.random(20) < 0.4
    truth[:2] = True, False
    found = cut(scores, truth)
    assert found.thresholds.tolist() == slow.thresholds(scores.tolist())
    for at, threshold in enumerate(found.thresholds):
        tp, fp, fn, tn = slow.at(scores, truth, threshold)
        assert (found.hits[at], found.alarms[at]) == (tp, fp)
        assert found.recall[at] == pytest.approx(tp / (tp + fn))
        assert found.far[at] == pytest.approx(fp / (fp + tn))
        assert found.frr[at] == pytest.approx(fn / (fn + tp))
        assert found.f1[at] == pytest.approx(2 * tp / (2 * tp + fp + fn))
    assert np.isnan(found.precision[0])


def test_a_threshold_is_below_the_score_above_it_even_between_neighboring_numbers():
    upper = 1.0
    lower = np.nextafter(upper, 0)
    found = cut([lower, upper], [False, True])
    assert lower <= found.thresholds[1] < upper
    large = cut([1.7e308, -1.7e308, 1.6e308], [True, False, True])
    assert np.isfinite(large.thresholds[1:-1]).all()


def test_middle_of_the_first_run():
    costs = np.array([[1.0, 5.0], [0.0, 4.0], [0.0, np.nan], [0.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    assert middle_of_best(costs).tolist() == [2, 3]


def test_break_even_is_not_the_place_where_nothing_right_is_taken():
    found = cut([5.0, 4.0, 3.0, 2.0, 1.0], [False, True, True, False, False])
    assert found.precision[1] == found.recall[1] == 0
    at = break_even_at(found)
    assert (found.precision[at], found.recall[at]) == (0.5, 0.5)


def test_bad_lists():
    with pytest.raises(DataError, match="not a finite number \\(nan\\) at position 1"):
        cut([1.0, float("nan")], [True, False])
    with pytest.raises(DataError, match="no negative example"):
        cut([1.0, 2.0], [True, True])
    with pytest.raises(DataError, match="no positive example"):
        cut([1.0, 2.0], [False, False])
    with pytest.raises(DataError, match="two equal lists"):
        cut([1.0, 2.0], [True])
    for wrong in (["a", "b"], ["1", "0"], [1, 2]):
        with pytest.raises(DataError, match="a truth that must be yes or no"):
            marked([1.0, 2.0], wrong)
    with pytest.raises(DataError, match="scores that must be numbers, and value 0 is 'x'"):
        marked(["x", "y"], [True, False])
