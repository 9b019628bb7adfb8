"""Similarities of documents under PLSA: Hofmann's two Fisher kernels, and the cosine of their shares of topics."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.affinity import Dense
from coterie.core.errors import ParameterError
from coterie.parts import plsa
from coterie.parts.pairwise import pairwise

KINDS = ("k1", "k2", "cosine")
Documents = tuple[Any, np.ndarray]  # counts, shares


def similarities(
    kind: str, one: Documents, other: Documents | None, words: np.ndarray, prior: np.ndarray
) -> Dense:
    """Documents x documents; one without words is like nothing (0).

    k1 is sum_k P(k|i) P(k|j) / P(k): alike in their topics. k2 is sum_w P(w|i) P(w|j) sum_k P(k|i,w) P(k|j,w) / P(w|k), with the
    shares of words as counted: alike in words that mean the same topic in both.
    """
    if kind not in KINDS:
        raise ParameterError(f"The kernel must be {' | '.join(KINDS)}, and was {kind!r}.")
    if kind == "k2":
        ratios = [None if some is None else _ratios(*some, words) for some in (one, other)]
        return pairwise(partial(_common, words), *ratios, kind="similarity", label="PLSA kernel")
    weights = (
        np.divide(1.0, prior, out=np.zeros_like(prior), where=prior > 0)
        if kind == "k1"
        else np.ones_like(prior)
    )
    scaled = [
        None if some is None else _scaled(kind, *some, np.sqrt(weights)) for some in (one, other)
    ]
    return pairwise(_inner, *scaled, kind="similarity", label="PLSA kernel", costly=False)


def _scaled(kind: str, counts: Any, shares: np.ndarray, scale: np.ndarray) -> np.ndarray:
    rows = np.where(np.diff(counts.indptr)[:, None] > 0, shares * scale, 0.0)
    if kind != "cosine":
        return rows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _inner(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return np.asarray(rows @ cols.T)


def _ratios(counts: Any, shares: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, Any]:
    """The shares, and P(w|d) as counted over P(w|d) of the model where there is a count."""
    found = plsa.chances(counts, shares, words)
    sizes = np.repeat(np.asarray(counts.sum(axis=1)).ravel(), np.diff(counts.indptr))
    ratios = sp.csr_array(
        (counts.data / sizes / found, counts.indices, counts.indptr), shape=counts.shape, copy=True
    )
    ratios.sort_indices()
    return shares, ratios


def _common(
    words: np.ndarray, rows: tuple[np.ndarray, Any], cols: tuple[np.ndarray, Any]
) -> np.ndarray:
    from coterie._kernels.aspects import shared_words

    out = np.empty((len(rows[0]), len(cols[0])))
    shared_words(plsa.plain(rows[1]), plsa.plain(cols[1]), (rows[0], cols[0], words), out)
    return out
