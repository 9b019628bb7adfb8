"""Cleaning of texts before their words are counted: markup, and long lines that are no writing, taken away."""

from __future__ import annotations

import re
from html import unescape

LONGEST = 50  # characters of a line without white space that may still be writing
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>|<![a-zA-Z][^<>]{0,2000}>")
_HIDDEN = (  # what is between these is never read
    (re.compile("<!--"), re.compile("-->")),
    (
        re.compile(r"<script\b[^<>]{0,2000}>", re.IGNORECASE),
        re.compile(r"</script\s{0,9}>", re.IGNORECASE),
    ),
    (
        re.compile(r"<style\b[^<>]{0,2000}>", re.IGNORECASE),
        re.compile(r"</style\s{0,9}>", re.IGNORECASE),
    ),
)


def cleaned(text: str, longest: int | None = LONGEST, markup: bool = True) -> str:
    """The text without lines of more than `longest` characters that hold no white space (None keeps them), and without tags.

    Such lines are encoded files, rulers and long addresses. Lines in scripts that write without spaces are kept: only lines
    of plain ASCII go.

    >>> cleaned("<b>One</b> &amp; two\\n" + "=" * 60 + "\\nthree")
    ' One  & two\\nthree'
    """
    if markup and "<" in text:
        for opening, closing in _HIDDEN:
            text = _without(text, opening, closing)
        text = _TAG.sub(" ", text)
    if markup and "&" in text:
        text = unescape(text)
    if longest is None or len(text) <= longest:
        return text
    return "\n".join(line for line in text.split("\n") if not _solid(line.strip(), longest))


def _solid(line: str, longest: int) -> bool:
    """A long line of one piece."""
    return len(line) > longest and line.isascii() and not re.search(r"\s", line)


def _without(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """The text without what stands between two marks; what is opened and never closed stays."""
    kept: list[str] = []
    at = 0
    while (start := opening.search(text, at)) and (end := closing.search(text, start.end())):
        kept += [text[at : start.start()], " "]
        at = end.end()
    return "".join([*kept, text[at:]])
