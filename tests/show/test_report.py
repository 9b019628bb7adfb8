"""The report as a file: order, safety, embedded data, size, time, and how it is written."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from coterie import show
from coterie.core.errors import DataError
from coterie.core.findings import Evidence, Grid, Strips
from coterie.core.partition import Segmentation
from coterie.show import dynamics, report, sections
from coterie.show.markup import clip, color, contrast, count, esc, figure
from tests.show import made


class Page(HTMLParser):
    """Tags, attributes and texts of a page, as a browser would see them."""

    VOID = {"meta", "link", "input", "img", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": [], "title": [], "h2": []}
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
            if tag in self.inside:
                self.inside[tag].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]][-1] += data

    def data(self) -> dict:
        return json.loads(self.inside["script"][0])


@pytest.fixture(scope="module")
def five():
    return made.findings()


@pytest.fixture(scope="module")
def page(five):
    return Page(show.render(five))


def test_parts_come_in_order(page):
    assert page.inside["h2"] == [
        "The map of members",
        "How alike, pair by pair",
        "The groups",
        "How many groups, and why",
        "Further curves",
        "What was done",
        "Notes",
        "Make it again",
    ]
    text = " ".join(" ".join(page.text).split())
    assert text.index("5 clear groups") < text.index("Largest: ") < text.index("Members 300")
    assert "Made by coterie 0.1.0 on 2025-03-04 10:20" in text
    assert page.open == []


def test_nothing_is_fetched_and_the_policy_names_exactly_what_is_inside(page):
    policy = next(
        a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy

    def digest(text):
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert f"script-src 'sha256-{digest(page.inside['script'][1])}'" in policy
    assert f"style-src 'sha256-{digest(page.inside['style'][0])}'" in policy
    for _, attributes in page.tags:
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    assert not re.search(r"url\(|@import", page.inside["style"][0])


def test_words_can_be_read_on_their_paper(page):
    found = re.findall(r"\{([^{}]*--paper:[^{}]*)\}", page.inside["style"][0])
    blocks = [dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6})", block)) for block in found]
    assert len(blocks) == 3
    assert blocks[1] == blocks[2]  # dark by preference and dark by choice
    for colors in blocks:
        for paper in ("paper", "sheet"):
            assert contrast(colors["ink"], colors[paper]) >= 7
            assert contrast(colors["muted"], colors[paper]) >= 4.5
            assert contrast(colors["accent"], colors[paper]) >= 4.5
        assert contrast(colors["ink"], colors["calm"]) >= 7
        assert contrast(colors["muted"], colors["accent-soft"]) >= 4.5
        assert contrast(colors["main"], colors["sheet"]) >= 3


def test_embedded_arrays_are_those_of_the_findings(five, page):
    data = page.data()

    def array(text, kind):
        return np.frombuffer(base64.b64decode(text), dtype=kind)

    assert data["ids"] == list(five.ids)
    assert data["snippets"] == list(five.snippets)
    assert np.allclose(array(data["positions"], "<f4").reshape(-1, 2), five.map, atol=1e-5)
    assert np.array_equal(array(data["labels"], "<i4"), five.labels)
    assert np.allclose(array(data["confidence"], "<f4"), five.confidence, atol=1e-6)
    assert np.array_equal(array(data["near"]["members"], "<i4").reshape(300, -1), five.neighbors)
    m = data["matrix"]
    values = m["least"] + array(m["values"], "<u2").reshape(m["side"], -1) / 65535 * (
        m["most"] - m["least"]
    )
    assert np.allclose(values, five.matrix, atol=1e-4)
    year = data["columns"][0]
    assert [year["values"][c] for c in array(year["codes"], "<i4")] == list(five.cards["year"])


def test_hostile_text_is_only_text():
    found = made.hostile()
    raw = show.render(found)
    page = Page(raw)
    assert [t for t, _ in page.tags].count("script") == 2
    assert [t for t, _ in page.tags].count("style") == 1
    assert not [a for t, a in page.tags if t == "img"]
    assert not [n for _, a in page.tags for n in a if n.startswith("on")]
    assert "\u2028" not in page.inside["script"][0]
    assert "\x00" not in raw
    raw.encode("utf-8")
    data = page.data()
    assert data["ids"][0] == made.HOSTILE[0]
    assert data["ids"][7].endswith("…")
    assert len(data["ids"][7]) <= 240
    assert page.inside["title"][0] == made.HOSTILE[0] + made.HOSTILE[1]
    assert page.open == []


def test_twenty_thousand_members_stay_small_and_fast():
    long = ["Ünïcødé wörds " * 40 + str(i) for i in range(20_000)]
    found = made.findings(
        20_000,
        20,
        snippets=long,
        cards={"long": long, "few": ["a", "b"] * 10_000, "more": long[::-1]},
    )
    began = time.process_time()
    text = show.render(found)
    assert time.process_time() - began < 3
    assert len(text.encode()) < 15_000_000
    data = Page(text).data()
    assert len(data["snippets"]) == 20_000
    assert "few" in [c["name"] for c in data["columns"]]


def test_columns_that_do_not_fit_are_named():
    found = made.findings(400, 2, cards={"huge": [f"{i} " + "x" * 300 for i in range(400)]})
    before = report.BUDGET["cards"]
    try:
        report.BUDGET["cards"] = 3000
        text = show.render(found)
    finally:
        report.BUDGET["cards"] = before
    assert "The column &#x27;huge&#x27; is not on this page" in text


def test_no_structure_is_said_calmly():
    text = " ".join(Page(show.render(made.findings(60, 2, structured=False))).text)
    assert "No group structure was found" in text
    assert "Any data can be cut into groups." in text
    alone = " ".join(Page(show.render(made.findings(60, 1, structured=False))).text)
    assert "No groups are shown, because none stood out." in alone
    assert "Any data can be cut" not in " ".join(Page(show.render(made.findings(60, 2))).text)


@pytest.mark.parametrize(
    ("k", "verdict", "said"),
    [
        (5, "strong", "5 clear groups"),
        (14, "moderate", "14 fairly clear groups"),
        (2, "weak", "2 groups, weak evidence"),
        (3, "", "3 groups"),
        (1, "strong", "One group holds everybody together"),
    ],
)
def test_verdict(k, verdict, said):
    found = made.findings(100, k)
    found = replace(found, evidence=replace(found.evidence, verdict=verdict))
    assert show.verdict(found) == said


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0, "None of the null"),
        (0.015, "one in 67 "),
        (0.8, "Most null"),
        (math.nan, "not tested"),
    ],
)
def test_chance_in_words(p, words):
    assert words in sections.chance(Evidence(n_groups=2, chosen=True, structured=True, p_value=p))


def evidence(p, n_nulls):
    return Evidence(n_groups=2, chosen=True, structured=True, p_value=p, n_nulls=n_nulls)


def test_chance_names_its_floor_only_where_it_stands_on_it():
    assert sections.chance(evidence(0.01, 99)) == (
        "None of the 99 null collections was as grouped (with 99 of them p cannot be below 0.01)."
    )
    assert "one in 5 " in sections.chance(evidence(0.2, 9))  # one of nine was as grouped
    assert "one in 5 " in sections.chance(evidence(0.2, 0))
    assert "only one, p cannot be below 0.5" in sections.chance(evidence(0.5, 1))


def test_without_structure_there_is_no_group_and_no_confidence():
    page = Page(show.render(made.findings(60, 1, structured=False, confidence=np.ones(60))))
    text = " ".join(" ".join(page.text).split())
    assert "Groups none" in text
    assert "No groups are claimed." in text
    assert not re.search(
        r"\d%", "".join(set(page.text) - {*page.inside["script"], *page.inside["style"]})
    )
    assert "number of groups used" not in text
    data = page.data()
    assert data["flat"] is True
    assert data["groups"] == []
    assert set(np.frombuffer(base64.b64decode(data["labels"]), dtype="<i4")) == {-1}
    hidden = {a.get("id") or a.get("href") for _, a in page.tags if "hidden" in a}
    assert {"groups", "#groups"} <= hidden
    assert not [a for t, a in page.tags if a.get("class") in ("group", "still-legend")]
    fills = {a.get("fill") for t, a in page.tags if t == "path" and "fill-opacity" in a}
    assert fills == {color(-1)}
    asked = Page(
        show.render(made.findings(60, 3, structured=False))
    )  # a cut that was asked for is shown
    assert len([a for t, a in asked.tags if a.get("class") == "group"]) == 3
    assert asked.data()["flat"] is False


def test_words_of_the_page():
    for found in (
        made.findings(40, 2),
        made.findings(40, 2, structured=False),
        made.findings(40, 1, structured=False),
    ):
        text = " ".join(Page(show.render(found)).text)
        assert not re.search(r"colour|centred|neighbour|\d %", text, re.IGNORECASE)
    assert "null collections, mean and twice their deviation" in text


def test_cut_snippets_end_with_an_ellipsis():
    found = made.findings(
        20, 1, snippets=["x" * 140, "y" * 139, "z" * 138, "short", "w" * 150 + "…"] + ["v"] * 15
    )
    page = Page(show.render(found))
    assert [s[-2:] for s in page.data()["snippets"][:5]] == ["x…", "y…", "zz", "rt", "w…"]
    name = "n" * 140
    assert (
        Page(show.render(made.findings(3, 1, ids=[name] * 3, snippets=[name] * 3))).data()[
            "snippets"
        ][0]
        == name
    )
    typical = replace(found.groups[0], typical=(0,), doubtful=())
    assert "x" * 140 + "…" in Page(show.render(replace(found, groups=[typical]))).text


def test_settings_left_to_coterie():
    text = sections.making(made.findings(9, 1, settings={"k": None, "view": None, "seed": 3}), ())
    assert "chosen by coterie" in text
    assert "view" not in text
    assert "null" not in text.replace("null collections", "")


def test_truth_columns_come_first_and_numbers_in_order(five):
    cards = {
        **five.cards,
        "truth: topic": [f"topic {i % 12}" for i in range(300)],
        "rank": [str(i % 30 - 9) for i in range(300)],
    }
    columns = {
        c["name"]: c["values"]
        for c in Page(show.render(replace(five, cards=cards))).data()["columns"]
    }
    assert next(iter(columns)) == "truth: topic"
    assert columns["truth: topic"] == [f"topic {i}" for i in range(12)]
    assert columns["rank"] == [str(i) for i in range(-9, 21)]


def test_nobody_is_typical_and_doubtful_at_once(five):
    group = replace(five.groups[0], typical=(3, 3, 1), doubtful=(1, 7, 3, 7, 999))
    panel = sections.group_panel(five, group, [])
    assert re.findall(r'data-member="(\d+)"', panel) == ["3", "1", "7"]


def test_parts_of_the_script_are_short():
    folder = files("coterie.show") / "assets"
    assert {p.name for p in folder.iterdir() if p.name.endswith(".js")} == set(report.SCRIPTS)
    for name in report.SCRIPTS:
        assert len((folder / name).read_text(encoding="utf-8").splitlines()) < 400


def test_odd_findings_still_render():
    none = made.findings(12, 2, labels=np.full(12, -1), groups=())
    assert "In no group" in show.render(none)
    odd = made.findings(
        12,
        2,
        map=np.full((12, 2), np.nan),
        confidence=np.full(12, np.nan),
        matrix=np.empty((0, 0)),
        matrix_members=np.empty(0, dtype=int),
        curves={},
        notes=(),
        steps=(),
        command="",
        python="",
        cards={},
    )
    page = Page(show.render(odd))
    assert page.data()["matrix"] is None
    assert (
        next(a for t, a in page.tags if a.get("id") == "matrix" and t == "section").get(
            "hidden", "no"
        )
        is None
    )
    alone = made.findings(3, 1, neighbors=np.empty((3, 0), dtype=int), nearness=np.empty((3, 0)))
    assert Page(show.render(alone)).data()["near"]["width"] == 0


def test_sequences_show_their_mean_traces():
    assert show.render(made.sequences()).count('class="spark"') == 6


def test_wrong_lengths_are_named(five):
    with pytest.raises(DataError, match="300 members and 5 values in their confidence"):
        show.render(replace(five, confidence=np.ones(5)))
    with pytest.raises(DataError, match="column 'year'"):
        show.render(replace(five, cards={"year": ["1998"]}))


def test_writing_leaves_one_whole_file(tmp_path, five):
    path = tmp_path / "deep" / "report.html"
    assert show.write(five, path) == path
    first = path.read_text(encoding="utf-8")
    with pytest.raises(DataError):
        show.write(replace(five, confidence=np.ones(5)), path)
    assert path.read_text(encoding="utf-8") == first == show.render(five)
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_small_words():
    assert esc("a\x00\ud800") == "a\ufffd\ufffd"
    assert clip("x" * 50, 10) == "x" * 9 + "…"
    assert count(13, "group") == "13 groups"
    assert figure(123456.0) == "123\u202f456"
    assert sections.duration(float("nan")) == "–"


def test_groups_say_how_well_they_were_found_again():
    found = made.findings(100, 2)
    firm, shaky = (replace(g, stability=s) for g, s in zip(found.groups, (0.91, 0.3), strict=True))
    text = " ".join(Page(show.render(replace(found, groups=[firm, shaky]))).text)
    assert "Stability" in text
    assert "91%" in text
    assert "30%, unstable" in text
    assert "Stability" not in " ".join(Page(show.render(found)).text)


def cut(steps: int, n: int, k: int, seed: int = 0) -> Segmentation:
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.choice(np.arange(1, steps), n - 1, replace=False))
    return Segmentation(np.concatenate([[0], inner, [steps]]), rng.integers(0, k, n))


def moving(found):
    recording = Strips(
        "The recording",
        ("meeting.wav",),
        (cut(18_000, 25, 4),),
        rate=100.0,
        sentence="Four sources take turns.",
    )
    states = Strips("States", ("one", "two"), (cut(300, 40, 20), cut(280, 90, 20)), rate=50.0)
    grids = [Grid(f"Group {g}", np.full((8, 8), 0.125), sentence="Mean moves.") for g in "ABCD"]
    return replace(found, strips=[recording, states], grids=grids)


def test_time_has_its_part_only_where_there_is_something_to_show(five, page):
    assert next(a for _, a in page.tags if a.get("href") == "#time").get("hidden", "no") is None
    assert not [a for _, a in page.tags if a.get("id") == "time"]
    moved = Page(show.render(moving(five)))
    assert moved.inside["h2"][2:5] == [
        "The groups",
        "How they go in time",
        "How many groups, and why",
    ]
    assert "hidden" not in next(a for _, a in moved.tags if a.get("href") == "#time")
    assert moved.open == []
    for _, attributes in moved.tags:
        assert "style" not in attributes
    text = " ".join(" ".join(moved.text).split())
    assert "The recording Four sources take turns." in text
    assert "25 pieces in a table" in text
    assert len([a for t, a in moved.tags if a.get("class") == "strip"]) == 3
    assert len([a for t, a in moved.tags if a.get("class") == "shaded"]) == 4
    flat = Page(show.render(moving(made.findings(40, 1, structured=False))))
    assert "How they go in time" in flat.inside["h2"]
    assert "groups" not in dynamics.section(moving(made.findings(40, 1, structured=False)))
    grids_only = dynamics.section(replace(moving(five), strips=()))
    assert 'class="grids"' in grids_only
    assert 'class="timeline"' not in grids_only
    assert dynamics.section(replace(five, strips=[Strips("none", (), ())])) == ""


def test_strips_tell_times_and_fill_their_row(five):
    part = Page(dynamics.section(moving(five)))
    rows = [
        a for t, a in part.tags if t == "rect" and re.fullmatch(r"g\d+ w\d", a.get("class", ""))
    ]
    assert len(rows) == 25 + 40 + 90
    widths = [float(a["width"].rstrip("%")) for a in rows[:25]]
    assert sum(widths) == pytest.approx(100, abs=0.5)
    strip = moving(five).strips[0].pieces[0]
    for attributes, start in zip(rows[:25], strip.boundaries[:-1], strict=True):
        assert float(attributes["x"].rstrip("%")) == pytest.approx(start / 180, abs=0.002)
    assert (
        sum(
            bool(re.fullmatch(r"[A-D]: \d:\d\d\.\d to \d:\d\d\.\d \(.+\)", text))
            for text in part.text
        )
        == 25
    )
    assert {"0:00", "1:00", "3:00", "minutes"} <= set(part.text)
    label = next(a["aria-label"] for t, a in part.tags if a.get("class") == "strip")
    assert label.startswith("meeting.wav: 25 pieces; ")


def test_very_short_pieces_come_last_and_wide_enough():
    strip = Segmentation(np.array([0, 500_000, 500_001, 1_000_000]), np.array([0, 1, 2]))
    part = Page(dynamics.section(made.findings(9, 1, strips=[Strips("s", ("a",), (strip,))])))
    rows = [a for t, a in part.tags if t == "rect" and "y" in a]
    assert [a["class"] for a in rows] == ["g0 w3", "g2 w3", "g1 w0"]  # drawn last, so on top
    assert float(rows[2]["width"].rstrip("%")) >= 0.15


def test_great_numbers_of_strips_pieces_and_cells_are_cut_down_and_said():
    many = Strips(
        "many",
        tuple(f"m{i}" for i in range(90)),
        tuple(cut(50_000, 5000, 30, i) for i in range(90)),
        rate=10.0,
    )
    grids = [Grid(f"g{i}", np.full((40, 40), 0.025)) for i in range(20)] + [
        Grid("huge", np.zeros((300, 300)))
    ]
    found = made.findings(9, 1, strips=[many], grids=grids)
    began = time.process_time()
    part = dynamics.section(found)
    assert time.process_time() - began < 4
    assert len(part) < 7_000_000
    assert "The first 60 of 90 are drawn." in part
    assert "Very short pieces are drawn together with those beside them." in part
    assert "mostly " in part
    assert "in a table" not in part
    assert "This matrix of 300 by 300 cells is too large to be drawn." in part
    assert (
        part.count("row A, column A: ") == 12
    )  # then the page would grow too large for values on hover
    assert part.count('class="shaded"') == 20


def test_hostile_text_in_strips_and_grids_is_only_text():
    n = len(made.HOSTILE)
    strips = [Strips(t, made.HOSTILE, (cut(50, 4, 3),) * n, sentence=t) for t in made.HOSTILE]
    grids = [
        Grid(t, np.full((n, n), 0.5), made.HOSTILE, made.HOSTILE, sentence=t) for t in made.HOSTILE
    ]
    raw = show.render(replace(made.hostile(), strips=strips, grids=grids))
    page = Page(raw)
    assert [t for t, _ in page.tags].count("script") == 2
    assert not [a for t, a in page.tags if t == "img"]
    assert not [n for _, a in page.tags for n in a if n.startswith("on")]
    assert "\x00" not in raw
    raw.encode("utf-8")
    assert page.open == []


def test_odd_strips_and_wrong_ones(five):
    empty = Segmentation(np.array([4]), np.array([], dtype=int))
    nobody = Segmentation(np.array([0, 3]), np.array([-1]))
    part = dynamics.section(
        replace(five, strips=[Strips("s", (), (empty, nobody), rate=float("nan"))])
    )
    assert "in none" in part
    assert "strips bare" in part
    with pytest.raises(DataError, match="1 names for 2 segmentations"):
        show.render(replace(five, strips=[Strips("s", ("a",), (nobody, nobody))]))
    with pytest.raises(DataError, match="values go from 0 to 1"):
        show.render(replace(five, grids=[Grid("g", np.array([[2.0]]))]))
    gap = dynamics.section(replace(five, grids=[Grid("g", np.array([[np.nan, 1.0]]))]))
    assert "dashed: no value" in gap
    assert "dashed" not in dynamics.section(moving(five)).replace("stroke-dasharray", "")
