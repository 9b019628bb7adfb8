"""PLSA: EM on the counts that are there (plain or tempered), likelihood, folding-in of new documents, Hofmann's kernels.

Keller 2006, section 2.3.2. `shares` is documents x topics, P(k|d); `words` is words x topics, P(w|k). P(k|w,d) is never stored.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.parts.workers import in_order

FOLD_STEPS = 50  # most EM steps of folding-in
FOLD_TOL = 1e-4  # folding-in ends when no share moves by this
_PIECE = 1 << 17  # counts of one piece of work
_HALF = 0.5  # of the start of a topic is the law of all words


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts by rows, and the same by words: for every word its documents, and where each of its counts is in the rows."""

    rows: tuple[np.ndarray, np.ndarray, np.ndarray]  # starts, columns, counts
    posted: tuple[np.ndarray, np.ndarray]  # starts, documents
    places: np.ndarray  # where the counts of the words are in the rows
    shape: tuple[int, int]

    @classmethod
    def of(cls, counts: Any) -> Counts:
        """From a sparse array of rows."""
        places = sp.csr_array(
            (np.arange(counts.nnz, dtype=np.int64), counts.indices, counts.indptr),
            shape=counts.shape,
        ).tocsc()
        return cls(
            plain(counts),
            (_long(places.indptr), places.indices.astype(np.int32)),
            places.data,
            counts.shape,
        )


def start(
    counts: Any, n_topics: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Random shares, and topics that are half a random law and half the law of all words."""
    shares = generator.dirichlet(np.ones(n_topics), size=counts.shape[0])
    random = generator.dirichlet(np.ones(counts.shape[1]), size=n_topics)
    every = np.asarray(counts.sum(axis=0)).ravel()
    return shares, np.ascontiguousarray(
        (1 - _HALF) * random.T + _HALF * (every / every.sum())[:, None]
    )


def step(
    counts: Counts, shares: np.ndarray, words: np.ndarray, beta: float = 1.0
) -> tuple[np.ndarray, np.ndarray, float]:
    """One step of EM: new shares, new words, and the (tempered) log-likelihood of those it began with.

    Tempered, P(k|w,d) is proportional to (P(w|k) P(k|d))^beta, and what never falls is the sum of n(d,w) / beta times the log of
    the sum of those over the topics.
    """
    from coterie._kernels.aspects import by_documents, by_words

    laws = _raised(shares, beta), _raised(words, beta)
    ratios = np.empty(len(counts.rows[2]))
    fresh = np.empty_like(shares)
    dealt(
        lambda span: by_documents(counts.rows, laws, shares, span, (ratios, fresh)), counts.rows[0]
    )
    expected = np.empty_like(words)
    by_word = ratios[counts.places]
    dealt(lambda span: by_words(counts.posted, by_word, laws, span, expected), counts.posted[0])
    totals = expected.sum(axis=0)
    alive = totals > 0
    expected /= np.where(alive, totals, 1.0)
    if not alive.all():
        expected[:, ~alive] = words[:, ~alive]  # a topic that explains nothing keeps its words
    logs = np.log(np.divide(counts.rows[2], ratios, out=ratios), out=ratios)
    return fresh, expected, float(np.multiply(logs, counts.rows[2], out=logs).sum()) / beta


def log_likelihoods(counts: Any, shares: np.ndarray, words: np.ndarray) -> np.ndarray:
    """sum_w n(d,w) log P(w|d) of every document."""
    logs = sp.csr_array(
        (counts.data * np.log(chances(counts, shares, words)), counts.indices, counts.indptr),
        shape=counts.shape,
    )
    return np.asarray(logs.sum(axis=1)).ravel()


def chances(counts: Any, shares: np.ndarray, words: np.ndarray) -> np.ndarray:
    """P(w|d) of the model at every count that is there, in their order."""
    from coterie._kernels.aspects import chances_of

    rows = plain(counts)
    found = np.empty(counts.nnz)
    dealt(lambda span: chances_of(rows, (shares, words), span, found), rows[0])
    return found


def topics_of_words(topics: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """P(k|w), words x topics, from P(w|k) and P(k); a word that no topic has has the prior."""
    joint = topics.T * prior
    totals = joint.sum(axis=1, keepdims=True)
    return np.where(totals > 0, joint / np.where(totals > 0, totals, 1.0), prior)


def fold_in(
    counts: Any,
    words: np.ndarray,
    *,
    beta: float = 1.0,
    steps: int = FOLD_STEPS,
    tol: float = FOLD_TOL,
    shares: np.ndarray | None = None,
) -> np.ndarray:
    """P(k|d) of new documents, the words of the topics as they are: EM on the shares alone, from uniform ones unless given.

    Every document ends by itself, so its shares do not depend on the others. One without words keeps those it began with.
    """
    from coterie._kernels.aspects import folded

    width = words.shape[1]
    found = (
        np.full((counts.shape[0], width), 1.0 / width)
        if shares is None
        else np.array(shares, dtype=np.float64)
    )
    rows = plain(counts)
    law = _raised(words, beta)
    ratios = np.empty(counts.nnz)
    dealt(lambda span: folded(rows, law, beta, (steps, tol), span, (found, ratios)), rows[0])
    return found


def only(counts: Any, known: Any) -> Any:
    """The counts of the known words alone, columns as they were."""
    if known.all():
        return counts
    kept = known[counts.indices]
    starts = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
    return sp.csr_array((counts.data[kept], counts.indices[kept], starts), shape=counts.shape)


def _raised(law: np.ndarray, beta: float) -> np.ndarray:
    return law if beta == 1.0 else np.power(law, beta)


def plain(counts: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, columns and counts of sparse rows as the kernels take them."""
    return (
        _long(counts.indptr),
        counts.indices.astype(np.int32),
        np.ascontiguousarray(counts.data, dtype=np.float64),
    )


def _long(starts: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(starts, dtype=np.int64)


def dealt(work: Callable[[tuple[int, int]], None], starts: np.ndarray) -> None:
    """Work on spans of rows with about as many counts each, on the workers there are."""
    pieces = max(1, -(-int(starts[-1]) // _PIECE))
    cuts = np.unique(np.searchsorted(starts, np.linspace(0, starts[-1], pieces + 1)[1:-1]))
    edges = np.unique(np.concatenate([[0], cuts, [len(starts) - 1]])).tolist()
    for _ in in_order(work, list(itertools.pairwise(edges)), ""):
        pass
