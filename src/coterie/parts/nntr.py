"""The network of words in documents (NNTR of Keller 2006, chapter 5): scores from stored arrays, without torch.

f(w, d) = c . tanh(A_w e_w + A_d e_d + b) + c0, where e_w is a row of the table of words and e_d the sum of the rows of the
table of documents over the weighted words of d. The word itself is always taken out of d, and what is left is brought back
to length one (the source leaves that out, and then the length tells the label).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.workplace import steady
from coterie.parts.term_weights import by_column, unit_length
from coterie.parts.workers import in_order

NAMES = ("words", "documents", "from_words", "from_documents", "bias", "out", "offset")
_BLOCK = 1_000_000  # scores that one task gives
_IN_CACHE = 200_000  # values of the hidden layer that are held at once
_SMALLEST = 1e-6  # of 1 - x^2: below it nothing is left of a document without the word


def weighted(counts: Any, idf: np.ndarray) -> Any:
    """Counts as rows of TFIDF of length one."""
    return unit_length(by_column(sp.csr_array(counts, dtype=np.float64), idf))


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The learned arrays, the first layer of the scoring network already split in a part of words and one of documents."""

    word_part: np.ndarray  # words x hidden: A_w e_w + b
    document_part: np.ndarray  # words x hidden: A_d of each row of the table of documents
    out: np.ndarray
    offset: float

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> Network:
        """From the arrays of a training, by name."""
        part = {name: np.asarray(arrays[name], dtype=np.float64) for name in NAMES}
        with steady():
            words = part["words"] @ part["from_words"] + part["bias"]
            documents = part["documents"] @ part["from_documents"]
        return cls(words, documents, part["out"], float(part["offset"].ravel()[0]))

    def pairs(self, words: np.ndarray, rows: Any, at: np.ndarray) -> np.ndarray:
        """The score of each word in the row `at` of the same place, the word taken out of it."""
        held = np.asarray(rows[at, words]).ravel() if len(at) else np.zeros(0)
        with steady():
            return self._without(words, (rows @ self.document_part)[at], held)

    def _without(self, words: np.ndarray, contexts: np.ndarray, held: np.ndarray) -> np.ndarray:
        """The scores of words that weigh `held` in their contexts, without them."""
        left = 1.0 - held**2
        scale = np.where(left > _SMALLEST, 1.0 / np.sqrt(np.maximum(left, _SMALLEST)), 0.0)
        rest = (contexts - held[:, None] * self.document_part[words]) * scale[:, None]
        return np.asarray(np.tanh(self.word_part[words] + rest) @ self.out + self.offset)

    def scores(self, words: np.ndarray, rows: Any, *, label: str = "") -> np.ndarray:
        """Words x rows: the score of every word in every row."""
        found = np.zeros((len(words), rows.shape[0]))
        for block, values in self._blocks(words, rows, label):
            found[block] = values
        return found

    def gathered(self, bags: Any, rows: Any, *, label: str = "") -> np.ndarray:
        """Bags x rows: the sum of the scores of the words of each bag, times their weights there."""
        used = np.unique(bags.indices)
        found = np.zeros((bags.shape[0], rows.shape[0]))
        columns = sp.csc_array(bags)[:, used]
        for block, values in self._blocks(used, rows, label):
            found += sp.csr_array(columns[:, block]) @ values
        return found

    def _blocks(self, words: np.ndarray, rows: Any, label: str) -> Any:
        """Blocks of words in order, and the scores of each in all rows."""
        with steady():
            exact = np.asarray(rows @ self.document_part)
        contexts = exact.astype(np.float32)
        hidden = self.word_part.astype(np.float32)
        out = self.out.astype(np.float32)
        lists = sp.csc_array(rows)

        def work(block: slice) -> np.ndarray:
            here = words[block]
            values = np.empty((len(here), rows.shape[0]))
            for few in _slices(len(here), _IN_CACHE // max(1, contexts.size)):
                values[few] = np.tanh(hidden[here[few], None] + contexts) @ out
            values += self.offset
            found = sp.coo_array(lists[:, here])
            held, place = found.coords
            values[place, held] = self._without(here[place], exact[held], found.data)
            return values

        blocks = _slices(len(words), _BLOCK // max(1, rows.shape[0]))
        return zip(blocks, in_order(work, blocks, label), strict=True)


def _slices(n: int, height: int) -> list[slice]:
    height = max(1, height)
    return [slice(a, min(a + height, n)) for a in range(0, n, height)]
