"""The terminal session with seeds: every transition by a line, what lines refuse, and sessions that go on."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

from coterie import Collection
from coterie.cli.seeding import converse, place_of
from coterie.cli.seeding_words import HELP
from coterie.collect import texts
from coterie.core.errors import DataError, Interrupted
from coterie.organize.comraf.interactive import Session
from coterie.organize.comraf.interactive_moves import MOVES
from coterie.workflows.request import Reading
from tests.oracles.interactive import BAD, ELSE, GOOD

from .made import jsonl


@pytest.fixture(scope="module")
def reviews() -> Collection:
    random = np.random.default_rng(0)
    documents = []
    for at in range(60):
        row = [
            *random.choice(GOOD if at % 2 == 0 else BAD, 2, replace=False),
            *random.choice(ELSE, 2, replace=False),
        ]
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
    _, session = talk(
        *BEGIN,
        "cluster",
        "delete great",
        "move good 2",
        "add film blame",
        "accept",
        "stop",
        "reopen",
        "undo",
    )
    done |= {entry["do"] for entry in session.log}
    talk("undo", "undo", "undo", "undo", "undo", "undo", "undo", "undo", "undo", "undo")
    _, session = talk("k 2", "types words punctuation", "skip")
    done |= {entry["do"] for entry in session.log}
    assert session.status == "done"
    assert done == (set(MOVES) | {"undo"}) - {"settle"}


def test_an_open_cluster_is_settled_from_the_terminal(talk, monkeypatch):
    from coterie.organize.comraf.interactive_steps import SessionSettings

    with monkeypatch.context() as for_now:
        name = "coterie.organize.comraf.interactive.SessionSettings"
        for_now.setattr(name, lambda **given: SessionSettings(feature_clusters=2))
        told, session = talk(
            "k 3", "types words", "seeds 1 good", "seeds 2 great", "seeds 3 bad", "cluster"
        )
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
        "k 2",
        "types words",
        "words",
        "words goo",
        "words by name",
        "words film",
        "where good",
        "words by size",
        "where goood",
    )
    lines = told.splitlines()
    assert "words of middle frequency: " in told
    assert sum(line.endswith("  good") for line in lines) == 3
    names = [
        line.split()[-1]
        for line in lines[lines.index(next(x for x in lines if "'goo'" in x)) + 1 :]
    ]
    assert names[: names.index("members.")][:-1] == sorted(names[: names.index("members.")][:-1])
    assert any(
        line.endswith("  film") for line in lines
    )  # too frequent for the list, and found by name
    assert "It was" in told
    assert "sort must be one of members, name, rare" in told
    assert "Near it: good" in told


def test_the_end_of_input_keeps_everything_and_says_how_to_go_on(talk, tmp_path):
    told, session = talk(*BEGIN)
    assert told.splitlines()[-1].endswith(
        f"go on with: coterie steer PATH --session {tmp_path / 'session.json'}"
    )
    told, again = talk("seeds")
    assert "The session goes on where it stood." in told
    assert again.to_json() == session.to_json()
    assert "  words, praise: good, great" in told


def test_a_line_at_a_time_is_the_same_as_all_at_once(reviews, tmp_path):
    lines = (*BEGIN, "cluster", "delete great", "undo", "accept", "stop", "reopen", "accept")
    all_at_once = converse(reviews, None, tmp_path / "one.json", iter(lines), lambda line: None)
    for line in lines:  # killed after every line
        converse(reviews, None, tmp_path / "other.json", iter([line]), lambda said: None)
    assert (
        (tmp_path / "one.json").read_bytes()
        == (tmp_path / "other.json").read_bytes()
        == all_at_once.to_json().encode()
    )


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
        "k 2 praise blame",
        "types words punctuation",
        "seeds praise good",
        "seeds praise good in words",
        "seeds blame bad in words",
        "seeds praise ! in punctuation",
        "seeds blame . in punctuation",
        "cluster",
        "review praise in words",
        "delete good",
        "delete good in words",
    )
    assert told.count("Say of which type, with 'in' at the end: words, punctuation.") == 2
    assert session.state.given["punctuation"] == [["!"], ["."]]
    assert session.state.rejected["words"] == ["good"]


def test_files_that_are_written(talk, tmp_path):
    told, session = talk(
        *BEGIN,
        "cluster",
        "stop",
        f"export {tmp_path / 'groups.csv'}",
        f"export {tmp_path / 'all.json'}",
        "export a.b",
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
    place = jsonl(tmp_path)
    said = list[str]()
    session = converse(
        str(place),
        str(tmp_path / "runs"),
        None,
        iter(()),
        said.append,
        reading=Reading(kind="text"),
    )
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [session.path.name]
    assert re.fullmatch(r"posts-[0-9a-f]{8}\.session\.json", session.path.name)
    assert said[-1].endswith(f"coterie steer {place} --kind text --store {tmp_path / 'runs'}")
    assert len(session.desk.ids) == 60


def test_the_line_to_go_on_with_says_how_the_data_was_read(tmp_path):
    place = tmp_path / "two.csv"
    said = list[str]()
    runs = str(tmp_path / "runs")
    rows = [f"m{at},tea mug number {at % 3},sea sand number {at % 4}" for at in range(12)]
    place.write_text("\n".join(["name,one,other", *rows]) + "\n", encoding="utf-8")
    reading = Reading(kind="text", text="other", id="name", truth=["one"])
    converse(str(place), runs, None, iter(("k 2", "types words")), said.append, reading=reading)
    again = f"coterie steer {place} --kind text --text other --id name --truth one --store {runs}"
    assert said[-1].endswith(f"go on with: {again}")
    with pytest.raises(
        DataError, match=r"read otherwise\); begin another with --session FILE, or remove .*json\.$"
    ):
        converse(
            str(place),
            runs,
            None,
            iter(()),
            said.append,
            reading=Reading(kind="text", text="one", id="name"),
        )


def test_one_session_for_a_path_however_it_is_written(tmp_path, monkeypatch):
    (tmp_path / "deeper").mkdir()
    place = jsonl(tmp_path)
    other = jsonl(tmp_path / "deeper")
    monkeypatch.chdir(tmp_path)
    ways = [
        place_of(way, "runs")
        for way in (str(place), place.name, f"./{place.name}", f"deeper/../{place.name}")
    ]
    assert len(set(ways)) == 1
    assert place_of(str(other), "runs") not in ways  # of the same name, in another folder
    assert place_of(".", "runs") == place_of(tmp_path, "runs")
    assert place_of(".", "runs").name.startswith(tmp_path.name.replace("_", "-")[:20])
    assert place_of("sample:mail", "runs").name == "sample-mail.session.json"


def test_a_session_of_other_members_says_the_way_out(reviews, talk, tmp_path):
    talk("k 2")
    others = texts(["good film", "bad plot", "cold scene"], ["a", "b", "c"])
    with pytest.raises(
        DataError, match="is of other members than these; begin another with another --session FILE"
    ):
        converse(others, None, tmp_path / "session.json", iter(()), lambda line: None)
    session = converse(reviews, str(tmp_path), None, iter(()), lambda line: None)
    with pytest.raises(
        DataError, match=f"begin another with --session FILE, or remove .*{session.path.name}"
    ):
        converse(
            texts(["good film", "bad plot"], ["a", "b"]),
            str(tmp_path),
            None,
            iter(()),
            lambda line: None,
        )


def test_a_comma_is_a_mark_and_after_a_word_it_is_none(tmp_path):
    rows = [
        f"{'tea, mug, cup' if at % 2 else 'sea sand surf!'} number {at % 5}" for at in range(20)
    ]
    told = list[str]()
    session = converse(
        texts(rows),
        None,
        tmp_path / "s.json",
        iter(
            (
                "k 2 tea sea",
                "types words punctuation",
                "seeds tea , in punctuation",
                "seeds tea tea, mug in words",
            )
        ),
        told.append,
    )
    assert session.state.draft == {"words": [["tea", "mug"], []], "punctuation": [[","], []]}


def test_groups_without_seeds_are_said_where_seeds_are_given_and_after(talk):
    told, _ = talk("k 3 praise blame rest", "types words", "seeds praise good", "seeds blame bad")
    assert (
        "  No seeds: blame, rest. What such a group holds is left to the others."
        in told.splitlines()
    )
    assert "  No seeds: rest. What such a group holds is left to the others." in told.splitlines()
    told, _ = talk("cluster")
    assert told.count("No seeds: rest.") == 1
    assert "rest: its own seeds" not in told


def test_what_does_not_fit_is_called_as_it_was_typed(talk):
    told, _ = talk(
        "k 2", "k 3", "types words", "types words punctuation", "accept", "move good 1", "reopen"
    )
    for name, why in (
        ("k", "waits for the types"),
        ("types", "waits for seeds"),
        ("move", "waits for seeds"),
    ):
        assert f"  '{name}' does not fit here: the session {why}" in told
    assert "'groups'" not in told


def test_ctrl_c_at_the_prompt_keeps_the_session_and_says_so(reviews, tmp_path):
    def typed():
        yield "k 2 praise blame"
        raise KeyboardInterrupt

    told = list[str]()
    with pytest.raises(KeyboardInterrupt):
        converse(reviews, None, tmp_path / "session.json", typed(), told.append)
    assert told[-1].startswith("The session is kept in ")
    assert (
        converse(reviews, None, tmp_path / "session.json", iter(()), told.append).status == "types"
    )


def test_an_undo_that_clusters_anew_can_be_watched_and_stopped(talk, monkeypatch):
    talk(*BEGIN, "cluster", "delete great", "accept")
    circumstances = []

    class Stopped:
        def __init__(self, *how):
            circumstances.append(how)

        def __enter__(self):
            raise Interrupted("Stopped as asked.")

        def __exit__(self, *given):
            return None

    monkeypatch.setattr("coterie.cli.say.working_as", Stopped)
    told, session = talk("undo")
    assert "Stopped; the session is as it was before this step." in told
    assert circumstances == [(None, "silent", None)]
    assert session.log[-1]["do"] != "undo"


def test_the_log_of_groups_that_are_no_more(talk):
    told, _ = talk("k 3", "types words", "seeds 3 good", "undo", "undo", "undo", "k 2", "log")
    assert "seeds of group 3: good (words)" in told
    assert "1 step taken back" in told
