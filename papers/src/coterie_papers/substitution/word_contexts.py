"""What stands beside a word: counts in a window, positive mutual information, and cosines of pairs of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.parts.term_weights import Sentences, unit_length

_PAIRS = 2048  # pairs of rows multiplied at once


def beside(sentences: Sentences, width: int = 2) -> Any:
    """Words x (words before, words after): how often they stand at most `width` places apart in one sentence.

    Words outside the dictionary keep their place and count for nothing. What stands before and what stands after are different
    columns (the second half is what stands after), so that words are alike which can be put in the same place.
    """
    n = sentences.n_words
    owners = sentences.owners()
    total = sp.csr_array((n, 2 * n), dtype=np.float64)
    for step in range(1, width + 1):
        first = sentences.tokens[:-step]
        second = sentences.tokens[step:]
        known = (owners[:-step] == owners[step:]) & (first >= 0) & (second >= 0)
        one = first[known]
        other = second[known]
        rows = np.concatenate([one, other])
        cols = np.concatenate([other + n, one])
        total = total + sp.csr_array((np.ones(len(rows)), (rows, cols)), shape=(n, 2 * n))
    return sp.csr_array(total)


def positive_information(counts: Any, smoothing: float = 0.75) -> Any:
    """max(0, ln(P(row, column) / (P(row) Q(column)))), with Q(column) in proportion to its count to the power `smoothing`.

    A power below one makes rare columns less surprising; 1 is plain pointwise mutual information.
    """
    table = sp.csr_array(counts, dtype=np.float64, copy=True)
    table.sum_duplicates()
    by_row = np.asarray(table.sum(axis=1)).ravel()
    by_column = np.asarray(table.sum(axis=0)).ravel()
    law = np.where(by_column > 0, by_column, 1.0) ** smoothing * (by_column > 0)
    law = law / max(law.sum(), 1e-300)
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    table.data = np.maximum(np.log(table.data / (by_row[rows] * law[table.indices])), 0.0)
    table.eliminate_zeros()
    return table


def pair_cosines(rows: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The cosine of row `first[i]` and row `second[i]` of a sparse table for every i; 0 where a row is below zero or empty."""
    found = np.zeros(len(first))
    usable = np.flatnonzero((first >= 0) & (second >= 0))
    if not len(usable):
        return found
    unit = unit_length(sp.csr_array(rows))
    key = first[usable] * unit.shape[0] + second[usable]
    kinds, back = np.unique(key, return_inverse=True)
    one, other = np.divmod(kinds, unit.shape[0])
    values = np.empty(len(kinds))
    for start in range(0, len(kinds), _PAIRS):
        part = slice(start, start + _PAIRS)
        values[part] = np.asarray(unit[one[part]].multiply(unit[other[part]]).sum(axis=1)).ravel()
    found[usable] = values[back]
    return found
