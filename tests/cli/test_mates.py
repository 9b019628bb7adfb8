"""coterie mates and coterie explore --views: what they say, in words, tables and JSON; and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coterie.cli.main import COMMANDS
from coterie.cli.options import gathered, names_in
from coterie.collect.samples import sample

from .running import coterie, explored, refused

QUIET = ("--progress", "silent")
VIEWS = ("--views", "north", "south")


@pytest.fixture(autouse=True)
def command(monkeypatch):
    monkeypatch.setitem(
        COMMANDS, "mates", ("coterie.cli.mates", "Find the mates of members across views.")
    )


@pytest.fixture(scope="module")
def letters():
    return sample("letters_in_two_languages", 60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, letters) -> Path:
    root = tmp_path_factory.mktemp("post")
    for name in ("north", "south"):
        (root / name).mkdir()
        for at, text in enumerate(letters.view(name)):
            called = f"{letters.ids[at]}.txt" if at or name == "north" else "lost.txt"
            (root / name / called).write_text(text)
    return root


def test_words_after_views_are_names_up_to_the_next_option() -> None:
    assert gathered(["p", "--views", "en", "de", "--k", "3"]) == (["p", "--k", "3"], ["en", "de"])
    assert gathered(["p", "--views=en,de", "--json"]) == (["p", "--json"], ["en", "de"])
    assert gathered(["p", "--views", "en", "--views", "de"]) == (["p"], ["en", "de"])
    assert gathered(["p", "--k", "3"]) == (["p", "--k", "3"], [])
    assert names_in("en\x1fmy text") == ["en", "my text"]
    assert names_in(None) is None


def test_explore_views_tells_every_language(folder, tmp_path) -> None:
    said = explored(folder, *VIEWS, "--k", 6, "--nulls", 0, "--store", tmp_path)
    assert "The views north and south share 5 components by more than chance" in said.out
    assert "Both views by themselves put" in said.out
    lines = said.out.splitlines()
    header = next(line for line in lines if line.startswith("group"))
    assert header.split() == ["group", "north", "south"]
    page = (tmp_path / said.run / "report.html").read_text()
    assert "--views north south" in page
    assert (
        coterie("judge", said.run, "--store", tmp_path).code == 2
    )  # no truth was kept: one sentence, no traceback


def test_a_query_finds_its_mate(folder, letters) -> None:
    words = " ".join(letters.view("south")[5].split()[:12])
    said = coterie("mates", folder, *VIEWS, "--query", words, "--most", 2, *QUIET)
    assert said.code == 0, said.err
    first, header, _, *rows = said.out.splitlines()
    assert (
        first
        == "The nearest to the text, read in 'south', of 60 members in 'north'; learned from 59 pairs."
    )
    assert header.split()[:3] == ["rank", "alike", "member"]
    assert [row.split()[0] for row in rows] == ["1", "2"]


def test_a_member_and_those_without_a_mate(folder, letters) -> None:
    found = json.loads(
        coterie("mates", folder, *VIEWS, "--member", f"{letters.ids[3]}.txt", "--json", *QUIET).out
    )
    assert [one["to"] for one in found] == ["south"]
    assert found[0]["mates"][0]["itself"]
    assert found[0]["own_rank"] == 1.0
    alone = coterie("mates", folder, *VIEWS, *QUIET)
    assert alone.out.startswith(
        "2 members lack a mate in a view; the best candidates, learned from 59 pairs."
    )
    assert "lost.txt" in alone.out
    assert coterie(
        "mates", folder, *VIEWS, "--from", "south", "--to", "north", *QUIET
    ).out.startswith("1 member lacks a mate")


def test_it_is_measured_on_pairs_that_are_held_out() -> None:
    said = coterie("mates", "sample:letters_in_two_languages", "--held-out", 0.3, *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith(
        "Learned from 168 pairs, mates among 72 others are found with an average precision of "
    )
    found = json.loads(
        coterie("mates", "sample:letters_in_two_languages", "--held-out", 0.3, "--json", *QUIET).out
    )
    assert found["average_precision"] > 1.5 * found["chance"]
    assert [(way["from"], way["to"]) for way in found["ways"]] == [
        ("north", "south"),
        ("south", "north"),
    ]


def test_bad_input_is_one_sentence(folder) -> None:
    assert refused("mates", folder, "--views", "north", "east", *QUIET).startswith("The folder ")
    assert "at least two views" in refused("mates", folder, "--views", "north", *QUIET)
    assert "either --query TEXT or --member ID" in refused(
        "mates", folder, "--query", "a", "--member", "b"
    )
    assert "between 0 and 1" in refused("mates", folder, "--held-out", 2)
    assert "No word of the query is known" in refused(
        "mates", folder, *VIEWS, "--query", "zzz", *QUIET
    )
    assert "no member 'nobody'" in refused("mates", folder, *VIEWS, "--member", "nobody", *QUIET)
    assert "no member lacks a mate" in refused("mates", "sample:letters_in_two_languages", *QUIET)
    assert "name PATH before --views" in refused("explore", "--views", "north", "south")
    assert "--views needs the names" in refused("explore", folder, "--views")
    assert "no sub-folder 'east'" in refused("explore", folder, "--views", "north", "east", *QUIET)
    assert "--tau must be" in refused("mates", folder, "--tau", -1)


def test_a_stored_run_is_taken_by_its_name(folder, tmp_path) -> None:
    said = explored(folder, *VIEWS, "--k", 6, "--nulls", 0, "--store", tmp_path)
    alone = coterie("mates", said.run, "--store", tmp_path, *QUIET)
    assert alone.code == 0, alone.err
    assert alone.out.startswith(
        "2 members lack a mate in a view"
    )  # also those that the run left out
    assert "they choose each other" in alone.out
    assert "There is no file or folder 'nothing'" in refused(
        "mates", "nothing", "--store", tmp_path, *QUIET
    )


def test_what_was_noted_and_learned_is_said(folder, letters) -> None:
    said = coterie("mates", folder, *VIEWS, "--member", f"{letters.ids[3]}.txt", "--tune", *QUIET)
    assert f"{letters.ids[3]}.txt is one of the pairs that were learned from" in said.out
    assert "Tau was chosen from 0.03 to 10" in said.out
    (folder / "north" / "empty.txt").write_text("")
    noted = coterie("mates", folder, *VIEWS, *QUIET)
    (folder / "north" / "empty.txt").unlink()
    assert "note: north: 1 empty file was left out: empty.txt" in noted.err
    assert "say one of the two" in refused("mates", folder, *VIEWS, "--tune", "--tau", 5, *QUIET)


def test_what_is_refused_leaves_no_run(folder, tmp_path) -> None:
    assert "Comraf groups members by links" in refused(
        "explore", folder, *VIEWS, "--organize", "Comraf", "--store", tmp_path, *QUIET
    )
    assert "no runs" in coterie("runs", "--store", tmp_path).out.lower()


def test_reasons_of_a_run_of_views(folder, letters, tmp_path) -> None:
    said = explored(folder, *VIEWS, "--k", 6, "--nulls", 0, "--store", tmp_path)
    assert "| explain |" in said.out
    told = coterie(
        "explain", said.run, f"{letters.ids[3]}.txt", f"{letters.ids[4]}.txt", "--store", tmp_path
    )
    assert told.code == 0, told.err
    assert "In north they are pulled to where they lie" in told.out
    assert (
        "In south they are pulled together by"
        in coterie("explain", said.run, "--group", 1, "--store", tmp_path).out
    )
    assert "put texts of one view into a folder named north/" in refused(
        "add", said.run, folder / "north", "--store", tmp_path, *QUIET
    )
    page = (tmp_path / said.run / "report.html").read_text()
    assert "text, 2 views" in page
    assert 'class="c-null"' in page  # the level of chance in the curve of consensus
