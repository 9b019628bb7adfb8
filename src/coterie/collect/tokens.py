"""Sentences and tokens of running text: words, numbers and punctuation in the form that taggers of English are trained on."""

from __future__ import annotations

import re

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_END = re.compile(
    r"""(?:(?<![.!?])(?:\.++|[!?]++)|…)["'”’)\]]*+(?=\s++["'“‘(\[]*+[^\W_a-z])|[。！？]["”’」』)]*+"""
)
_SHORT = """
    mr mrs ms dr prof st jr sr rev hon gen col capt lt sgt maj gov sen rep pres supt messrs mme mlle
    vs etc al cf eg ie viz approx dept est ed eds inc ltd co corp bros
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    ave blvd rd mt ft ca u.s u.k u.n e.g i.e a.m p.m ph.d d.c
"""
ABBREVIATIONS = frozenset(_SHORT.split())
BEFORE_NUMBERS = frozenset({"no", "nos", "fig", "figs", "vol", "vols", "p", "pp", "sec", "art"})
_BEFORE = re.compile(r"(?:^|[\s(\[\"'“‘])((?:\w\.)+\w|\w+)\.$")
_TOKEN = re.compile(
    r"""
    (?:https?://|www\.)[^\s<>"]*[\w/] | [\w.+-]{1,64}+@[\w-]+(?:\.[\w-]+)+   # addresses
    | \d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|%)?(?!\w)                       # numbers
    | (?:[^\W\d_]\.){2,}                                                # initials and U.S.
    | \w+(?:[-’'&/](?=\w)\w+)*                                          # words, also with hyphens and apostrophes
    | \.{2,} | -{2,} | ``|'' | [^\w\s]
    """,
    re.VERBOSE,
)
_SPLIT = re.compile(r"(?i)^(.+?)(n['’]t|['’](?:s|m|d|ll|re|ve))$")
_CANNOT = re.compile(r"(?i)^(can)(not)$")


def sentences(text: str) -> list[list[str]]:
    """The sentences of a text as tokens: cut at blank lines, and at marks that end a sentence unless they end an abbreviation.

    >>> sentences("Mr. Hill isn't here. Who is?")
    [['Mr.', 'Hill', 'is', "n't", 'here', '.'], ['Who', 'is', '?']]
    """
    found = []
    for paragraph in _PARAGRAPH.split(text):
        for piece in _pieces(paragraph):
            row = tokens(piece)
            if row:
                found.append(row)
    return found


def tokens(sentence: str) -> list[str]:
    """The tokens of one sentence: punctuation apart, endings such as n't and 's apart, double quotes as `` and ''.

    >>> tokens('She said: "Ann\\'s 3,000 well-known dogs."')
    ['She', 'said', ':', '``', 'Ann', "'s", '3,000', 'well-known', 'dogs', '.', "''"]
    """
    found: list[str] = []
    matches = list(_TOKEN.finditer(sentence))
    opened = False
    for at, match in enumerate(matches):
        token = match.group()
        if token in ('"', "“", "”", "„"):
            opened = token in "“„" or (token == '"' and not opened)
            found.append("``" if opened else "''")
        elif (
            token == "."
            and found
            and at < len(matches) - 1
            and _abbreviated(sentence, match.start())
        ):
            found[-1] += "."
        else:
            found += _parts(token)
    return found


def _parts(token: str) -> list[str]:
    """A word and, apart, the ending that is a word of its own; at most two of them, as in shouldn't've."""
    endings: list[str] = []
    while (
        len(endings) < 2
        and "//" not in token
        and (cut := _SPLIT.match(token) or _CANNOT.match(token))
    ):
        token = cut.group(1)
        endings.insert(0, cut.group(2).replace("’", "'"))
    return [token, *endings]


def _pieces(paragraph: str) -> list[str]:
    """A paragraph cut into sentences."""
    found = []
    begin = 0
    for mark in _END.finditer(paragraph):
        at = mark.start()
        if (
            paragraph[at] == "."
            and paragraph[at + 1 : at + 2] != "."
            and _abbreviated(paragraph, at)
        ):
            continue
        found.append(paragraph[begin : mark.end()])
        begin = mark.end()
    return [*found, paragraph[begin:]]


def _abbreviated(text: str, point: int) -> bool:
    """Whether the point at this place ends an abbreviation or an initial; "no." is one only before a number."""
    found = _BEFORE.search(text[max(0, point - 40) : point + 1])
    if found is None:
        return False
    word = found.group(1)
    if word.lower() in BEFORE_NUMBERS:
        return text[point + 1 : point + 10].lstrip()[:1].isdigit()
    return word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")
