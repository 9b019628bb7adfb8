"""Query expansion: the most frequent words of the members found first are added to the query, with less weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.params import Settings, param
from coterie.organize.retrieval.index import Index
from coterie.organize.retrieval.role import best


class Expansion(Settings):
    """Queries with the most frequent words of their best members added (pseudo-relevance feedback, Keller 2006, 2.2.2)."""

    members: int = param(10, "Members of the first search whose words are looked at.", ge=1)
    terms: int = param(10, "Words added to a query.", ge=1)
    beta: float = param(
        0.5, "What an added word weighs, where a word of the query weighs 1.", gt=0, le=1
    )

    def expand(
        self,
        index: Index,
        queries: Any,
        marked: Sequence[Any] | None = None,
        among: np.ndarray | None = None,
    ) -> sp.csr_array:
        """The queries as weights of words, to be searched by the same index.

        `marked` has per query the positions of members that a person called good, in place of the best of a first search;
        `among` marks the words that may be added, where stop words are in the index.
        """
        self.check_params()
        asked = sp.csr_array(index.check(queries, new=True).values, dtype=np.float64, copy=True)
        asked.sum_duplicates()
        if marked is not None and len(marked) != asked.shape[0]:
            raise DataError(
                f"there are {asked.shape[0]} queries, and marked members of {len(marked)}.",
                owner="Expansion",
            )
        parts = []
        for at, (scores, listed) in enumerate(index.rows(asked)):
            chosen = (
                best(scores, listed, self.members)
                if marked is None
                else np.asarray(marked[at], dtype=np.int64)
            )
            parts.append(self._added(index, asked, at, chosen, among))
        width = asked.shape[1]
        rows = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        cols = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        added = sp.csr_array(
            (np.full(len(cols), self.beta), (rows, cols)), shape=(asked.shape[0], width)
        )
        found = sp.csr_array(asked + added)
        found.sort_indices()
        return found

    def _added(
        self, index: Index, asked: Any, at: int, chosen: np.ndarray, among: np.ndarray | None
    ) -> np.ndarray:
        """The words to be added to one query: the most frequent of the chosen members, those of the query left out."""
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= index.n_members_):
            raise DataError(
                f"marked members are positions from 0 to {index.n_members_ - 1}.", owner="Expansion"
            )
        often = np.asarray(index.counts_[chosen].sum(axis=0)).ravel()
        often[asked.indices[asked.indptr[at] : asked.indptr[at + 1]]] = 0.0
        if among is not None:
            often[~among] = 0.0
        first = np.argsort(-often, kind="stable")[: self.terms]
        return first[often[first] > 0]
