"""Orders: stable, with even gains, the unknown in the middle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.rankings import gain

from coterie.core.errors import DataError
from coterie.parts.orderings import gains, in_order_of, middled, ordered


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=1, max_size=9))
def test_orders_are_stable_and_gains_even(scores):
    order = ordered(np.array(scores))
    assert order.tolist() == sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    expected = gain(order.tolist())
    assert np.allclose(gains(order), [expected[i] for i in range(len(scores))])


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_the_unknown_hold_the_middle(seed, n):
    generator = np.random.default_rng(seed)
    order = generator.permutation(n)
    known = generator.random(n) < 0.6
    found = middled(order, known)
    assert sorted(found.tolist()) == list(range(n))
    assert [i for i in found if known[i]] == [i for i in order if known[i]]
    places = np.flatnonzero(~known[found])
    if len(places):
        assert np.all(np.diff(places) == 1)
        assert abs(int(places[0]) - (n - 1 - int(places[-1]))) <= 1


def test_names_that_are_not_given_and_scores_of_nan_are_unknown():
    assert in_order_of(["c", "a"], ["a", "b", "c"], "x").tolist() == [2, 1, 0]
    assert in_order_of([1.0, float("nan"), 2.0], ["a", "b", "c"], "x").tolist() == [2, 1, 0]


@pytest.mark.parametrize("said", [{}, [float("nan")] * 3, {"a": float("nan")}])
def test_an_order_that_says_nothing_is_refused(said):
    with pytest.raises(
        DataError, match=r"^x holds no score at all; leave it out, or give one number at least.$"
    ):
        in_order_of(said, ["a", "b", "c"], "x")
