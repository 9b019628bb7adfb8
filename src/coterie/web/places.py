"""Places of this machine in a sentence, named by their last part: nobody learns from a page where things are kept."""

from __future__ import annotations

import re

_START = r"(?<![\w/\\.~%-])(?:file:|[A-Za-z]:(?=[/\\])|~[\w.-]*(?=[/\\])|\.{1,2}(?=[/\\]))?"
_PLACE = re.compile(
    rf"""(?P<web>\b(?!file:)[A-Za-z][\w+.-]+://\S*)
    | (?P<quote>['"`])(?P<inside>{_START}[/\\][^\n]*?)(?P=quote)(?!\w)
    | {_START}(?P<bare>[/\\])""",
    re.VERBOSE,
)
_SIGN = r"[^\s/\\'\"`,;:()]|(?<=\w)'(?=\w)"
_PART = re.compile(rf"[/\\]+(?:{_SIGN}|[,;:(](?=[^\s/\\'\"`,;:()])|\)(?=[^\s'\"`,;:()]))*")
_BLANKS = re.compile(
    r"(?: +(?:[^\s/\\'\"`]|(?<=\w)'(?=\w))*(?:[^\s/\\'\"`.,;:!?]|(?<=\w)'(?=\w))){1,6}(?=[/\\][^\s/\\])"
)
_FILE = re.compile(r"\.[A-Za-z]\w{0,6}$")  # a name with an ending is the last part
_NO_NAME = re.compile(r"|file:|[A-Za-z]:|~[\w.-]*|\.{1,2}")


def by_last_parts(sentence: str) -> str:
    """The sentence with the last part of every path in place of the path; addresses of the web stay.

    A path in quotation marks is taken whole; without them it may hold blanks where another part follows them.

    >>> by_last_parts("There is no file '/srv/John Smith/mail box/in.mbox' here.")
    "There is no file 'in.mbox' here."
    >>> by_last_parts("/srv/John Smith/mail box/in.mbox is empty; see file:///var/a%20b/c.csv or C:/data/d.csv.")
    'in.mbox is empty; see c.csv or d.csv.'
    >>> by_last_parts("3/4 of them, and/or none: https://example.org/a/b")
    '3/4 of them, and/or none: https://example.org/a/b'
    """
    said: list[str] = []
    at = 0
    while (found := _PLACE.search(sentence, at)) is not None:
        said.append(sentence[at : found.start()])
        if found["web"] is not None:
            at = found.end()
            said.append(found.group())
        elif found["quote"] is not None:
            at = found.end()
            said.append(f"{found['quote']}{_last(found['inside'])}{found['quote']}")
        else:
            at = _end(sentence, found.start("bare"))
            said.append(_last(sentence[found.start() : at]))
    return "".join([*said, sentence[at:]])


def _end(sentence: str, at: int) -> int:
    """Where a path without quotation marks ends, of which the first separator is at this place."""
    while (part := _PART.match(sentence, at)) is not None:
        at = part.end()
        more = None if _FILE.search(part.group()) else _BLANKS.match(sentence, at)
        at = more.end() if more is not None else at
    return len(sentence[:at].rstrip(".!?"))  # these end the sentence, not the path


def _last(path: str) -> str:
    """The last part of a path of several; one name alone tells nothing and stays."""
    names = [part for part in re.split(r"[/\\]+", path) if not _NO_NAME.fullmatch(part)]
    return names[-1] if len(names) > 1 or (names and path.startswith("file:")) else path
