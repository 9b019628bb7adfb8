"""Message: one mail from its bytes: decoded headers, addresses, the text a reader sees, and the names of attachments."""

from __future__ import annotations

import binascii
import email.utils
import html
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from email.policy import compat32

from coterie.collect.addresses import addresses as addresses
from coterie.collect.addresses import display_names, list_addresses
from coterie.collect.quotes import own_words
from coterie.collect.text import decode, plain, printable

_HEADERS = """
    from to cc bcc subject date message-id received return-path reply-to sender mime-version content-type delivered-to
    newsgroups organization lines references in-reply-to x-mailer list-id envelope-to path
"""
KNOWN = frozenset(_HEADERS.split())
MOST_BYTES = 32_000_000  # of one message; what lies beyond is attachments
_MOST_HTML = 1_000_000
_DEEPEST = 30
_ENCODED = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|&nbsp\b")
_SEPARATOR = re.compile(r"--\S+$|content-[a-z-]+\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mail:
    """What is kept of one message."""

    key: str
    subject: str
    sender: str
    date: str
    correspondents: tuple[str, ...]
    text: str  # the subject, a blank line, the body
    attachments: tuple[str, ...]
    names: tuple[str, ...] = ()  # display names of the correspondents, empty where there is none
    lists: tuple[str, ...] = ()  # addresses of the mailing lists it came through

    @property
    def body(self) -> str:
        """The text without the subject above it."""
        return self.text[len(self.subject) :].lstrip("\n")


def parse_message(raw: bytes) -> Mail | None:
    """One message; None when the bytes are no mail: the parser fails on them, or no known header begins them."""
    try:
        return _parsed(message_from_bytes(raw[:MOST_BYTES].lstrip(b"\r\n"), policy=compat32))
    except Exception:  # the standard parser raises many kinds on broken MIME; one message must not end the reading of a mailbox
        return None


def _parsed(message: Message) -> Mail | None:
    headers: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        headers.setdefault(name.lower(), []).append(str(value))
    if not KNOWN & headers.keys():
        return None
    first = {name: decode_header(values[0]) for name, values in headers.items() if name in KNOWN}
    names: list[str] = []
    body = _text_of(message, names, 0)
    people = _people(headers)
    senders = addresses(first.get("from", ""))
    subject = first.get("subject", "")
    return Mail(
        key=re.sub(r"\s+", "", first.get("message-id", "")).strip("<>"),
        subject=subject,
        sender=senders[0] if senders else first.get("from", ""),
        date=_date(first.get("date", "")),
        correspondents=tuple(people),
        text=f"{subject}\n\n{own_words(_unescaped(body))}".rstrip(),
        attachments=tuple(names),
        names=tuple(people.values()),
        lists=list_addresses(headers),
    )


def _people(headers: dict[str, list[str]]) -> dict[str, str]:
    """Everyone a message names as sender or recipient, by address, with the display name where one is written."""
    found: dict[str, str] = {}
    for field in ("from", "to", "cc", "bcc"):
        for value in headers.get(field, ()):
            told = decode_header(value)
            called = display_names(told)
            for address in addresses(told):
                found[address] = found.get(address) or called.get(address, "")
    return found


def decode_header(value: str) -> str:
    """A header as a person reads it: unfolded, with encoded words and raw 8-bit bytes decoded; what is broken stays.

    >>> decode_header("=?utf-8?q?Caf=C3=A9?= at\\n noon")
    'Café at noon'
    """
    if not value.isascii():
        raw = (
            value.encode("ascii", "surrogateescape")
            if _escaped(value)
            else value.encode("utf-8", "replace")
        )
        read = decode(raw)
        value = read[0] if read else raw.decode("latin-1")
    pieces: list[str] = []
    held = b""
    charset = ""
    at = 0
    for found in _ENCODED.finditer(value):
        gap = value[at : found.start()]
        raw = _encoded_word(found)
        if held and (gap.strip() or found.group(1).lower() != charset):
            pieces.append(_read(held, charset))
            held = b""
        if gap.strip() or not at:
            pieces.append(gap)
        held = held + raw
        charset = found.group(1).lower()
        at = found.end()
    pieces += [_read(held, charset), value[at:]]
    return printable(re.sub(r"[\s\0]+", " ", "".join(pieces)).strip())


def _escaped(value: str) -> bool:
    return all(c < "\x80" or "\udc80" <= c <= "\udcff" for c in value)


def _encoded_word(found: re.Match[str]) -> bytes:
    data = found.group(3).encode("utf-8", "replace")
    if found.group(2) in "qQ":
        return quopri.decodestring(data, header=True)
    try:
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return data


def _read(raw: bytes, charset: str) -> str:
    if not raw:
        return ""
    read = decode(raw, charset or None)
    return read[0] if read else ""


def _date(value: str) -> str:
    """The date as year-month-day hour:minute where it can be read, else as it stands."""
    try:
        return email.utils.parsedate_to_datetime(value).strftime("%Y-%m-%d %H:%M")
    except (TypeError, ValueError, IndexError, OverflowError, AttributeError):
        return value


def _text_of(part: Message, names: list[str], depth: int) -> str:
    """The text a reader sees of a part and of the parts inside it; names of attachments are put in `names`."""
    if depth > _DEEPEST:
        return ""
    kind = part.get_content_maintype()
    sort = part.get_content_subtype()
    if (
        kind == "multipart" and not part.is_multipart()
    ):  # the boundary is missing: what can be read is read
        lines = _decoded(part).split("\n")
        return "\n".join(line for line in lines if not _SEPARATOR.match(line))
    if part.is_multipart():
        inner = list(_inside(part))
        if kind == "message":
            names.append(
                decode_header(str(inner[0].get("subject", "") if inner else "")) or "a message"
            )
            return ""
        if sort == "alternative":
            return _best([(p.get_content_subtype(), _text_of(p, names, depth + 1)) for p in inner])
        read = [_text_of(p, names, depth + 1) for p in inner]
        return "\n".join(text for text in read if text.strip())
    name = part.get_filename()
    if name or part.get_content_disposition() == "attachment" or kind != "text":
        names.append(decode_header(str(name)) if name else f"{kind}/{sort}")
        return ""
    if sort == "html":
        return plain(_decoded(part)[:_MOST_HTML], mark_quotes=True)
    return (
        _decoded(part) if sort in ("plain", "enriched", "richtext", "x-plain") or depth == 0 else ""
    )


def _unescaped(text: str) -> str:
    """The text with HTML entities (&nbsp; &amp; &#8217;) as the characters they mean, also where a plain part holds them."""
    if "&" not in text:
        return text
    return printable(
        _ENTITY.sub(lambda found: html.unescape(found.group()).replace("\xa0", " "), text)
    )


def _inside(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (p for p in payload if isinstance(p, Message))


def _best(choices: list[tuple[str, str]]) -> str:
    """Of several forms of the same text: the plain one, else the first that says anything."""
    plains = [text for sort, text in choices if sort == "plain" and text.strip()]
    others = [text for _, text in choices if text.strip()]
    return (plains or others or [""])[0]


def _decoded(part: Message) -> str:
    raw = part.get_payload(decode=True)
    if not isinstance(raw, bytes) or not raw:
        return ""
    charset = part.get_content_charset()
    read = decode(raw, charset)
    return read[0] if read else ""
