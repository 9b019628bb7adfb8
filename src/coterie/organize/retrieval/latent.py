"""Latent: members and queries as rows of one learned space, ranked by the cosine of their angle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie.core.workplace import steady
from coterie.organize.retrieval.role import Retriever, Row
from coterie.parts import term_weights as weighting

_BLOCK = 64  # queries scored at once
_DIGITS = 12  # of a cosine: members alike tie, whatever the order in which a product was summed


class Latent(Retriever):
    """Members ranked by the cosine between their rows and the query's, in any representation, dense or sparse."""

    sparse: ClassVar[bool] = True

    rows_: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Bring the rows of the members to length one; a row of zeros is an empty member."""
        self.rows_, self.empty_ = _unit(self.check(X).values)
        self.n_members_ = self.rows_.shape[0]
        return self

    def rows(self, queries: Any) -> Iterator[Row]:
        """Of every query: its cosine with every member; a query of zeros matches nobody."""
        asked, nothing = _unit(self.check(queries, new=True).values)
        for first in range(0, asked.shape[0], _BLOCK):
            with steady():
                product = asked[first : first + _BLOCK] @ self.rows_.T
            values = np.round(
                np.asarray(product.toarray() if hasattr(product, "toarray") else product), _DIGITS
            )
            for at, scores in enumerate(values, first):
                scores[self.empty_] = -np.inf
                yield scores, np.zeros(self.n_members_, dtype=bool) if nothing[at] else ~self.empty_


def _unit(values: Any) -> tuple[Any, np.ndarray]:
    """Rows of length one, and which of them hold nothing and stay zero."""
    if hasattr(values, "tocsr"):
        rows = weighting.unit_length(sp.csr_array(values))
        return rows, np.asarray(abs(rows).sum(axis=1)).ravel() == 0
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.divide(
        values, lengths, out=np.zeros_like(values), where=lengths > 0
    ), lengths.ravel() == 0
