"""Addresses: who a mail header names, in one spelling, with their display names; and the addresses of mailing lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.utils import getaddresses

_ADDRESS = re.compile(r"[^\s<>()\[\]\",;:@\\]{1,100}@[\w-]+(?:\.[\w-]+)*")
_QUOTED_NAME = re.compile(r'"(?:[^"\\]|\\.){0,200}"(?!@)|\((?:[^()\\]|\\.){0,200}\)')
_NOBODY = re.compile(
    r"(?:undisclosed|unlisted|unspecified|suppressed|hidden)(?:[-_. ]?(?:recipients?|lists?|addressees?|senders?)(?:[-_. ].*)?)?"
    r"|recipients?[-_. ]lists?(?:[-_. ](?:not[-_. ]shown|suppressed|undisclosed).*)?"
)
_ENCODED = re.compile(
    r"^imcea\w*-(.+)@[^@]+$"
)  # an address of another system, as Exchange writes it
_DIRECTORY = re.compile(r"/cn=([\w.+ -]{1,60}?)\s*(?=[>,;/]|$)", re.IGNORECASE)
_LIST_ID = re.compile(r"<([\w-]+)\.([\w-]+(?:\.[\w-]+)+)>")
_LONGEST = 20_000  # characters of a header that display names are looked for in


def addresses(header: str) -> list[str]:
    """The addresses of a decoded header, in lower case and without display names; a bare local name is kept.

    "Undisclosed recipients" and the like are nobody.

    >>> addresses('"Smith, Ann" <Ann+list@Example.org>, mailto:bob@example.org')
    ['ann+list@example.org', 'bob@example.org']
    """
    bare = re.sub(r"mailto:", " ", _QUOTED_NAME.sub(" ", header), flags=re.IGNORECASE)
    found = _ADDRESS.findall(bare)
    if not found and "@" in header:  # an address that stands in quotes or in a comment
        found = _ADDRESS.findall(header)
    if (
        not found and "/cn=" in header.lower()
    ):  # a directory of Exchange: the last name is the person
        found = [names[-1] for part in header.split(">") if (names := _DIRECTORY.findall(part))]
    if not found and re.fullmatch(r"[\w.+-]+", header.strip()):
        found = [header]
    spelled = (_spelled(address) for address in found)
    return list(
        dict.fromkeys(
            a
            for a in spelled
            if a and not a.startswith("@") and not _NOBODY.fullmatch(a.split("@")[0])
        )
    )


def _spelled(address: str) -> str:
    """An address in one spelling."""
    low = address.strip().strip("'`.").lower()
    encoded = _ENCODED.match(low)
    if encoded is None:
        return low
    read = re.sub(r"\+([0-9a-f]{2})", lambda code: chr(int(code.group(1), 16)), encoded.group(1))
    inside = _ADDRESS.findall(read)
    return inside[-1].strip("'`.") if inside else low


def display_names(header: str) -> dict[str, str]:
    """The name written beside each address of a decoded header, where there is one.

    >>> display_names('"Smith, Ann" <Ann@Example.org>, bob@example.org')
    {'ann@example.org': 'Smith, Ann'}
    """
    try:
        pairs = getaddresses([header[:_LONGEST]])
    except (
        ValueError,
        TypeError,
        IndexError,
        AttributeError,
        RecursionError,
    ):  # its parser gives up on some broken headers
        return {}
    return {
        _spelled(address): name
        for name, address in pairs
        if name.strip() and "@" in address and "@" not in name
    }


def list_addresses(headers: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The addresses of the mailing lists a message came through, from the headers that list managers write."""
    found: dict[str, None] = {}
    for name in (
        "list-post",
        "x-beenthere",
        "x-mailing-list",
        "mailing-list",
        "delivered-to",
        "list-id",
    ):
        for value in headers.get(name, ()):
            told = value.lower()
            if name == "list-id":
                found |= {f"{who}@{where}": None for who, where in _LIST_ID.findall(told)}
            elif name == "mailing-list":  # "list NAME@HOST; contact OWNER@HOST"
                found |= dict.fromkeys(re.findall(r"\blist\s+([^\s;,]+@[^\s;,]+)", told))
            elif name != "delivered-to" or "mailing list" in told:
                found |= dict.fromkeys(addresses(told.replace("mailing list", " ")))
    return tuple(found)
