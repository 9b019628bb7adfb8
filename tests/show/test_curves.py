"""Small line charts: what runs along the bottom, and the level of chance across."""

from __future__ import annotations

from coterie.core.findings import Axis
from coterie.show.curves import chart_curve, line_chart

NAME = "Consensus of the views by component"


def test_a_curve_is_drawn_over_its_axis() -> None:
    known = chart_curve([(1.0, 0.9), (2.0, 0.8)], NAME, Axis("component", 0.62))
    assert "component" in known
    assert known.count('class="c-null"') == 1
    assert ">step<" in chart_curve([(0.0, 1.0), (1.0, 2.0)], "objective")
    assert ">value<" in chart_curve([(0.5, 1.0), (1.0, 2.0)], "objective")


def test_a_level_is_a_dashed_line_inside_the_picture() -> None:
    pairs = [(1.0, 0.9), (2.0, 0.8)]
    plain = line_chart(pairs, NAME)
    with_level = line_chart(pairs, NAME, level=0.2)
    assert "c-null" not in plain
    assert with_level.count('class="c-null"') == 1
    assert "0.2" in with_level  # the axis reaches down to it
