"""Curves: what they accept, values between points, area, the mean of several."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.judge import Curve, mean_curve


def test_values_between_points_and_at_a_jump():
    curve = Curve("c", [0, 0, 1], [0, 0.5, 1])
    assert curve.at([0, 0.5, 1]).tolist() == [0.5, 0.75, 1]
    assert curve.area() == 0.75
    assert curve.records()[1] == {"curve": "c", "x": 0.0, "y": 0.5}


def test_mean_and_band():
    curve = mean_curve("m", [0, 1], [[0, 2], [2, 4], [4, 6]], "a", "b")
    assert curve.y.tolist() == [2, 4]
    assert curve.upper - curve.y == pytest.approx(np.full(2, 2 / np.sqrt(3)))
    assert curve.records()[0]["lower"] == pytest.approx(2 - 2 / np.sqrt(3))
    assert mean_curve("one", [0, 1], [[0, 2]]).lower is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"x": [0, 1], "y": [1]}, "x has 2 points and y has 1"),
        ({"x": [1, 0], "y": [1, 2]}, "never fall"),
        ({"x": [0, np.nan], "y": [1, 2]}, "never fall"),
        ({"x": [], "y": []}, "at least one"),
        ({"x": [0], "y": [0], "lower": [0]}, "both lower and upper"),
    ],
)
def test_bad_curves(fields, words):
    with pytest.raises(DataError, match=words):
        Curve("c", **fields)
