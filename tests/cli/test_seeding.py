"""The terminal session with seeds: every transition by a line, what lines refuse, and sessions that go on."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from coterie.cli.seeding import converse
from coterie.cli.seeding_words import HELP
from coterie.collect.text import texts
from coterie.core.collection import Collection
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_moves import MOVES
from tests.oracles.interactive import BAD, ELSE, GOOD

from .made import jsonl


@pytest.fixture(scope="module")
def reviews() -> Collection:
    random, documents = np.random.default_rng(0), []
    for at in range(60):
        row = [*random.choice(GOOD if at % 2 == 0 else BAD, 2, replace=False), *random.choice(ELSE, 2, replace=False)]
        documents.append(f"It was {' '.join(row)}{'!' if at % 2 == 0 else '.'}")
    return texts(documents, [f"review {at}" for at in range(60)])


@pytest.fixture
def talk(reviews, tmp_path):
    """Says these lines in a session of its own file, and gives what was answered and the session."""

    def talked(*lines: str) -> tuple[str, Session]:
        told: list[str] = []
        session = converse(reviews, None, tmp_path / "session.json", iter(lines), told.append)
        return "\n".join(told), session

    return talked


BEGIN = ("k 2 praise blame", "types words", "seeds praise good great", "seeds 2 bad")


def test_every_transition_is_reached_from_the_terminal(talk):
    done: set[str] = set()
    _, session = talk(*BEGIN, "cluster", "delete great", "move good 2", "add film blame", "accept", "stop", "reopen", "undo")
    done |= {entry["do"] for entry in session.log}
    talk("undo", "undo", "undo", "undo", "undo", "undo", "undo", "undo", "undo", "undo")
    _, session = talk("k 2", "types words punctuation", "skip")
    done |= {entry["do"] for entry in session.log}
    assert session.status == "done"
    assert done == (set(MOVES) | {"undo"}) - {"settle"}


def test_an_open_cluster_is_settled_from_the_terminal(talk, monkeypatch):
    from coterie.organize.comraf.interactive_steps import SessionSettings

    monkeypatch.setattr(
        "coterie.organize.comraf.interactive.SessionSettings", lambda **given: SessionSettings(feature_clusters=2)
    )
    told, session = talk("k 3", "types words", "seeds 1 good", "seeds 2 great", "seeds 3 bad", "cluster")
    assert "Open 1: " in told
    _, session = talk("settle 1 2", "settle 1 none")
    assert [entry["to"] for entry in session.log if entry["do"] == "settle"] == [1, None]


def test_a_whole_session_finds_the_groups(talk):
    told, session = talk(*BEGIN, "cluster", "review", "accept", "show", "quit", "k 9")
    assert "60 of 60 members are in a group" in told
    assert session.labels.tolist() == [at % 2 for at in range(60)]
    assert "  praise: 6 words" in told
    assert "      review 0  It was" in told
    assert "'k 9'" not in told  # nothing is read after quit


def test_a_list_to_choose_from(talk):
    told, _ = talk(
        "k 2", "types words", "words", "words goo", "words by name", "words film", "where good", "words by size", "where goood"
    )
    lines = told.splitlines()
    assert "words of middle frequency: " in told
    assert sum(line.endswith("  good") for line in lines) == 3
    names = [line.split()[-1] for line in lines[lines.index(next(x for x in lines if "'goo'" in x)) + 1 :]]
    assert names[: names.index("members.")][:-1] == sorted(names[: names.index("members.")][:-1])
    assert any(line.endswith("  film") for line in lines)  # too frequent for the list, and found by name
    assert "It was" in told
    assert "sort must be one of members, name, rare" in told
    assert "Near it: good" in told


def test_the_end_of_input_keeps_everything_and_says_how_to_go_on(talk, tmp_path):
    told, session = talk(*BEGIN)
    assert told.splitlines()[-1].endswith(f"go on with: coterie steer PATH --session {tmp_path / 'session.json'}")
    told, again = talk("seeds")
    assert "The session goes on where it stood." in told
    assert again.to_json() == session.to_json()
    assert "  words, praise: good, great" in told


def test_a_line_at_a_time_is_the_same_as_all_at_once(reviews, tmp_path):
    lines = (*BEGIN, "cluster", "delete great", "undo", "accept", "stop", "reopen", "accept")
    all_at_once = converse(reviews, None, tmp_path / "one.json", iter(lines), lambda line: None)
    for line in lines:  # killed after every line
        converse(reviews, None, tmp_path / "other.json", iter([line]), lambda said: None)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes() == all_at_once.to_json().encode()


def test_mistakes_are_one_sentence_and_the_session_goes_on(talk):
    said = {
        "k": "It is said so: k N",
        "k two": "'two' is no number",
        "k 1": "whole number from 2 to 60",
        "cluster": "does not fit here|number of groups",
        "seeds 1 good": "Choose the number of groups and the types",
        "clustr": "Did you mean cluster?",
        "frob": "Say help to see what there is",
        'k "2': "quotation mark is not closed",
        "export groups.csv": "Nothing is clustered yet",
        "delete good": "Choose the number",
        "settle 1": "It is said so: settle N GROUP|none",
    }
    for line, sentence in said.items():
        told, session = talk(line)
        if line != "cluster":
            assert sentence in told, (line, told)
        assert session.status == "k"
        assert "Traceback" not in told
    told, session = talk("k 2", "types words", "cluster", "cluster", "export x.txt", "stop")
    assert "There are no seeds yet" in told
    assert session.status == "seeds"


def test_several_types_are_told_apart(talk):
    told, session = talk(
        "k 2 praise blame", "types words punctuation", "seeds praise good", "seeds praise good in words",
        "seeds blame bad in words",
        "seeds praise ! in punctuation", "seeds blame . in punctuation", "cluster", "review praise in words", "delete good",
        "delete good in words",
    )  # fmt: skip
    assert told.count("Say of which type, with 'in' at the end: words, punctuation.") == 2
    assert session.state.given["punctuation"] == [["!"], ["."]]
    assert session.state.rejected["words"] == ["good"]


def test_files_that_are_written(talk, tmp_path):
    told, session = talk(
        *BEGIN, "cluster", "stop", f"export {tmp_path / 'groups.csv'}", f"export {tmp_path / 'all.json'}", "export a.b"
    )
    assert told.count("Written: ") == 2
    assert "'a.b' is neither" in told
    with (tmp_path / "groups.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["member"] for row in rows] == list(session.desk.ids)
    names = session.state.group_names
    assert [row["group"] for row in rows] == ["" if at < 0 else names[at] for at in session.labels]
    assert json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["members"]["praise"]


def test_help_names_every_command(talk):
    told, _ = talk("help", "log")
    for usage in HELP:
        assert usage in told
    assert "    1  begun" in told


def test_beside_the_runs_where_no_file_is_named(tmp_path):
    place, said = jsonl(tmp_path), list[str]()
    session = converse(str(place), str(tmp_path / "runs"), None, iter(()), said.append, reading={"kind": "text"})
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["posts.session.json"]
    assert said[-1].endswith(f"coterie steer {place} --store {tmp_path / 'runs'}")
    assert len(session.desk.ids) == 60
