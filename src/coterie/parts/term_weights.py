"""Counts of terms and their weights: term frequency, inverse document frequency, Okapi, and rows of length one."""

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


K1 = 1.2  # how soon further occurrences of a term stop counting (Okapi)
B = 0.75  # how much the length of a document counts (Okapi)


def inverse_frequency(frequency: np.ndarray, n: int) -> np.ndarray:
    """ln(N / df); zero for a term that every document has."""
    return np.log(n / frequency)


def dampened(counts: Any) -> Any:
    """1 + ln tf for every term that occurs."""
    out = counts.copy()
    out.data = 1.0 + np.log(out.data)
    return out


def by_column(counts: Any, factor: np.ndarray) -> Any:
    """Every column times its own factor; zeros that arise are kept in place."""
    out = counts.copy()
    out.data = out.data * factor[out.indices]
    return out


def okapi(counts: Any, idf: np.ndarray, mean_length: float, k1: float = K1, b: float = B) -> Any:
    """(k1 + 1) tf idf / (k1 ((1 - b) + b length / mean length) + tf); always below (k1 + 1) idf."""
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    relative = np.repeat((1 - b) + b * lengths / max(mean_length, 1e-300), np.diff(counts.indptr))
    out = counts.copy()
    out.data = (k1 + 1) * out.data * idf[out.indices] / (k1 * relative + out.data)
    return out


def unit_length(rows: Any) -> Any:
    """Sparse rows brought to length one; rows of zeros stay."""
    out = rows.copy()
    squares = type(rows)(
        (np.square(rows.data), rows.indices, rows.indptr), shape=rows.shape
    )  # no copy of the columns
    lengths = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    del squares
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    out.data = out.data * np.repeat(inverse, np.diff(out.indptr))
    return out
