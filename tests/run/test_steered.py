"""Findings as they stand: every command that looks at a run sees the edits made on it."""

from __future__ import annotations

import csv

import pytest

import coterie
from coterie.core.edits import Edit
from coterie.core.errors import DataError
from coterie.messages.exploration import summarize
from coterie.run.questions import add, explain, judged, neighbors
from coterie.run.steered import current
from coterie.run.steering import Steering
from coterie.run.steering_log import append_edit
from coterie.run.store import Store
from tests.cli.running import coterie as command
from tests.run.steered_runs import notes, stored


@pytest.fixture
def steering(drinks: Steering) -> Steering:
    return drinks


def rows_of(steering: Steering) -> dict[str, str]:
    with (steering.run.path / "labels.csv").open() as file:
        return {row["id"]: row["group_name"] for row in csv.DictReader(file)}


def test_a_run_without_edits_stands_as_it_was_found(plain: Steering) -> None:
    run = plain.run
    assert current(run).labels.tolist() == run.findings().labels.tolist()
    assert summarize(current(run)) == summarize(run.findings())
    assert run.request.standing == ()


def test_findings_with_edits_say_so(steering: Steering) -> None:
    found = current(steering.run)
    assert sorted(group.size for group in found.groups) == [10, 20]
    assert summarize(found)[0].endswith("; after 2 edits by hand there are 2.")
    assert any(
        "Drinks" in sentence
        for sentence in summarize(found)[1:]
        if sentence.startswith("Largest: ")
    )
    steering.undo()
    steering.undo()
    assert summarize(current(steering.run)) == summarize(steering.findings)


def test_judge_neighbors_explain_and_runs_see_the_edits(steering: Steering) -> None:
    measured = judged(steering.run.name)
    assert measured.measures["clusters"] == 2
    assert sorted(row[0] == "Drinks" for row in measured.breakdown) == [False, True]
    near = neighbors(
        steering.run.name, "sea0-0", most=9
    )  # all others of its kind; the next ones are equally far
    assert {row["group"] for row in near} == {"Drinks"}
    listed = Store().runs()[0]
    assert listed.groups == 2
    assert listed.summary.endswith("there are 2.")


def test_groups_are_explained_by_the_numbers_they_have_now() -> None:
    steering = Steering(stored(organize="MDC(restarts=1)").run)
    steering.merge(1, 2)
    with pytest.raises(DataError, match="There is no group 2; there are 1, 3"):
        explain(steering.run.name, [], group=2)
    assert explain(steering.run.name, [], group=3)


def test_the_report_sees_the_edits(steering: Steering, tmp_path) -> None:
    said = command("report", steering.run.name, "--out", tmp_path / "r.html")
    assert said.code == 0, said.err
    assert "Drinks" in (tmp_path / "r.html").read_text()


def test_members_added_later_go_where_edits_put_their_group(steering: Steering) -> None:
    steering.move("law0-0", 0)
    before = rows_of(steering)
    placed = add(steering.run.name, notes(1, 3))
    groups = {member: group for member, group, _, _ in placed.rows()}
    assert {groups[f"{topic}1-{i}"] for topic in ("tea", "sea") for i in range(3)} == {"Drinks"}
    assert placed.sentences()[0] == "9 new members were placed into 2 of 2 groups."
    after = rows_of(steering)
    assert {member: after[member] for member in before} == before
    assert after["sea1-0"] == "Drinks"
    assert "Drinks" in (steering.run.path / "report.html").read_text()


def test_labels_follow_a_log_that_other_hands_changed(steering: Steering) -> None:
    number = next(iter(steering.state.sizes))
    append_edit(
        steering.path, Edit("rename", groups=(number,), name="Law")
    )  # a kill before labels.csv was written
    assert "Law" not in rows_of(steering).values()
    Steering(steering.run)
    assert "Law" in rows_of(steering).values()


def test_names_of_labels_are_kept_by_a_refit() -> None:
    labels = {f"{topic}0-{i}": topic.upper() for topic in ("tea", "sea", "law") for i in range(4)}
    found = coterie.explore(notes(), k=3, nulls=0, store=True, hints={"labels": labels})
    assert {group.name for group in found.findings.groups} == {"TEA", "SEA", "LAW"}
    steering = Steering(found.run)
    steering.rename(steering.state.called("LAW"), "Courts")
    again = steering.refit()
    assert {group.name for group in again.findings.groups} == {"TEA", "SEA", "Courts"}
