"""Pairs of words and documents drawn for training: a word, a document from its list, and pairs that do not occur.

A word is drawn with probability proportional to df^power and its document evenly from its list. With power 0 this is an
unbiased estimate of the second term of equation 5.3 of Keller 2006 without any weights; power 1 draws the pairs evenly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

Negatives = Literal["shuffled", "uniform"]
NEGATIVES: tuple[str, ...] = get_args(Negatives)
_ALONE = 1e-6  # 1 - x^2 below which nothing is left of a document when the word is taken out


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Positive pairs (words, documents, weight of the word there), and per kind of negative pair as many words and documents."""

    words: np.ndarray
    documents: np.ndarray
    weights: np.ndarray
    other_words: np.ndarray  # kinds x n
    other_documents: np.ndarray  # kinds x n


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The lists of documents of every word that can be drawn; `of(rows, power)` from weighted rows of length one."""

    shape: tuple[int, int]  # documents, words
    words: np.ndarray  # words that can be drawn
    starts: np.ndarray  # of the list of each of these words
    lists: np.ndarray  # documents, list after list
    weights: np.ndarray  # of the word in each of these documents
    alias: Alias
    documents: np.ndarray  # documents that hold a word
    keys: np.ndarray  # document * n_words + word of every pair that occurs, rising

    @classmethod
    def of(cls, rows: Any, power: float) -> Pairs:
        """From weighted rows of length one; lists leave out documents in which the word stands alone.

        A word that every document has can have no negative pair, and is not drawn.
        """
        n, m = rows.shape
        owners = np.repeat(np.arange(n, dtype=np.int64), np.diff(rows.indptr))
        columns = rows.indices.astype(np.int64)
        weights = np.asarray(rows.data, dtype=np.float64)
        everywhere = np.bincount(columns, minlength=m) >= np.count_nonzero(np.diff(rows.indptr))
        usable = (weights**2 < 1 - _ALONE) & ~everywhere[columns]
        order = np.flatnonzero(usable)[np.argsort(columns[usable], kind="stable")]
        words, lengths = np.unique(columns[order], return_counts=True)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        alias = Alias.of(lengths.astype(np.float64) ** power)
        full = np.flatnonzero(np.diff(rows.indptr)).astype(np.int64)
        keys = np.sort(owners * m + columns)
        return cls((n, m), words, starts, owners[order], weights[order], alias, full, keys)

    def __len__(self) -> int:
        """How many positive pairs there are."""
        return len(self.lists)

    def positives(
        self, generator: np.random.Generator, n: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """n words, a document of each, and the weight of the word there."""
        at = self.alias.draw(generator, n)
        first = self.starts[at]
        place = first + (generator.random(n) * (self.starts[at + 1] - first)).astype(np.int64)
        return self.words[at], self.lists[place], self.weights[place]

    def draw(
        self, generator: np.random.Generator, n: int, negatives: Negatives, kinds: int
    ) -> Drawn:
        """n positive pairs and `kinds` negative ones for each; some of these may in fact occur (see `occur`).

        uniform: a word drawn like the first and a document drawn evenly give (w, d'), (w', d), (w', d') in turn. shuffled: the
        words with documents of other pairs of the same draw, so that words and documents are as frequent among negatives as
        among positives, and only their fit can tell them apart.
        """
        words, documents, weights = self.positives(generator, n)
        if negatives == "shuffled":
            shift = 1 + (generator.random(kinds) * max(n - 1, 1)).astype(np.int64)
            other = documents[(np.arange(n) + shift[:, None]) % n]
            return Drawn(words, documents, weights, np.broadcast_to(words, (kinds, n)), other)
        rounds = -(-kinds // 3)
        new_words = self.words[self.alias.draw(generator, rounds * n)].reshape(rounds, n)
        new_documents = self.documents[
            (generator.random((rounds, n)) * len(self.documents)).astype(np.int64)
        ]
        own_words = np.broadcast_to(words, (rounds, n))
        own_documents = np.broadcast_to(documents, (rounds, n))
        other_words = np.stack([own_words, new_words, new_words], axis=1).reshape(-1, n)[:kinds]
        other_documents = np.stack([new_documents, own_documents, new_documents], axis=1).reshape(
            -1, n
        )[:kinds]
        return Drawn(words, documents, weights, other_words, other_documents)

    def occur(self, words: np.ndarray, documents: np.ndarray) -> np.ndarray:
        """Whether each of these words is in its document."""
        wanted = documents * self.shape[1] + words
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.asarray(self.keys[at] == wanted)


@dataclass(frozen=True, slots=True, eq=False)
class Alias:
    """Draws from a fixed law in constant time (Walker's alias method): a cell evenly, then the cell or its alias."""

    keep: np.ndarray
    other: np.ndarray

    @classmethod
    def of(cls, mass: np.ndarray) -> Alias:
        """From masses above zero, which need not sum to one."""
        size = len(mass)
        level = mass * (size / mass.sum()) if size else mass
        keep = np.ones(size)
        other = np.arange(size)
        low = np.flatnonzero(level < 1).tolist()
        high = np.flatnonzero(level >= 1).tolist()
        left = level.tolist()
        while low and high:
            small = low.pop()
            large = high[-1]
            keep[small] = left[small]
            other[small] = large
            left[large] -= 1 - left[small]
            if left[large] < 1:
                low.append(high.pop())
        return cls(keep, other)

    def draw(self, generator: np.random.Generator, n: int) -> np.ndarray:
        """n positions."""
        scaled = generator.random(n) * len(self.keep)
        cell = scaled.astype(np.int64)
        return np.where(scaled - cell < self.keep[cell], cell, self.other[cell])

    def law(self) -> np.ndarray:
        """The probability of every position."""
        share = self.keep / len(self.keep)
        return np.asarray(
            share
            + np.bincount(self.other, weights=1 / len(self.keep) - share, minlength=len(share))
        )
