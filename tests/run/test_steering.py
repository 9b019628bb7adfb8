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


def test_a_lock_is_taken_off_and_teaches_nothing_then(steering: Steering) -> None:
    law = number_of(steering, "law0-0")
    steering.lock(law)
    with pytest.raises(DataError, match="unlock it"):
        steering.move("law0-0", 0)
    steering.unlock(law)
    steering.move("law0-0", 0)
    assert number_of(steering, "law0-0") == 0
    assert Steering(steering.run).state.locked == frozenset()
    assert not len(steering.hints().known)


def test_of_two_that_belong_apart_none_is_thrown_out_while_there_are_other_groups(
    steering: Steering,
) -> None:
    law = number_of(steering, "law0-0")
    steering.apart("law0-0", "law0-1")
    assert number_of(steering, "law0-1") not in (law, 0)


def test_undo_of_all_edits_gives_back_the_first_groups_and_the_log_keeps_all(
    steering: Steering,
) -> None:
    first = steering.labels.tolist()
    written = (steering.run.path / "labels.csv").read_bytes()
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


@pytest.mark.parametrize("cut", range(2, 40, 6))
def test_a_log_torn_by_a_kill_goes_on_with_the_lines_that_were_whole(
    steering: Steering, cut: int
) -> None:
    steering.merge(1, 2)
    whole = steering.path.read_bytes()
    labels = steering.labels.tolist()
    steering.rename(1, "Drinks of the sea")
    torn = steering.path.read_bytes()[:-cut]
    steering.path.write_bytes(torn)
    again = Steering(steering.run)
    assert again.labels.tolist() == labels
    again.lock(3)
    assert again.path.read_bytes() == whole + b'{"edit": "lock", "groups": [3]}\n'


def test_a_line_that_is_no_edit_is_named(steering: Steering) -> None:
    for line, said in (
        ("nonsense", "it is not JSON"),
        ('{"edit": "burn"}', "There is no edit 'burn'"),
    ):
        steering.path.write_text('{"edit": "lock", "groups": [1]}\n' + line + "\n")
        with pytest.raises(StoreError, match=f"Line 2 of .* is no edit .*{said}"):
            Steering(steering.run)


def test_a_last_line_without_an_end_counts_where_it_is_an_edit(steering: Steering) -> None:
    steering.path.write_text('{"edit": "rename", "groups": [1], "name": "by hand"}')
    again = Steering(steering.run)
    assert again.state.names[0] == "by hand"
    assert "by hand" in in_csv(again).values()
    again.lock(3)
    assert [edit.kind for edit in Steering(steering.run).log()] == ["rename", "lock"]
    assert len(steering.path.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        (['{"edit": "undo"}'], 1, "There is nothing to undo"),
        (
            ['{"edit": "merge", "groups": [1, 2]}', '{"edit": "lock", "groups": [2]}'],
            2,
            "There is no group 2 any more",
        ),
        (
            [
                '{"edit": "lock", "groups": [1]}',
                '{"edit": "undo"}',
                '{"edit": "move", "groups": [1], "members": ["x"]}',
            ],
            3,
            "no member",
        ),
    ],
)
def test_a_line_that_does_not_fit_the_run_is_named(
    steering: Steering, lines: list[str], number: int, said: str
) -> None:
    steering.path.write_text("\n".join([*lines, ""]))
    with pytest.raises(
        DataError,
        match=f"Line {number} of .*steering.jsonl does not fit the run .*{said}.*; mend or remove",
    ):
        Steering(steering.run)


def test_an_edit_is_kept_though_its_labels_cannot_be_written(
    steering: Steering, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **named: object) -> None:
        raise StoreError("The disk is full; make room.")

    with monkeypatch.context() as patch:
        patch.setattr("coterie.run.steered.write_text", full)
        with pytest.raises(
            StoreError,
            match=r"The edit is kept, and labels.csv does not show it yet: The disk is full",
        ):
            steering.rename(1, "kept")
    assert steering.state.names[0] == "kept"
    Steering(steering.run)
    assert "kept" in in_csv(steering).values()


def test_a_pair_that_was_overruled_is_no_answer_any_more(steering: Steering) -> None:
    steering.together("tea0-0", "sea0-0")
    steering.apart("tea0-0", "sea0-0")
    assert steering.question().sentence
    steering.together("tea0-1", "tea0-2")
    steering.move("tea0-2", number_of(steering, "law0-0"))
    steering.apart("law0-1", "law0-2", asked=True)
    steering.together("law0-1", "law0-2")
    assert steering.question().sentence
    steering.hints().consistent("test")


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


def test_refit_is_a_new_run_with_the_names_and_the_members_where_they_were_put(
    steering: Steering,
) -> None:
    tea, sea, law = (number_of(steering, f"{topic}0-0") for topic in ("tea", "sea", "law"))
    steering.merge(tea, sea)
    steering.rename(tea, "Drinks")
    steering.lock(law)
    found = steering.refit()
    assert found.run.name != steering.run.name
    assert found.run.request.parent == steering.run.name
    assert len(found.findings.groups) == 2
    names = {group.label: group.name for group in found.findings.groups}
    called = {
        member: names[label]
        for member, label in zip(found.collection.ids, found.labels.tolist(), strict=True)
    }
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
    one = steering.refit()
    other = steering.refit()
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


def test_answers_speak_of_the_groups_as_they_stand_and_of_those_who_were_asked_about() -> None:
    steering = Steering(stored(k=5, organize="MDC(runs=3, restarts=1)").run)
    question = steering.question()
    steering.answer(question, "together")
    one, other = (steering.labels[i] for i in question.members)
    assert one == other
    numbers = [number for number, size in steering.state.sizes.items() if size]
    steering.merge(*numbers[:2])
    hints = steering.hints()
    labels = steering.labels
    assert 0 < len(hints.known) < 30  # nobody is bound to a group who was not asked about
    for group in np.unique(labels):
        assert len({int(label) for label in hints.labels[labels == group] if label >= 0}) <= 1


def test_groups_that_were_united_by_hand_are_not_asked_about(steering: Steering) -> None:
    steering.merge(1, 2)
    asked = steering.question().members
    assert {int(steering.findings.labels[i]) for i in asked} != {0, 1}


def test_a_name_does_not_make_an_answer(
    steering: Steering, monkeypatch: pytest.MonkeyPatch
) -> None:
    steering.rename(1, "asked")
    steering.split(2, name="asked too")
    monkeypatch.setattr(Steering, "_answered", lambda self: pytest.fail("no question was answered"))
    steering.hints()


def test_what_questions_are_made_from_is_made_once(
    steering: Steering, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coterie.run import wondering

    times = []
    real = wondering.found_again
    monkeypatch.setattr(wondering, "found_again", lambda *given: times.append(1) or real(*given))
    steering.question()
    steering.question()
    assert len(times) == 1


def test_questions_of_a_run_of_a_table() -> None:
    import coterie

    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(c, 1.0, size=(25, 2)) for c in (0, 2.5, 6)])
    found = coterie.explore(points, k=3, nulls=0, store=True)
    question = Steering(found.run).question()
    assert question.sentence


def test_notes_have_the_topics_they_say() -> None:
    assert len(notes()) == 30
