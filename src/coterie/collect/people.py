"""People: the many addresses of one correspondent brought together, by tags in the address and by full names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

_TAIL = re.compile(r"(?:\+.*|-dated-[\d.].*|#\d.*|=.*)$")  # what machines add to the name of a mailbox
_SHARED = 2  # an address with more full names than this belongs to many
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

Named = tuple[str, str]  # the name beside an address (may be empty), the address


def one_each(messages: Iterable[Iterable[Named]], lists: Collection[str] = ()) -> dict[str, str]:
    """What to call every address, so that each person has one: the address itself, or that of the same person.

    Two addresses are of one person when they differ only by what follows a plus sign (or another mark of machines), or
    when both are written with the same full name of two words or more. An address that stands with three full names or
    more is shared, and joins nobody; nor do the addresses of mailing lists (`lists`).

    >>> one_each([[("Ann Hill", "ann@x.org")], [("", "ann+news@x.org")], [("Hill, Ann", "ah@y.org")], [("", "ann@x.org")]])
    {'ann@x.org': 'ann@x.org', 'ann+news@x.org': 'ann@x.org', 'ah@y.org': 'ann@x.org'}
    """
    often: Counter[str] = Counter()
    names: defaultdict[str, set[str]] = defaultdict(set)
    for message in messages:
        for name, address in message:
            often[address] += 1
            full = full_name(name)
            if full and address not in lists:
                names[bare(address)].add(full)
    return _by_name(often, names, _by_tail(often))


def full_name(name: str) -> str:
    """A display name in one spelling, or nothing where it is not the full name of somebody.

    >>> full_name("Hill, Ann B."), full_name("Ann HILL (work)"), full_name("Ann"), full_name("Ann Hill via News")
    ('ann hill', 'ann hill', '', '')
    """
    plain = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", name).casefold().strip(" \"'")
    if "@" in plain or re.search(r"\bvia\b", plain):
        return ""
    last, comma, first = plain.partition(",")
    words = [word for word in _WORD.findall(f"{first} {last}" if comma else plain) if len(word) > 1]
    return " ".join(words) if len(words) > 1 else ""


def bare(address: str) -> str:
    """An address without what machines add to it.

    >>> bare("ann+dated+1029.6bcd@x.org"), bare("ann@x.org"), bare("+@x.org")
    ('ann@x.org', 'ann@x.org', '+@x.org')
    """
    local, at, host = address.partition("@")
    kept = _TAIL.sub("", local)
    return f"{kept}{at}{host}" if kept and at else address


def _by_tail(often: Mapping[str, int]) -> dict[str, str]:
    """Addresses by their bare form where that form is there itself or stands for several; a single one stays as it is."""
    forms = Counter(bare(address) for address in often)
    return {a: form if forms[form := bare(a)] > 1 or form in often else a for a in often}


def _by_name(often: Mapping[str, int], names: Mapping[str, set[str]], tied: Mapping[str, str]) -> dict[str, str]:
    """Addresses whose owners have one full name, called by the most frequent of them."""
    weight: Counter[str] = Counter()
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for address, form in tied.items():
        weight[form] += often[address]
    for form in weight:
        known = names.get(bare(form), set())
        if 0 < len(known) <= _SHARED:
            for name in known:
                owners[name].append(form)
    chief: dict[str, str] = {}

    def find(form: str) -> str:
        while form in chief:
            form = chief[form]
        return form

    for name in sorted(owners):
        found = sorted({find(form) for form in owners[name]}, key=lambda form: (-weight[form], form))
        chief |= dict.fromkeys(found[1:], found[0])
    heads = {form: find(form) for form in weight}
    best: dict[str, str] = {}
    for form in sorted(weight, key=lambda form: (-weight[form], form)):
        best.setdefault(heads[form], form)
    return {address: best[heads[form]] for address, form in tied.items()}
