"""From documents to counts of words: runs of letters in lower case, one whole number per kind of word."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

_ASCII = re.compile("[a-zA-Z]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def words(document: str, lower: bool = True) -> list[str]:
    """The runs of letters of a document, in lower case unless said otherwise; digits and signs only separate.

    >>> words("Mail-Order: 3 CAFÉs, x2y")
    ['mail', 'order', 'cafés', 'x', 'y']
    """
    text = document.lower() if lower else document
    if text.isascii():
        return _ASCII.findall(text)
    found = _LETTERS.findall(unicodedata.normalize("NFC", text))
    if all(map(str.isalpha, found)):
        return found
    return [
        "".join(run)
        for word in found
        for letters, run in itertools.groupby(word, str.isalpha)
        if letters
    ]


def numbered(
    documents: Iterable[str], lower: bool = True
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The kinds of words in the order they appear, the kind of every token, and where each document ends.

    >>> numbered(["a b a", "c"])[0]
    ['a', 'b', 'c']
    """
    place: defaultdict[str, int] = defaultdict()
    place.default_factory = place.__len__
    parts: list[np.ndarray] = []
    for document in documents:
        found = words(document, lower)
        parts.append(np.fromiter(map(place.__getitem__, found), dtype=np.int64, count=len(found)))
    ends = np.cumsum([len(part) for part in parts])
    return list(place), np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64), ends
