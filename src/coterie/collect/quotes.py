"""Quotes: what a mail's author did not write in this mail (quoted replies, attribution lines, signatures) taken away."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"[ \t]{0,3}(?:[A-Z]{0,2}>|\|)")
_ORIGINAL = re.compile(
    r"\*?(?:-{2,}|_{2,})\s*(?:original message|original appointment|ursprüngliche nachricht"
    r"|message d['’]origine|message original|mensaje original"
    r"|messaggio originale|oorspronkelijk bericht|mensagem original|originalmeddelande|oprindelig meddelelse"
    r"|opprinnelig melding|alkuperäinen viesti|wiadomość oryginalna|исходное сообщение|původní zpráva|原始邮件)\s*[-_]*\W*$",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"\b(?:wrote|writes|said|schrieb|schreef|écrit|escribió|escribio|scritto|escreveu|skrev|kirjoitti|napisał|napisała|napsal|írta"
    r"|yazdı|scris|написал|написала|пишет|писал)\b(?:\(a\))?.{0,80}?:?\s*$|(?:写道|のメール|さんは書きました)\s*[:：]\s*$",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:on|am|le|el|il|op|em|den|w dniu|dnia|dne|вс|пн|вт|ср|чт|пт|сб|at|in|quoting"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\d|@|<|\[")
_FROM = re.compile(
    r"\*?(?:from|von|de|da|van|od|från|fra|от|lähettäjä)\s?\*?\s?:\*?\s*\S", re.IGNORECASE
)
_SENT = re.compile(
    r"\*?(?:sent|date|gesendet|datum|envoyé|enviado(?: el)?|fecha|data|inviato|verzonden|skickat|sendt|wysłano"
    r"|отправлено|дата|lähetetty)\s?\*?\s?:",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\*?(?:to|an|à|a|para|aan|till|til|do|кому|vastaanottaja|cc)\s?\*?\s?:", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"\*?(?:subject|betreff|objet|asunto|oggetto|onderwerp|assunto|ämne|emne|temat|тема|aihe)\s?\*?\s?:",
    re.IGNORECASE,
)


def own_words(body: str) -> str:
    """The body without quoted replies and signature; a body that is nothing else is kept, without its quote marks.

    >>> own_words("Yes.\\n\\nOn 3 May 2020, Ann wrote:\\n> Shall we?\\n-- \\nBob")
    'Yes.'
    """
    lines = body.split("\n")
    end = _end(lines)
    gone = _attributions(lines, end)
    kept = [
        line for at, line in enumerate(lines[:end]) if at not in gone and not _QUOTED.match(line)
    ]
    text = _tidy(kept)
    if text:
        return text
    return _tidy([re.sub(r"^[ \t>|]+", "", line) for line in lines])


def _tidy(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _end(lines: list[str]) -> int:
    """Where the author's part ends: at a signature, an 'Original Message' line or a block of copied headers."""
    for at, line in enumerate(lines):
        if line in ("-- ", "-- \r") or (line.strip() in ("--", "- --") and len(lines) - at <= 9):
            return at
        text = line.strip()
        if text[:1] in "-_*" and len(text) < 200 and _ORIGINAL.match(text):
            return at
        if _FROM.match(text) and _copied_headers(lines, at):
            back = at
            while back > 0 and not lines[back - 1].strip(" _-\t"):
                back -= 1
            return back
    return len(lines)


def _copied_headers(lines: list[str], at: int) -> bool:
    """True where 'From:' is followed by 'Sent:' (or 'Date:'), 'To:' and 'Subject:', as Outlook copies them."""
    block = [line.strip() for line in lines[at + 1 : at + 9]]
    return all(any(label.match(line) for line in block) for label in (_SENT, _TO, _SUBJECT))


def _attributions(lines: list[str], end: int) -> set[int]:
    """Lines that only say who wrote what is quoted below; they may be broken over three lines."""
    gone: set[int] = set()
    for at in range(end):
        text = lines[at].strip()
        if (
            not text.endswith((":", "："))
            or len(text) > 300
            or _QUOTED.match(text)
            or not _WROTE.search(text)
        ):
            continue
        first = _opening(lines, at)
        dated = _OPENS.match(lines[first].strip()) and _MARKED.search(
            " ".join(lines[first : at + 1])
        )
        if dated or _quote_follows(lines, at):
            gone.update(range(first, at + 1))
    return gone


def _opening(lines: list[str], at: int) -> int:
    """The line on which an attribution begins: this one, or one of the two before it."""
    if _OPENS.match(lines[at].strip()):
        return at
    for back in (1, 2):
        if at - back < 0 or not lines[at - back].strip():
            break
        before = lines[at - back].strip()
        if _OPENS.match(before) and _MARKED.search(before):
            return at - back
    return at


def _quote_follows(lines: list[str], at: int) -> bool:
    after = [line for line in lines[at + 1 : at + 4] if line.strip()]
    return bool(after) and _QUOTED.match(after[0]) is not None
