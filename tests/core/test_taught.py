"""What edits teach: the pairs and labels of each, and that they are true of the groups after all edits."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Hints
from coterie.core.edits import UNDO, Edit, applied
from coterie.core.taught import beside, hints_of

IDS = [f"m{i}" for i in range(9)]
LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
SURE = np.array([0.1, 0.9, 0.5, 0.2, 0.8, 0.3, 0.9, 0.1, 0.2])
NAMES = ["one", "two", "three"]


def hints(*edits: Edit, anchors: int = 1) -> Hints:
    return hints_of(edits, LABELS, SURE, IDS, NAMES, anchors)


def test_no_edits_teach_nothing() -> None:
    assert not hints()
    assert not hints(Edit("rename", groups=(1,), name="tea"))
    assert not hints(Edit("merge", groups=(1, 2)), Edit(UNDO))


def test_merge_puts_the_surest_of_both_together() -> None:
    assert hints(Edit("merge", groups=(1, 2))).together.tolist() == [[1, 4]]
    assert hints(Edit("merge", groups=(1, 2)), anchors=2).together.tolist() == [
        [1, 2],
        [2, 4],
        [4, 5],
    ]


def test_split_keeps_the_halves_apart() -> None:
    found = hints(Edit("split", groups=(1, 4), members=("m0", "m2")), anchors=2)
    assert found.apart.tolist() == [[1, 2]]
    assert found.together.tolist() == [[0, 2]]


def test_a_moved_member_is_with_the_new_group_and_apart_from_the_old() -> None:
    found = hints(Edit("move", groups=(2,), members=("m1",)))
    assert found.together.tolist() == [[1, 4]]
    assert found.apart.tolist() == [[1, 2]]
    out = hints(Edit("move", groups=(0,), members=("m1",)))
    assert out.together.tolist() == []
    assert out.apart.tolist() == [[1, 2]]


def test_a_locked_group_is_labeled_together_and_apart_from_others() -> None:
    found = hints(Edit("rename", groups=(3,), name="tea"), Edit("lock", groups=(3,)))
    assert found.known.tolist() == [6, 7, 8]
    assert found.names == ("tea",)
    assert found.together.tolist() == [[6, 7], [7, 8]]
    assert found.apart.tolist() == [[1, 6], [4, 6]]


def test_pairs_and_labels_are_what_they_say() -> None:
    assert hints(Edit("together", members=("m0", "m8"))).together.tolist() == [[0, 8]]
    assert hints(Edit("apart", groups=(2,), members=("m0", "m1"))).apart.tolist() == [[0, 1]]
    found = hints(Edit("label", members=("m0", "m8"), name="tea"))
    assert found.known.tolist() == [0, 8]
    assert found.names == ("tea",)
    assert [0, 8] in found.together.tolist()


def test_a_later_edit_overrules_an_earlier_one() -> None:
    found = hints(Edit("move", groups=(2,), members=("m1",)), Edit("merge", groups=(1, 2)))
    assert found.apart.tolist() == []
    found = hints(
        Edit("together", members=("m0", "m8")), Edit("move", groups=(3,), members=("m8",))
    )
    assert [0, 8] not in found.together.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_hints_of_any_edits_are_true_of_the_groups_after_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edits: list[Edit] = []
    while len(edits) < 12:
        state = applied(LABELS, NAMES, edits, IDS)
        a, b = (IDS[i] for i in rng.choice(9, 2, replace=False))
        numbers = [g + 1 for g in state.names]
        g, h = (int(x) for x in rng.choice(numbers, 2))
        edit = [
            Edit("merge", groups=(g, h))
            if g != h and len(numbers) > 2
            else Edit("rename", groups=(g,), name=f"n{len(edits)}"),
            Edit("split", groups=(g, state.last + 1), members=(a,)),
            Edit("move", groups=(h,), members=(a,)),
            Edit("together", members=(a, b)),
            Edit("apart", groups=(0,), members=(a, b)),
            Edit("lock", groups=(g,)),
            Edit("label", members=(a,), name=f"l{rng.integers(3)}"),
        ][rng.integers(7)]
        try:
            applied(LABELS, NAMES, [*edits, edit], IDS)
        except Exception:  # refused: not part of the log
            continue
        edits.append(edit)
    state = applied(LABELS, NAMES, edits, IDS)
    found = hints_of(edits, LABELS, SURE, IDS, NAMES, 2)
    assert not len(found.broken(state.labels))
    found.consistent("test", IDS)
    assert all(
        found.names[found.labels[i]] == state.names[int(state.labels[i])] for i in found.known
    )


def test_older_hints_stay_beside_where_they_are_still_true() -> None:
    old = Hints.of(9, {0: "tea", 4: "sea", 8: "law"}, together=[(3, 4)], apart=[(0, 3), (6, 8)])
    new = hints(Edit("merge", groups=(1, 2)))
    groups = applied(LABELS, NAMES, [Edit("merge", groups=(1, 2))], IDS).labels
    found = beside(new, old, groups)
    assert found.together.tolist() == [[1, 4], [3, 4]]
    assert found.apart.tolist() == []
    assert [found.names[found.labels[i]] for i in found.known] == ["tea", "sea", "law"]
    found.consistent("test")


def test_of_members_together_a_new_label_wins() -> None:
    old = Hints.of(9, {0: "tea", 4: "sea"})
    new = Hints.of(9, {1: "law"}, together=[(0, 1), (1, 4)])
    found = beside(new, old, np.zeros(9, dtype=np.int64))
    assert [found.names[found.labels[i]] for i in found.known] == ["law", "law", "law"]
    assert beside(new, None, LABELS) is new


def test_pairs_of_members_in_no_group_are_kept_until_another_is_said() -> None:
    ids = list("abcdef")
    none = [-1] * 4
    pair = [Edit("together", members=("a", "b")), Edit("apart", groups=(0,), members=("c", "d"))]
    found = hints_of(pair, [*none, 0, 1], np.ones(6), ids, ["x", "y"])
    assert found.together.tolist() == [[0, 1]]
    assert found.apart.tolist() == [[2, 3]]
    later = [
        *pair,
        Edit("apart", groups=(0,), members=("b", "a")),
        Edit("together", members=("c", "a")),
    ]
    found = hints_of(later, [*none, 0, 1], np.ones(6), ids, ["x", "y"])
    assert found.together.tolist() == [[0, 2]]
    assert found.apart.tolist() == [[0, 1], [2, 3]]
    crossed = [
        Edit("apart", groups=(0,), members=("a", "c")),
        Edit("together", members=("a", "b")),
        Edit("together", members=("b", "c")),
    ]
    found = hints_of(crossed, [*none, 0, 1], np.ones(6), ids, ["x", "y"]).consistent("test")
    assert found.together.tolist() == [[0, 1], [1, 2]]  # the later ones


def test_older_pairs_of_members_in_no_group_stay_where_nothing_new_is_said_of_them() -> None:
    labels = np.full(6, -1)
    old = Hints.of(6, together=[(0, 1), (2, 3)], apart=[(4, 5)])
    new = Hints.of(6, apart=[(2, 3)])
    found = beside(new, old, labels).consistent("test")
    assert found.together.tolist() == [[0, 1]]
    assert found.apart.tolist() == [[2, 3], [4, 5]]
