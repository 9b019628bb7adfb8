"""How well a model of topics foretells words it did not see: half of each document is shown, the other half is scored."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.random import stream
from coterie.parts.held_out import halved
from coterie.parts.plsa import log_likelihoods
from coterie.represent.topical import Topical


def held_out_score(model: Topical, X: Any, *, random_state: int | None = 0) -> float:
    """The mean log-likelihood of a hidden word: topics found on a random half of each document, its other half scored by them.

    Words that the model does not know are left out. The same for every model of topics, whatever its `transform` gives, so that
    they can be compared; exp of minus this is the held-out perplexity.
    """
    counts = model.counted(X, new=True)
    seen, hidden = halved(counts, stream(random_state))
    if not hidden.nnz:
        raise DataError(
            f"{type(model).__name__}: no document holds two words, so none can be shown and another one scored."
        )
    shares = np.ascontiguousarray(model.predictive(seen))
    words = np.ascontiguousarray(model.topics_.T)
    return float(log_likelihoods(hidden, shares, words).sum() / hidden.sum())
