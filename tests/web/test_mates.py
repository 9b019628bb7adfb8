"""The mates page: candidates for a member and for a text, how well it works, runs with one view, refusals, hostile words."""

from __future__ import annotations

import pytest

from coterie.collect.samples import sample
from coterie.web import mates
from tests.web.serving import Visitor
from tests.web.test_searching import EVIL, asked, told

BOTH = {"source": "north", "target": "south"}


@pytest.fixture(scope="module")
def letters():
    return sample("letters_in_two_languages")


def test_a_member_finds_candidates_with_their_groups(looking: Visitor):
    page = asked(looking, "/runs/letters-1/mates", member="letters-003", **BOTH)
    assert "Mates of" in page
    assert page.count('class="likeness"') == 10
    assert "the member itself" in page
    assert "one of those that were learned from" in page
    assert "How well it works" in page


def test_the_api_says_the_same_as_the_finder(looking: Visitor):
    found = told(looking, "/api/runs/letters-1/mates", member="letters-003", most=3, **BOTH).json()
    assert [one["rank"] for one in found["mates"]] == [1, 2, 3]
    assert found["candidates"] == 240
    assert found["own_rank"] == 1
    assert found["learned_from_it"] is True
    assert found["mates"][0]["itself"] is True
    scores = [one["alike"] for one in found["mates"]]
    assert scores == sorted(scores, reverse=True)


def test_a_text_finds_letters_of_its_topic(looking: Visitor, letters):
    text = letters.view("north")[5]
    found = told(looking, "/api/runs/letters-1/mates", text=text, **BOTH).json()
    assert found["mates"][0]["id"] == letters.ids[5]
    assert found["own_rank"] is None
    page = asked(looking, "/runs/letters-1/mates", by="text", text=text[:200], **BOTH)
    assert "Mates of your text in <bdi>south</bdi>" in page


def test_how_well_it_works_is_measured_on_pairs_kept_apart(looking: Visitor):
    found = told(looking, "/api/runs/letters-1/mates/quality").json()
    assert found["learned_from"] + found["candidates"] == 240
    assert {(way["source"], way["target"]) for way in found["ways"]} == {
        ("north", "south"),
        ("south", "north"),
    }
    assert all(way["average_precision"] > 2 * found["chance"] for way in found["ways"])


def test_a_run_with_one_view_explains_what_mates_are(looking: Visitor):
    page = asked(looking, "/runs/mail-1/mates")
    assert "Mates need two views of the same members" in page
    assert "<form" not in page
    answer = told(looking, "/api/runs/mail-1/mates", member="mail-000", source="a", target="b")
    assert answer.status_code == 422
    assert "at least two views" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"member": "nobody", **BOTH}, "no member with this id"),
        ({"text": "qqqq zzzz", **BOTH}, "No word of the query is known in 'north'"),
        ({"member": "letters-003", "source": "north", "target": "east"}, "There is no view 'east'"),
        ({"member": "letters-003", "source": "east", "target": "north"}, "There is no view 'east'"),
        (
            {"member": "letters-003", "source": "north", "target": "north"},
            "another view, and both are 'north'",
        ),
        ({"member": "letters-003", "text": "both", **BOTH}, "either a member"),
        (BOTH, "either a member"),
    ],
)
def test_bad_questions_are_one_sentence(looking: Visitor, query, sentence):
    answer = told(looking, "/api/runs/letters-1/mates", **query)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_the_page_says_why_there_is_none_and_keeps_the_form(looking: Visitor):
    page = asked(looking, "/runs/letters-1/mates", member=f"nobody{EVIL}", **BOTH)
    assert "No mate was found" in page
    assert "<script>alert" not in page
    assert "Find its mate" in page


@pytest.mark.parametrize(
    "query",
    ["member=%00", "text=%00%ED%A0%80&by=text", "source=%FF&member=x", "by=text&text=%E2%80%AE"],
)
def test_odd_letters_do_no_harm(looking: Visitor, query: str):
    asked(looking, "/runs/letters-1/mates")  # what is shared is learned
    answer = looking.get(f"/runs/letters-1/mates?{query}")
    assert answer.status_code == 200
    assert "\x00" not in answer.text


def test_many_members_are_learned_from_in_part_and_all_can_be_asked(
    monkeypatch: pytest.MonkeyPatch, letters
):
    monkeypatch.setattr(mates, "LEARNED", 60)
    made = mates._learned(letters)
    assert made.part
    assert len(made.finder.pairs) == 60
    outside = next(one for one in letters.ids if one not in made.finder.pairs)
    found = mates._found(
        made, letters, mates.Asked("member", member=outside), ("north", "south"), 5
    )
    assert len(found.mates) == 5
    assert found.candidates == 60
