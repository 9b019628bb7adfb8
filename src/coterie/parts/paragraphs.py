"""Documents cut into paragraphs, and triplets drawn from them: two paragraphs of one document, and one of another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_INDENT = re.compile(r"\n(?=[^\S\n]{2,}\S)")
_WORD = re.compile(r"[^\W\d_]+")


def paragraphs(document: str, min_words: int = 15) -> list[str]:
    """The paragraphs of a document; one with fewer words is merged with the next, the last with the one before it.

    Blank lines part paragraphs; in a document without any, lines that begin with two blanks or more do. A document without
    text has no paragraph.

    >>> paragraphs("Dear all,\\n\\nthe boat sails at noon.\\n\\nBring water and bread.\\n\\nAnn", min_words=4)
    ['Dear all,\\n\\nthe boat sails at noon.', 'Bring water and bread.\\n\\nAnn']
    """
    found: list[str] = []
    short = ""
    text = document.replace("\r\n", "\n").strip()
    for part in (_BLANK if _BLANK.search(text) else _INDENT).split(text):
        part = f"{short}\n\n{part}" if short else part
        if _enough(part, min_words):
            found.append(part)
            short = ""
        else:
            short = part
    if short and found:
        found[-1] = f"{found[-1]}\n\n{short}"
    elif short:
        found.append(short)
    return found


def _enough(text: str, min_words: int) -> bool:
    """Whether a text has at least so many runs of letters; no more are looked for."""
    return len(list(itertools.islice(_WORD.finditer(text), min_words))) >= min_words


def cut(documents: Iterable[str], min_words: int = 15) -> tuple[list[str], np.ndarray]:
    """All paragraphs in their order, and the document that each is from (its owner)."""
    parts = [paragraphs(document, min_words) for document in documents]
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return [text for part in parts for text in part], owners


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """Sparse rows of paragraphs in the order of their documents, from which triplets are drawn by position and never stored.

    `first` and `size` say where a document's paragraphs begin and how many there are; `able` are the documents with two or
    more. A document with one paragraph only serves as the other one.
    """

    rows: Any
    first: np.ndarray
    size: np.ndarray
    able: np.ndarray

    @classmethod
    def of(cls, rows: Any, owners: Any, owner: str, hint: str = "min_words") -> Triplets:
        """From rows and the document of each; rows without a term are left out. One sentence when no triplet can be drawn."""
        whose = np.asarray(owners)
        if whose.shape != (rows.shape[0],):
            raise DataError(
                f"there are {rows.shape[0]} paragraphs and owners of shape {whose.shape}; give one to each.",
                owner=owner,
            )
        kept = np.flatnonzero(np.diff(rows.indptr) > 0)
        kept = kept[np.argsort(whose[kept], kind="stable")]
        _, first, size = np.unique(whose[kept], return_index=True, return_counts=True)
        able = np.flatnonzero(size > 1)
        if not len(able):
            raise DataError(
                f"no document has two paragraphs with words of the dictionary; paragraphs are parted by blank lines, "
                f"so give longer documents or lower {hint}.",
                owner=owner,
            )
        if len(size) < 2:
            raise DataError(
                "all paragraphs are of one document, and a triplet needs a paragraph of another.",
                owner=owner,
            )
        return cls(rows[kept], first, size, able)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def draw(self, generator: np.random.Generator, n: int) -> np.ndarray:
        """Positions of n triplets (3 x n): x and x+ are different paragraphs of a document, x- is one of any other document."""
        document = self.able[generator.integers(len(self.able), size=n)]
        first = self.first[document]
        size = self.size[document]
        one = generator.integers(size)
        two = generator.integers(size - 1)
        two = two + (two >= one)
        other = generator.integers(len(self) - size)
        return np.stack([first + one, first + two, np.where(other >= first, other + size, other)])

    def parted(self, held: int, generator: np.random.Generator) -> tuple[Triplets, Triplets] | None:
        """Some documents with two or more paragraphs held out, and the rest; None where either would have no triplet."""
        chosen = generator.permutation(self.able)[:held]
        if len(chosen) < 2 or len(self.able) - len(chosen) < 1 or len(self.size) - len(chosen) < 2:
            return None
        out = np.zeros(len(self.size), dtype=bool)
        out[chosen] = True
        whose = np.repeat(np.arange(len(self.size)), self.size)
        apart = [np.flatnonzero(out[whose] == side) for side in (False, True)]
        rest, kept = (Triplets.of(self.rows[at], whose[at], "Triplets") for at in apart)
        return rest, kept
