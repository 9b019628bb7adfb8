"""Why members are alike by what they share, the rarest first, and what holds a group together."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Cooccurrence
from coterie.core.errors import DataError
from coterie.core.findings import Group
from coterie.core.links import Links
from coterie.workflows.reasons import in_common, of_group

IDS = ["a", "b", "c", "d"]
WORDS = np.array([[2, 1, 0], [1, 3, 0], [1, 0, 1], [1, 0, 2]])
PEOPLE = np.array([[1, 0], [0, 1], [0, 1], [0, 1]])
LINKS = Links(
    {
        ("members", "words"): Cooccurrence(WORDS, IDS, ["common", "rare", "other"]),
        ("members", "people"): Cooccurrence(PEOPLE, IDS, ["ann", "bob"]),
    }
)
LABELS = np.array([0, 0, 1, 1])
TWO = [Group(g, name, 2, 1.0, (), ()) for g, name in enumerate(("first", "second"))]


def test_the_rarest_comes_first() -> None:
    assert in_common(LINKS, [0, 1], LABELS, TWO) == [
        "a and b are in one group: first.",
        "They share words: rare (in 2 of 4), common (in 4 of 4).",
        "They share none of their people.",
    ]


def test_members_of_several_groups() -> None:
    said = in_common(LINKS, [1, 2, 3], LABELS, TWO)
    assert said[0] == "These 3 members are in 2 groups: first; second."
    assert said[2] == "They share people: bob (in 3 of 4)."


def test_one_member_alone_is_refused() -> None:
    with pytest.raises(DataError, match="Name two different members"):
        in_common(LINKS, [1, 1], LABELS, TWO)


def test_a_group_by_what_it_has_more_often() -> None:
    said = of_group(LINKS, 0, LABELS, TWO)
    assert said[0].startswith("The 2 members of 'first' go together")
    assert "rare (100% against 50%)" in said[1]
    assert "ann (50% against 25%)" in said[2]
    assert "other" not in said[1]
