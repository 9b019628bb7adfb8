"""The compare page: agreement, flow, matched groups, who moved by pages, joins on ids, refusals, hostile names, the API."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sklearn.metrics import adjusted_rand_score

from coterie import Collection, Store, Text, explore
from coterie.run.steering import Steering
from tests.show import made
from tests.web.kept import kept
from tests.web.serving import Visitor
from tests.web.test_searching import EVIL, asked, told

BOTH = {"first": "topics-1", "second": "topics-2"}


@pytest.fixture(scope="module")
def several(tmp_path_factory) -> Path:
    """A store with topics-1 and topics-2 (of one source), other-1 (whose ids are its own) and evil-1 (of members of topics)."""
    store = tmp_path_factory.mktemp("compared") / "store"
    explore("sample:topics", store=store, name="topics", nulls=0, k=8)
    explore("sample:topics", store=store, name="topics", nulls=0, k=5)
    texts = [f"tea cup kettle {i}" if i % 2 else f"car road wheel {i}" for i in range(24)]
    explore(
        Collection([f"other-{i}" for i in range(24)], {"text": Text.of(texts)}, name="other"),
        store=store,
        nulls=0,
        k=2,
    )
    ids = [f"topics-{i:03}" for i in range(20)] + [f"{EVIL}{i}" for i in range(4)]
    explore(
        Collection(ids, {"text": Text.of(texts)}, name=f"{EVIL}evil"),
        store=store,
        name="evil",
        nulls=0,
        k=2,
    )
    Steering("evil-1", store=store).rename(1, EVIL)
    return store


@pytest.fixture(scope="module")
def visitor(several: Path) -> Visitor:
    return Visitor(several)


def labels(store: Path, name: str):
    return Store(store).open(name).findings().labels


def test_the_page_says_how_far_they_agree(visitor: Visitor, several: Path):
    page = asked(visitor, "/compare", **BOTH)
    value = adjusted_rand_score(labels(several, "topics-1"), labels(several, "topics-2"))
    assert f"Adjusted Rand is {value:.3f}" in page
    assert "The groups are much alike." in page or "The groups are partly alike." in page
    assert "Against known answers" in page
    assert page.count('class="flow"') == 2  # one for wide windows, one for narrow ones
    assert "style=" not in page


def test_the_api_gives_the_same_as_plain_values(visitor: Visitor, several: Path):
    found = told(visitor, "/api/compare", **BOTH).json()
    assert found["measures"][0]["value"] == pytest.approx(
        adjusted_rand_score(labels(several, "topics-1"), labels(several, "topics-2"))
    )
    assert found["p_value"] == 1 / 200
    assert sum(one["members"] for one in found["flows"]) == found["members"] == 400
    assert sum(one["members"] for one in found["flows"] if not one["stays"]) == found["moved"]
    assert {one["first"] for one in found["groups"]} == set(range(1, 9))
    assert found["answers"][0]["column"] == "group"


def test_who_moved_by_pages_and_by_way(visitor: Visitor):
    moved = told(visitor, "/api/compare", **BOTH).json()
    first = told(visitor, "/api/compare/movers", **BOTH, most=10).json()
    rest = told(visitor, "/api/compare/movers", **BOTH, start=10, most=1000).json()
    assert first["members"] == moved["moved"] == len(first["movers"]) + len(rest["movers"])
    way = next(one for one in moved["flows"] if not one["stays"])
    only = told(
        visitor,
        "/api/compare/movers",
        **BOTH,
        from_group=way["from_group"],
        to_group=way["to_group"],
    ).json()
    assert only["members"] == way["members"]
    page = asked(visitor, "/compare", **BOTH, **{"from": way["from_group"], "to": way["to_group"]})
    assert "Members that went this way" in page
    shown = re.findall(r"/runs/topics-2/members/(\d+)", page)
    assert set(map(int, shown)) <= {one["at_second"] for one in only["movers"]}
    last = asked(visitor, "/compare", **BOTH, page=2)
    assert "26 to" in last
    assert visitor.get(f"/compare?{urlencode({**BOTH, 'page': 900})}").status_code == 404


def test_only_common_members_are_compared_and_that_is_said(visitor: Visitor):
    page = asked(visitor, "/compare", first="topics-1", second="evil-1")
    assert (
        "380 members of topics-1 and 4 members of evil-1 are not in the other, and left out."
        in page
    )
    assert "were made from different sources" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page  # the name of a group


def test_runs_without_a_common_member_are_refused_with_a_sentence(visitor: Visitor):
    page = asked(visitor, "/compare", first="topics-1", second="other-1")
    assert "These two cannot be compared" in page
    assert "have no member in common" in page
    answer = told(visitor, "/api/compare", first="topics-1", second="other-1")
    assert answer.status_code == 422
    assert "have no member in common" in answer.json()["detail"]
    assert "Both are the same run" in asked(
        visitor, "/compare", first="topics-1", second="topics-1"
    )


def test_runs_of_lines_alone_are_compared_without_known_answers(tmp_path: Path):
    kept(tmp_path, made.findings(30, 2), title="bare")
    kept(tmp_path, made.findings(30, 3), title="bare")
    answer = told(Visitor(tmp_path), "/api/compare", first="bare-1", second="bare-2")
    assert answer.status_code == 200, answer.text
    assert (answer.json()["members"], answer.json()["answers"]) == (30, [])


def test_nothing_chosen_offers_runs_of_one_source(visitor: Visitor, tmp_path: Path):
    page = asked(visitor, "/compare")
    assert "/compare?first=topics-1&amp;second=topics-2" in page
    assert "other-1</strong>" not in page
    with Visitor(tmp_path / "empty") as nobody:
        assert "There is no finished run" in nobody.get("/compare").text


def test_edits_count(several: Path, tmp_path: Path):
    import shutil

    store = Path(shutil.copytree(several, tmp_path / "store"))
    visitor = Visitor(store)
    before = told(visitor, "/api/compare", **BOTH).json()["moved"]
    with_two = Steering("topics-1", store=store)
    with_two.merge(1, 2)
    after = told(visitor, "/api/compare", **BOTH).json()
    assert after["moved"] != before
    assert len([one for one in after["groups"] if one["first"] is not None]) == 7


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("first=nobody-1&second=topics-1", 404),
        ("first=..%2F..&second=topics-1", 404),
        ("first=topics-1", 422),
        ("first=topics-1&second=" + "x" * 81, 422),
        ("first=%00&second=topics-1", 404),
    ],
)
def test_bad_questions_are_refused(visitor: Visitor, query: str, status: int):
    assert visitor.get(f"/api/compare?{query}").status_code == status
    assert visitor.get(f"/api/compare/movers?{query}").status_code == status


@pytest.mark.parametrize(
    "query", ["from_group=-1", "to_group=1e9", "most=0", "start=-1", "most=1001"]
)
def test_bad_numbers_are_refused(visitor: Visitor, query: str):
    assert (
        visitor.get(f"/api/compare/movers?first=topics-1&second=topics-2&{query}").status_code
        == 422
    )
