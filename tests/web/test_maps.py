"""The map's data: the block of numbers, columns to color by, search, members added later, edits, and hostile texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coterie import Collection, Store, Table
from coterie.run.steering import Steering
from coterie.web import mapdata
from tests.show import made
from tests.web.kept import around, kept
from tests.web.serving import Visitor


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A store of odd runs: hostile texts (hostile-1), nothing found (flat-1), a run that is not finished (begun-1)."""
    folder = tmp_path_factory.mktemp("odd")
    kept(folder, made.hostile(), title="hostile")
    kept(folder, made.findings(40, 1, structured=False), title="flat")
    Store(folder).create("begun")
    with Visitor(folder) as visitor:
        yield visitor


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def block(visitor: Visitor, run: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    raw = visitor.get(f"/api/runs/{run}/map.bin").content
    n = len(raw) // 16
    assert len(raw) == 16 * n
    return (
        np.frombuffer(raw[: 8 * n], "<f4").reshape(n, 2),
        np.frombuffer(raw[8 * n : 12 * n], "<i4"),
        np.frombuffer(raw[12 * n :], "<f4"),
    )


def test_the_block_holds_places_groups_and_confidence_of_everybody(looking: Visitor) -> None:
    findings = looking.store.open("mail-1").findings()
    places, labels, sure = block(looking, "mail-1")
    assert np.array_equal(labels, findings.labels)
    assert np.allclose(sure, findings.confidence, atol=1e-6)
    assert np.abs(places).max() == pytest.approx(1.0, abs=1e-5)
    apart = np.linalg.norm(findings.map[:40, None] - findings.map[None, :40], axis=2)
    shown = np.linalg.norm(places[:40, None] - places[None, :40], axis=2)
    both = apart > 0
    assert np.ptp(shown[both] / apart[both]) < 1e-4  # one scale for both axes


def test_the_head_numbers_groups_from_one_and_offers_columns(looking: Visitor) -> None:
    head = looking.get("/api/runs/mail-1/map").json()
    assert head["members"] == 200
    assert head["flat"] is False
    assert [group["number"] for group in head["groups"]] == [1, 2, 3, 4, 5, 6]
    assert sum(group["size"] for group in head["groups"]) == 200
    findings = looking.store.open("mail-1").findings()
    assert [group["unstable"] for group in head["groups"]] == [
        group.is_unstable for group in findings.groups
    ]
    kinds = {column["name"]: column["kind"] for column in head["columns"]}
    assert kinds["group (known)"] == "category"
    assert kinds["date"] == "date"
    assert kinds["length (letters)"] == "number"
    assert len(head["light"]["styles"]) == 33
    assert len(head["dark"]["ramp"]) == 768


def test_a_column_of_words_comes_as_codes_of_its_values(looking: Visitor) -> None:
    head = looking.get("/api/runs/mixed-1/map").json()
    at = next(column["at"] for column in head["columns"] if column["name"] == "color")
    told = looking.get(f"/api/runs/mixed-1/map/columns/{at}").json()
    codes = np.frombuffer(looking.get(f"/api/runs/mixed-1/map/columns/{at}/values").content, "<i4")
    view = looking.store.open("mixed-1").collection().view("columns")
    expected = [view.level(3, code) if np.isfinite(code) else None for code in view.column("color")]
    assert [told["values"][code] if code >= 0 else None for code in codes] == expected
    assert told["sizes"] == [expected.count(value) for value in told["values"]]


def test_a_column_of_numbers_comes_as_places_between_its_ends(looking: Visitor) -> None:
    head = looking.get("/api/runs/mixed-1/map").json()
    at = next(column["at"] for column in head["columns"] if column["name"] == "weight")
    told = looking.get(f"/api/runs/mixed-1/map/columns/{at}").json()
    shares = np.frombuffer(looking.get(f"/api/runs/mixed-1/map/columns/{at}/values").content, "<f4")
    weight = looking.store.open("mixed-1").collection().view("columns").column("weight")
    assert told["kind"] == "number"
    assert told["low"] != told["high"]
    assert np.array_equal(np.isnan(shares), np.isnan(weight))
    seen = np.isfinite(weight)
    assert np.all(np.diff(shares[seen][np.argsort(weight[seen])]) >= 0)
    assert np.nanmin(shares) == 0
    assert np.nanmax(shares) == 1


def test_dates_of_mail_are_read_as_days(looking: Visitor) -> None:
    head = looking.get("/api/runs/mail-1/map").json()
    at = next(column["at"] for column in head["columns"] if column["name"] == "date")
    told = looking.get(f"/api/runs/mail-1/map/columns/{at}").json()
    assert told["low"].startswith("2001-01-0")
    assert told["low"] <= told["high"]


def test_search_needs_every_word_and_ignores_case(looking: Visitor) -> None:
    findings = looking.store.open("mail-1").findings()
    first, second = findings.snippets[0].split()[:2]
    found = looking.get(
        "/api/runs/mail-1/map/search", params={"q": f"{first.upper()} {second}"}
    ).json()
    texts = looking.store.open("mail-1").collection().view("text")
    lines = [
        "\n".join([i, s, t, *(c[at] for c in findings.cards.values())]).lower()
        for at, (i, s, t) in enumerate(zip(findings.ids, findings.snippets, texts, strict=True))
    ]
    assert found["members"] == [
        at for at, line in enumerate(lines) if first in line and second in line
    ]
    assert 0 in found["members"]
    assert found["count"] < 200
    assert looking.get("/api/runs/mail-1/map/search", params={"q": "zzzz"}).json() == {
        "count": 0,
        "members": [],
    }
    assert looking.get("/api/runs/mail-1/map/search", params={"q": "   "}).json()["count"] == 0


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("%00", 200),
        ("%ED%A0%80", 200),
        ("%FF", 200),
        ("a" * 200, 200),
        ("a" * 201, 422),
        ("", 422),
        ("%F0%9F%91%A9", 200),
        ("((((", 200),
        ("%5C", 200),
    ],
)
def test_odd_searches_find_nobody_and_long_ones_are_refused(
    looking: Visitor, query: str, status: int
) -> None:
    answer = looking.get(f"/api/runs/mail-1/map/search?q={query}")
    assert answer.status_code == status
    if status == 200:
        assert answer.json() == {"count": 0, "members": []}


def test_a_selection_is_saved_with_the_numbers_of_all_other_files(looking: Visitor) -> None:
    """Groups in files count from 0; there is one way to write a selection, and none that counts otherwise."""
    every = {
        row["id"]: row["group"] for row in table(looking.get("/runs/mail-1/export/labels.csv").text)
    }
    chosen = table(
        looking.change("/api/runs/mail-1/labels", {"members": [3, 7], "more": True}).text
    )
    assert [row["group"] for row in chosen] == [every[row["id"]] for row in chosen]
    assert looking.change("/api/runs/mail-1/selection", {"members": [3]}).status_code == 404
    script = (files("coterie.web") / "static" / "mapside.js").read_text(encoding="utf-8")
    assert "${this.api}/labels`" in script
    assert "/selection`" not in script


def test_members_added_later_leave_the_columns_of_the_others(tmp_path: Path) -> None:
    values = np.column_stack([np.arange(12.0), np.arange(12) % 2])
    whole = Collection(
        [f"m{i}" for i in range(12)],
        {"row": Table(values, ("size", "color"), {1: ("red", "blue")})},
    )
    kept(tmp_path, around(whole), whole.take(range(9)), "grown")
    with Visitor(tmp_path) as visitor:
        columns = {
            one["name"]: one["at"] for one in visitor.get("/api/runs/grown-1/map").json()["columns"]
        }
        assert set(columns) == {"size", "color"}
        of = {
            name: visitor.get(f"/api/runs/grown-1/map/columns/{at}/values").content
            for name, at in columns.items()
        }
    size = np.frombuffer(of["size"], "<f4")
    color = np.frombuffer(of["color"], "<i4")
    assert np.isnan(size).tolist() == [False] * 9 + [True] * 3
    assert np.all(np.diff(size[:9]) >= 0)
    assert color[9:].tolist() == [-1, -1, -1]
    assert len(set(color[:9].tolist())) == 2


def test_an_edit_makes_nothing_anew_that_it_does_not_change(
    visitor: Visitor, store: Path, monkeypatch: Any
) -> None:
    made: list[str] = []
    for name in ("searched", "column", "offered"):
        original = getattr(mapdata, name)
        monkeypatch.setattr(
            mapdata,
            name,
            lambda *given, name=name, original=original: made.append(name) or original(*given),
        )

    def look() -> None:
        visitor.get("/api/runs/mail-1/map")
        visitor.get("/api/runs/mail-1/map/columns/0")
        visitor.get("/api/runs/mail-1/map/search?q=a")

    look()
    once = list(made)
    assert {"searched", "column", "offered"} <= set(once)
    Steering("mail-1", store).rename(1, "mine")
    look()
    assert made == once
    ours = [key for key in mapdata._MADE._values if key[0] == str(store / "mail-1")]
    assert len({mark for _, mark, _ in ours}) == 1  # of the older state nothing is left


def test_the_map_follows_edits(visitor: Visitor, store: Path) -> None:
    before = block(visitor, "mail-1")[1]
    ids = visitor.store.open("mail-1").findings().ids
    Steering("mail-1", store).label([ids[0], ids[1]], "mine")
    after = block(visitor, "mail-1")[1]
    head = visitor.get("/api/runs/mail-1/map").json()
    made_now = next(group for group in head["groups"] if group["name"] == "mine")
    assert made_now["size"] == 2
    assert set(after[:2]) == {made_now["label"]}
    assert not np.array_equal(before, after)


def test_the_page_names_its_run_and_carries_no_inline_code(looking: Visitor) -> None:
    text = looking.get("/runs/mail-1/map").text
    assert 'data-run="mail-1"' in text
    assert "200 members in six groups" in text.replace("\u202f", " ")
    assert " style=" not in text
    assert "onclick" not in text
    assert "<script>" not in text


def test_hostile_texts_stay_texts(odd: Visitor) -> None:
    page = odd.get("/runs/hostile-1/map").text
    assert "<script>window" not in page
    assert "<img src=x" not in page
    for path in (
        "map",
        "map/search?q=script",
        "members?at=0,1,2,9",
        "members/9",
        *(f"map/columns/{i}" for i in range(3)),
    ):
        answer = odd.get(f"/api/runs/hostile-1/{path}")
        assert answer.status_code == 200, path
        answer.json()
    everybody = odd.change("/api/runs/hostile-1/labels", {"members": list(range(28))})
    assert everybody.status_code == 200
    assert len(table(everybody.text)) == 28


def test_a_run_without_groups_has_a_flat_map(odd: Visitor) -> None:
    assert odd.get("/api/runs/flat-1/map").json()["flat"] is True
    assert "no groups stood out" in odd.get("/runs/flat-1/map").text
    assert odd.get("/api/runs/flat-1/members/3").json()["group"] == 0


@pytest.mark.parametrize(
    "path", ["map", "map.bin", "map/columns/0", "map/search?q=a", "members/0", "members?at=0"]
)
def test_what_is_not_finished_or_not_there_says_so(odd: Visitor, path: str) -> None:
    assert odd.get(f"/api/runs/begun-1/{path}").status_code == 409
    assert odd.get(f"/api/runs/nobody-1/{path}").status_code == 404
    assert odd.get("/api/runs/flat-1/map/columns/999").status_code == 404


def test_a_search_looks_into_whole_texts(looking: Visitor) -> None:
    run = looking.store.open("topics-1")
    text = run.collection().view("text")[7]
    last = " ".join(text.split()[-3:])
    assert last.casefold() not in run.findings().snippets[7].casefold()
    found = looking.get("/api/runs/topics-1/map/search", params={"q": last}).json()
    assert 7 in found["members"]
