"""What is held out: some documents for validation, and of each document half its words, chosen at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError

_MANY = 1 << 26  # words beyond which each count is halved by itself


def validation_rows(n: int, share: float, generator: np.random.Generator) -> np.ndarray:
    """Positions of the documents held out, rising: this share of all, at least one, and at least one is left.

    >>> validation_rows(10, 0.2, np.random.default_rng(0)).shape
    (2,)
    """
    if n < 2:
        raise DataError(
            f"Holding documents out for validation needs at least two of them, and there are n_samples = {n}."
        )
    most = min(max(1, round(share * n)), n - 1)
    return np.sort(generator.choice(n, size=most, replace=False))


def two_words(counts: Any) -> np.ndarray:
    """Positions of the documents that can be halved: those of at least two words."""
    pieces = sp.csr_array((np.ceil(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    return np.flatnonzero(np.asarray(pieces.sum(axis=1)).ravel() >= 2)


def halved(counts: Any, generator: np.random.Generator) -> tuple[Any, Any]:
    """The words of every document dealt out at random in two halves, as two sparse arrays; an odd word goes to the first.

    A part of a count goes where one word falls, so that the halves always add up to the counts.
    """
    counts = sp.csr_array(counts, dtype=np.float64)
    pieces = np.ceil(counts.data)
    if pieces.sum() > _MANY:
        first = generator.binomial(pieces.astype(np.int64), 0.5) * (
            counts.data / np.maximum(pieces, 1.0)
        )
    else:
        first = _dealt(counts, pieces.astype(np.int64), generator)
    return _with(counts, first), _with(counts, counts.data - first)


def _dealt(counts: Any, pieces: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Of every count, what falls in the first half."""
    owner = np.repeat(np.arange(counts.nnz), pieces)
    weight = np.ones(len(owner))
    has = pieces > 0
    weight[np.cumsum(pieces)[has] - 1] -= (pieces - counts.data)[has]
    document = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))[owner]
    order = np.lexsort((generator.random(len(owner)), document))
    size = np.bincount(document, minlength=counts.shape[0])
    begun = np.cumsum(size) - size
    place = np.empty(len(owner), dtype=np.int64)
    place[order] = np.arange(len(owner))
    early = 2 * (place - begun[document]) < size[document]
    return np.bincount(owner[early], weights=weight[early], minlength=counts.nnz)


def _with(counts: Any, data: np.ndarray) -> Any:
    found = sp.csr_array(
        (data, counts.indices, counts.indptr), shape=counts.shape, copy=True
    )  # compacted in place
    found.eliminate_zeros()
    return found
