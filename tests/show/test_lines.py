"""Several curves in one picture: every curve is drawn where its values are, and named."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from coterie.core.errors import DataError
from coterie.core.findings import Lines
from coterie.show import lines

THREE = Lines(
    "NMSE",
    (100.0, 200.0, 500.0),
    {"NN <1>": (0.1, 0.01, 0.001), "Wang": (1.0, 0.1, 0.1), "bound": (0.5, math.nan, 0.5)},
    "points",
    "error",
    logarithmic=True,
)


def heights(drawn: str, at: int) -> list[float]:
    """The vertical places of the points of one curve."""
    found = re.search(rf'class="c-line{at}" points="([^"]*)"', drawn)
    assert found is not None
    return [float(place.split(",")[1]) for place in found.group(1).split()]


def test_a_log_scale_puts_equal_ratios_at_equal_steps() -> None:
    first, second, third = heights(lines.draw(THREE), 0)
    assert second - first == pytest.approx(third - second, abs=0.2)
    assert second > first  # smaller is lower on the page


def test_a_plain_scale_does_not() -> None:
    plain = Lines("x", THREE.x, {"NN": (0.1, 0.01, 0.001)})
    first, second, third = heights(lines.draw(plain), 0)
    assert second - first > 5 * (third - second)


def test_missing_values_leave_a_gap() -> None:
    assert len(heights(lines.draw(THREE), 2)) == 2


def test_names_are_there_and_escaped() -> None:
    drawn = lines.draw(THREE)
    words = "".join(ElementTree.fromstring(drawn).itertext())
    assert all(name in words for name in ("NN <1>", "Wang", "bound", "points", "error"))
    assert "<1>" not in drawn


def test_nothing_to_draw_is_nothing() -> None:
    assert lines.draw(Lines("x", (1.0, 2.0), {"a": (math.nan, -1.0)}, logarithmic=True)) == ""


def test_a_curve_of_another_length_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="'short' has 1 values for 2 places"):
        lines.draw(Lines("x", (1.0, 2.0), {"short": (1.0,)}))
