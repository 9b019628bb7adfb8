"""coterie categorize: what it prints and writes, several labels, labels inside the file itself, and one sentence for mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.letters import letters

from .running import coterie, refused

QUIET = ("--progress", "silent")


def written(path: Path, header: list[str], rows: list[list[str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def posts(tmp_path) -> Path:
    """90 letters, of which every third is about tea."""
    return written(
        tmp_path / "posts.csv",
        ["id", "text"],
        [[f"p{at}", text] for at, text in enumerate(letters(90))],
    )


@pytest.fixture
def labels(tmp_path) -> Path:
    """What the first 30 are about."""
    return written(
        tmp_path / "labels.csv",
        ["member", "label"],
        [[f"p{at}", "tea" if at % 3 == 0 else "other"] for at in range(30)],
    )


def test_the_rest_is_labeled_printed_and_written(posts, labels, tmp_path):
    said = coterie("categorize", posts, "--labels", labels, "--out", tmp_path / "out.csv", *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith(
        "60 of 90 members of 'posts' got labels, learned from the 30 that were labeled."
    )
    assert "On labeled members that were held back (30 in all): accuracy " in said.out
    assert "95% interval" in said.out
    rows = list(csv.DictReader((tmp_path / "out.csv").open()))
    assert [row["id"] for row in rows] == [f"p{at}" for at in range(90)]
    assert (
        sum(row["label"] == ("tea" if at % 3 == 0 else "other") for at, row in enumerate(rows)) > 80
    )
    assert {row["given"] for row in rows[:30]} == {"1"}


def test_json_has_all_of_it(posts, labels):
    said = coterie(
        "categorize",
        posts,
        "--labels",
        labels,
        "--features",
        "tfidf",
        "--classifier",
        "logistic",
        "--json",
        *QUIET,
    )
    found = json.loads(said.out)
    assert set(found) == {"name", "sentences", "notes", "measures", "odd", "members"}
    assert len(found["members"]) == 90
    assert (
        found["measures"]["measures"]["accuracy"]["low"]
        <= found["measures"]["measures"]["accuracy"]["high"]
    )


def test_several_labels_of_one_member(posts, tmp_path):
    rows = [[f"p{at}", "tea; drink" if at % 3 == 0 else "other"] for at in range(40)]
    many = written(tmp_path / "many.csv", ["member", "labels"], rows)
    said = coterie(
        "categorize",
        posts,
        "--labels",
        many,
        "--separator",
        ";",
        "--out",
        tmp_path / "out.csv",
        *QUIET,
    )
    assert said.code == 0, said.err
    assert "micro-F1" in said.out
    found = [row["label"] for row in csv.DictReader((tmp_path / "out.csv").open())]
    assert found.count("drink; tea") > 20


def test_a_column_of_the_file_itself_is_no_feature(tmp_path):
    rows = [[f"r{at}", str(at % 7), "yes" if at % 2 else "no"] for at in range(60)]
    table = written(tmp_path / "rows.csv", ["id", "number", "answer"], rows)
    said = coterie("categorize", table, "--labels", table, "--label-column", "answer", *QUIET)
    assert said.code == 0, said.err
    accuracy = float(said.out.split("accuracy ")[1].split(" ")[0])
    assert accuracy < 0.8  # a number from 0 to 6 does not tell the answer; the answer would


def test_mistakes_are_one_sentence(posts, labels, tmp_path):
    assert "--labels" in refused("categorize", posts)
    stranger = written(
        tmp_path / "strange.csv",
        ["member", "label"],
        [[f"doc{at}", "xy"[at % 2]] for at in range(9)],
    )
    assert refused("categorize", posts, "--labels", stranger, *QUIET) == (
        "None of the 9 ids in 'strange.csv' is a member: they are such as 'doc0', and members of 'posts' are called such as "
        "'p0'; name the column of ids (--id)."
    )
    alike = written(
        tmp_path / "alike.csv", ["member", "label"], [[f"p{at}", "x"] for at in range(9)]
    )
    assert refused("categorize", posts, "--labels", alike, *QUIET) == (
        "All 9 members that are labeled have the label 'x'; label some of another category too."
    )
    said = refused("categorize", posts, "--labels", posts, "--label-column", "text", *QUIET)
    assert said.startswith(
        "90 of 90 labels in 'posts.csv' (column 'text') differ from each other, so that there is nothing to learn"
    )
    assert "both name 'text'" in refused(
        "categorize", posts, "--labels", posts, "--label-column", "text", "--text", "text"
    )
    assert "must not be blank" in refused(
        "categorize", posts, "--labels", labels, "--separator", " ", *QUIET
    )
    said = refused(
        "categorize",
        posts,
        "--labels",
        labels,
        "--classifier",
        "bayes",
        "--features",
        "lsa",
        *QUIET,
    )
    assert said.startswith(
        "Naive Bayes takes counts, and the directions of lsa go below 0; take other features, such as counts"
    )


def test_slips_are_noted(posts, tmp_path):
    rows = [
        [f"p{at}", "tea;hot" if at == 3 else "tea" if at % 3 == 0 else "other"] for at in range(40)
    ] + [["nobody", "tea"]]
    many = written(tmp_path / "many.csv", ["member", "labels"], rows)
    said = coterie(
        "categorize", posts, "--labels", many, "--folds", 400, "--features", "tfidf", *QUIET
    )
    assert said.code == 0, said.err
    assert (
        "note: 1 of 41 ids in 'many.csv' is no member and was left out, such as 'nobody'; members of 'posts'"
        in said.out
    )
    assert (
        "note: 1 label looks like several in one, such as 'tea;hot'; separator ';' parts them."
        in said.out
    )
    assert (
        "note: The labeled members were held back in 20 parts and not in 400: more take longer and change little."
        in said.out
    )
    parted = coterie(
        "categorize", posts, "--labels", many, "--separator", ";", "--features", "tfidf", *QUIET
    )
    assert "looks like several" not in parted.out


def test_sure_is_explained_and_counts_have_commas(tmp_path):
    rows = [[f"p{at}", text] for at, text in enumerate(letters(1200))]
    many = written(tmp_path / "posts.csv", ["id", "text"], rows)
    told = written(
        tmp_path / "labels.csv", ["id", "label"], [[f"p{at}", str(at % 4 // 2)] for at in range(60)]
    )
    said = coterie("categorize", many, "--labels", told, "--features", "tfidf", *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith("1,140 of 1,200 members of 'posts' got labels")
    assert (
        "Look at these first, of the most doubtful tenth of the new labels (114 of 1,140):"
        in said.out
    )
    assert "sure: the estimated chance that the label is right" in said.out


def test_a_table_of_short_words_needs_no_kind(tmp_path):
    words = ["tea", "motor"]
    rows = [
        [
            f"r{at}",
            f"{words[at % 2]} {chr(97 + at)}{chr(97 + at // 2)}",
            words[at % 2] if at < 12 else "",
        ]
        for at in range(24)
    ]
    short = written(tmp_path / "short.csv", ["id", "note", "kind"], rows)
    said = coterie("categorize", short, "--labels", short, "--label-column", "kind", *QUIET)
    assert said.code == 0, said.err
    assert (
        "note: No column holds running text, so 'note' is read as text; name another as text."
        in said.out
    )
