"""Steering a stored run: edits that hold at once, are kept whatever happens, are taken back, and teach the next fit."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from coterie.core.errors import DataError, StoreError
from coterie.run.steering import Steering
from coterie.run.steering_log import append_edit, read_log
from tests.run.steered_runs import notes, stored


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One run for all tests of this file that only edit; each gets a copy of its store."""
    store = tmp_path_factory.mktemp("store")
    return stored(store=store).run.folder


@pytest.fixture
def steering(made: Path, tmp_path: Path) -> Steering:
    import shutil

    shutil.copytree(made.parent, tmp_path / "runs")
    return Steering(made.name)


def number_of(steering: Steering, member: str) -> int:
    return int(steering.labels[steering.ids.index(member)]) + 1


def in_csv(steering: Steering) -> dict[str, str]:
    with (steering.run.path / "labels.csv").open() as file:
        return {row["id"]: row["group_name"] for row in csv.DictReader(file)}


def test_every_edit_is_one_line_and_holds_at_once(steering: Steering) -> None:
    tea, sea, law = (number_of(steering, f"{topic}0-0") for topic in ("tea", "sea", "law"))
    steering.merge(tea, sea)
    assert number_of(steering, "sea0-3") == tea
    steering.rename(tea, "Drinks")
    assert in_csv(steering)["sea0-3"] == "Drinks"
    steering.split(tea)
    assert number_of(steering, "sea0-3") != number_of(steering, "tea0-3")
    steering.move("law0-0", tea)
    steering.together("law0-1", "law0-0")
    assert number_of(steering, "law0-0") == law
    steering.apart("law0-1", "law0-2")
    assert number_of(steering, "law0-2") != law
    steering.label(["law0-3", "law0-4"], "courts")
    assert in_csv(steering)["law0-4"] == "courts"
    steering.lock(law)
    lines = steering.path.read_text().splitlines()
    kinds = [json.loads(line)["edit"] for line in lines]
    assert kinds == ["merge", "rename", "split", "move", "together", "apart", "label", "lock"]
    assert Steering(steering.run).labels.tolist() == steering.labels.tolist()
    assert steering.group(law)[0].startswith("law")


def test_undo_of_all_edits_gives_back_the_first_groups_and_the_log_keeps_all(steering: Steering) -> None:
    first, written = steering.labels.tolist(), (steering.run.path / "labels.csv").read_bytes()
    steering.merge(1, 2)
    steering.split(3)
    assert steering.undo().kind == "split"
    steering.undo()
    assert steering.labels.tolist() == first
    assert (steering.run.path / "labels.csv").read_bytes() == written
    assert len(steering.log()) == 4
    assert steering.edits() == []
    with pytest.raises(DataError, match="nothing to undo"):
        steering.undo()
    assert len(steering.log()) == 4


def test_what_is_refused_leaves_no_line(steering: Steering) -> None:
    for wrong in (
        lambda: steering.merge(1, 9),
        lambda: steering.merge(1),
        lambda: steering.move("nobody", 1),
        lambda: steering.split(9),
        lambda: steering.rename(1, " "),
        lambda: steering.together("tea0-0", "tea0-0"),
        lambda: steering.apart("tea0-0", "nobody"),
        lambda: steering.group(9),
    ):
        with pytest.raises(DataError) as error:
            wrong()
        assert "\n" not in str(error.value)
    assert not steering.path.exists()


@pytest.mark.parametrize("cut", range(1, 40, 6))
def test_a_log_torn_by_a_kill_goes_on_with_the_lines_that_were_whole(steering: Steering, cut: int) -> None:
    steering.merge(1, 2)
    whole, labels = steering.path.read_bytes(), steering.labels.tolist()
    steering.rename(1, "Drinks of the sea")
    torn = steering.path.read_bytes()[:-cut]
    steering.path.write_bytes(torn)
    again = Steering(steering.run)
    assert again.labels.tolist() == labels
    again.lock(3)
    assert again.path.read_bytes() == whole + b'{"edit": "lock", "groups": [3]}\n'


def test_a_line_that_is_no_edit_is_named(steering: Steering) -> None:
    for line, said in (("nonsense", "it is not JSON"), ('{"edit": "burn"}', "There is no edit 'burn'")):
        steering.path.write_text('{"edit": "lock", "groups": [1]}\n' + line + "\n")
        with pytest.raises(StoreError, match=f"Line 2 of .* is no edit .*{said}"):
            Steering(steering.run)


def test_ids_of_any_kind_survive_the_log(tmp_path: Path) -> None:
    from coterie.core.edits import Edit

    odd = ("a b", 'say "x"', "line\nbreak", "é", "日本", "\ud83d", "\u2028")
    append_edit(tmp_path / "log", Edit("move", groups=(1,), members=odd))
    append_edit(tmp_path / "log", Edit("undo"))
    assert [edit.members for edit in read_log(tmp_path / "log")] == [odd, ()]
    assert read_log(tmp_path / "none") == []


def test_a_run_that_is_not_finished_is_not_steered(steering: Steering) -> None:
    steering.run.update(status="stopped")
    with pytest.raises(DataError, match="not finished; finish it with: coterie resume"):
        Steering(steering.run)


def test_refit_is_a_new_run_with_the_names_and_the_members_where_they_were_put(steering: Steering) -> None:
    tea, sea, law = (number_of(steering, f"{topic}0-0") for topic in ("tea", "sea", "law"))
    steering.merge(tea, sea)
    steering.rename(tea, "Drinks")
    steering.lock(law)
    found = steering.refit()
    assert found.run.name != steering.run.name
    assert found.run.settings["steered"] == steering.run.name
    assert len(found.findings.groups) == 2
    names = {group.label: group.name for group in found.findings.groups}
    called = {member: names[label] for member, label in zip(found.collection.ids, found.labels.tolist(), strict=True)}
    assert {called[f"tea0-{i}"] for i in range(10)} == {"Drinks"}
    assert {called[f"sea0-{i}"] for i in range(10)} == {"Drinks"}
    assert len({called[f"law0-{i}"] for i in range(10)}) == 1
    assert steering.run.record()["status"] == "done"
    again = Steering(found.run)
    assert again.edits() == []
    kept = again.hints()  # what was said before still holds
    law = [i for i, member in enumerate(again.ids) if member.startswith("law")]
    assert len({int(chunk) for chunk in kept.chunks()[law]}) == 1


def test_the_same_edits_give_the_same_bytes(steering: Steering) -> None:
    steering.merge(1, 2)
    one, other = steering.refit(), steering.refit()
    files = [(found.run.path / "labels.csv").read_bytes() for found in (one, other)]
    assert files[0] == files[1]
    log = [edit.record() for edit in steering.log()]
    assert [edit.record() for edit in read_log(steering.path)] == log


def test_questions_of_a_run_and_their_answers_as_edits(tmp_path: Path) -> None:
    found = stored(k=5, organize="MDC(runs=3, restarts=1)")
    steering = Steering(found.run)
    question = steering.question()
    assert question.members
    first = steering.ids[question.members[0]]
    state = steering.answer(question, "together")
    one, other = question.members
    assert state.labels[one] == state.labels[other]
    assert steering.edits()[-1].members[0] == first
    assert len(steering.hints().known) > 2  # those who are always grouped alike are labeled too
    assert steering.question().members != question.members
    left = steering.question()
    steering.answer(left, None)
    assert steering.question().members != left.members
    refitted = steering.refit()
    assert refitted.labels[one] == refitted.labels[other]
    assert not any("kept together" in group.name for group in refitted.findings.groups)


def test_questions_of_a_run_of_a_table() -> None:
    import coterie

    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(c, 1.0, size=(25, 2)) for c in (0, 2.5, 6)])
    found = coterie.explore(points, k=3, nulls=0, store=True)
    question = Steering(found.run).question()
    assert question.sentence


def test_notes_have_the_topics_they_say() -> None:
    assert len(notes()) == 30
