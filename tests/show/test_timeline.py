"""Strips: times and ticks, pieces drawn in place, many and very short pieces, names and labels that are only text."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.partition import Segmentation
from coterie.show import markup, timeline
from coterie.show.clock import Axis, clock
from coterie.show.markup import color, contrast
from tests.show import made

SVG = "{http://www.w3.org/2000/svg}"


def cut(bounds, labels) -> Segmentation:
    return Segmentation(np.array(bounds), np.array(labels))


def drawn(*args, **options) -> ElementTree.Element:
    return ElementTree.fromstring(timeline.draw(*args, **options))


@pytest.mark.parametrize(
    ("seconds", "digits", "said"),
    [
        (0, 0, "0:00"),
        (3.24, 1, "0:03.2"),
        (59.96, 1, "1:00.0"),
        (59.949, 1, "0:59.9"),
        (3599.6, 0, "1:00:00"),
        (0.064, 3, "0:00.064"),
    ],
)
def test_clock(seconds, digits, said):
    assert clock(seconds, digits) == said


@pytest.mark.parametrize(
    ("last", "rate", "first", "words"),
    [
        (18_000, 100.0, 0, ["0:00", "0:30", "1:00", "1:30", "2:00", "2:30", "3:00"]),
        (400, 50.0, 0, ["0 s", "1 s", "2 s", "3 s", "4 s", "5 s", "6 s", "7 s", "8 s"]),
        (
            20,
            10.0,
            0,
            [
                "0.00 s",
                "0.25 s",
                "0.50 s",
                "0.75 s",
                "1.00 s",
                "1.25 s",
                "1.50 s",
                "1.75 s",
                "2.00 s",
            ],
        ),
        (
            7200,
            1.0,
            0,
            [
                "0:00:00",
                "0:15:00",
                "0:30:00",
                "0:45:00",
                "1:00:00",
                "1:15:00",
                "1:30:00",
                "1:45:00",
                "2:00:00",
            ],
        ),
        (
            1020,
            10.0,
            1000,
            [
                "1:40.00",
                "1:40.25",
                "1:40.50",
                "1:40.75",
                "1:41.00",
                "1:41.25",
                "1:41.50",
                "1:41.75",
                "1:42.00",
            ],
        ),
        (10, 0.0, 0, ["0", "2", "4", "6", "8", "10"]),
        (4, 0.0, 1, ["1", "2", "3", "4"]),
    ],
)
def test_ticks_are_round_in_time_and_whole_in_steps(last, rate, first, words):
    ticks = Axis(first, last, rate).ticks()
    assert [said for _, said in ticks] == words
    places = [place for place, _ in ticks]
    assert places == sorted(places)
    assert all(first - 1e-6 <= place <= last + 1e-6 for place in places)


@pytest.mark.parametrize("seconds", [0.003, 0.2, 1, 59, 61, 600, 3599, 3601, 40_000, 1e6, 1e8])
def test_ticks_are_few_and_differ_at_any_length(seconds):
    axis = Axis(0, max(1, round(seconds * 1000)), 1000.0)
    words = [said for _, said in axis.ticks()]
    assert 2 <= len(words) <= 13
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_without_a_usable_rate_the_axis_is_in_steps(rate):
    axis = Axis.of([cut([0, 5, 6], [0, 1])], rate)
    assert axis.unit == "steps"
    assert axis.words(0, 5) == "steps 0 to 4"
    assert axis.words(5, 6) == "step 5"
    assert axis.lasting(1) == "1 step"


def test_pieces_tell_when_they_are():
    axis = Axis(0, 18_000, 100.0)
    assert axis.unit == "minutes"
    assert axis.words(320, 790) == "0:03.2 to 0:07.9"
    assert axis.words(320, 322) == "0:03.20 to 0:03.22"  # short pieces get the digits they need
    assert axis.lasting(470) == "4.7 s"
    assert axis.lasting(9000) == "1:30.0"
    assert Axis(0, 500_000, 100.0).words(0, 100) == "0:00:00 to 0:00:01"


def test_titles_and_places_follow_the_rate():
    root = drawn(cut([100, 200, 400], [0, 2]), rate=100.0)
    assert [t.text for t in root.iter(SVG + "title")] == [
        "A: 0:01.00 to 0:02.00",
        "C: 0:02.00 to 0:04.00",
    ]
    one, two = list(root.iter(SVG + "rect"))[1:3]
    assert float(two.get("x")) == pytest.approx(
        float(one.get("x")) + float(one.get("width")), abs=0.02
    )
    assert float(two.get("width")) == pytest.approx(2 * float(one.get("width")), abs=0.05)
    assert root.get("aria-label") == "one sequence cut into pieces, in seconds"
    texts = [t.text for t in root.iter(SVG + "text")]
    assert "1.0 s" in texts
    assert {"A 33%", "C 67%"} <= set(texts)  # the legend


def test_a_very_short_piece_is_seen_and_has_no_edge():
    root = drawn(cut([0, 50_000, 50_001, 100_000], [0, 1, 2]))
    long, short = list(root.iter(SVG + "rect"))[1:3]
    assert float(short.get("width")) >= 0.5
    assert short.get("stroke") is None  # an edge would cover all of it
    assert long.get("stroke") == "#ffffff"


def test_gathering_keeps_time_and_takes_the_label_that_fills_most():
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 40, 3000)
    strip = cut(np.concatenate([[7], 7 + np.cumsum(lengths)]), rng.integers(-1, 6, 3000))
    few = timeline.gathered(strip, 250)
    assert len(few.labels) <= 250
    assert few.boundaries[0] == 7
    assert few.boundaries[-1] == strip.boundaries[-1]
    steps = strip.per_step()
    edges = np.rint(np.linspace(7, strip.boundaries[-1], 251)).astype(int) - 7
    shown = few.per_step()
    for a, b in itertools.pairwise(edges):  # the slow way: count the steps of every stretch
        counts = np.bincount(steps[a:b] + 1)
        assert counts[shown[a] + 1] == counts.max()
        assert len(set(shown[a:b])) == 1
    assert timeline.gathered(strip, 3000) is strip


def test_many_strips_and_many_pieces_stay_small():
    rng = np.random.default_rng(2)
    strips = [cut(np.arange(5001), rng.integers(0, 4, 5000)) for _ in range(50)]
    text = timeline.draw(strips, [f"m{i}" for i in range(50)])
    assert len(text) < 9_000_000
    root = ElementTree.fromstring(text)
    tall = float(root.get("viewBox").split()[3])
    assert tall < 50 * 20 + 100


def test_shares_and_words_for_those_who_cannot_see():
    strips = [cut([0, 10, 30], [1, -1]), cut([5, 75], [0])]
    found = timeline.shares(strips)
    assert list(found) == [0, 1, -1]
    assert np.allclose(list(found.values()), [0.7, 0.1, 0.2])
    assert timeline.told(strips[0], "first") == "first: two pieces; – 67%, B 33%"
    many = cut(np.arange(11), np.arange(10))
    assert timeline.told(many, "").endswith("and four more labels")
    assert timeline.shares([]) == {}


@pytest.mark.parametrize("dark", [False, True])
def test_letters_can_be_read_on_every_color(dark):
    for label in range(-1, 32):
        assert contrast(markup.ink(label, dark), color(label, dark)) >= 4


def test_names_are_only_text_and_long_ones_are_cut():
    strips = [cut([0, 5], [0])] * len(made.HOSTILE)
    root = drawn(strips, list(made.HOSTILE))
    texts = [t.text or "" for t in root.iter(SVG + "text")]
    assert "<script>window.ow…" in texts
    assert max(map(len, texts)) <= 18
    assert not list(root.iter(SVG + "script"))


def test_wrong_input_is_named(tmp_path):
    strip = cut([0, 5], [0])
    with pytest.raises(DataError, match="2 names for 1 segmentations"):
        timeline.draw(strip, ["a", "b"])
    with pytest.raises(DataError, match="no segmentation"):
        timeline.draw([])
    empty = Segmentation(np.array([3]), np.array([], dtype=int))
    assert "<svg" in timeline.draw([empty, strip])
    assert (
        timeline.save_svg(strip, tmp_path / "s.svg", rate=10.0)
        .read_text(encoding="utf-8")
        .count("0:00.0 to 0:00.5")
        == 1
    )
