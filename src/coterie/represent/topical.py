"""What models of topics share: the telling words of a topic, likelihood per word, perplexity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.errors import DataError
from coterie.represent.counted import Counted


class Topical(Counted):
    """Base of models that explain counts of words by topics.

    Learned by every one: `topics_` (topics x words, rows sum to one), `words_` (the names of the columns), `history_` (a value
    per step), `converged_`, `empty_` (positions of the fitted documents that hold no word).
    """

    topics_: np.ndarray
    history_: list[float]
    converged_: bool

    def known(self) -> np.ndarray:
        """Words that a document trained on holds, and that any topic has."""
        return np.asarray(self.seen_ & self.topics_.any(axis=0))

    def predictive(self, X: Any) -> np.ndarray:
        """The topic of one more word of each document, documents x topics: what foretells the words that are not shown."""
        return np.asarray(self.transform(X))

    def log_likelihood(self, X: Any) -> np.ndarray:
        """The log-likelihood of every document."""
        raise NotImplementedError(f"{type(self).__name__} does not define log_likelihood")

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per word of these documents; higher is better."""
        check_is_fitted(self)
        counts = self.counted(X, new=True)
        total = float(counts.sum())
        if not total:
            raise DataError(
                "none of these documents holds a word of the dictionary.",
                owner=type(self).__name__,
            )
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
