"""What models of topics share: counts checked, the telling words of a topic, likelihood per token, perplexity."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.represent.role import Representer

_GIANT = 0.5  # share of all tokens in one document that is worth a warning
_DICTIONARY = 3  # documents below which a giant one is no surprise


class Topical(Representer):
    """Base of models that explain counts of words by topics.

    Learned by every one: `topics_` (topics x words, rows sum to one), `words_` (the names of the columns), `history_` (a value
    per step), `converged_`, `empty_` (positions of the fitted documents that hold no word).
    """

    sparse: ClassVar[bool] = True

    topics_: np.ndarray
    words_: np.ndarray
    history_: list[float]
    converged_: bool
    empty_: np.ndarray

    def counted(self, X: Any, *, new: bool = False) -> Any:
        """The counts checked, as a sparse array of rows; negative ones are refused, parts of counts and one giant are said."""
        owner = type(self).__name__
        table = self.check(X, new=new)
        counts = sp.csr_array(table.values, dtype=np.float64, copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        if counts.nnz and counts.data.min() < 0:
            row = int(np.searchsorted(counts.indptr, int(np.argmin(counts.data)), side="right")) - 1
            raise DataError(f"{owner}: counts must not be negative values, and document {row} has {counts.data.min():g}.")
        if new:
            return counts
        if not counts.nnz:
            raise DataError(f"{owner}: none of the {counts.shape[0]} documents holds a word.")
        if (counts.data != np.floor(counts.data)).any():
            warnings.warn(f"{owner}: some counts are not whole numbers; they are taken as parts of counts.", stacklevel=3)
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        if len(sizes) > _DICTIONARY and sizes.max() > _GIANT * sizes.sum():
            share = sizes.max() / sizes.sum()
            warnings.warn(f"{owner}: document {int(sizes.argmax())} holds {share:.0%} of all words.", stacklevel=3)
        self.words_ = np.array(table.names, dtype=object)
        self.empty_ = np.flatnonzero(sizes == 0)
        return counts

    def log_likelihood(self, X: Any) -> np.ndarray:
        """The log-likelihood of every document."""
        raise NotImplementedError(f"{type(self).__name__} does not define log_likelihood")

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per word of these documents; higher is better."""
        check_is_fitted(self)
        counts = self.counted(X, new=True)
        total = float(counts.sum())
        if not total:
            raise DataError(f"{type(self).__name__}: none of these documents holds a word of the dictionary.")
        return float(self.log_likelihood(X).sum()) / total

    def perplexity(self, X: Any) -> float:
        """exp(-score): among how many equally likely words the model wavers; lower is better."""
        return float(np.exp(-self.score(X)))

    def top_words(self, n: int = 10, words: Sequence[str] | None = None) -> list[list[str]]:
        """The n likeliest words of every topic, the likeliest first; `words` names the columns where the table did not."""
        check_is_fitted(self)
        return top_columns(self.topics_, self.words_ if words is None else words, n)


def top_columns(rows: np.ndarray, names: Sequence[str] | np.ndarray, n: int) -> list[list[str]]:
    """The names of the n largest values of every row, the largest first.

    >>> top_columns(np.array([[0.1, 0.7, 0.2]]), ["a", "b", "c"], 2)
    [['b', 'c']]
    """
    if len(names) != rows.shape[1]:
        raise DataError(f"There are {rows.shape[1]} columns and {len(names)} names of words.")
    return [[str(names[at]) for at in np.argsort(-row, kind="stable")[:n]] for row in rows]
