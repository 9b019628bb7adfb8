"""Measures piece by piece: marks stand where values are, bars are sorted and as long as the difference."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.show import breakdown

VALUES = np.array([[0.0, 1.0], [0.5, np.nan]])


def test_marks_stand_where_the_values_are() -> None:
    drawn = breakdown.dots(["one <1>", "two"], ["svm", "bayes"], VALUES)
    ElementTree.fromstring(drawn)
    groups = re.findall(r"<g><title>([^<]*)</title>(.*?)</g>", drawn)
    assert groups[0][0] == "one &lt;1&gt;: svm 0.000, bayes 1.000"
    assert groups[1][0] == "two: svm 0.500, bayes none"
    assert [marks.count("<path") for _, marks in groups] == [2, 1]
    at = [float(re.search(r'd="M([\d.]+) ', marks).group(1)) for _, marks in groups]  # type: ignore[union-attr]
    assert at[1] - at[0] == pytest.approx((400 - 118 - 10) / 2, abs=0.2)


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(DataError, match="31 lines of dots"):
        breakdown.dots(["x"] * 31, ["a"], np.zeros((31, 1)))
    with pytest.raises(DataError, match="2 rows and 1 systems"):
        breakdown.dots(["x", "y"], ["a"], np.zeros((1, 1)))


def test_bars_are_sorted_and_as_long_as_the_difference() -> None:
    drawn = breakdown.bars(
        ["q1", "q2", "q3", "q4"], np.array([-0.4, 0.2, np.nan, 0.1]), "svm", "ba<yes"
    )
    bars = re.findall(
        r'<rect class="(g\d)"[^>]*height="([\d.]+)"[^>]*><title>(q\d): ([+-][\d.]+)', drawn
    )
    assert [name for _, _, name, _ in bars] == ["q2", "q4", "q1"]
    assert [css for css, *_ in bars] == ["g0", "g0", "g1"]
    assert float(bars[2][1]) / float(bars[0][1]) == pytest.approx(2)
    assert "ba&lt;yes is better" in drawn
    assert breakdown.bars(["q"], np.array([np.nan]), "a", "b") == ""
