"""The exact cut against every way to cut; the choice of the number of segments; sources followed through a sequence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import segments as slow

from coterie.core.errors import ParameterError
from coterie.parts.segments import along, segments


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 3), st.integers(1, 3))
def test_every_number_of_segments_is_the_best_of_all_cuts(seed, n, dim, least):
    rows = np.random.default_rng(seed).normal(size=(n, dim))
    found = segments(rows, n, least)
    assert len(found.costs) == max(1, n // least)
    for k in range(1, len(found.costs) + 1):
        cost, bounds = slow.best_cut(rows, k, min(least, n))
        assert np.isclose(found.costs[k - 1], cost, atol=1e-9)
        assert found.boundaries(k).tolist() == bounds


def test_more_segments_never_cost_more_and_a_segment_for_each_row_costs_nothing():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    costs = segments(rows, 40).costs
    assert np.all(np.diff(costs) <= 1e-9)
    assert abs(costs[-1]) < 1e-9


def test_a_shift_of_all_rows_far_away_changes_nothing():
    rows = np.random.default_rng(1).normal(size=(60, 2))
    near = segments(rows, 6)
    far = segments(rows + 1e7, 6)
    assert near.boundaries(6).tolist() == far.boundaries(6).tolist()
    assert np.allclose(near.costs, far.costs, rtol=1e-5)


def test_equal_cuts_take_the_earliest_boundary():
    assert segments(np.zeros((5, 1)), 3).boundaries(3).tolist() == [0, 1, 2, 5]


def test_bic_finds_steps_in_noise_and_none_where_there_are_none():
    generator = np.random.default_rng(2)
    level = np.repeat([0.0, 3.0, 1.0, 4.0], [30, 20, 40, 25])
    found = segments((level + generator.normal(size=115) * 0.5)[:, None], 20, 2)
    assert np.argmin(found.bic()) + 1 == 4
    assert np.abs(found.boundaries(4) - [0, 30, 50, 90, 115]).max() <= 1
    assert np.argmin(segments(generator.normal(size=(100, 1)), 20, 2).bic()) == 0


def test_bic_believes_no_less_noise_than_it_is_told():
    rows = (
        np.repeat([[0.0], [1.0]], 20, axis=0) + np.random.default_rng(3).normal(size=(40, 1)) * 1e-3
    )
    found = segments(rows, 10)
    assert np.argmin(found.bic(0.02)) + 1 == 2
    curve = found.bic(0.02)
    assert np.allclose(np.diff(curve[1:]), 2 * np.log(40))


def test_a_number_of_segments_out_of_range_is_refused_with_the_range():
    with pytest.raises(ParameterError, match="from 1 to 3 here, and was 4"):
        segments(np.zeros((6, 1)), 6, 2).boundaries(4)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 3), st.floats(0, 2))
def test_sources_are_followed_at_the_least_cost(seed, n, k, penalty):
    away = np.random.default_rng(seed).random((n, k))
    labels = along(away, penalty)
    cost = away[np.arange(n), labels].sum() + penalty * np.count_nonzero(np.diff(labels))
    assert np.isclose(cost, slow.best_labels(away, penalty))


def test_a_high_price_for_changes_leaves_one_source():
    away = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert along(away, 0.1).tolist() == [0, 1, 0]
    assert along(away, 10.0).tolist() == [0, 0, 0]
