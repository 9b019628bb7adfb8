"""People: the many addresses of one correspondent brought together, by tags in the address and by full names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection as Some
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coterie.core.collection import Collection
from coterie.core.links import Cooccurrence

ADDRESSES = (
    "addresses"  # the card that says by which other addresses the people of a message were written
)
_PEOPLE = ("members", "correspondents")
_TAIL = re.compile(
    r"(?:\+.*|-dated-[\d.].*|#\d.*|=.*)$"
)  # what machines add to the name of a mailbox
_HOSTS = 3  # a full name on more hosts than this is the name of many
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_OF_ROLES = """
account accounts admin administrator administration advisor agent alert alerts and announce announcement announcements
assistance auto automatic automated billing board bot bounce bounces bulletin care center centre client clients committee
company contact contacts corporate customer customers daemon delivery department desk digest digests director do donotreply
editor editorial editors email enquiries events feed feedback for forum friend general group groups guest hello help
helpdesk hostmaster hr human info information inquiries internal it list lists listserv local mail mailbox mailer mailing
maintainer maintainers management manager marketing master me member members membership message messages moderator
moderators my news newsletter newsletters no nobody noreply not notice notification notifications notifier offer offers
office offline on online operations operator order orders our owner payable payments postmaster press public purchasing
reception recipient recipients registration relations reminder replies reply report reports request requests reservations
resources response robot root sales secretary security sender server service services shipping shop special staff
subscriber subscribers subscription subscriptions subsystem support survey system systems team tech technical the to
undisclosed unknown update updates user users web webmaster website welcome you your
"""
_ROLES = frozenset(_OF_ROLES.split())

Named = tuple[str, str]  # the name beside an address (may be empty), the address


def one_each(messages: Iterable[Iterable[Named]], lists: Some[str] = ()) -> dict[str, str]:
    """What to call every address, so that each person has one: the address itself, or that of the same person.

    Two addresses are of one person when they differ only by what follows a plus sign (or another mark of machines), or
    when both are written with one full name of two words or more, and never with another. Who has two full names is shared
    and joins nobody; nor do the addresses of mailing lists (`lists`), nor names that anybody can have: those made of words
    such as "service", "list" or "no reply", and those on more than three hosts.

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


def _of_a_role(name: str) -> bool:
    return all(word in _ROLES or len(word) < 2 for word in re.split(r"[ '’-]", name))


def _by_name(
    often: Mapping[str, int], names: Mapping[str, set[str]], tied: Mapping[str, str]
) -> dict[str, str]:
    """Addresses whose owners have one full name and the same, called by the most frequent of them."""
    weight: Counter[str] = Counter()
    hosts: defaultdict[str, set[str]] = defaultdict(set)
    for address, form in tied.items():
        weight[form] += often[address]
    for address, known in names.items():
        for name in known:
            hosts[name].add(address.rpartition("@")[2])
    best: dict[str, str] = {}
    called: dict[str, str] = {}
    for form in sorted(weight, key=lambda form: (-weight[form], form)):
        name = next(iter(known)) if len(known := names.get(bare(form), set())) == 1 else ""
        own = bool(name) and len(hosts[name]) <= _HOSTS and not _of_a_role(name)
        called[form] = best.setdefault(name, form) if own else form
    return {address: called[form] for address, form in tied.items()}


def written(correspondents: Sequence[str], called: Mapping[str, str]) -> str:
    """For the card of a message: the addresses in it that stand for people who are called by another.

    >>> written(["bob@x.org", "ah@y.org"], {"ah@y.org": "ann@x.org"})
    'ah@y.org = ann@x.org'
    """
    return ", ".join(
        f"{address} = {called[address]}"
        for address in correspondents
        if called.get(address, address) != address
    )


def read_written(card: str) -> dict[str, str]:
    """What `written` wrote, read again.

    >>> read_written(written(["bob@x.org", "ah@y.org"], {"ah@y.org": "ann@x.org"}))
    {'ah@y.org': 'ann@x.org'}
    """
    pairs = (pair.split(" = ") for pair in card.split(", ") if pair)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[1]}


def as_known(new: Collection, old: Collection) -> Collection:
    """New mail with its people called as in mail that was read before, by all addresses they were written with there."""
    if _PEOPLE not in new.links or _PEOPLE not in old.links:
        return new
    person = _others(old) | {name: name for name in old.links[_PEOPLE].cols}
    table = new.links[_PEOPLE]
    forms = defaultdict[str, list[str]](list)
    for address, name in _others(new).items():
        forms[name].append(address)
    called = []
    for name in table.cols:
        own = [name, *sorted(forms[name])]
        called.append(
            next((person[form] for form in (*own, *map(bare, own)) if form in person), name)
        )
    if called == list(table.cols):
        return new
    rows, cols = table.counts.nonzero()
    met = dict.fromkeys((int(i), called[j]) for i, j in zip(rows, cols, strict=True))
    return replace(
        new,
        links={
            **new.links,
            _PEOPLE: Cooccurrence.of([(i, name, 1.0) for i, name in met], table.rows),
        },
    )


def _others(mail: Collection) -> dict[str, str]:
    """The other addresses of people, and what they are called."""
    cards = mail.cards.get(ADDRESSES, ())
    return {address: name for card in cards for address, name in read_written(card).items()}
