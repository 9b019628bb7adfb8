"""How well a model of topics foretells words it did not see: half of each document is shown, the other half is scored."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.parts.held_out import halved
from coterie.parts.plsa import log_likelihoods, only
from coterie.represent.topical import Topical


def held_out_score(model: Topical, X: Any, *, random_state: int | None = 0) -> float:
    """The mean log-likelihood of a hidden word: topics found on a random half of each document, its other half scored by them.

    Words that no topic has are left out. The same for every model of topics, so that they can be compared; exp of minus this
    is the held-out perplexity.
    """
    counts = model.counted(X, new=True)
    words = np.ascontiguousarray(model.topics_.T)
    seen, hidden = halved(only(counts, words.any(axis=1)), stream(random_state))
    if not hidden.nnz:
        raise DataError(f"{type(model).__name__}: no document holds two words, so none can be shown and another one scored.")
    shares = np.ascontiguousarray(model.transform(seen))
    if shares.shape[1] != words.shape[1]:
        raise DataError(f"{type(model).__name__}: transform gives {shares.shape[1]} columns for {words.shape[1]} topics.")
    return float(log_likelihoods(hidden, shares, words).sum() / hidden.sum())
