"""Ranked lists: every value equals its mean over all orders of the tied members; affinities by rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from coterie import Affinity
from coterie.core import affinity as tiles
from coterie.core.affinity import Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.judge import rankings
from tests.oracles import judge_rankings as slow

lists = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0, 2.0, float("-inf"), float("nan")]), st.booleans()),
    min_size=1,
    max_size=7,
).filter(lambda rows: any(mark for _, mark in rows))


@settings(max_examples=120, deadline=None)
@given(lists)
def test_expected_values_equal_the_mean_over_all_tie_orders(rows):
    scores = [s for s, _ in rows]
    marks = [m for _, m in rows]
    ap = rankings.average_precision(scores, marks, missing="last")
    assert ap == pytest.approx(slow.expected(scores, marks, slow.average_precision))
    assert rankings.r_precision(scores, marks, missing="last") == pytest.approx(
        slow.expected(scores, marks, slow.r_precision)
    )
    for r in (1, 2, 5, 9):
        for ours, theirs in (
            (rankings.precision_at, slow.precision_at),
            (rankings.recall_at, slow.recall_at),
            (rankings.f_at, slow.f_at),
        ):
            value = ours(scores, marks, r, missing="last")
            assert value == pytest.approx(slow.expected(scores, marks, theirs(r)))


def test_agrees_with_scikit_learn_without_ties():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=500)
    marks = rng.random(500) < 0.2
    assert rankings.average_precision(scores, marks) == pytest.approx(
        average_precision_score(marks, scores)
    )


def test_long_list_of_equal_scores_has_the_closed_value():
    n = 2000
    r = 30
    marks = np.arange(n) < r
    ranks = np.arange(1, n + 1)
    expected = np.mean((1 + (ranks - 1) * (r - 1) / (n - 1)) / ranks)
    assert rankings.average_precision(np.zeros(n), marks) == pytest.approx(expected, rel=1e-12)


def toy(n=30, seed=0, levels=6):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, levels, (n, n)).astype(float)
    truth = rng.choice(["a", "b", "c"], n).astype(object)
    truth[3] = "alone"
    truth[4] = None
    return s + s.T, truth


@pytest.mark.parametrize("strip", [512, 3])
def test_retrieval_is_the_mean_of_single_lists(strip, monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", strip)
    s, truth = toy()
    result = rankings.retrieval(Affinity.of(s, kind="similarity"), truth, at=(1, 4))
    known = [i for i in range(30) if truth[i] is not None]
    ap = {}
    p4 = []
    r4 = []
    f4 = []
    rp = []
    for i in known:
        others = [j for j in known if j != i]
        scores = s[i, others]
        marks = np.array([truth[j] == truth[i] for j in others])
        if marks.any():
            ap[i] = rankings.average_precision(scores, marks)
            p4.append(rankings.precision_at(scores, marks, 4))
            r4.append(rankings.recall_at(scores, marks, 4))
            f4.append(rankings.f_at(scores, marks, 4))
            rp.append(rankings.r_precision(scores, marks))
    assert result.mean_ap == pytest.approx(np.mean(list(ap.values())))
    assert result.precision_at[4] == pytest.approx(np.mean(p4))
    assert result.recall_at[4] == pytest.approx(np.mean(r4))
    assert result.f_at[4] == pytest.approx(np.mean(f4))
    assert result.r_precision == pytest.approx(np.mean(rp))
    assert (result.queries, result.skipped, result.unknown, result.missing) == (28, 1, 1, 0)
    assert set(result.ap_per_class) == {"a", "b", "c"}
    assert result.ap_per_class["a"] == pytest.approx(
        np.mean([v for i, v in ap.items() if truth[i] == "a"])
    )
    assert result.mean_over_classes == pytest.approx(np.mean(list(result.ap_per_class.values())))
    assert math.isnan(result.ap_per_query[3])
    assert math.isnan(result.ap_per_query[4])
    assert result.summary()["P@4"] == result.precision_at[4]


def test_order_of_the_file_does_not_matter_and_distances_turn():
    s, truth = toy()
    shuffle = np.random.default_rng(5).permutation(30)
    first = rankings.retrieval(Affinity.of(s, kind="similarity"), truth)
    again = rankings.retrieval(
        Affinity.of(s[np.ix_(shuffle, shuffle)], kind="similarity"), truth[shuffle]
    )
    turned = rankings.retrieval(Affinity.of(20 - s, kind="distance"), truth)
    assert first.mean_ap == pytest.approx(again.mean_ap, rel=1e-12)
    assert first.mean_ap == pytest.approx(turned.mean_ap, rel=1e-12)
    sorted_truth = np.sort(np.repeat(["a", "b"], 10))
    flat = rankings.retrieval(
        Affinity.of(np.ones((20, 20)), kind="similarity"), sorted_truth, at=(1,)
    )
    assert flat.precision_at[1] == pytest.approx(9 / 19)


def test_queries_that_are_not_members():
    scores = np.array([[3.0, 2.0, 1.0]])
    result = rankings.retrieval(
        Affinity.of(scores, kind="similarity"), ["a"], member_truth=["a", "b", "a"], at=[1]
    )
    assert result.mean_ap == pytest.approx((1 + 2 / 3) / 2)
    assert result.precision_at[1] == 1
    square = Affinity.of(np.eye(2), kind="similarity")
    assert rankings.retrieval(square, ["a", "b"], member_truth=["a", "b"]).mean_ap == 1


def holes(values, kind="similarity"):
    index = np.arange(values.shape[0])[:, None]
    return Lazy(lambda a, b: values[np.ix_(a[:, 0], b[:, 0])], index, index, kind)


def test_missing_pairs_rank_last_only_when_asked():
    s, truth = toy()
    s[0, 7] = s[7, 0] = np.nan
    with pytest.raises(DataError, match=r"members 0 and 7 is NaN.*missing='last'"):
        rankings.retrieval(holes(s), truth)
    low = s.copy()
    low[0, 7] = low[7, 0] = -1
    result = rankings.retrieval(holes(s), truth, missing="last")
    assert result.missing == 2
    assert result.mean_ap == pytest.approx(rankings.retrieval(holes(low), truth).mean_ap)
    with pytest.raises(ParameterError, match="missing must be"):
        rankings.retrieval(holes(s), truth, missing="first")


@pytest.mark.parametrize("r", [0, -1, 1.5, True, "3"])
def test_rank_must_be_a_whole_number_from_one(r):
    with pytest.raises(ParameterError, match="whole number from 1"):
        rankings.precision_at([1.0, 2.0], [True, False], r)


def test_bad_lists():
    with pytest.raises(DataError, match="Score 1 is NaN"):
        rankings.average_precision([1, math.nan], [True, False])
    with pytest.raises(DataError, match="same length"):
        rankings.average_precision([1, 2], [True])
    with pytest.raises(DataError, match="empty"):
        rankings.average_precision([], [])
    assert math.isnan(rankings.average_precision([1, 2], [False, False]))
    square = Affinity.of(np.eye(3), kind="similarity")
    with pytest.raises(DataError, match="nothing to find"):
        rankings.retrieval(square, ["a", "b", "c"])
    with pytest.raises(DataError, match="3 columns, but there are 2"):
        rankings.retrieval(square, ["a", "b"])
    with pytest.raises(DataError, match="unknown"):
        rankings.retrieval(square, [None, None, None])


@pytest.mark.parametrize("wrong", [["yes", "no"], ["1", "0"], [1, 2], [0.5, 0.0]])
def test_relevance_is_yes_or_no(wrong):
    for measure in (
        rankings.average_precision,
        rankings.r_precision,
        rankings.eleven_point,
        rankings.precision_mean_all_ranks,
    ):
        with pytest.raises(DataError, match="The relevance must be yes or no"):
            measure([1.0, 2.0], wrong)
    with pytest.raises(DataError, match="The scores must be numbers, and value 0 is 'a'"):
        rankings.average_precision(["a", "b"], [1, 0])
