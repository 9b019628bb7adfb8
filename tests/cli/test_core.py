"""coterie core: what it prints and writes, its backgrounds and weeks, and what it refuses in one sentence."""

from __future__ import annotations

import csv
import datetime as dt
import json
from pathlib import Path

import numpy as np
import pytest

from coterie.cli.core import known_words
from tests.letters import NOISE, TOPIC, letters

from .made import mbox
from .running import coterie, refused

QUIET = ("--progress", "silent")


@pytest.fixture
def mail(tmp_path) -> Path:
    """60 dated letters over three weeks, of which every third is about tea."""
    with (tmp_path / "letters.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "day", "text"])
        for at, text in enumerate(letters(60)):
            writer.writerow(
                [f"letter-{at}", dt.date(2024, 1, 1) + dt.timedelta(days=at * 21 // 60), text]
            )
    return tmp_path / "letters.csv"


def test_core_is_printed_and_written(mail, tmp_path):
    said = coterie("core", mail, "--size", 20, "--out", tmp_path / "core.csv", *QUIET)
    assert said.code == 0, said.err
    assert said.out.startswith("20 of 60 members are the core of 'letters'.")
    assert "of the core is found again, where chance would find 33%: it is stable." in said.out
    assert "All 60 members: " in said.out
    rows = list(csv.DictReader((tmp_path / "core.csv").open()))
    assert len(rows) == 60
    inside = [row["id"] for row in rows if row["core"] == "1"]
    assert [row["rank"] for row in rows[:3]] == ["1", "2", "3"]
    assert np.mean([int(member.removeprefix("letter-")) % 3 == 0 for member in inside]) > 0.9
    first = next(line for line in said.out.splitlines() if "letter-" in line)
    assert rows[0]["id"] in first


def test_json_says_everything(mail):
    found = json.loads(
        coterie("core", mail, "--size", "25%", "--method", "occc", "--json", *QUIET).out
    )
    assert found["size"] == 15
    assert {word for word, _ in found["words"][:4]} <= set(TOPIC)
    assert len(found["members"]) == 60


def test_backgrounds(mail, tmp_path):
    (tmp_path / "words.csv").write_text(
        "word,count\n" + "".join(f"{word},{9000}\n" for word in TOPIC) + "engine,2\nbridge,2\n"
    )
    tea = json.loads(coterie("core", mail, "--size", 20, "--json", *QUIET).out)
    other = json.loads(
        coterie(
            "core", mail, "--size", 20, "--json", "--background", tmp_path / "words.csv", *QUIET
        ).out
    )
    assert {word for word, _ in tea["words"][:3]} <= set(TOPIC)
    assert "the counts given, which know" in " ".join(other["sentences"])
    assert [row["id"] for row in tea["members"][:20]] != [
        row["id"] for row in other["members"][:20]
    ]
    (tmp_path / "old").mkdir()
    for at in range(12):
        (tmp_path / "old" / f"{at}.txt").write_text(" ".join(NOISE))
    said = coterie("core", mail, "--size", 20, "--background", tmp_path / "old", *QUIET)
    assert "the counts given, which know 12 of the 20 words" in said.out


def test_weeks(mail, tmp_path):
    said = coterie(
        "core", mail, "--weeks", "day", "--size", 0.3, "--out", tmp_path / "weeks.csv", *QUIET
    )
    assert said.code == 0, said.err
    assert said.out.startswith("3 weeks of 'letters', by 'day'.")
    lines = [line.split() for line in said.out.splitlines() if line.startswith("2024-")]
    assert [line[0] for line in lines] == ["2024-01-01", "2024-01-08", "2024-01-15"]
    assert sum(int(line[1]) for line in lines) == 60
    rows = list(csv.DictReader((tmp_path / "weeks.csv").open()))
    assert len(rows) == 60
    assert sum(int(row["core"]) for row in rows) == sum(int(line[2]) for line in lines)
    found = json.loads(
        coterie(
            "core", mail, "--weeks", "day", "--size", 0.3, "--background", "rest", "--json", *QUIET
        ).out
    )
    assert [week["week"] for week in found] == [line[0] for line in lines]


def test_an_incomplete_week_is_a_note(mail):
    with mail.open("a") as file:
        file.write("late,2024-01-22,a letter that came much too late and has no topic at all\n")
    said = coterie("core", mail, "--weeks", "day", "--size", 5, *QUIET)
    assert (
        "note: weeks: the week of 2024-01-22 is the last and not complete; its 1 members were left out."
        in said.err
    )


def test_a_list_of_words_is_a_background_of_mail_too(tmp_path):
    box = mbox(tmp_path)
    (tmp_path / "words.csv").write_text("word,count\nbafikli,90\nthe,20\n")
    said = coterie("core", box, "--size", 15, "--background", tmp_path / "words.csv", *QUIET)
    assert said.code == 0, said.err
    assert "note: The background knows none of the" in said.out


def test_counts_of_one_word_in_two_cases_are_added(tmp_path):
    (tmp_path / "words.csv").write_text("word,count\nThe,900\ntea,2\nthe,50\n")
    assert known_words(str(tmp_path / "words.csv")) == {"the": 950.0, "tea": 2.0}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--size", "3.5"),
            "'3.5' is not auto, a number of members from 1, or a share such as 0.3 or 30%",
        ),
        (("--size", "0"), "'0' is not auto"),
        (("--size", "many"), "'many' is not auto"),
        (("--size", "60"), "size is 60 and there are 60 members"),
        (("--weeks", "when"), "no column of dates 'when'; it has day"),
        (("--background", "nowhere"), "no file or folder 'nowhere'"),
        (("--background", "rest"), "needs --weeks"),
        (("--out", "no/folder/x.csv"), "there is no folder 'no/folder'"),
        (("--out", "."), "which is a folder"),
    ],
)
def test_refusals(mail, words, sentence):
    assert sentence in refused("core", mail, *words, *QUIET)


def test_numbers_have_no_core(tmp_path):
    (tmp_path / "numbers.csv").write_text(
        "a,b\n" + "".join(f"{at}.5,{at * at}.25\n" for at in range(20))
    )
    assert "Core needs counts" in refused("core", tmp_path / "numbers.csv", *QUIET)
