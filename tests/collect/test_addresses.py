"""Addresses of headers in one spelling, their display names, and the lists a message came through."""

from __future__ import annotations

import pytest

from coterie.collect.addresses import addresses, display_names, list_addresses


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("undisclosed-recipients", []),
        ("Undisclosed Recipients: ;", []),
        ("<Undisclosed-Recipient:;@netnote.example>", []),
        ("undisclosed.recipients@x.org", []),
        ("unlisted-recipients:; (no To-header on input)", []),
        ("recipient list not shown: ;", []),
        ("recipient.list@x.org", []),
        (
            "list@x.org, recipient@x.org, hidden-valley@x.org",
            ["list@x.org", "recipient@x.org", "hidden-valley@x.org"],
        ),
        (
            "Hill, Ann </O=FIRM/OU=EU/CN=RECIPIENTS/CN=AHILL>, Bob </O=FIRM/CN=RECIPIENTS/CN=Bob>",
            ["ahill", "bob"],
        ),
        ("IMCEANOTES-Ann+20Hill+20+3Cann+2Ehill+40x+2Eorg+3E@firm.example", ["ann.hill@x.org"]),
        ("IMCEAEX-nothing@firm.example", ["imceaex-nothing@firm.example"]),
        ("\"'ann@x.org'\" <ann@x.org>, 'Bob' <'bob@x.org'>", ["ann@x.org", "bob@x.org"]),
        ("<mailto:Ann@X.org>", ["ann@x.org"]),
        ("", []),
    ],
)
def test_addresses(header: str, expected: list[str]) -> None:
    assert addresses(header) == expected


def test_names_stand_with_their_addresses() -> None:
    assert display_names(
        '"Hill, Ann" <ANN@x.org>, bob@x.org (Bob Low), <c@x.org>, "d@x.org" <d@x.org>'
    ) == {
        "ann@x.org": "Hill, Ann",
        "bob@x.org": "Bob Low",
    }
    assert display_names("(" * 5000) == {}
    assert display_names("") == {}


def test_lists_are_known_by_the_headers_of_their_managers() -> None:
    headers = {
        "list-post": ["<mailto:News@Lists.example>"],
        "list-id": ["Friends of tea <tea.lists.example>"],
        "mailing-list": ["list chess@lists.example; contact chess-owner@lists.example"],
        "delivered-to": ["mailing list go@lists.example", "me@home.example"],
        "x-beenthere": ["tea@lists.example"],
        "to": ["other@lists.example"],
    }
    lists = {f"{name}@lists.example" for name in ("news", "tea", "chess", "go")}
    assert set(list_addresses(headers)) == lists
    assert list_addresses({}) == ()
