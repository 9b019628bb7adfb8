"""Small line charts: what runs along the bottom, and the level of chance across."""

from __future__ import annotations

import math

import pytest

from coterie.show.curves import across, level_in, line_chart

NAME = "Consensus of the views by component (chance 0.62)"


def test_the_name_of_a_curve_tells_its_axis_and_its_level() -> None:
    assert across(NAME, [(1.0, 0.9)]) == "component"
    assert across("objective", [(0.0, 1.0), (1.0, 2.0)]) == "step"
    assert across("objective", [(0.5, 1.0)]) == "value"
    assert level_in(NAME) == pytest.approx(0.62)
    assert math.isnan(level_in("objective by step"))


def test_a_level_is_a_dashed_line_inside_the_picture() -> None:
    pairs = [(1.0, 0.9), (2.0, 0.8)]
    plain = line_chart(pairs, NAME)
    with_level = line_chart(pairs, NAME, level=0.2)
    assert "c-null" not in plain
    assert with_level.count('class="c-null"') == 1
    assert "0.2" in with_level  # the axis reaches down to it
