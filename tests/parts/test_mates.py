"""Ranks of mates by hand, with ties, without a direction, and refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.parts.mates import both_ways, mate_ranks, ranks_of, scores_between


def _slow(scores):
    found = []
    for i, row in enumerate(scores):
        better = sum(1 for j, value in enumerate(row) if j != i and value > row[i])
        equal = sum(1 for j, value in enumerate(row) if j != i and value == row[i])
        found.append(1 + better + equal / 2)
    return found


def test_ranks_are_those_counted_one_by_one():
    scores = np.random.default_rng(0).integers(0, 5, size=(40, 40)).astype(float)
    np.testing.assert_array_equal(ranks_of(scores), _slow(scores))


def test_a_perfect_match_and_no_knowledge():
    assert mate_ranks(np.eye(700), np.eye(700)).average_precision == 1.0
    alike = mate_ranks(np.ones((50, 3)), np.ones((50, 3)))
    assert abs(alike.average_precision - 2 / 51) < 1e-12
    assert alike.chance == pytest.approx(np.mean(1 / np.arange(1, 51)))
    assert mate_ranks(np.eye(5), np.eye(5)).recall(1) == 1.0


def test_rows_without_a_direction_are_ranked_last():
    one = np.eye(4)
    other = np.eye(4)
    other[2] = 0
    ranks = mate_ranks(one, other).ranks
    assert ranks[2] == 4
    assert (ranks[[0, 1, 3]] == 1).all()


def test_measures():
    one = np.array([[1.0, 2.0]])
    other = np.array([[-3.0, 1.0]])
    assert scores_between(one, other, "signed")[0, 0] == -1
    assert scores_between(one, other, "abs")[0, 0] == 1
    assert scores_between(one, other)[0, 0] == pytest.approx(-1 / np.sqrt(50))
    assert both_ways([np.eye(3), np.eye(3), np.eye(3)]) == 1.0


def test_what_cannot_be_ranked_is_refused():
    bad = np.eye(3)
    bad[1, 1] = np.nan
    with pytest.raises(DataError, match="Row 1 of the second view is not finite"):
        mate_ranks(np.eye(3), bad)
    with pytest.raises(DataError, match="3 and 4 rows"):
        mate_ranks(np.eye(3), np.eye(4))
    with pytest.raises(ParameterError, match="measure must be one of"):
        scores_between(np.eye(2), np.eye(2), "dot")
    with pytest.raises(DataError, match="score of query 0 is NaN"):
        ranks_of(np.array([[np.nan]]))
    with pytest.raises(DataError, match="score of query 1 is NaN"):
        ranks_of(np.array([[0.0, np.nan]]), 1)
    with pytest.raises(DataError, match="no rows, so that there are no mates"):
        mate_ranks(np.empty((0, 3)), np.empty((0, 3)))
    with pytest.raises(DataError, match="equally many factors, and these have 3 and 2"):
        mate_ranks(np.eye(3), np.eye(3)[:, :2])
    with pytest.raises(
        DataError, match=r"first view must be members x factors, and has the shape \(3, 0\)"
    ):
        mate_ranks(np.empty((3, 0)), np.empty((3, 0)))
    with pytest.raises(DataError, match="first view is sparse"):
        scores_between(sp.csr_array(np.eye(3)), np.eye(3))
    with pytest.raises(
        DataError, match="The second view must be members x factors, and does not hold numbers"
    ):
        scores_between(np.eye(3), np.array([["a", "b", "c"]]))
    with pytest.raises(DataError, match="two views or more, and 1 was given"):
        both_ways([np.eye(3)])


def test_the_row_that_is_wrong_is_named_wherever_it_stands():
    good = np.random.default_rng(0).normal(size=(600, 3))
    bad = good.copy()
    bad[550, 1] = np.nan
    for one, other, name in ((bad, good, "first"), (good, bad, "second")):
        with pytest.raises(DataError, match=f"Row 550 of the {name} view is not finite"):
            mate_ranks(one, other)


def test_whole_numbers_are_numbers():
    counts = np.random.default_rng(1).integers(-3, 4, size=(30, 4))
    for measure in ("cosine", "signed", "abs"):
        np.testing.assert_array_equal(
            mate_ranks(counts, counts, measure).ranks,
            mate_ranks(1.0 * counts, 1.0 * counts, measure).ranks,
        )
