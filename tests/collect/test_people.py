"""One correspondent for the many addresses of one person, and never one for two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.collect.people import bare, full_name, one_each

NAMED = st.tuples(
    st.sampled_from(["", "Ann Hill", "Bob Low", "Hill, Ann", "Ann"]),
    st.sampled_from(["a@x", "a+1@x", "a+2@x", "b@x", "b@y", "c@z", "c-dated-1.2@z"]),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ann Hill", "ann hill"),
        ('"HILL, Ann B."', "ann hill"),
        ("Ann Hill (work) [news]", "ann hill"),
        ("Zoë O'Neil-Smith", "zoë o'neil-smith"),
        ("Ann", ""),
        ("A. B.", ""),
        ("ann@x.org", ""),
        ("Ann Hill via Friends", ""),
        ("", ""),
    ],
)
def test_full_names(name: str, expected: str) -> None:
    assert full_name(name) == expected


def test_tails_that_machines_add() -> None:
    assert [bare(a) for a in ("k+dated+1.a@x", "k-dated-10.ab@x", "n#3.4@x", "k-ann@x", "root")] == [
        "k@x",
        "k@x",
        "n@x",
        "k-ann@x",
        "root",
    ]


def test_a_single_tagged_address_stays_and_several_are_one() -> None:
    assert one_each([[("", "jo+x@y")]]) == {"jo+x@y": "jo+x@y"}
    assert set(one_each([[("", "jo+x@y")], [("", "jo+z@y")]]).values()) == {"jo@y"}
    assert one_each([[("", "jo+x@y")], [("", "jo@y")], [("", "jo@z")]]) == {"jo+x@y": "jo@y", "jo@y": "jo@y", "jo@z": "jo@z"}


def test_a_full_name_joins_and_a_first_name_does_not() -> None:
    mails = [[("Ann Hill", "ann@x"), ("Bob", "bob@x")], [("Hill, Ann", "ah@y"), ("Bob", "bob@y")], [("", "ah@y")]]
    assert one_each(mails) == {"ann@x": "ah@y", "bob@x": "bob@x", "ah@y": "ah@y", "bob@y": "bob@y"}


def test_shared_addresses_and_lists_join_nobody() -> None:
    feed = [[(name, "feed@x")] for name in ("Red News", "Blue News", "Green News")]
    own = [[(name, f"{name[0]}@y")] for name in ("Red News", "Blue News", "Green News")]
    assert len(set(one_each([*feed, *own]).values())) == 4
    listed = [[("Ann Hill", "list@x")], [("Ann Hill", "ann@y")]]
    assert len(set(one_each(listed, {"list@x"}).values())) == 2
    assert len(set(one_each(listed).values())) == 1


@given(st.lists(st.lists(NAMED, max_size=4), max_size=8))
def test_naming_twice_changes_nothing_and_order_does_not_matter(mails: list[list[tuple[str, str]]]) -> None:
    called = one_each(mails)
    assert called.keys() == {address for mail in mails for _, address in mail}
    assert one_each(list(reversed(mails))) == called
    again = one_each([[(name, called[address]) for name, address in mail] for mail in mails])
    assert all(again[name] == name for name in set(called.values()))
