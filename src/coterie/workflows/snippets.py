"""Snippets: the stretch of a text that says most of what was asked, with the words of the query marked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from coterie.core.hits import Piece

SIZE = 30  # words of a snippet
_LONGEST = 320  # letters of a snippet, where words are not set apart by spaces
_REPEAT = 0.1  # what a word counts that was already seen in the stretch
_LETTERS = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+"
)  # white space, and what would steer a terminal

Term = Callable[[str], int | None]  # the term of a word in lower case, or none


def snippet(
    text: str, term: Term, weights: Mapping[int, float], size: int = SIZE
) -> tuple[Piece, ...]:
    """The stretch of about `size` words with the most weight of different words of the query; the beginning where there is none.

    >>> snippet("the cat sat on the mat", {"cat": 0}.get, {0: 1.0}, size=3)
    (('the ', False), ('cat', True), (' sat …', False))
    """
    places = [found.span() for found in _LETTERS.finditer(text)]
    if not places:
        return tuple(_joined([(clean(text)[:_LONGEST], False)]))
    hits = [
        (at, found)
        for at, (a, b) in enumerate(places)
        if (found := term(_lower(text[a:b]))) in weights
    ]
    first, last = _stretch([(at, one) for at, one in hits if one is not None], weights, size)
    room = size - (last - first + 1)
    begin = max(0, min(first - room // 2, len(places) - size))
    end = min(len(places), begin + size)
    start = places[begin][0] if begin else 0
    stop = places[end - 1][1] if end < len(places) else len(text)
    if stop - start > _LONGEST:
        start, stop = _shortened(text, start, stop, places[first], places[last])
    marked = [places[at] for at, _ in hits if begin <= at < end]
    return _pieces(text, start, stop, marked)


def highlighted(
    text: str, term: Term, weights: Mapping[int, float], most: int = 200
) -> tuple[Piece, ...]:
    """A whole line with the words of the query marked, cut where it is too long."""
    line = text[:most]
    marked = [
        found.span() for found in _LETTERS.finditer(line) if term(_lower(found.group())) in weights
    ]
    pieces = _pieces(line, 0, len(line), marked)
    return pieces if len(text) <= most else _joined([*pieces, ("…", False)])


def clean(text: str) -> str:
    """The text on one line, without signs that would steer a terminal."""
    return _BLANKS.sub(" ", text).strip()


def _lower(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFC", word.lower())


def _stretch(
    hits: list[tuple[int, int]], weights: Mapping[int, float], size: int
) -> tuple[int, int]:
    """The first and the last place of the words of the query that the best stretch holds."""
    best = -1.0
    found = (0, 0)
    right = 0
    held: dict[int, int] = {}
    for left, (at, one) in enumerate(hits):
        while right < len(hits) and hits[right][0] < at + size:
            held[hits[right][1]] = held.get(hits[right][1], 0) + 1
            right += 1
        worth = sum(
            weights[term] * (1 + _REPEAT * min(often - 1, 3)) for term, often in held.items()
        )
        if worth > best + 1e-12:
            best = worth
            found = (at, hits[right - 1][0])
        held[one] -= 1
        if not held[one]:
            del held[one]
        if right <= left:
            right = left + 1
    return found


def _shortened(
    text: str, start: int, stop: int, first: tuple[int, int], last: tuple[int, int]
) -> tuple[int, int]:
    """The stretch cut to what a person reads, around its first word of the query."""
    begin = max(start, first[0] - _LONGEST // 3)
    end = min(stop, begin + _LONGEST)
    if begin > start:
        begin = _after_blank(text, begin, first[0])
    if end < stop and (blank := text.rfind(" ", min(last[1], end), end)) > begin:
        end = blank
    return begin, end


def _after_blank(text: str, begin: int, before: int) -> int:
    """The next beginning of a word, so that none is cut in two."""
    blank = text.find(" ", begin, before)
    return begin if blank < 0 else blank + 1


def _pieces(text: str, start: int, stop: int, marked: list[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text from start to stop as stretches with and without a mark, and with an ellipsis where more was there."""
    pieces: list[Piece] = [("… ", False)] if clean(text[:start]) else []
    at = start
    for a, b in marked:
        if start <= a and b <= stop:
            pieces += [(text[at:a], False), (text[a:b], True)]
            at = b
    pieces.append((text[at:stop], False))
    if clean(text[stop:]):
        pieces.append((" …", False))
    return _joined(pieces)


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    """The pieces on one line: neighbors without a mark as one, no white space at either end."""
    joined: list[Piece] = []
    for text, mark in pieces:
        line = _BLANKS.sub(" ", text)
        if line and joined and not mark and not joined[-1][1]:
            joined[-1] = (_BLANKS.sub(" ", joined[-1][0] + line), False)
        elif line:
            joined.append((line, mark))
    if joined:
        joined[0] = (joined[0][0].lstrip(), joined[0][1])
        joined[-1] = (joined[-1][0].rstrip(), joined[-1][1])
    return tuple(piece for piece in joined if piece[0])
