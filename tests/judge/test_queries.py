"""Means over queries and the further measures of a list: by hand, by going through every order, and the documents of two sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from coterie.core.errors import DataError, ParameterError
from coterie.judge import (
    average_precision,
    check_apart,
    eleven_point,
    over_queries,
    precision_mean_all_ranks,
    shared_documents,
    worst_average_precision,
)
from tests.oracles import judge_rankings as slow
from tests.oracles.decisions import eleven_point as one_order


def test_eleven_point_by_hand():
    scores = [5.0, 4.0, 3.0, 2.0, 1.0]
    relevant = [1, 0, 1, 0, 0]
    assert eleven_point(scores, relevant) == pytest.approx((6 * 1 + 5 * 2 / 3) / 11)
    assert eleven_point(scores, relevant, total=4) == pytest.approx((3 * 1 + 3 * 2 / 3) / 11)
    assert eleven_point([1.0, 2.0], [0, 1]) == 1
    assert np.isnan(eleven_point([1.0, 2.0], [0, 0]))


@pytest.mark.parametrize("seed", range(6))
def test_eleven_point_has_the_extremes_of_all_orders(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, size=7).astype(float)
    relevant = rng.integers(0, 2, size=7)
    relevant[0] = 1
    if seed == 5:
        scores[0] = np.nan
    values = [
        one_order([int(relevant[i]) for i in order], relevant.sum())
        for order in slow.orders(scores)
    ]
    found = [
        eleven_point(scores, relevant, ties=ties, missing="last")
        for ties in ("worst", "middle", "best")
    ]
    assert found == pytest.approx([min(values), (min(values) + max(values)) / 2, max(values)])


@pytest.mark.parametrize("seed", range(4))
def test_mean_over_all_ranks_is_the_mean_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, size=6).astype(float)
    relevant = rng.integers(0, 2, size=6)
    relevant[2] = 1
    expected = slow.expected(
        scores, relevant, lambda hits: np.mean([sum(hits[: r + 1]) / (r + 1) for r in range(6)])
    )
    assert precision_mean_all_ranks(scores, relevant) == pytest.approx(expected)


def test_average_precision_at_its_ends():
    relevant = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    scores = np.arange(8.0)
    assert average_precision(-scores, relevant) == 1
    assert average_precision(scores, relevant) == pytest.approx(worst_average_precision(8, 3))
    assert worst_average_precision(8, 3) == pytest.approx((1 / 6 + 2 / 7 + 3 / 8) / 3)
    assert average_precision(-scores, relevant, total=6) == pytest.approx(0.5)
    assert average_precision(scores, 0 * relevant, total=2) == 0
    with pytest.raises(ParameterError, match="at least the 3 relevant"):
        average_precision(scores, relevant, total=2)
    with pytest.raises(ParameterError, match="from 1 to listed"):
        worst_average_precision(3, 4)


def test_queries_are_averaged_and_those_without_an_answer_counted():
    lists = [([3.0, 2.0, 1.0], [1, 0, 1]), ([2.0, 1.0], [0, 0]), ([1.0, 2.0], [1, 0])]
    found = over_queries(lists, at=(1, 2))
    assert found.ap_per_query[[0, 2]].tolist() == pytest.approx([(1 + 2 / 3) / 2, 0.5])
    assert np.isnan(found.ap_per_query[1])
    assert (found.queries, found.skipped) == (2, 1)
    assert found.mean_ap == pytest.approx(((1 + 2 / 3) / 2 + 0.5) / 2)
    assert found.precision_at == {1: 0.5, 2: 0.5}
    assert found.summary()["P@2"] == 0.5
    short = over_queries([([], []), ([1.0], [1])], totals=[2, 4])
    assert short.ap_per_query.tolist() == [0, 0.25]
    with pytest.raises(DataError, match="No query has a relevant"):
        over_queries(lists[1:2])
    with pytest.raises(DataError, match="3 lists and 1 totals"):
        over_queries(lists, totals=[1])


def test_lists_order_the_recall_levels():
    scores = np.arange(30.0)
    relevant = np.random.default_rng(0).random(30) < 0.4
    values = [
        eleven_point(scores, relevant, total=int(relevant.sum()) + extra) for extra in range(5)
    ]
    assert all(one >= other for one, other in pairwise(values))


def test_shared_documents_are_found_by_content():
    assert shared_documents(["a b", "", "c"], ["x", "A   B", ""]) == [(0, 1)]
    assert check_apart(["a"], ["b"]) == 0
    with pytest.raises(
        DataError, match=r"Development document 0 and test document 1 \(and 1 more\) are the same"
    ):
        check_apart(["a", "b"], ["c", "a", "b"])
    assert check_apart(["a", "b"], ["c", "a", "b"], allow_overlap=True) == 2


def test_relevance_of_a_query_is_yes_or_no():
    with pytest.raises(
        DataError, match=r"The relevance of query 1 must be yes or no .* value 1 is 2"
    ):
        over_queries([([1.0, 2.0], [1, 0]), ([1.0, 2.0], [1, 2])])
