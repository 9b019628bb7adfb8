"""coterie search: hits on the terminal, in JSON and on a page; mail, folders, tables, stored runs; topics; bad input."""

from __future__ import annotations

import csv
import io
import json
import sys
from unittest.mock import patch

import pytest

from coterie.cli.main import COMMANDS

from .made import mbox, texts
from .running import coterie, explored, refused

QUIET = ("--progress", "silent")
ROWS = [
    ("a1", "Tea", "The kettle is warm, and the tea leaves are steeping in the pot."),
    ("a2", "Road", "The motor of the car failed on the road to the harbor."),
    ("a3", "Tea again", "Oolong is a tea that is made of leaves which were left in the sun."),
    ("a4", "Music", "A violin was played in the concert of the evening."),
]


@pytest.fixture(autouse=True)
def command(monkeypatch):
    monkeypatch.setitem(
        COMMANDS, "search", ("coterie.cli.search", "Find the members that answer a query.")
    )


@pytest.fixture
def table(tmp_path):
    with (tmp_path / "notes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "title", "text"), *ROWS])
    return tmp_path / "notes.csv"


def test_hits_are_told(table):
    said = coterie("search", table, "tea", "leaves", "--text", "text", *QUIET)
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0] == "2 of 4 members of 'notes' hold a word of it; here they are, by Okapi BM25."
    assert lines[1] == "  tea 2, leaves 2"
    assert "*tea* *leaves*" in said.out
    assert [line.split()[0] for line in lines if line.startswith(("  1 ", "  2 "))] == ["1", "2"]


def test_json_and_page(table, tmp_path):
    found = json.loads(
        coterie(
            "search",
            table,
            "oolong",
            "--text",
            "text",
            "--json",
            "--html",
            tmp_path / "p.html",
            *QUIET,
        ).out
    )
    assert [hit["id"] for hit in found["hits"]] == ["a3"]
    assert found["hits"][0]["marked"] == ["oolong"]
    assert "<mark>Oolong</mark>" in (tmp_path / "p.html").read_text()
    assert "Page: " in coterie("search", table, "oolong", "--html", tmp_path / "p.html", *QUIET).out


def test_most_and_unknown_words(table):
    said = coterie("search", table, "teaa leaves", "--most", 1, "--text", "text", *QUIET)
    assert "note: No member holds 'teaa'; did you mean tea?" in said.out
    assert "the best one" in said.out
    nothing = coterie("search", table, "zeppelin", "--text", "text", *QUIET)
    assert nothing.code == 0
    assert nothing.out.startswith("Nothing in 'notes' matches 'zeppelin'.")


def test_a_folder_and_mail(tmp_path):
    (tmp_path / "letters").mkdir()
    for name, _, text in ROWS:
        (tmp_path / "letters" / f"{name}.txt").write_text(text)
    assert "a4.txt" in coterie("search", tmp_path / "letters", "violin", *QUIET).out
    box = mbox(tmp_path)
    said = coterie("search", box, "the", "--most", 1, *QUIET)
    assert said.code == 0, said.err


def test_a_stored_run_shows_groups(tmp_path):
    store = tmp_path / "runs"
    folder = texts(tmp_path)
    word = next(
        word
        for word in next(folder.iterdir()).read_text().split()
        if len(word) > 5 and word.isalpha()
    )
    run = explored(folder, "--store", store, "--nulls", 0).run
    said = coterie("search", run, word, "--store", store, "--most", 2, "--json", *QUIET)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["members"] == 60
    assert found["hits"][0]["group"]
    assert "say how a path is read" in refused(
        "search", run, word, "--store", store, "--text", "x", *QUIET
    )


def test_every_line_is_a_query(table):
    with patch.object(sys, "stdin", io.StringIO("oolong\n\n42\n   \nviolin\n\n")):
        said = coterie("search", table, "--text", "text", *QUIET)
    assert said.code == 0, said.err
    assert said.out.count("1 of 4 members") == 2
    assert "'42' has no word to search for" in said.out


def test_measures(table, tmp_path):
    (tmp_path / "topics.tsv").write_text("1\ttea leaves\n2\tviolin\n3\tharbor\n")
    (tmp_path / "qrels").write_text("1 0 a1 1\n1 0 a3 1\n2 0 a4 1\n2 0 gone 1\n")
    words = (
        "search",
        table,
        "--text",
        "text",
        "--topics",
        tmp_path / "topics.tsv",
        "--qrels",
        tmp_path / "qrels",
    )
    said = coterie(*words, "--run-out", tmp_path / "out.run", "--html", tmp_path / "p.html", *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith(
        "2 queries on 4 members of 'notes': mean average precision 0.7500 with Okapi BM25."
    )
    assert "note: 1 topic has no judgement and is left out." in said.out
    assert "note: 1 relevant document is no member, and counts as never found." in said.out
    assert (tmp_path / "out.run").read_text().startswith("1 Q0 a")
    assert "mean average precision" in (tmp_path / "p.html").read_text()
    both = json.loads(coterie(*words, "--with", "lsa", "--json", *QUIET).out)
    assert list(both["systems"]) == ["Okapi BM25", "Okapi BM25 (weight 0.8) and LSA"]
    assert "ask the same" in refused(
        *words,
        "--with",
        "lsa",
        "--dev-topics",
        tmp_path / "topics.tsv",
        "--dev-qrels",
        tmp_path / "qrels",
    )


def test_a_topic_without_a_word_is_on_the_page(table, tmp_path):
    (tmp_path / "topics.tsv").write_text("1\ttea leaves\n2\t1984\n")
    (tmp_path / "qrels").write_text("1 0 a1 1\n2 0 a4 1\n")
    words = (
        "search",
        table,
        "--text",
        "text",
        "--topics",
        tmp_path / "topics.tsv",
        "--qrels",
        tmp_path / "qrels",
    )
    said = coterie(*words, "--html", tmp_path / "p.html", *QUIET)
    assert said.code == 0, said.err
    assert "&#x27;1984&#x27; has no word to search for" in (tmp_path / "p.html").read_text()


def test_few_development_queries_are_noted(tmp_path):
    rows = [
        (
            f"b{at}",
            "",
            " ".join((*["tea", "kettle", "pot"], *["car", "road", "wheel"])[at % 4 : at % 4 + 3]),
        )
        for at in range(24)
    ]
    with (tmp_path / "more.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "title", "text"), *rows])
    (tmp_path / "topics.tsv").write_text("1\ttea\n")
    (tmp_path / "dev.tsv").write_text("2\twheel\n")
    (tmp_path / "dev.qrels").write_text("2 0 b3 1\n")
    words = (
        "search",
        tmp_path / "more.csv",
        "--text",
        "text",
        "--with",
        "lsa",
        "--topics",
        tmp_path / "topics.tsv",
    )
    tuned = ("--dev-topics", tmp_path / "dev.tsv", "--dev-qrels", tmp_path / "dev.qrels")
    said = coterie(*words, *tuned, "--run-out", tmp_path / "out.run", *QUIET)
    assert said.code == 0, said.err
    assert "note: 1 development query is few to find a weight on" in said.out


def test_short_words_are_searched_without_being_named(tmp_path):
    (tmp_path / "short.csv").write_text(
        "id,note\na1,green tea\na2,red car\na3,black tea\na4,green tea\n"
    )
    said = coterie("search", tmp_path / "short.csv", "green", *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith("2 of 4 members of 'short' hold a word of it; here it is")
    assert "and 1 that repeats it: a4" in said.out
    assert (
        "note: No column holds running text, so 'note' is read as text; name another as text."
        in said.out
    )
    assert "compared" not in said.out.lower()


def test_a_file_of_a_folder_is_named_once(tmp_path):
    (tmp_path / "letters").mkdir()
    for name, _, text in ROWS:
        (tmp_path / "letters" / f"{name}.txt").write_text(text)
    assert coterie("search", tmp_path / "letters", "violin", *QUIET).out.count("a4.txt") == 1


def test_notes_for_those_who_compare_are_left_out(table):
    said = coterie("search", table, "oolong", *QUIET)
    assert "compared" not in said.out.lower()
    assert "Members are named by the column 'id'." in said.out


def test_swapped_files_are_told(table, tmp_path):
    (tmp_path / "topics.txt").write_text("1\ttea leaves\n2\tviolin\n")
    (tmp_path / "qrels.txt").write_text("1 0 a1 1\n2 0 a4 1\n")
    said = refused(
        "search",
        table,
        "--topics",
        tmp_path / "qrels.txt",
        "--qrels",
        tmp_path / "topics.txt",
        *QUIET,
    )
    assert (
        said
        == "'qrels.txt' holds judgements (topic, 0, document, relevance) where topics belong; are both swapped?"
    )


def test_bad_input_is_one_sentence(table, tmp_path):
    (tmp_path / "numbers.csv").write_text("x,y\n1,2\n3,4\n")
    assert refused("search", "nosuch", "tea") == "There is no file, folder or stored run 'nosuch'."
    assert refused("search", tmp_path / "numbers.csv", "tea", *QUIET) == (
        "'numbers' has no text to search: it has the columns x, y; if one holds text, name it as text (--text)."
    )
    assert "has no word to search for" in refused("search", table, "42", *QUIET)
    assert "k1 must be" in refused("search", table, "tea", "--k1", -1, *QUIET)
    assert "b must be" in refused("search", table, "tea", "--b", 2, *QUIET)
    assert "--weight sets words against a learned space" in refused(
        "search", table, "tea", "--weight", 0.3
    )
    assert "needs --topics FILE" in refused("search", table, "tea", "--qrels", "x")
    assert "either a query or --topics" in refused(
        "search", table, "tea", "--topics", "x", "--qrels", "y"
    )
    assert "--topics needs --qrels" in refused("search", table, "--topics", "x")
    assert "given together" in refused(
        "search", table, "--topics", "x", "--qrels", "y", "--dev-topics", "z"
    )
    assert "--html names" in refused("search", table, "tea", "--html", tmp_path / "no" / "p.html")
    assert "There is no file or folder" in refused(
        "search", table, "--topics", "x", "--qrels", "y", *QUIET
    )
