"""Edits on groups: what each does at once, what is refused, what is taken back."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.edits import KINDS, UNDO, Edit, applied, effective, holding, undone
from coterie.core.errors import DataError

IDS = ["a", "b", "c", "d", "e", "f"]
LABELS = [0, 0, 1, 1, 2, -1]
NAMES = ["one", "two", "three"]


def after(*edits: Edit) -> list[int]:
    return applied(LABELS, NAMES, edits, IDS).labels.tolist()


def merge(*groups: int) -> Edit:
    return Edit("merge", groups=groups)


def move(members: str, group: int) -> Edit:
    return Edit("move", groups=(group,), members=tuple(members))


def test_nothing_done_changes_nothing() -> None:
    found = applied(LABELS, NAMES, [], IDS)
    assert found.labels.tolist() == LABELS
    assert found.sizes == {1: 2, 2: 2, 3: 1}


def test_merge_keeps_the_number_and_name_of_the_first() -> None:
    found = applied(LABELS, NAMES, [merge(2, 1, 3)], IDS)
    assert found.labels.tolist() == [1, 1, 1, 1, 1, -1]
    assert dict(found.names) == {1: "two"}


def test_split_makes_a_new_group_after_the_last() -> None:
    found = applied(
        LABELS, NAMES, [merge(1, 2), Edit("split", groups=(1, 4), members=("c", "d"))], IDS
    )
    assert found.labels.tolist() == [0, 0, 3, 3, 2, -1]
    assert found.names[3] == "one (4)"


def test_move_also_into_no_group() -> None:
    assert after(move("ae", 2)) == [1, 0, 1, 1, 1, -1]
    assert after(move("a", 0)) == [-1, 0, 1, 1, 2, -1]


def test_together_the_second_joins_the_first_and_the_one_in_no_group_the_other() -> None:
    assert after(Edit("together", members=("a", "c"))) == [0, 0, 0, 1, 2, -1]
    assert after(Edit("together", members=("f", "c"))) == [0, 0, 1, 1, 2, 1]
    assert after(Edit("lock", groups=(2,)), Edit("together", members=("a", "c"))) == [
        1,
        0,
        1,
        1,
        2,
        -1,
    ]


def test_apart_the_second_leaves_only_where_both_are_in_one_group() -> None:
    assert after(Edit("apart", groups=(3,), members=("a", "b"))) == [0, 2, 1, 1, 2, -1]
    assert after(Edit("apart", groups=(0,), members=("a", "b"))) == [0, -1, 1, 1, 2, -1]
    assert after(Edit("apart", groups=(3,), members=("a", "c"))) == LABELS


def test_label_joins_the_group_of_that_name_or_makes_one() -> None:
    assert after(Edit("label", members=("a",), name="TWO")) == [1, 0, 1, 1, 2, -1]
    found = applied(LABELS, NAMES, [Edit("label", members=("a", "f"), name="tea")], IDS)
    assert found.labels.tolist() == [3, 0, 1, 1, 2, 3]
    assert found.names[3] == "tea"


def test_rename_changes_the_name_alone() -> None:
    found = applied(LABELS, NAMES, [Edit("rename", groups=(1,), name=" tea ")], IDS)
    assert found.labels.tolist() == LABELS
    assert found.names[0] == "tea"


def test_an_unlocked_group_may_be_changed_again_and_the_unlock_be_undone() -> None:
    lock = Edit("lock", groups=(1,))
    unlock = Edit("unlock", groups=(1,))
    assert after(lock, unlock, move("a", 2)) == [1, 0, 1, 1, 2, -1]
    assert applied(LABELS, NAMES, [lock, unlock], IDS).locked == frozenset()
    with pytest.raises(DataError, match="which is locked; unlock it"):
        after(lock, unlock, Edit(UNDO), move("a", 2))
    assert unlock.sentence() == "group 1 unlocked"


def test_undo_takes_back_one_after_the_other() -> None:
    undo = Edit(UNDO)
    assert after(merge(1, 2), move("e", 1), undo) == [0, 0, 0, 0, 2, -1]
    assert after(merge(1, 2), move("e", 1), undo, undo) == LABELS
    assert [e.kind for e in effective([merge(1, 2), undo, move("a", 2)])] == ["move"]


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([merge(1, 4)], "There is no group 4; there are 1, 2, 3."),
        ([merge(1, 2), move("a", 2)], "There is no group 2 any more; there are 1, 3."),
        ([merge(1, 1)], "A group cannot be united with itself: 1, 1."),
        (
            [Edit("lock", groups=(2,)), merge(1, 2)],
            "Group 2 is locked; unite the other way round (merge 2 1), or unlock it.",
        ),
        (
            [Edit("lock", groups=(1,)), move("a", 2)],
            "'a' is in group 1, which is locked; unlock it before you take it out.",
        ),
        ([Edit("lock", groups=(1,)), Edit("lock", groups=(1,))], "Group 1 is locked already."),
        ([Edit("unlock", groups=(1,))], "Group 1 is not locked."),
        ([Edit("unlock", groups=(9,))], "There is no group 9; there are 1, 2, 3."),
        ([move("x", 1)], "There is no member 'x'."),
        ([move("a", 1)], "'a' is in group 1 already."),
        ([Edit("split", groups=(1, 4), members=("a", "b"))], "Group 1 has no member besides these"),
        (
            [Edit("split", groups=(1, 4), members=("c",))],
            "'c' is not in group 1, which was to be split.",
        ),
        (
            [Edit("split", groups=(1, 9), members=("a",))],
            "The new group would be number 4, and was to be 9.",
        ),
        (
            [Edit("rename", groups=(1,), name="Two")],
            "Group 2 is called 'two' already; to unite the two, say: merge 2 1",
        ),
        ([Edit(UNDO)], "There is nothing to undo."),
        (
            [
                Edit("lock", groups=(1,)),
                Edit("lock", groups=(2,)),
                Edit("together", members=("a", "c")),
            ],
            "'a' and 'c' are in groups 1 and 2, both locked.",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(edits: list[Edit], said: str) -> None:
    with pytest.raises(DataError) as error:
        after(*edits)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        {"edit": "burn"},
        {"edit": "merge", "groups": [1]},
        {"edit": "move", "groups": [1]},
        {"edit": "merge", "groups": [1, "2"]},
        {"edit": "merge", "groups": [True, 2]},
        {"edit": "together", "members": ["a", "a"]},
        {"edit": "rename", "groups": [1], "name": " "},
        {"edit": "move", "groups": [-1], "members": ["a"]},
    ],
)
def test_records_that_are_no_edits_are_refused(record: object) -> None:
    with pytest.raises(DataError):
        Edit.of(record)


def test_records_go_there_and_back() -> None:
    for kind in KINDS:
        edit = Edit(kind, groups=(1, 2), members=("a", "b"), name="n")
        assert Edit.of(edit.record()) == edit
        assert edit.sentence()


def test_a_locked_group_may_gain_and_labels_given_are_not_changed_in_place() -> None:
    labels = np.array(LABELS)
    found = applied(labels, NAMES, [Edit("lock", groups=(1,)), move("c", 1), merge(1, 3)], IDS)
    assert found.labels.tolist() == [0, 0, 0, 1, 0, -1]
    assert labels.tolist() == LABELS


@pytest.mark.parametrize(
    "record",
    [
        {"edit": "merge", "groups": 5},
        {"edit": "move", "groups": [1], "members": 5},
        {"edit": "move", "groups": [1], "members": "sea1-0"},
        {"edit": "rename", "groups": [1], "name": None},
        {"edit": "rename", "groups": [1], "name": 3},
    ],
)
def test_a_record_of_other_types_is_one_sentence(record: dict[str, object]) -> None:
    with pytest.raises(
        DataError,
        match="Groups of an edit are a list of numbers, members a list of ids and its name is text",
    ):
        Edit.of(record)


def test_what_every_undo_took_back() -> None:
    edits = [Edit("lock", groups=(1,)), Edit("lock", groups=(2,)), Edit("undo"), Edit("undo")]
    assert {at: edit.groups for at, edit in undone(edits).items()} == {2: (2,), 3: (1,)}
    assert holding(edits[:3]) == [(0, edits[0])]
    assert Edit("merge", groups=(1, 2, 3)).sentence() == "groups 2 and 3 united into group 1"
