"""Scores brought to one spread: by hand, over candidates alone, in rows, and where they say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.parts.one_spread import one_spread


def test_the_standard_deviation_is_one_over_the_candidates():
    scores = np.random.default_rng(0).normal(3.0, 7.0, size=(4, 20))
    np.testing.assert_allclose(one_spread(scores), scores / scores.std(axis=1, keepdims=True))
    among = np.arange(20) % 3 > 0
    found = one_spread(scores[0], among)
    np.testing.assert_allclose(found[among], scores[0][among] / scores[0][among].std())
    assert (found[~among] == 0).all()


@pytest.mark.parametrize(
    ("kind", "step"), [(np.float64, 1e-17), (np.float64, 1e-12), (np.float32, 1e-8)]
)
def test_rounding_is_no_spread(kind, step):
    scores = (0.3 + step * np.arange(9)).astype(kind)
    found = one_spread(scores)
    assert found.dtype == kind
    assert (found == found[0]).all()
    np.testing.assert_allclose(found, 0.3, rtol=1e-6)


def test_small_scores_are_no_rounding():
    scores = 1e-14 * np.arange(9.0)
    np.testing.assert_allclose(one_spread(scores), scores / scores.std())


def test_nobody_is_no_error():
    np.testing.assert_array_equal(
        one_spread(np.array([1.0, -np.inf]), np.zeros(2, dtype=bool)), 0.0
    )
