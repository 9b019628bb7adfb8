"""The search page: hits with marks, groups of the hits, pages, more like this, no text, hostile texts, and the API."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from coterie import Collection, Store, Text, explore
from tests.show import made
from tests.web.kept import kept
from tests.web.serving import Visitor

EVIL = "<script>alert(1)</script>"


def until_ready(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """What is asked for, as soon as what it needs is there."""
    for _ in range(100):
        answer = ask()
        if answer.status_code != 409 and "data-preparing" not in answer.text:
            return answer
        time.sleep(0.1)
    raise AssertionError("it was never ready")


def asked(visitor: Visitor, path: str, **query) -> str:
    answer = until_ready(lambda: visitor.get(f"{path}?{urlencode(query)}"))
    assert answer.status_code == 200, answer.text
    return answer.text


def told(visitor: Visitor, path: str, **query) -> httpx.Response:
    return until_ready(lambda: visitor.get(f"{path}?{urlencode(query)}"))


@pytest.fixture(scope="module")
def evil(tmp_path_factory) -> Visitor:
    """A run of texts that try to be markup."""
    store = tmp_path_factory.mktemp("evil") / "store"
    texts = [
        f"tea {EVIL} cup number{i} kettle" if i % 2 else f"car road wheel number{i} {EVIL}"
        for i in range(24)
    ]
    found = Collection(
        [f"{EVIL}-{i}" for i in range(24)], {"text": Text.of(texts)}, name=f"{EVIL} & co"
    )
    explore(found, store=store, name="evil", nulls=0, k=2)
    return Visitor(store)


def test_a_query_finds_members_with_their_words_marked(looking: Visitor):
    page = asked(looking, "/runs/mail-1/search", q="klubuke stumo")
    assert "members hold a word of it." in page.replace("200 members", "members")
    assert re.search(r"<mark>[Kk]lubuke</mark>", page)
    assert page.count("More like this") == 20
    assert re.search(r'href="/runs/mail-1/members/\d+"', page)
    assert re.search(r'href="/runs/mail-1/groups/\d+"', page)


def test_pages_and_groups_of_the_hits(looking: Visitor):
    first, second = (
        asked(looking, "/runs/mail-1/search", q="klubuke", page=page) for page in (1, 2)
    )
    links = [set(re.findall(r"/runs/mail-1/members/(\d+)", page)) for page in (first, second)]
    assert len(links[0]) == 20
    assert links[1]
    assert not links[0] & links[1]
    whole = asked(looking, "/runs/mail-1/search", q="klubuke stumo leilu")
    narrowed = re.findall(r"group=(\d+)\"", whole)
    assert len(narrowed) > 1
    page = asked(looking, "/runs/mail-1/search", q="klubuke stumo leilu", group=int(narrowed[1]))
    assert 'aria-current="true"' in page
    shown = set(re.findall(r'class="its-group" href="/runs/mail-1/groups/(\d+)"', page))
    assert shown == {narrowed[1]}


def test_more_like_this_names_the_nearest(looking: Visitor):
    page = asked(looking, "/runs/mail-1/search", like=14, q="klubuke")
    subject = str(Store(looking.store.folder).open("mail-1").findings().cards["subject"][14])
    assert f"More like <bdi>{subject}</bdi>" in page
    assert '<span class="id" title="mail-014">' in page
    assert page.count("% alike") == 12
    assert "Back to what was found" in page
    assert looking.get("/runs/mail-1/search?like=999").status_code == 404
    assert "% alike" in asked(
        looking, "/runs/mixed-1/search", like=0
    )  # also where there is no text


def test_ways_and_wider_queries(looking: Visitor):
    words = told(looking, "/api/runs/topics-1/search", q="leilu").json()
    wider = told(looking, "/api/runs/topics-1/search", q="leilu", expand=True).json()
    topics = told(looking, "/api/runs/topics-1/search", q="leilu", way="lsa", most=200).json()
    share = told(looking, "/api/runs/topics-1/search", q="leilu", way="tfidf").json()
    assert (words["by"], words["added"]) == ("Okapi BM25", [])
    assert wider["added"]
    assert wider["by"].endswith("with words added to the query")
    assert len(topics["hits"]) == 200 > topics["matching"]
    assert share["by"] == "share of TFIDF"
    assert words["hits"][0]["marked"] == ["leilu"]
    assert sum(group["members"] for group in words["groups"]) == len(words["hits"]) == 20
    again = told(looking, "/api/runs/topics-1/search", q="leilu").json()
    assert again["added"] == []  # a wider query leaves the others as they are


def test_a_run_without_text_says_what_to_do(looking: Visitor):
    page = asked(looking, "/runs/mixed-1/search", q="anything")
    assert "There is no text to search here" in page
    assert "rows of a table" in page
    answer = told(looking, "/api/runs/mixed-1/search", q="anything")
    assert answer.status_code == 422
    assert "has no text to search" in answer.json()["detail"]


def test_nothing_found_offers_another_way(looking: Visitor):
    page = asked(looking, "/runs/mail-1/search", q="zzzzqqqq")
    assert "Nothing was found" in page
    assert "words and topics" in page
    assert "can be searched" in asked(looking, "/runs/mail-1/search")


def test_markup_of_members_and_queries_stays_text(evil: Visitor):
    for query in ({"q": "tea"}, {"q": EVIL}, {"q": f'"><img src=x onerror=1>{EVIL}'}, {"like": 3}):
        page = asked(evil, "/runs/evil-1/search", **query)
        assert "<script>alert" not in page
        assert "<img" not in page
    assert "&lt;script&gt;" in asked(evil, "/runs/evil-1/search", q="tea")
    assert told(evil, "/api/runs/evil-1/search", q="tea").json()["hits"][0]["id"].startswith(EVIL)


@pytest.mark.parametrize(
    "query",
    ["q=", "q=a&way=magic", "q=a&most=0", "q=a&most=9e9", "q=" + "a" * 401, "q=a&expand=perhaps"],
)
def test_bad_questions_are_refused(looking: Visitor, query: str):
    answer = looking.get(f"/api/runs/mail-1/search?{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("%00", 422),
        ("%ED%A0%80", 422),
        ("%FF%FE", 422),
        ("%F0%9F%92%A9", 422),
        ("-", 422),
        ("()*[", 422),
        ("%C3%BF", 200),
        ("%E2%80%AE%E2%80%8Babc", 200),
    ],
)
def test_odd_letters_are_no_words_and_words_with_them_find_nobody(
    looking: Visitor, raw: str, status: int
):
    answer = until_ready(lambda: looking.get(f"/api/runs/mail-1/search?q={raw}"))
    assert answer.status_code == status, answer.text
    assert (
        "has no word to search for" in answer.text if status == 422 else answer.json()["hits"] == []
    )
    page = until_ready(lambda: looking.get(f"/runs/mail-1/search?q={raw}"))
    assert page.status_code == status
    assert "\x00" not in page.text


def test_a_run_of_lines_alone_has_nothing_to_search(tmp_path: Path):
    kept(tmp_path, made.findings(30, 2), title="bare")
    with Visitor(tmp_path) as visitor:
        assert "There is no text to search here" in asked(visitor, "/runs/bare-1/search", q="a")
        assert told(visitor, "/api/runs/bare-1/search", q="a").status_code == 422


def test_edits_show_at_once(visitor: Visitor, store: Path):
    from coterie.run.steering import Steering

    told(visitor, "/api/runs/mail-1/search", q="klubuke")
    Steering("mail-1", store=store).rename(1, "Orders of tea")
    names = {
        hit["group_name"]
        for hit in told(visitor, "/api/runs/mail-1/search", q="klubuke", most=200).json()["hits"]
    }
    assert "Orders of tea" in names
    assert "Orders of tea" in asked(visitor, "/runs/mail-1/search", q="klubuke")


def test_unknown_and_unfinished_runs(looking: Visitor):
    assert looking.get("/runs/nobody-1/search").status_code == 404
    assert looking.get("/api/runs/nobody-1/search?q=a").status_code == 404
    assert looking.get("/runs/..%2f..%2fetc/search").status_code == 404
