"""What groups are tied to, in the report: side by side, as numbers in tables; hostile text is only text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.core.findings import Cluster, Findings, Meeting, Population
from coterie.show import populations, render
from coterie.show.markup import contrast, hexed, rgb
from coterie.show.populations import LEVELS, level, section, times

from .made import HOSTILE, findings

LIFT = np.array([[6.4, 0.2, 1.0], [0.1, 3.0, 0.0], [1.0, 1.1, 0.9]])
WORDS = Population(
    "words",
    900,
    (
        Cluster("lane, tram", 400, 0.4, (("lane", 0.2), ("tram", 0.1))),
        Cluster("barley, frost", 300, 0.4, (("barley", 0.3), ("frost", 0.2))),
        Cluster("and", 200, 0.2, (("and", 0.0),)),
    ),
    LIFT,
    "900 words in 3 clusters.",
)
PEOPLE = Population(
    "correspondents",
    2,
    (Cluster("ann", 2, 1.0, (("ann@example.org", 1.0), ("bob@example.org", 0.5))),),
    LIFT[1:2],
)
WHO = Meeting(
    "Who writes about what",
    ("ann",),
    ("lane, tram", "barley, frost", "and"),
    LIFT[:1],
    "People against words.",
)


class Tables(HTMLParser):
    """The cells of every table, row by row, and where headings apply."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.scopes: list[str] = []
        self.cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
            self.cell = True
            self.scopes += [str(value) for key, value in attrs if key == "scope"]

    def handle_endtag(self, tag: str) -> None:
        self.cell = self.cell and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.tables[-1][-1][-1] += data


def made(**more) -> Findings:
    return findings(60, 3, **{"populations": (WORDS, PEOPLE), "meetings": (WHO,), **more})


def read(html: str) -> Tables:
    parser = Tables()
    parser.feed(html)
    return parser


def test_groups_and_what_belongs_to_them_stand_side_by_side() -> None:
    beside, words, people, who = read(section(made())).tables
    assert beside[0] == ["Group", "Words", "Correspondents"]
    assert [row[1:] for row in beside[1:]] == [
        ["lane, tram", "none more than others"],
        ["barley, frost", "ann@example.org, bob@example.org"],
        ["none more than others", "none more than others"],
    ]
    assert [row[1:] for row in words[1:]] == [
        ["6.4", "0.2", "1.0"],
        ["0.1", "3.0", "0"],
        ["1.0", "1.1", "0.9"],
    ]
    assert words[1][0].split() == ["lane,", "tram", "400"]
    assert [head[0] for head in words[0][1:]] == ["A", "B", "C"]
    assert len(people) == 2
    assert who == [["", "lane, tram", "barley, frost", "and"], ["ann", "6.4", "0.2", "1.0"]]


def test_a_table_of_many_groups_takes_the_whole_width() -> None:
    many = Population("words", 9, (Cluster("lane", 9, 1.0, (("lane", 0.2),)),), np.ones((1, 12)))
    assert 'class="heat wide"' in section(findings(60, 12, populations=(many,)))
    assert 'class="heat wide"' not in section(made())
    style = files("coterie.show").joinpath("assets/report.css").read_text()
    assert ".heat.wide { grid-column: 1 / -1; }" in style


def test_every_heading_says_what_it_heads() -> None:
    parser = read(section(made()))
    assert parser.scopes.count("col") == 3 + 4 + 4 + 3
    assert parser.scopes.count("row") == 3 + 3 + 1 + 1


def test_it_is_a_part_of_the_page_only_where_there_is_something() -> None:
    page = render(made())
    assert page.index('id="groups"') < page.index('id="populations"') < page.index('id="evidence"')
    assert '<a href="#populations" >Ties</a>' in page
    bare = render(findings(60, 3))
    assert 'id="populations"' not in bare
    assert '<a href="#populations" hidden>Ties</a>' in bare
    assert section(made(groups=())) == ""


def test_shades_and_numbers() -> None:
    assert [level(value) for value in (0.0, 1.0, *LEVELS, 1e9)] == [0, 0, 1, 2, 3, 4, 5, 6, 7, 7]
    html = section(made())
    assert '<td class="h5">6.4</td>' in html
    assert '<td class="cool">0.2</td>' in html
    assert times(float("nan")) == "–"


@pytest.mark.parametrize(
    ("paper", "main", "ink", "muted"),
    [("#ffffff", "#0072b2", "#1d1f23", "#575d68"), ("#181b20", "#56b4e9", "#e9e7e2", "#a4abb6")],
)
def test_numbers_can_be_read_on_every_shade(paper: str, main: str, ink: str, muted: str) -> None:
    css = (files("coterie.show") / "assets" / "report.css").read_text(encoding="utf-8")
    for color in (paper, main, ink, muted):
        assert color in css
    assert contrast(muted, paper) >= 4.5
    for strength in range(1, 8):
        rule = re.search(rf"\.heat \.h{strength} {{ background: (.+?); (?:color: (.+?); )?}}", css)
        assert rule is not None
        share = re.search(r"(\d+)%", rule[1])
        part = int(share[1]) / 100 if share else 1.0
        back = hexed(part * rgb(main) + (1 - part) * rgb(paper))
        text = {None: ink, "var(--sheet)": paper}.get(rule[2], rule[2])
        assert contrast(back, text) >= 4.5, (strength, back, text)


def test_hostile_text_is_only_text() -> None:
    bad = tuple(Cluster(text, 1, 0.1, ((text, 1.0),)) for text in HOSTILE)
    lift = np.full((len(bad), 3), 2.0)
    html = section(
        made(
            populations=(Population(HOSTILE[0], 9, bad, lift, HOSTILE[1]),),
            meetings=(Meeting(HOSTILE[1], HOSTILE, HOSTILE[:3], lift, HOSTILE[0]),),
        )
    )
    assert "<script" not in html
    assert "<img" not in html
    assert "style=" not in html
    assert len(html) < 60_000


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(
        DataError, match=r"'words' has 3 clusters, and its meetings have the shape \(2, 3\)"
    ):
        section(made(populations=(Population("words", 3, WORDS.clusters, LIFT[:2]),)))
    with pytest.raises(DataError, match=r"'Who' has 1 by 2 clusters"):
        section(made(meetings=(Meeting("Who", ("a",), ("b", "c"), LIFT[:1]),)))


def test_very_many_groups_are_only_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(populations, "COLUMNS", 2)
    assert len(read(section(made())).tables) == 1
