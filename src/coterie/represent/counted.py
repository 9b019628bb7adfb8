"""What models of counts of words share: the counts checked, the names of the words, and the documents that hold none."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError
from coterie.core.estimator import Representer
from coterie.parts.counted_rows import counted_rows
from coterie.parts.plsa import only

_GIANT = 0.5  # share of all tokens in one document that is worth a warning
_FEW = 3  # documents up to which a giant one is no surprise


class Counted(Representer):
    """Base of models that learn from a table of counts, documents x words.

    Learned by every one: `words_` (the names of the columns), `seen_` (a mark per word that a fitted document holds) and `empty_`
    (positions of the fitted documents without a word).
    """

    sparse: ClassVar[bool] = True

    words_: np.ndarray
    seen_: np.ndarray
    empty_: np.ndarray

    def known(self) -> np.ndarray:
        """Which words the fitted model knows; the others of new documents are left out."""
        return self.seen_

    def counted(self, X: Any, *, new: bool = False) -> Any:
        """The counts checked, as sparse rows; negative ones are refused, parts of counts and one giant document are said.

        Of new documents the words that the model does not know are left out.
        """
        owner = type(self).__name__
        table = self.check(X, new=new)
        counts = counted_rows(table.values, owner)
        if new:
            return only(counts, self.known())
        if not counts.nnz:
            raise DataError(f"none of the {counts.shape[0]} documents holds a word.", owner=owner)
        if (counts.data != np.floor(counts.data)).any():
            warnings.warn(
                f"{owner}: some counts are not whole numbers; they are taken as parts of counts.",
                stacklevel=3,
            )
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        if len(sizes) > _FEW and sizes.max() > _GIANT * sizes.sum():
            share = sizes.max() / sizes.sum()
            warnings.warn(
                f"{owner}: document {int(sizes.argmax())} holds {share:.0%} of all words.",
                stacklevel=3,
            )
        self.words_ = np.array(table.names, dtype=object)
        self.seen_ = words_in(counts)
        self.empty_ = np.flatnonzero(sizes == 0)
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def words_in(counts: Any) -> np.ndarray:
    """Which words (columns) any of these documents holds."""
    return np.asarray(np.bincount(counts.indices, minlength=counts.shape[1]) > 0)
