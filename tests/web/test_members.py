"""Members: pages and cards of texts, mail, rows, sequences, sets and marked words; neighbors, known answers, escaping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Collection, Ragged, Table, TaggedText, Text
from coterie.core.findings import Strips
from coterie.core.partition import Segmentation
from coterie.run.steering import Steering
from coterie.web import portraits
from coterie.web.portraits import marked, marks, portrait
from coterie.web.usual import usual_of
from coterie.workflows.segments import cut_into
from tests.show import made
from tests.web.kept import around, kept
from tests.web.serving import Visitor

SCRIPT = "<script>window.owned = 1</script> & <b>bold</b> tunnel and trams"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Texts with script tags (texts-1), sets (sets-1), marked words (words-1), and a run of lines alone (bare-1)."""
    folder = tmp_path_factory.mktemp("odd")
    texts = Collection(
        [f"m{i}" for i in range(8)],
        {"text": Text.of([SCRIPT, "x" * 70_000, "", *["the tunnel"] * 5])},
    )
    kept(folder, around(texts), texts, "texts")
    rng = np.random.default_rng(0)
    sets = Collection(
        [f"s{i}" for i in range(6)],
        {"bag": Ragged.of([rng.normal(size=(5, 3)) for _ in range(6)], ordered=False)},
    )
    kept(folder, around(sets), sets, "sets")
    kept(folder, around(words := spans()), words, "words")
    kept(folder, made.findings(30, 2), title="bare")
    with Visitor(folder) as visitor:
        yield visitor


def spans() -> Collection:
    tokens = np.array(
        [
            "we",
            "saw",
            "Ada",
            "there",
            ".",
            "then",
            "Grace",
            "<i>spoke</i>",
            "to",
            "Ada",
            "again",
            ".",
        ]
    )
    view = TaggedText(
        tokens,
        np.array([0, 5, 12]),
        np.array([[2, 3], [6, 7], [9, 10]]),
        owners=np.array([0, 1, 0]),
    )
    return Collection(["ada", "grace"], {"mentions": view})


def test_a_text_opens_with_its_telling_words_marked(looking: Visitor) -> None:
    findings = looking.store.open("topics-1").findings()
    page = looking.get("/runs/topics-1/members/5").text
    found = re.findall(r"<mark>([^<]+)</mark>", page)
    group = next(group for group in findings.groups if group.label == findings.labels[5])
    telling = {word for word, _ in group.telling["words"]}
    assert found
    assert all(word.lower() in telling for word in found if word != "Marked")
    text = looking.store.open("topics-1").collection().view()[5]
    assert text.split()[2] in page


def test_mail_shows_its_headers_and_correspondents(looking: Visitor) -> None:
    run = looking.store.open("mail-1")
    page = looking.get("/runs/mail-1/members/6").text
    for name in ("subject", "sender", "date"):
        assert f"<bdi>{name}</bdi>" in page
    link = run.collection().links["members", "correspondents"]
    names = [link.cols[j] for j in link.counts[[6]].indices]
    assert names
    assert all(name.replace("<", "&lt;").replace(">", "&gt;") in page for name in names)


def test_a_row_stands_beside_what_is_usual_in_its_group(looking: Visitor) -> None:
    run = looking.store.open("mixed-1")
    findings = run.findings()
    view = run.collection().view()
    cells = {
        cell["name"]: cell
        for cell in looking.get("/api/runs/mixed-1/members/6").json()["seen"][0]["cells"]
    }
    inside = view.column("weight")[findings.labels == findings.labels[6]]
    assert cells["weight"]["usual"] == view.level(0, float(np.nanmean(inside)))
    assert cells["weight"]["value"] == view.level(0, view.column("weight")[6])
    far = int(np.nanargmax(np.abs(view.column("weight") - np.nanmean(view.column("weight")))))
    assert "Usual in its group" in looking.get(f"/runs/mixed-1/members/{far}").text


def test_a_sequence_is_drawn_over_the_mean_of_its_group(looking: Visitor) -> None:
    page = looking.get("/runs/traces-1/members/7").text
    assert page.count("<polyline") == 4
    assert page.count("stroke-dasharray") == 2
    steps = len(looking.store.open("traces-1").collection().view()[7])
    assert f"{steps} steps of two values" in page


def test_neighbors_lead_on_and_known_answers_are_named(looking: Visitor) -> None:
    findings = looking.store.open("mail-1").findings()
    card = looking.get("/api/runs/mail-1/members/3").json()
    assert [one["at"] for one in card["neighbors"]] == [
        int(i) for i in findings.neighbors[3] if i >= 0
    ][:12]
    assert card["neighbors"][0]["nearness"] == pytest.approx(float(findings.nearness[3, 0]))
    assert card["group"] == findings.labels[3] + 1
    assert card["confidence"] == pytest.approx(float(findings.confidence[3]))
    assert card["known"] == [{"name": "group", "value": findings.cards["truth: group"][3]}]
    page = looking.get("/runs/mail-1/members/3").text
    assert all(f'/runs/mail-1/members/{one["at"]}"' in page for one in card["neighbors"])


def test_two_views_are_both_shown(looking: Visitor) -> None:
    assert [
        view["view"] for view in looking.get("/api/runs/letters-1/members/0").json()["seen"]
    ] == ["north", "south"]


def test_pieces_of_a_cut_sequence_are_seen_by_themselves(tmp_path: Path) -> None:
    whole = Collection(["one"], {"trace": Ragged.of([np.arange(12.0)[:, None]])})
    strips = Strips(
        "Where it changes", ("one",), (Segmentation(np.array([0, 4, 12]), np.array([0, 1])),)
    )
    pieces = cut_into(whole, "trace", strips)
    kept(tmp_path, replace(around(pieces), strips=(strips,)), whole, "cut", segment=True)
    with Visitor(tmp_path) as visitor:
        card = visitor.get("/api/runs/cut-1/members/1").json()
        assert card["id"] == "one 4-12"
        assert card["seen"][0]["said"] == "eight steps"
        assert "from 4 to 11" in visitor.get("/runs/cut-1/members/1").text


def test_script_in_a_text_stays_text(odd: Visitor) -> None:
    page = odd.get("/runs/texts-1/members/0").text
    assert "<script>window" not in page
    assert "&lt;script&gt;window.owned = 1&lt;/script&gt;" in page
    assert "<b>bold" not in page
    assert "<mark>tunnel</mark>" in page


def test_long_and_empty_texts_say_so(odd: Visitor) -> None:
    assert "Only the beginning is shown" in odd.get("/runs/texts-1/members/1").text
    assert "This text is empty" in odd.get("/runs/texts-1/members/2").text
    cut = odd.get("/api/runs/texts-1/members/1").json()["seen"][0]
    assert cut["whole"] is False
    assert sum(len(part["text"]) for part in cut["parts"]) < 700


def test_marked_words_are_shown_in_their_sentences(odd: Visitor) -> None:
    seen = odd.get("/api/runs/words-1/members/0").json()["seen"][0]
    assert [part["text"] for part in seen["parts"] if part["telling"]] == ["Ada", "Ada"]
    assert seen["said"] == "two occurrences"
    assert "".join(part["text"] for part in seen["parts"]).startswith("we saw Ada there .")
    assert "<i>spoke" not in odd.get("/runs/words-1/members/1").text


def test_sets_are_drawn_and_bare_runs_show_their_line(odd: Visitor) -> None:
    assert odd.get("/runs/sets-1/members/0").text.count("<circle") >= 5
    assert (
        odd.get("/api/runs/sets-1/members/0").json()["seen"][0]["said"]
        == "five vectors of three values"
    )
    assert "No more than this line is kept" in odd.get("/runs/bare-1/members/0").text


def test_other_forms_of_a_telling_word_are_marked() -> None:
    parts = marked("Trams, tram-lines; a tramway.", frozenset({"tram"}))
    assert [part.text for part in parts if part.telling] == ["Trams"]
    assert "".join(part.text for part in parts) == "Trams, tram-lines; a tramway."
    group = made.findings(20, 2).groups[0]
    assert {"lane", "tunnel"} <= marks(group)
    assert marks(None) == frozenset()


def test_members_are_found_by_id_where_the_collection_has_another_order() -> None:
    collection = Collection(["b", "a"], {"text": Text.of(["of b", "of a"])})
    findings = around(Collection(["a", "b"], {"text": Text.of(["", ""])}))
    assert portrait("r", collection, findings, 0)[0].parts[0].text == "of a"
    assert portrait("r", collection.take([0]), findings, 0) == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("members/200", 404),
        ("members/-1", 422),
        ("members/x", 422),
        ("members/99999999999", 422),
        ("members?at=", 422),
        ("members?at=1,2,", 422),
        ("members?at=1,900", 404),
        ("members", 422),
        ("members?at=" + ",".join("1" * 300), 422),
    ],
)
def test_positions_that_are_none_are_refused(looking: Visitor, path: str, status: int) -> None:
    assert looking.get(f"/api/runs/mail-1/{path}").status_code == status


def test_lines_come_in_the_order_asked_for(looking: Visitor) -> None:
    rows = looking.get("/api/runs/mail-1/members?at=5,1,5").json()
    assert [row["at"] for row in rows] == [5, 1, 5]
    assert rows[0]["id"] == looking.store.open("mail-1").findings().ids[5]
    assert looking.get("/runs/mail-1/members/200").status_code == 404


def mixed(n: int = 400, sparse: bool = False) -> Collection:
    rng = np.random.default_rng(3)
    values = np.column_stack(
        [rng.normal(5, 2, n), rng.normal(-1e6, 1, n), rng.integers(0, 3, n), rng.poisson(0.3, n)]
    )
    values[rng.random(n) < 0.1, 0] = np.nan
    values[:, 3] *= 7.5
    view = Table(
        sp.csr_array(values) if sparse else values,
        ("a", "far", "word", "few"),
        {2: ("red", "green", "blue")},
    )
    return Collection([f"r{i}" for i in range(n)], {"row": view})


@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_usual_is_that_of_the_group_alone(sparse: bool) -> None:
    collection = mixed(sparse=sparse)
    findings = around(collection)
    plain = mixed().view()
    for at in (0, 17, 399):
        cells = {cell.name: cell for cell in portrait("r", collection, findings, at)[0].cells}
        group = plain.values[findings.labels == findings.labels[at]]
        for name, cell in cells.items():
            column = plain.names.index(name)
            others = group[:, column][np.isfinite(group[:, column])]
            own = plain.values[at, column]
            if name == "word":
                code = int(np.bincount(others.astype(int)).argmax())
                assert cell.usual == f"{plain.level(2, code)} ({(others == code).mean():.0%})"
                assert not cell.unusual
            else:
                assert cell.usual == plain.level(column, float(others.mean())), name
                assert cell.unusual == bool(abs(own - others.mean()) > 2 * others.std()), name


def test_what_is_usual_is_worked_out_once_for_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        portraits,
        "usual_of",
        lambda view, inside: asked.append(len(inside)) or usual_of(view, inside),
    )
    collection = mixed(60)
    kept(tmp_path, around(collection), collection, "rows")
    with Visitor(tmp_path) as visitor:
        for at in (0, 1, 2, 59, 58):
            assert visitor.get(f"/api/runs/rows-1/members/{at}").json()["seen"][0]["cells"][0][
                "usual"
            ]
        assert asked == [30, 30]
        Steering("rows-1", tmp_path).move(["r0"], 2)  # and again when somebody moved
        visitor.get("/api/runs/rows-1/members/0")
        assert asked == [30, 30, 31]


def test_members_added_later_leave_what_is_usual_in_the_group(tmp_path: Path) -> None:
    whole = mixed(60)
    findings = around(whole, 1)
    kept(tmp_path, findings, whole.take(range(50)), "grown")
    with Visitor(tmp_path) as visitor:
        cell = visitor.get("/api/runs/grown-1/members/4").json()["seen"][0]["cells"][0]
        assert cell["usual"] == whole.view().level(
            0, float(np.nanmean(whole.view().values[:50, 0]))
        )
        assert visitor.get("/api/runs/grown-1/members/55").json()["seen"] == []


def test_nothing_is_usual_where_no_groups_stood_out() -> None:
    collection = Collection(["a", "b", "c"], {"row": Table.of([[1.0], [2.0], [3.0]])})
    grouped = around(collection, 1)
    flat = replace(grouped, evidence=replace(grouped.evidence, structured=False))
    assert portrait("r", collection, grouped, 0)[0].cells[0].usual == "2"
    assert portrait("r", collection, flat, 0)[0].cells[0].usual == ""
