"""Small pieces of sentences: counts with their nouns, names in a row."""

from __future__ import annotations

from collections.abc import Sequence

from coterie.core.findings import Naming


def count_groups(k: int) -> str:
    """A number of groups.

    >>> count_groups(1), count_groups(3)
    ('1 group', '3 groups')
    """
    return "1 group" if k == 1 else f"{k} groups"


def count_things(count: int, one: str, more: str = "") -> str:
    """A number of things.

    >>> count_things(1, "value"), count_things(2000, "category", "categories")
    ('1 value', '2,000 categories')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def singular(plural: str) -> str:
    """The singular of what members are called: texts, rows, recordings.

    >>> singular("messages")
    'message'
    """
    return plural.removesuffix("s")


def join_names(names: Sequence[str]) -> str:
    """Names in a row.

    >>> join_names(["en"]), join_names(["en", "de", "fr"])
    ('en', 'en, de and fr')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_name(naming: Naming, label: int) -> str:
    """The name of a group, from what it is made of and its number from 0.

    >>> write_name(Naming("traits", ("alcohol low", "hue high")), 0), write_name(Naming(), 2)
    ('alcohol low, hue high', 'group 3')
    """
    if naming.by == "exemplar":
        return f"like {naming.parts[0]}"
    return ", ".join(naming.parts) or f"group {label + 1}"
