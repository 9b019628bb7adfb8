"""Retrieval scores one document and one word at a time, as Keller 2006 writes them (section 2.2.2, equations 2.11 and 2.12)."""

from __future__ import annotations

import math

import numpy as np


def idf(counts: np.ndarray, word: int) -> float:
    """ln(N / df), 0 for a word nobody has."""
    df = sum(1 for row in counts if row[word] > 0)
    return math.log(len(counts) / df) if df else 0.0


def okapi(counts: np.ndarray, query: np.ndarray, document: int, k1: float, b: float) -> float:
    """Sum over the distinct words of the query of (k1 + 1) tf idf / (k1 ((1 - b) + b mu) + tf)."""
    row = counts[document]
    mu = row.sum() / (counts.sum() / len(counts))
    total = 0.0
    for word in range(counts.shape[1]):
        if query[word] > 0 and row[word] > 0:
            total += (
                (k1 + 1) * row[word] * idf(counts, word) / (k1 * ((1 - b) + b * mu) + row[word])
            )
    return total


def inner(counts: np.ndarray, query: np.ndarray, document: int, normalize: bool) -> float:
    """Binary query times TFIDF of the document."""
    weights = [tf * idf(counts, word) for word, tf in enumerate(counts[document])]
    length = math.sqrt(sum(weight**2 for weight in weights)) if normalize else 1.0
    return sum(weight for word, weight in enumerate(weights) if query[word] > 0) / (length or 1.0)


def share(counts: np.ndarray, query: np.ndarray, document: int) -> float:
    """TFIDF of the query's words in the document over that of all its words."""
    weights = [tf * idf(counts, word) for word, tf in enumerate(counts[document])]
    return sum(weight for word, weight in enumerate(weights) if query[word] > 0) / (
        sum(weights) or 1.0
    )


def cosine(counts: np.ndarray, query: np.ndarray, document: int) -> float:
    """Cosine of the two rows of counts."""
    row = counts[document]
    product = sum(float(a) * float(b) for a, b in zip(row, query, strict=True))
    lengths = math.sqrt(float((row**2).sum())) * math.sqrt(float((query**2).sum()))
    return product / lengths if lengths else 0.0


def expanded(
    counts: np.ndarray, query: np.ndarray, first: list[int], terms: int, beta: float
) -> np.ndarray:
    """The query and the words that are most frequent in the documents found first, those of the query aside."""
    often = {
        word: sum(counts[d][word] for d in first)
        for word in range(counts.shape[1])
        if query[word] == 0
    }
    added = [
        word for word in sorted(often, key=lambda word: (-often[word], word)) if often[word] > 0
    ][:terms]
    out = query.astype(float).copy()
    for word in added:
        out[word] = beta
    return out
