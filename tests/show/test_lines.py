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


def written(drawn: str) -> list[str]:
    """All words of a picture."""
    return re.findall(r">([^<>]+)</text>", drawn)


def test_a_log_axis_of_places_is_told_in_plain_values_with_their_unit() -> None:
    picture = lines.Ruled(
        "x", (1.0, 10.0, 50.0), {"a": (0.1, 0.2, 0.4)}, "labels", over_logs=True, unit="%"
    )
    drawn = lines.draw(picture)
    assert [word for word in written(drawn) if word.endswith("%")] == ["1%", "10%", "50%"]
    found = re.search(r'class="c-line0" points="([^"]*)"', drawn)
    assert found is not None
    across = [float(place.split(",")[0]) for place in found.group(1).split()]
    assert (across[1] - across[0]) / (across[2] - across[1]) == pytest.approx(
        1 / math.log10(5), rel=0.01
    )
    with pytest.raises(DataError, match="a log axis begins above 0"):
        lines.draw(lines.Ruled("x", (0.0, 1.0), {"a": (1.0, 2.0)}, over_logs=True))


def test_small_values_are_written_out() -> None:
    words = written(lines.draw(Lines("x", (1.0, 2.0), {"a": (1e-5, 1e-4)}, logarithmic=True)))
    assert {"0.00001", "0.00002", "0.0001"} <= set(words)
    assert not any("e-" in word for word in words)
    many = written(lines.draw(Lines("x", (1.0, 2.0), {"a": (1e-6, 1.0)}, logarithmic=True)))
    assert "0.2" not in many
    assert "0.1" in many


def test_values_can_begin_at_zero_and_many_places_have_no_dots() -> None:
    values = {"a": tuple(0.5 + 0.001 * k for k in range(91))}
    places = tuple(map(float, range(91)))
    assert "0" in written(lines.draw(lines.Ruled("x", places, values, from_zero=True)))[:2]
    assert "<circle" not in lines.draw(Lines("x", places, values))
    assert lines.draw(THREE).count("<circle") == 8
