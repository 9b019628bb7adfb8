"""Sentences as numbers: the column of every word in its order, where sentences end, and how often each has each word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The words of all sentences in their order, as columns of a dictionary of `n_words`; below zero: not in it.

    >>> Sentences(np.array([0, 1, -1, 0]), np.array([2, 4]), 2).counts().toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """

    tokens: np.ndarray
    ends: np.ndarray
    n_words: int

    def __post_init__(self) -> None:
        tokens = np.asarray(self.tokens, dtype=np.int64)
        ends = np.asarray(self.ends, dtype=np.int64)
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "ends", ends)
        if not len(ends):
            raise DataError("There are no sentences: the list is empty.")
        if ends[-1] != len(tokens) or (np.diff(ends, prepend=0) < 0).any():
            raise DataError(
                f"The ends of sentences must rise to the number of words, {len(tokens)}."
            )
        if len(tokens) and tokens.max() >= self.n_words:
            raise DataError(
                f"A word has the column {tokens.max()}, and the dictionary has {self.n_words} words."
            )

    def __len__(self) -> int:
        return len(self.ends)

    def owners(self) -> np.ndarray:
        """The sentence of every word."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    def counts(self) -> Any:
        """Sentences x words, how often."""
        return counted(self.tokens, self.ends, self.n_words)

    def __repr__(self) -> str:
        return f"Sentences({len(self)} of {len(self.tokens)} words)"


def counted(tokens: np.ndarray, ends: np.ndarray, width: int) -> Any:
    """Documents x columns, how often; tokens below zero are left out.

    >>> counted(np.array([1, 1, -1, 0]), np.array([3, 4]), 2).toarray().tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    documents = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    known = tokens >= 0
    pair, times = np.unique(documents[known] * max(width, 1) + tokens[known], return_counts=True)
    rows, cols = np.divmod(pair, max(width, 1))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(ends)))])
    return sp.csr_array((times.astype(np.float64), cols, starts), shape=(len(ends), width))
