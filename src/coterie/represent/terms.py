"""Terms: documents as weighted counts of their words, with a dictionary learned from the collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.params import param
from coterie.core.text import Text
from coterie.parts import term_weights as weighting
from coterie.represent.porter import stem
from coterie.represent.role import Representer
from coterie.represent.selection import SCORES, term_scores
from coterie.represent.stopwords import ENGLISH
from coterie.represent.tokens import numbered

_DROPPED = -1  # a stop word
_UNKNOWN = -2  # a word outside the dictionary


class Terms(Representer):
    """Documents as sparse rows of weighted terms (the vector space model): binary, tf, tfidf or bm25."""

    takes: ClassVar[type] = Text

    weights: str = param("tfidf", "What a term weighs in a document.", choices=("binary", "tf", "tfidf", "bm25"))
    sublinear: bool = param(False, "Whether tf counts as 1 + ln tf (for tf and tfidf).")
    normalize: bool | None = param(None, "Whether rows are brought to length one; None does so for tfidf only.", advanced=True)
    stop_words: str | Sequence[str] = param(
        "english", "Words left out: a list of the house, or your own.", choices=("english", "none")
    )
    stem: str = param("none", "Whether words are cut to their stem by Porter's rules (English).", choices=("none", "porter"))
    min_df: int = param(2, "Documents a term must be in.", ge=1)
    max_df: float = param(1.0, "Largest share of documents a term may be in.", gt=0, le=1)
    max_terms: int | None = param(None, "Terms kept, the best by `select`; None keeps all.", ge=1)
    select: str = param(
        "df",
        "What makes a term good: its document frequency, or a score that reads labels.",
        choices=("df", *SCORES),
        advanced=True,
    )
    pool: str = param(
        "max",
        "Over several classes: the largest score, or the mean weighted by class size.",
        choices=("max", "mean"),
        advanced=True,
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the dictionary, and the frequencies that weights need; labels are read only where `select` says so."""
        self._learned(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, and give the weighted terms; the documents are read once."""
        return self._weighted(self._learned(X, y))

    def _learned(self, X: Any, y: Any) -> Any:
        """Learn from the documents; the counts of their terms."""
        documents = self.check(X)
        stopped = self._stopped()
        kinds, tokens, ends = numbered(documents)
        terms, meaning = _meanings(kinds, stopped, self.stem == "porter")
        counts = _counted(meaning[tokens], ends, len(terms))
        kept = self._kept(counts, terms, y)
        self.terms_ = np.array(terms, dtype=object)[kept]
        self.dictionary_ = {term: place for place, term in enumerate(self.terms_)}
        counts = sp.csr_array(counts[:, kept])
        self.n_documents_ = len(documents)
        self.document_frequency_ = np.bincount(counts.indices, minlength=len(kept))
        self.idf_ = weighting.inverse_frequency(self.document_frequency_, self.n_documents_)
        self.mean_length_ = float(counts.sum()) / self.n_documents_
        self.unknown_share_ = _share(meaning[tokens] >= 0, counts)
        self.n_features_out_ = len(kept)
        return counts

    def transform(self, X: Any) -> Any:
        """Weighted terms of these documents as a sparse array; words outside the dictionary count in `unknown_share_`."""
        return self._weighted(self.counts(X))

    def counts(self, X: Any) -> Any:
        """How often each term of the dictionary occurs in these documents."""
        documents = self.check(X, new=True)
        stopped = self._stopped()
        kinds, tokens, ends = numbered(documents)
        cut = stem if self.stem == "porter" else str
        meaning = np.array(
            [_DROPPED if kind in stopped else self.dictionary_.get(cut(kind), _UNKNOWN) for kind in kinds], dtype=np.int64
        )
        found = _counted(meaning[tokens], ends, len(self.terms_))
        self.unknown_share_ = _share(meaning[tokens] != _DROPPED, found)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The terms."""
        return self.terms_

    def _weighted(self, counts: Any) -> Any:
        rows = counts
        if self.weights == "binary":
            rows.data = np.ones_like(rows.data)
        elif self.weights == "bm25":
            rows = weighting.okapi(rows, self.idf_, self.mean_length_)
        else:
            rows = weighting.dampened(rows) if self.sublinear else rows
            rows = weighting.by_column(rows, self.idf_) if self.weights == "tfidf" else rows
        wanted = self.weights == "tfidf" if self.normalize is None else self.normalize
        return weighting.unit_length(rows) if wanted else rows

    def _stopped(self) -> frozenset[str]:
        if isinstance(self.stop_words, str):
            return ENGLISH if self.stop_words == "english" else frozenset()
        return frozenset(word.lower() for word in self.stop_words)

    def _kept(self, counts: Any, terms: list[str], y: Any) -> np.ndarray:
        """Positions of the terms that stay, in the order of their names."""
        n = counts.shape[0]
        frequency = np.bincount(counts.indices, minlength=len(terms))
        kept = np.flatnonzero((frequency >= self.min_df) & (frequency <= self.max_df * n + 1e-9))
        if not len(terms):
            raise DataError(f"Terms: the {n} documents hold no words besides stop words.")
        if not len(kept):
            raise DataError(
                f"Terms: none of the {len(terms)} terms is in at least min_df={self.min_df} documents and in at most "
                f"max_df={self.max_df:g} of all {n}; lower min_df or raise max_df."
            )
        self.scores_ = frequency[kept].astype(np.float64) if self.select == "df" else self._scores(counts[:, kept], y)
        if self.max_terms is not None and len(kept) > self.max_terms:
            best = np.sort(np.argsort(-self.scores_, kind="stable")[: self.max_terms])
            kept, self.scores_ = kept[best], self.scores_[best]
        return kept

    def _scores(self, counts: Any, y: Any) -> np.ndarray:
        if y is None:
            raise ParameterError(f"Terms: select='{self.select}' needs labels; call fit(documents, labels), or use select='df'.")
        labels = np.asarray(y)
        if labels.shape != (counts.shape[0],):
            raise DataError(f"Terms: there are {counts.shape[0]} documents and labels of shape {labels.shape}.")
        return term_scores(counts, labels, self.select, self.pool)


def _meanings(kinds: list[str], stopped: frozenset[str], stemmed: bool) -> tuple[list[str], np.ndarray]:
    """All terms in the order of their names, and the term of every kind of word (or that it is a stop word)."""
    cut = [None if kind in stopped else stem(kind) if stemmed else kind for kind in kinds]
    terms = sorted({term for term in cut if term is not None})
    place = {term: at for at, term in enumerate(terms)}
    return terms, np.array([_DROPPED if term is None else place[term] for term in cut], dtype=np.int64)


def _counted(terms: np.ndarray, ends: np.ndarray, width: int) -> Any:
    """Documents x terms, how often; tokens below zero are left out."""
    documents = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    known = terms >= 0
    pair, times = np.unique(documents[known] * max(width, 1) + terms[known], return_counts=True)
    rows, cols = np.divmod(pair, max(width, 1))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(ends)))])
    return sp.csr_array((times.astype(np.float64), cols, starts), shape=(len(ends), width))


def _share(words: np.ndarray, counts: Any) -> float:
    """The share of the words (stop words aside) that found no place in the counts."""
    total = int(words.sum())
    return 1.0 - float(counts.sum()) / total if total else 0.0
