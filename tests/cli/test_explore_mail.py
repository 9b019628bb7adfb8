"""Mail on the command line: grouped by words and people by default, and clear where there is too little of either."""

from __future__ import annotations

from pathlib import Path

import pytest

from coterie.collect.samples import write_mailbox

from .made import numbers, texts
from .running import coterie, explored, refused


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("posted")


def test_groups_with_their_words_and_people(place: Path) -> None:
    write_mailbox(place / "inbox.mbox", 60)
    said = explored(place / "inbox.mbox", "--store", place / "runs", "--k", 6)
    lines = said.out.splitlines()
    head = next(line for line in lines if line.startswith("group  "))
    assert head.split("  ")[0] == "group"
    assert all(name in head for name in ("words", "correspondents", "subject words"))
    rows = lines[lines.index(head) + 2 :][:6]
    assert [row.split()[0] for row in rows] == list("123456")
    assert all("@" in row for row in rows)
    assert "explain | judge" in said.out
    page = (place / "runs" / said.run / "report.html").read_text(encoding="utf-8")
    assert "What the groups are tied to" in page
    assert "Comraf groups the members by their" in page


def test_more_mail_is_added_and_explained(place: Path) -> None:
    write_mailbox(place / "more.mbox", 70)
    added = coterie("add", "inbox-1", place / "more.mbox", "--store", place / "runs")
    assert added.code == 0
    assert added.out.startswith("10 new members were placed into")
    told = coterie("explain", "inbox-1", "--group", 1, "--store", place / "runs")
    assert told.code == 0
    assert "By words: " in told.out


@pytest.mark.parametrize("organize", ["Comraf", "MDC(restarts=2)", "SequentialIB"])
def test_texts_by_a_named_organizer(place: Path, tmp_path: Path, organize: str) -> None:
    said = explored(
        texts(tmp_path), "--store", place / "runs", "--k", 8, "--nulls", 0, "--organize", organize
    )
    assert "group  words" in said.out


def test_numbers_that_are_no_counts_are_refused(place: Path, tmp_path: Path) -> None:
    words = (
        "--truth",
        "species",
        "--store",
        place / "none",
        "--organize",
        "Comraf",
        "--progress",
        "silent",
    )
    said = refused("explore", numbers(tmp_path), *words)
    assert said.startswith("Comraf needs counts (whole numbers from 0), and 'flowers' has ")
    assert "in the column 'x0'" in said


def test_a_wrong_parameter_is_one_sentence(place: Path, tmp_path: Path) -> None:
    said = refused(
        "explore", texts(tmp_path), "--store", place / "none", "--organize", "MDC(restarts=0)"
    )
    assert "restarts must be" in said
    words = (
        "--store",
        place / "none",
        "--organize",
        "Comraf(graph='members-cats')",
        "--progress",
        "silent",
    )
    said = refused("explore", "sample:mail", *words)
    assert "graph must name pairs of members, " in said


def test_thirty_messages_and_one(place: Path) -> None:
    write_mailbox(place / "few.mbox", 30)
    assert "30 messages" in explored(place / "few.mbox", "--store", place / "runs").out
    write_mailbox(place / "three.mbox", 12)
    parts = (place / "three.mbox").read_text(encoding="utf-8").split("\nFrom ")
    (place / "one.mbox").write_text(parts[0] + "\n", encoding="utf-8")
    assert "has 1 member; grouping needs at least 3" in refused(
        "explore", place / "one.mbox", "--store", place / "none", "--progress", "silent"
    )
    (place / "few3.mbox").write_text("\nFrom ".join(parts[:3]) + "\n", encoding="utf-8")
    assert "3 messages" in explored(place / "few3.mbox", "--store", place / "runs", "--k", 2).out


def test_messages_without_correspondents(place: Path) -> None:
    write_mailbox(place / "full.mbox", 40)
    lines = (place / "full.mbox").read_text(encoding="utf-8").splitlines()
    bare = [line for line in lines if not line.lower().startswith(("to:", "cc:", "from:"))]
    (place / "bare.mbox").write_text("\n".join(bare) + "\n", encoding="utf-8")
    said = explored(place / "bare.mbox", "--store", place / "runs", "--k", 6)
    assert "40 messages" in said.out or "40 texts" in said.out
    assert "group  words" not in said.out
