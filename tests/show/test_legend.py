"""Names of curves: in a corner that no curve touches, and under the chart where there is none."""

from __future__ import annotations

import re

import numpy as np
import pytest

from coterie.show.curves import HEIGHT, WIDTH, Frame
from coterie.show.legend import ROW, Named, legend


def places(frame: Frame) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for x, y in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"', "".join(frame.rows))
    ]


@pytest.mark.parametrize(("rising", "right", "low"), [(True, True, True), (False, True, False)])
def test_the_farthest_corner_is_taken(rising: bool, right: bool, low: bool) -> None:
    frame = Frame((0.0, 1.0), (0.0, 1.0), "x")
    x = np.linspace(0, 1, 20)
    y = np.sqrt(x) if rising else (1 - x) ** 3
    assert legend(frame, [Named("a <b>", "c-line0", "#000000")], [(x, y)]) == HEIGHT
    ((across, down),) = places(frame)
    assert (across > WIDTH / 2) is right
    assert (down > HEIGHT / 2) is low
    assert "a &lt;b&gt;" in "".join(frame.rows)


def test_curves_everywhere_and_long_names_go_under_the_chart() -> None:
    x = np.tile([0.0, 1.0], 20)
    for name, y in (
        ("short", np.linspace(0, 1, 40)),
        ("a very long name of a system that fills the whole chart", x),
    ):
        frame = Frame((0.0, 1.0), (0.0, 1.0), "x")
        tall = legend(frame, [Named(name, "c-line0", "#000000")] * 2, [(x, y)])
        assert tall == HEIGHT + 2 * ROW + 8
        assert all(HEIGHT < down < tall for _, down in places(frame))


def test_a_piece_between_two_far_points_counts() -> None:
    frame = Frame((0.0, 1.0), (0.0, 1.0), "x")
    lines = [([0.0, 1.0], [y, y]) for y in (0.02, 0.98)] + [([0.0, 1.0], [0.5, np.nan])]
    assert legend(frame, [Named("name", "c-line0", "#000000")], lines) > HEIGHT
