"""One correspondent for the many addresses of one person, and never one for two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import Collection, Cooccurrence
from coterie.collect.people import as_known, bare, full_name, one_each, written

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
    assert [
        bare(a) for a in ("k+dated+1.a@x", "k-dated-10.ab@x", "n#3.4@x", "k-ann@x", "root")
    ] == [
        "k@x",
        "k@x",
        "n@x",
        "k-ann@x",
        "root",
    ]


def test_a_single_tagged_address_stays_and_several_are_one() -> None:
    assert one_each([[("", "jo+x@y")]]) == {"jo+x@y": "jo+x@y"}
    assert set(one_each([[("", "jo+x@y")], [("", "jo+z@y")]]).values()) == {"jo@y"}
    assert one_each([[("", "jo+x@y")], [("", "jo@y")], [("", "jo@z")]]) == {
        "jo+x@y": "jo@y",
        "jo@y": "jo@y",
        "jo@z": "jo@z",
    }


def test_a_full_name_joins_and_a_first_name_does_not() -> None:
    mails = [
        [("Ann Hill", "ann@x"), ("Bob", "bob@x")],
        [("Hill, Ann", "ah@y"), ("Bob", "bob@y")],
        [("", "ah@y")],
    ]
    assert one_each(mails) == {"ann@x": "ah@y", "bob@x": "bob@x", "ah@y": "ah@y", "bob@y": "bob@y"}


def test_an_address_of_two_people_joins_neither() -> None:
    mails = [
        [("Ann Hill", "ann@x")],
        [("Bob Ray", "ann@x")],
        [("Bob Ray", "bob@y")],
        [("Ann Hill", "hill@z")],
    ]
    assert all(called == address for address, called in one_each(mails).items())
    assert (
        one_each([*mails, [("Hill, Ann", "ah@w")]])["ah@w"] == "ah@w"
    )  # as often as hill@z, and first by name
    assert one_each([*mails, [("Hill, Ann", "ah@w")]])["hill@z"] == "ah@w"


@pytest.mark.parametrize(
    "name",
    [
        "Customer Service",
        "Mailing List",
        "No Reply",
        "Do-Not-Reply Service",
        "The Support Team",
        "Newsletter, Office",
    ],
)
def test_names_of_roles_join_nobody(name: str) -> None:
    assert len(set(one_each([[(name, "cs@bank.com")], [(name, "help@shop.com")]]).values())) == 2


def test_a_role_in_a_name_of_its_own_joins() -> None:
    assert (
        len(
            set(
                one_each(
                    [[("Acme Support", "a@acme.com")], [("Acme Support", "b@acme.com")]]
                ).values()
            )
        )
        == 1
    )
    assert (
        len(set(one_each([[("Friedrich List", "a@x")], [("List, Friedrich", "b@y")]]).values()))
        == 1
    )


def test_a_name_on_many_hosts_is_that_of_many() -> None:
    mails = [[("John Smith", f"john@{host}")] for host in "abcd"]
    assert len(set(one_each(mails[:3]).values())) == 1
    assert len(set(one_each(mails).values())) == 4
    assert (
        len(set(one_each([*mails[:3], [("John Smith", "js@a")]]).values())) == 1
    )  # four addresses, three hosts
    both = [*mails[:3], [("John Smith", "we@d")], [("Ann Hill", "we@d")]]
    assert len(set(one_each(both).values())) == 4  # hosts of shared addresses count


def test_shared_addresses_and_lists_join_nobody() -> None:
    feed = [[(name, "feed@x")] for name in ("Red News", "Blue News", "Green News")]
    own = [[(name, f"{name[0]}@y")] for name in ("Red News", "Blue News", "Green News")]
    assert len(set(one_each([*feed, *own]).values())) == 4
    listed = [[("Ann Hill", "list@x")], [("Ann Hill", "ann@y")]]
    assert len(set(one_each(listed, {"list@x"}).values())) == 2
    assert len(set(one_each(listed).values())) == 1


@given(st.lists(st.lists(NAMED, max_size=4), max_size=8))
def test_naming_twice_changes_nothing_and_order_does_not_matter(
    mails: list[list[tuple[str, str]]],
) -> None:
    called = one_each(mails)
    assert called.keys() == {address for mail in mails for _, address in mail}
    assert one_each(list(reversed(mails))) == called
    again = one_each([[(name, called[address]) for name, address in mail] for mail in mails])
    assert all(again[name] == name for name in set(called.values()))


def mail(people: list[list[str]], addresses: list[str] | None = None) -> Collection:
    ids = [f"m{i}" for i in range(len(people))]
    table = Cooccurrence.of(
        [(i, name, 1.0) for i, names in enumerate(people) for name in names], ids
    )
    return Collection(
        ids,
        {},
        {("members", "correspondents"): table},
        cards={"addresses": addresses} if addresses else {},
    )


def people_of(found: Collection) -> list[list[str]]:
    table = found.links["members", "correspondents"]
    return [
        [table.cols[j] for j in sorted(row.indices)]
        for row in (table.counts[[i]] for i in range(len(found)))
    ]


OLD = mail(
    [["ann@x", "bob@x"], ["ann@x"], ["bob@x"]], ["", "ah@y = ann@x", "b1@z = bob@x, b2@z = bob@x"]
)


def test_new_mail_names_people_as_they_are_known() -> None:
    new = mail([["ah@y"], ["ah@y", "ann@x"], ["b2@z", "cy@x"], ["bob+news@x"], ["cy@x"]])
    found = as_known(new, OLD)
    assert people_of(found) == [["ann@x"], ["ann@x"], ["bob@x", "cy@x"], ["bob@x"], ["cy@x"]]
    assert (
        found.links["members", "correspondents"].counts.max() == 1
    )  # one who writes by two addresses is there once
    assert found.ids == new.ids


def test_people_joined_in_new_mail_are_known_by_any_of_their_addresses() -> None:
    new = mail([["hill@z"], ["hill@z"]], ["ah@y = hill@z", ""])
    assert people_of(as_known(new, OLD)) == [["ann@x"], ["ann@x"]]
    both = mail(
        [["bob@x"], ["bob@x"]], ["ah@y = bob@x", ""]
    )  # who has a name in the old mail keeps it
    assert people_of(as_known(both, OLD)) == [["bob@x"], ["bob@x"]]


def test_nothing_to_rename_is_the_same_mail() -> None:
    new = mail([["ann@x"], ["cy@x"]])
    assert as_known(new, OLD) is new
    other = Collection(["a"], {}, {("members", "words"): Cooccurrence.of([(0, "w", 1.0)], ["a"])})
    assert as_known(other, OLD) is other
    assert as_known(new, other) is new


def test_a_card_says_who_is_called_by_another_address() -> None:
    called = {"a b": "a@x", "c=d@y": "c@y", "e@z": "e@z"}
    told = written(["a b", "c=d@y", "e@z", "f@z"], called)
    assert told == "a b = a@x, c=d@y = c@y"
    assert people_of(
        as_known(mail([["a b"], ["c=d@y"]]), mail([["a@x"], ["c@y"]], [told, ""]))
    ) == [["a@x"], ["c@y"]]
