"""Weights of terms in documents: term frequency, inverse document frequency, Okapi, and rows of length one."""

from __future__ import annotations

from typing import Any

import numpy as np

K1 = 1.2  # how soon further occurrences of a term stop counting (Okapi)
B = 0.75  # how much the length of a document counts (Okapi)


def inverse_frequency(frequency: np.ndarray, n: int) -> np.ndarray:
    """ln(N / df); zero for a term that every document has."""
    return np.log(n / frequency)


def dampened(counts: Any) -> Any:
    """1 + ln tf for every term that occurs."""
    out = counts.copy()
    out.data = 1.0 + np.log(out.data)
    return out


def by_column(counts: Any, factor: np.ndarray) -> Any:
    """Every column times its own factor; zeros that arise are kept in place."""
    out = counts.copy()
    out.data = out.data * factor[out.indices]
    return out


def okapi(counts: Any, idf: np.ndarray, mean_length: float, k1: float = K1, b: float = B) -> Any:
    """(k1 + 1) tf idf / (k1 ((1 - b) + b length / mean length) + tf); always below (k1 + 1) idf."""
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    relative = np.repeat((1 - b) + b * lengths / max(mean_length, 1e-300), np.diff(counts.indptr))
    out = counts.copy()
    out.data = (k1 + 1) * out.data * idf[out.indices] / (k1 * relative + out.data)
    return out


def unit_length(rows: Any) -> Any:
    """Sparse rows brought to length one; rows of zeros stay."""
    out = rows.copy()
    squares = type(rows)(
        (np.square(rows.data), rows.indices, rows.indptr), shape=rows.shape
    )  # no copy of the columns
    lengths = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    del squares
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    out.data = out.data * np.repeat(inverse, np.diff(out.indptr))
    return out
