"""Still pictures: the map, the tree, the timeline and the charts are well-formed and show what they should."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from coterie.core.errors import DataError
from coterie.core.findings import Evidence
from coterie.core.partition import Hierarchy, Segmentation
from coterie.show import curves, map, timeline, tree
from coterie.show import markup as words
from tests.show import made

SVG = "{http://www.w3.org/2000/svg}"


def test_map_draws_one_marker_per_member_and_a_letter_per_group():
    found = made.findings(300, 5)
    root = ElementTree.fromstring(map.draw(found.map, found.labels))
    assert sum(p.get("d").count("M") for p in root.iter(SVG + "path")) == 300
    assert [t.text for t in root.iter(SVG + "text")] == list("ABCDE")


def test_map_of_many_is_a_sample_from_every_group():
    found = made.findings(5000, 7)
    few = map.sample(found.labels, 700)
    assert len(few) == 700
    share = np.bincount(found.labels[few]) / 700 - np.bincount(found.labels) / 5000
    assert np.abs(share).max() < 0.01
    root = ElementTree.fromstring(map.draw(found.map, found.labels, limit=700))
    assert sum(p.get("d").count("M") for p in root.iter(SVG + "path")) == 700


def test_map_keeps_its_proportions_and_survives_missing_places(tmp_path):
    where = np.array([[0, 0], [10, 0], [0, 5], [np.nan, 1]])
    placed = map.fitted(where, 200, 100, 10)
    assert np.allclose((placed[1] - placed[0])[0], 2 * (placed[0] - placed[2])[1])
    assert np.isfinite(placed).all()
    same = map.fitted(np.ones((3, 2)), 200, 100, 10)
    assert np.allclose(same, [100, 50])
    assert (
        map.save_svg(where, ["a", "b", "<i>", None], tmp_path / "m.svg")
        .read_text(encoding="utf-8")
        .count("&lt;i&gt;")
        == 1
    )
    with pytest.raises(DataError, match="two numbers for each"):
        map.draw(where, [0, 1])


def test_tree_has_no_crossing_and_colours_the_cut(tmp_path):
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(c, 0.1, (5, 2)) for c in (0, 5, 10)])
    hierarchy = Hierarchy(linkage(points, "average"))
    order = tree.leaf_order(hierarchy)
    assert sorted(order) == list(range(15))
    labels = hierarchy.cut(3).labels[order]
    assert np.count_nonzero(np.diff(labels)) == 2
    root = ElementTree.fromstring(tree.draw(hierarchy, [f"m<{i}>" for i in range(15)], n_groups=3))
    strokes = [p.get("stroke") for p in root.iter(SVG + "path")]
    assert len(strokes) == 14
    assert len(set(strokes)) == 4
    assert tree.save_svg(hierarchy, tmp_path / "t.svg").exists()
    with pytest.raises(DataError, match="3 ids for a hierarchy of 15"):
        tree.draw(hierarchy, ["a", "b", "c"])


def test_timeline_pieces_are_as_long_as_their_segments(tmp_path):
    strip = Segmentation(np.array([0, 10, 40, 100]), np.array([0, 1, 0]))
    root = ElementTree.fromstring(timeline.draw([strip, strip], ["one", "two"]))
    widths = [float(r.get("width")) for r in root.iter(SVG + "rect")][1:4]
    assert np.allclose(np.array(widths) / widths[0], [1, 3, 6], rtol=0.01)
    assert timeline.save_svg(strip, tmp_path / "s.svg").exists()
    with pytest.raises(DataError):
        timeline.draw([])


def test_evidence_curve_marks_the_chosen_number_and_its_band():
    root = ElementTree.fromstring(curves.evidence(made.findings().evidence))
    assert len([c for c in root.iter(SVG + "circle") if c.get("class") == "c-pick"]) == 1
    band = next(p for p in root.iter(SVG + "polygon") if p.get("class") == "c-band")
    assert len(band.get("points").split()) == 24
    bare = Evidence(
        n_groups=2,
        chosen=False,
        structured=True,
        p_value=math.nan,
        ks=(2, 3),
        scores=(0.1, math.nan),
    )
    assert "c-band" not in curves.evidence(bare)
    assert curves.evidence(Evidence(n_groups=1, chosen=True, structured=False, p_value=1.0)) == ""


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3.2, 7.9), (0.00012, 0.00031), (1e6, 3e6), (5, 5), (0, math.inf)]
)
def test_ticks_are_few_and_inside(low, high):
    found = curves.ticks(low, high)
    assert 1 <= len(found) <= 12
    assert all(low - 1e-9 <= v <= high + 1e-9 for v in found)


def test_line_chart_of_odd_data():
    assert curves.line_chart([], "empty") == ""
    assert curves.line_chart([(0, math.nan)], "nan") == ""
    ElementTree.fromstring(curves.line_chart([(1, 2)], "one point <&>"))
    long = ElementTree.fromstring(curves.line_chart([(i, i**0.5) for i in range(10_000)], "long"))
    assert len(next(long.iter(SVG + "polyline")).get("points").split()) <= 600


def test_strengths_scale_to_the_strongest_and_mark_less():
    html = words.strengths([("a", 4.0), ("b", -2.0), ("c", math.nan)])
    assert html.count("<li>") == 2
    assert 'width="100.0"' in html
    assert 'width="50.0"' in html
    assert "<em>less</em>" in html
    assert words.telling({"words": ()}) == ""
