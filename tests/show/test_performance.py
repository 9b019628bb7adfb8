"""Curves of performance: every curve is drawn and named, bands stand around it, unlike curves are refused."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.judge import Curve, expected_performance, trade_off
from coterie.show import performance


def lists(seed=0, n=200):
    rng = np.random.default_rng(seed)
    truth = np.arange(2 * n) < n
    return rng.normal(size=2 * n) + 2 * truth, truth


def places(drawn: str, css: str) -> np.ndarray:
    found = re.search(rf'class="{css}" points="([^"]*)"', drawn)
    assert found is not None
    return np.array(
        [[float(part) for part in place.split(",")] for place in found.group(1).split()]
    )


def test_a_band_stands_around_its_curve():
    found = expected_performance(lists(0), lists(1), replicates=100, random_state=0, name="svm <1>")
    drawn = performance.draw([found.curve], "EPC")
    ElementTree.fromstring(drawn)
    line = places(drawn, "c-line0")
    band = places(drawn, "p-band0")
    assert len(band) == 2 * len(line) == 2 * 91
    upper = band[:91, 1]
    lower = band[91:][::-1, 1]
    assert (upper <= line[:, 1] + 0.11).all()  # above is less on a page
    assert (line[:, 1] <= lower + 0.11).all()
    assert "svm &lt;1&gt;" in drawn
    assert "F1" in drawn


def test_long_curves_keep_their_ends_and_chance_is_the_diagonal():
    curve = trade_off(*lists(n=3000), name="roc")
    drawn = performance.draw([curve], chance=True)
    line = places(drawn, "c-line0")
    assert len(line) <= 400
    assert line[0, 0] < line[-1, 0]
    assert line[0, 1] > line[-1, 1]
    assert len(places(drawn, "c-null")) == 2


def test_normal_deviates_are_told_as_shares():
    words = "".join(
        ElementTree.fromstring(
            performance.draw([trade_off(*lists(n=2000), "det", name="a")])
        ).itertext()
    )
    assert "20%" in words
    assert "normal deviate" not in words


def test_rates_begin_at_zero():
    low = Curve("a", [0.1, 0.9], [0.2, 0.25], "alpha", "HTER")
    near = Curve("a", [0.4, 0.9], [0.8, 0.9], "recall", "precision")
    for curve, ends in ((low, ("0", "0.3")), (near, ("0", "1"))):
        words = re.findall(r">([^<>]+)</text>", performance.draw([curve]))
        assert words.count("0") == 2, curve.y_label  # of both axes
        assert ends[1] in words
    bottom = places(performance.draw([low]), "c-line0")[:, 1]
    assert bottom.max() < 196 - 50  # well above the foot of the chart


def test_names_stand_inside_where_a_corner_is_free():
    drawn = performance.draw([trade_off(*lists(n=500), name="svm")], chance=True)
    assert 'viewBox="0 0 400 230"' in drawn
    mesh = [
        Curve(f"c{k}", np.linspace(0, 1, 50), np.abs(np.sin(np.arange(50) * (k + 1))), "x", "y")
        for k in range(3)
    ]
    assert 'viewBox="0 0 400 286"' in performance.draw(mesh)


def test_bands_keep_their_colors_on_a_page_with_the_style_of_the_report():
    found = expected_performance(lists(0), lists(1), replicates=100, random_state=0, name="svm")
    drawn = performance.draw([found.curve, found.curve])
    assert 'class="c-band"' not in drawn  # which the report paints grey
    assert 'class="p-band1"' in drawn


def test_bad_input(tmp_path):
    one = trade_off(*lists())
    other = trade_off(*lists(), "precision-recall")
    with pytest.raises(DataError, match="different axes"):
        performance.draw([one, other])
    with pytest.raises(DataError, match="no curve"):
        performance.draw([])
    assert performance.draw([Curve("x", [0, 1], [np.nan, np.nan])]) == ""
    assert performance.save_svg([one], tmp_path / "a.svg").read_text().startswith("<svg")
