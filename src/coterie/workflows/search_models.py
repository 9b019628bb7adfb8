"""Learned spaces for a search: the words of members and queries as rows of LSA, of topics, or scored by a network."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError, ParameterError
from coterie.core.table import Table
from coterie.organize.retrieval import Given, Latent, Retriever
from coterie.parts import term_weights as weighting
from coterie.workflows.search_choices import MODELS

_DIMENSIONS = {"lsa": 100, "plsa": 50, "lda": 50, "ttmm": 50, "nntr": 50}
_PER_DIMENSION = 4  # members, and words, that a small collection must have per dimension: a space of all of them adds nothing
_THEMES = 2  # of TTMM per topic
_SIZE = {
    "lsa": "n_components",
    "plsa": "n_topics",
    "lda": "n_topics",
    "ttmm": "n_topics",
    "nntr": "n_units",
}


@dataclass(frozen=True, eq=False)
class Space:
    """A learned space over a collection: how it ranks, its members, and how queries (counts of all terms) enter it."""

    name: str
    retriever: Retriever  # not fitted
    members: Any
    entered: Callable[[Any], Any]
    model: Any


def learn(name: str, counts: Any, terms: tuple[str, ...], telling: np.ndarray, seed: int) -> Space:
    """The space of that name, learned from members x terms; function words and words of one member are left out."""
    if name not in MODELS:
        raise ParameterError.of(
            "Search", "with", f"must be {' | '.join(MODELS)}, and was {name!r}."
        )
    n = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(telling & (frequency >= 2) & (frequency < n))
    if len(kept) < 2 or n < 3:
        raise DataError(
            f"{name.upper()} needs words that some members share and others lack, and there are too few."
        )
    rows = sp.csr_array(counts[:, kept])
    size = min(_DIMENSIONS[name], max(1, min(rows.shape) // _PER_DIMENSION))
    themes = {"n_themes": _THEMES * size} if name == "ttmm" else {}
    model = _model(name, {_SIZE[name]: size, **themes, "random_state": seed})
    if name == "lsa":
        idf = weighting.inverse_frequency(frequency[kept], n)
        return _latent(
            name,
            model,
            rows,
            kept,
            lambda found: weighting.unit_length(weighting.by_column(found, idf)),
        )
    named = Table(rows, tuple(terms[at] for at in kept))
    if name == "nntr":
        model.fit(named)
        return Space(
            "NNTR",
            Given(relevance=model.relevance),
            rows,
            lambda asked: sp.csr_array(asked[:, kept]),
            model,
        )
    return _latent(name, model, rows, kept, lambda found: Table(found, named.names))


def _latent(
    name: str, model: Any, rows: Any, kept: np.ndarray, form: Callable[[Any], Any]
) -> Space:
    """A space in which members and queries are rows; those without a word of its dictionary are zero and match nobody."""
    members = _present(model.fit_transform(form(rows)), rows)

    def entered(asked: Any) -> np.ndarray:
        found = sp.csr_array(asked[:, kept])
        return _present(model.transform(form(found)), found)

    return Space(name.upper(), Latent(), members, entered, model)


def _present(values: Any, counts: Any) -> np.ndarray:
    return np.where(np.diff(counts.indptr)[:, None] > 0, np.asarray(values), 0.0)


def _model(name: str, settings: dict[str, Any]) -> Any:
    """The representer of that name."""
    kind = getattr(importlib.import_module(f"coterie.represent.{name}"), name.upper())
    return kind(**settings)
