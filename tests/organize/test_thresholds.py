"""Thresholds from validation scores: the best F1, the break-even point, ties, and categories without members."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.thresholds import at, best_f1, best_gap

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import stream
from coterie.organize.thresholds import threshold_of, thresholds_of


@pytest.mark.parametrize("seed", range(20))
def test_no_cut_is_better(seed):
    generator = stream(seed)
    scores = np.round(generator.normal(size=30), 1)  # ties
    yes = generator.random(30) < 0.3
    yes[0] = True
    yes[1] = False
    assert at(scores, yes, threshold_of(scores, yes, "f1"))[2] == pytest.approx(
        best_f1(scores, yes), abs=1e-12
    )
    precision, recall, _ = at(scores, yes, threshold_of(scores, yes, "bep"))
    assert precision > 0
    assert abs(precision - recall) == pytest.approx(best_gap(scores, yes), abs=1e-12)


def test_thresholds_lie_between_distinct_scores():
    assert threshold_of([1.0, 1.0, 0.0], [True, True, False]) == 0.5
    assert threshold_of([1.0, 1.0], [True, False]) == 0.0  # all are accepted, just below the lowest


def test_zero_and_one_sided_categories_stay_at_zero():
    assert threshold_of([3.0, 4.0], [True, False], "zero") == 0.0
    assert threshold_of([3.0, 4.0], [True, True]) == 0.0
    assert threshold_of([3.0, 4.0], [False, False]) == 0.0


def test_members_not_validated_are_left_out_of_their_category():
    scores = np.array([[1.0, np.nan], [0.0, np.nan], [-1.0, np.nan]])
    yes = np.array([[True, True], [True, False], [False, False]])
    assert thresholds_of(scores, yes).tolist() == [-0.5, 0.0]


def test_sentences():
    with pytest.raises(ParameterError, match="zero, f1, bep"):
        threshold_of([1.0], [True], "best")
    with pytest.raises(DataError, match="scores of shape"):
        threshold_of([1.0, 2.0], [True])
    with pytest.raises(DataError, match="not a finite number"):
        threshold_of([1.0, np.nan], [True, False])
