"""Mail: mbox files, Maildir folders and folders of single messages as a collection with words and correspondents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from os import walk
from pathlib import Path
from typing import BinaryIO

from coterie.collect.message import KNOWN, MOST_BYTES, Mail, parse_message
from coterie.collect.people import ADDRESSES, one_each, written
from coterie.collect.text import (
    SUFFIXES,
    files_of,
    first_folder,
    folders_as_truth,
    left_out,
    printable,
)
from coterie.collect.words import FUNCTION_WORDS, count_names, count_words, words
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.links import Cooccurrence
from coterie.core.text import Text
from coterie.core.workplace import watched, workplace

_OF_MAIL = "http https www com net org html htm mailto re fw fwd aw wg sv"
STOP = FUNCTION_WORDS.union(_OF_MAIL.split())

_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:")
_CLOCK = re.compile(rb"\d{1,2}:\d{2}")
_FROM_LINE = re.compile(
    rb"From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ \d+:\d\d.*\d{4}\s*$"
)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_LOOKED_AT = 200

Found = tuple[
    str, str, bytes | None
]  # what to call it, its folder, its bytes; None for a file that is no mail


def looks_like_mail(path: Path) -> bool:
    """A cheap look: a mailbox file, a single message, a Maildir, or a folder where at least half of the files are mail."""
    path = Path(path)
    if path.is_file():
        return path.suffix.lower() in (".eml", ".mbox") or _sort(path) is not None
    if not path.is_dir():
        return False
    if _is_maildir(path):
        return True
    seen = list(islice(_mail_files(path), _LOOKED_AT))
    named = [f for f in seen if f.suffix.lower() in (".eml", ".mbox")]
    if named:
        return 2 * len(named) >= len(seen)
    unnamed = [f for f in seen if f.suffix.lower() not in SUFFIXES - {""}]
    return 2 * len(unnamed) >= len(seen) > 0 and all(_sort(f) is not None for f in unnamed[:5])


def read_mail(path: Path, *, merge: bool = True, lists: bool = True) -> Collection:
    """All messages of a mailbox, a Maildir, a folder of messages or one message file.

    With `merge` the addresses of one person are one correspondent (see `coterie.collect.people`), and the card "addresses"
    says which they were; with `lists` False the addresses of mailing lists are no correspondents.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(f"There is no file or folder '{path}'.")
    mails: list[Mail] = []
    names: list[str] = []
    folders: list[str] = []
    broken: list[str] = []
    wordless: list[str] = []
    other: list[str] = []
    with watched(workplace().watch, "reading mail", None) as task:
        for name, folder, raw in _messages(path):
            task.advance()
            if raw is None:
                other.append(name)
                continue
            mail = parse_message(raw)
            if mail is None:
                broken.append(name)
            elif not mail.text.strip():
                wordless.append(name)
            else:
                mails.append(mail)
                names.append(name)
                folders.append(folder)
    notes = (
        *left_out(broken, "message", "was", "left out because no mail could be read from it"),
        *left_out(wordless, "message", "was", "left out for having neither a subject nor a text"),
        *left_out(other, "file", "was", "left out for not being mail"),
    )
    if not mails:
        raise DataError(
            f"There is no readable mail in '{printable(path.resolve().name)}'."
            + (f" {notes[0]}." if notes else "")
        )
    people, cards, said = _correspondents(mails, merge, lists)
    found = _collected(
        mails, names, folders, path.resolve().stem or "mail", (*notes, *said), people
    )
    return replace(found, cards={**found.cards, **cards})


def _correspondents(
    mails: list[Mail], merge: bool, lists: bool
) -> tuple[list[Counter[str]], dict[str, list[str]], tuple[str, ...]]:
    """Who is named in each message, each person once and by one address; and a card of the other addresses."""
    through = {address for mail in mails for address in mail.lists}
    pairs = (zip(mail.names, mail.correspondents, strict=True) for mail in mails)
    called = one_each(pairs, through) if merge else {}
    bags = []
    for mail in mails:
        kept = (
            mail.correspondents if lists else [a for a in mail.correspondents if a not in through]
        )
        bags.append(Counter(dict.fromkeys((called.get(address, address) for address in kept), 1)))
    joined = len(called) - len(set(called.values()))
    if not joined:
        return bags, {}, ()
    cards = {ADDRESSES: [written(mail.correspondents, called) for mail in mails]}
    return (
        bags,
        cards,
        (f"{len(called)} addresses are those of {len(called) - joined} correspondents.",),
    )


def _collected(
    mails: list[Mail],
    names: list[str],
    folders: list[str],
    name: str,
    notes: tuple[str, ...],
    people: list[Counter[str]],
) -> Collection:
    ids, shared = _ids(mails, names)
    least = 2 if len(mails) >= 10 else 1
    links = {
        "words": count_words((m.body for m in mails), ids, least, STOP, clean=True),
        "correspondents": count_names(people, ids),
        "subject words": count_names((Counter(words(m.subject)) for m in mails), ids, 1, STOP),
    }
    if shared:
        notes += (
            f"{shared} messages have no Message-ID of their own and are called by their place.",
        )
    return Collection(
        ids=ids,
        views={"text": Text(tuple(m.text.lstrip("\n") for m in mails))},
        links=_with_columns(links),
        truth=folders_as_truth(folders),
        name=name,
        notes=notes,
        cards={
            "subject": [m.subject for m in mails],
            "sender": [m.sender for m in mails],
            "date": [m.date for m in mails],
            "attachments": [", ".join(m.attachments) for m in mails],
        },
    )


def _with_columns(links: dict[str, Cooccurrence]) -> dict[tuple[str, str], Cooccurrence]:
    """The links that tie the members to anything at all."""
    return {("members", population): link for population, link in links.items() if link.cols}


def _ids(mails: list[Mail], names: list[str]) -> tuple[list[str], int]:
    """Message-IDs where they are there and unique, else the place of the message; and how many have no own Message-ID."""
    often = Counter(m.key for m in mails)
    ids = [m.key if m.key and often[m.key] == 1 else "" for m in mails]
    taken = set(ids)
    for at, (key, name) in enumerate(zip(ids, names, strict=True)):
        place = name
        while not key and place in taken:
            place += "'"
        ids[at] = key or place
        taken.add(ids[at])
    return ids, sum(not m.key or often[m.key] > 1 for m in mails)


def _messages(path: Path) -> Iterator[Found]:
    """Every message with a name for it and its folder, one after the other; a mailbox is never wholly in memory."""
    if path.is_file():
        if path.suffix.lower() == ".eml" or _sort(path) == "message":
            yield path.name, ".", _bytes_of(path)
        else:
            yield from ((f"message {at}", ".", raw) for at, raw in enumerate(_split(path), 1))
        return
    for file in _mail_files(path):
        key = printable(file.relative_to(path).as_posix())
        sort = "message" if file.suffix.lower() == ".eml" or _in_maildir(file) else _sort(file)
        if sort == "mbox":
            box = printable(file.relative_to(path).with_suffix("").as_posix())
            yield from ((f"{key} message {at}", box, raw) for at, raw in enumerate(_split(file), 1))
        elif sort == "message":
            yield key, _folder_of(file, path), _bytes_of(file)
        else:
            yield key, ".", None


def _folder_of(file: Path, path: Path) -> str:
    if _in_maildir(file):
        return printable(file.parent.parent.relative_to(path).as_posix()).lstrip(".") or "inbox"
    return first_folder(printable(file.relative_to(path).as_posix()))


def _bytes_of(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES)
    except OSError:
        return b""  # told as a message that cannot be read


def _is_maildir(folder: Path) -> bool:
    return (folder / "cur").is_dir() and (folder / "new").is_dir()


def _in_maildir(file: Path) -> bool:
    return file.parent.name in ("cur", "new") and _is_maildir(file.parent.parent)


def _mail_files(path: Path) -> Iterator[Path]:
    """The files that may hold mail, in a fixed order; of a Maildir the delivered messages, with its dotted sub-folders."""
    if not _is_maildir(path):
        for file in files_of(path):
            if file.parent.name != "tmp" or not _is_maildir(file.parent.parent):
                yield file
        return
    for folder, inner, names in walk(path):
        inner[:] = sorted(
            n
            for n in inner
            if n != "tmp" and (not n.startswith(".") or _is_maildir(Path(folder, n)))
        )
        yield from (f for n in sorted(names) if _in_maildir(f := Path(folder, n)) and f.is_file())


def _sort(file: Path) -> str | None:
    """'mbox', 'message' or None, from the first bytes of a file."""
    try:
        with file.open("rb") as stream:
            lines = stream.read(8192).split(b"\n")
    except OSError:
        return None
    if (
        lines[0].startswith(b"From ")
        and len(lines) > 1
        and (_CLOCK.search(lines[0]) or _HEADER.match(lines[1]))
    ):
        return "mbox"
    return "message" if len(_known_headers(lines)) >= 3 else None


def _known_headers(lines: Iterable[bytes]) -> set[str]:
    """The names of mail headers at the top of a file; none when there is no sender."""
    names: set[str] = set()
    for line in lines:
        found = _HEADER.match(line)
        if found:
            names.add(found.group(1).decode("ascii").lower())
        elif not line[:1].isspace() or not line.strip():
            break
    return names & KNOWN if "from" in names else set()


def _split(file: Path) -> Iterator[bytes]:
    """The messages of an mbox file, split where a 'From ' line follows a blank line and headers follow it."""
    try:
        with file.open("rb") as stream:
            yield from _split_stream(stream)
    except OSError:
        raise DataError(f"The mailbox '{printable(file.name)}' cannot be read.") from None


def _split_stream(stream: BinaryIO) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    blank = True
    started = False
    line = stream.readline()
    while line:
        after = stream.readline()
        if line.startswith(b"From ") and _begins(line, after, blank):
            if started:
                yield _ESCAPED.sub(rb"\1", b"".join(held))
            held = []
            size = 0
            started = True
        elif started and size < MOST_BYTES:
            held.append(line)
            size += len(line)
        blank = not line.strip()
        line = after
    if started:
        yield _ESCAPED.sub(rb"\1", b"".join(held))


def _begins(line: bytes, after: bytes, blank: bool) -> bool:
    """True for the line before a message; without a blank line above it, it must be complete and headers must follow."""
    header = _HEADER.match(after)
    if not blank:
        return header is not None and _FROM_LINE.match(line) is not None
    if _CLOCK.search(line):
        return True
    name = header.group(1).decode("ascii").lower() if header else ""
    return name in KNOWN or name.startswith("x-")
