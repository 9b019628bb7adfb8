"""What models of counts of words share: the counts checked, the names of the words, and the documents that hold none."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.parts.plsa import only
from coterie.represent.role import Representer

_GIANT = 0.5  # share of all tokens in one document that is worth a warning
_DICTIONARY = 3  # documents below which a giant one is no surprise


class Counted(Representer):
    """Base of models that learn from a table of counts, documents x words.

    Learned by every one: `words_` (the names of the columns) and `empty_` (positions of the fitted documents without a word).
    """

    sparse: ClassVar[bool] = True

    words_: np.ndarray
    empty_: np.ndarray

    def known(self) -> np.ndarray:
        """Which words the fitted model knows; the others of new documents are left out."""
        raise NotImplementedError(f"{type(self).__name__} does not define known")

    def counted(self, X: Any, *, new: bool = False) -> Any:
        """The counts checked, as sparse rows; negative ones are refused, parts of counts and one giant document are said.

        Of new documents the words that the model does not know are left out.
        """
        owner = type(self).__name__
        table = self.check(X, new=new)
        counts = sp.csr_array(table.values, dtype=np.float64, copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        if counts.nnz and counts.data.min() < 0:
            row = int(np.searchsorted(counts.indptr, int(np.argmin(counts.data)), side="right")) - 1
            least = counts.data.min()
            raise DataError(f"{owner}: Negative values in data: counts are from 0 up, and document {row} has {least:g}.")
        if new:
            return only(counts, self.known())
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
