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
    return np.array([[float(part) for part in place.split(",")] for place in found.group(1).split()])


def test_a_band_stands_around_its_curve():
    found = expected_performance(lists(0), lists(1), replicates=100, random_state=0, name="svm <1>")
    drawn = performance.draw([found.curve], "EPC")
    ElementTree.fromstring(drawn)
    line, band = places(drawn, "c-line0"), places(drawn, "c-band")
    assert len(band) == 2 * len(line) == 2 * 91
    upper, lower = band[:91, 1], band[91:][::-1, 1]
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
    words = "".join(ElementTree.fromstring(performance.draw([trade_off(*lists(n=2000), "det", name="a")])).itertext())
    assert "20%" in words
    assert "normal deviate" not in words


def test_bad_input(tmp_path):
    one, other = trade_off(*lists()), trade_off(*lists(), "precision-recall")
    with pytest.raises(DataError, match="different axes"):
        performance.draw([one, other])
    with pytest.raises(DataError, match="no curve"):
        performance.draw([])
    assert performance.draw([Curve("x", [0, 1], [np.nan, np.nan])]) == ""
    assert performance.save_svg([one], tmp_path / "a.svg").read_text().startswith("<svg")
