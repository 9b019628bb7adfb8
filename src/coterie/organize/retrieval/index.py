"""Index: posting lists of a collection, and how well each member answers a query by the words they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.organize.retrieval.role import Retriever, Row
from coterie.parts import term_weights as weighting
from coterie.parts.counted_rows import counted_rows

SCORERS = ("bm25", "inner", "tfidf", "cosine")


class Index(Retriever):
    """An index of counted words that ranks members for a query by Okapi BM25, TFIDF or the cosine of counts."""

    sparse: ClassVar[bool] = True

    scorer: str = param("bm25", "How shared words count.", choices=SCORERS)
    k1: float = param(
        weighting.K1, "How soon further occurrences of a word stop counting (bm25).", ge=0
    )
    b: float = param(weighting.B, "How much the length of a member counts (bm25).", ge=0, le=1)
    normalize: bool = param(
        True, "Whether the TFIDF rows of inner are brought to length one.", advanced=True
    )

    counts_: Any
    idf_: np.ndarray
    postings_: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Weigh the words of every member (documents x terms, raw counts) and keep them by word."""
        counts = self._counted(X)
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        if not lengths.any():
            raise DataError(f"none of the {counts.shape[0]} members holds a word.", owner="Index")
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self.n_members_ = counts.shape[0]
        self.document_frequency_ = frequency
        self.mean_length_ = float(lengths.mean())
        self.idf_ = np.where(
            frequency > 0,
            weighting.inverse_frequency(np.maximum(frequency, 1), self.n_members_),
            0.0,
        )
        self.empty_ = lengths == 0
        self.counts_ = counts
        self.postings_ = sp.csc_array(self._weighted(counts))
        return self

    def rows(self, queries: Any) -> Iterator[Row]:
        """Of every query: the scores, and which members hold one of its words."""
        asked = self._asked(self._counted(queries, new=True))
        starts = self.postings_.indptr
        members = self.postings_.indices
        weights = self.postings_.data
        for at in range(asked.shape[0]):
            words = slice(asked.indptr[at], asked.indptr[at + 1])
            lists = [slice(starts[word], starts[word + 1]) for word in asked.indices[words]]
            held = (
                np.concatenate([members[one] for one in lists])
                if lists
                else np.zeros(0, dtype=np.int64)
            )
            added = [
                factor * weights[one] for one, factor in zip(lists, asked.data[words], strict=True)
            ]
            scores = np.bincount(
                held, weights=np.concatenate(added) if added else None, minlength=self.n_members_
            )
            scores = scores.astype(np.float64)
            scores[self.empty_] = -np.inf
            yield scores, np.bincount(held, minlength=self.n_members_) > 0

    def matching(self, queries: Any) -> np.ndarray:
        """How many members hold a word of each query."""
        return np.array([int(listed.sum()) for _, listed in self.rows(queries)], dtype=np.int64)

    def _weighted(self, counts: Any) -> Any:
        """What every word weighs in every member."""
        if self.scorer == "bm25":
            return weighting.okapi(counts, self.idf_, self.mean_length_, self.k1, self.b)
        if self.scorer == "cosine":
            return weighting.unit_length(counts)
        rows = weighting.by_column(counts, self.idf_)
        if self.scorer == "inner":
            return weighting.unit_length(rows) if self.normalize else rows
        totals = np.asarray(rows.sum(axis=1)).ravel()
        inverse = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        rows.data = rows.data * np.repeat(inverse, np.diff(rows.indptr))
        return rows

    def _asked(self, queries: Any) -> Any:
        """What every word weighs in a query: once however often it stands there; with cosine its count in a row of length one.

        Weights below one, as those of the words that `Expansion` adds, stay what they are.
        """
        if self.scorer == "cosine":
            return weighting.unit_length(queries)
        queries.data = np.minimum(queries.data, 1.0)
        return queries

    def _counted(self, X: Any, new: bool = False) -> Any:
        return counted_rows(self.check(X, new=new).values, "Index", "query" if new else "member")
