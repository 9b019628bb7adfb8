"""The network of words in documents, one pair at a time: the word is taken out, the rest brought to length one, then the sums."""

from __future__ import annotations

import math

import numpy as np


def weights(
    counts: np.ndarray, idf: np.ndarray, row: int, without: int | None = None
) -> np.ndarray:
    """TFIDF of one document without a word, brought to length one."""
    found = counts[row].astype(float) * idf
    if without is not None:
        found[without] = 0.0
    length = math.sqrt(float((found**2).sum()))
    return found / length if length > 0 else found


def score(
    arrays: dict[str, np.ndarray], counts: np.ndarray, idf: np.ndarray, word: int, row: int
) -> float:
    """f(w, d without w), with the concatenated layer."""
    document = np.zeros(arrays["documents"].shape[1])
    for at, weight in enumerate(weights(counts, idf, row, without=word)):
        document = document + weight * arrays["documents"][at]
    both = np.concatenate([arrays["words"][word], document])
    layer = np.vstack([arrays["from_words"], arrays["from_documents"]])
    hidden = [
        math.tanh(float(both @ layer[:, j]) + float(arrays["bias"][j]))
        for j in range(layer.shape[1])
    ]
    return float(np.dot(arrays["out"], hidden)) + float(arrays["offset"][0])


def loss(arrays, counts, idf, drawn, kind="hinge", shares=(0.5, 0.5)) -> float:
    """Twice the weighed means over positive pairs and over the negative ones that do not occur."""

    def one(value: float) -> float:
        return max(0.0, 1 - value) if kind == "hinge" else math.log1p(math.exp(-value))

    pairs = zip(drawn.words, drawn.documents, strict=True)
    good = [one(score(arrays, counts, idf, w, d)) for w, d in pairs]
    others = zip(drawn.other_words.ravel(), drawn.other_documents.ravel(), strict=True)
    bad = [one(-score(arrays, counts, idf, w, d)) for w, d in others if counts[d, w] == 0]
    return 2 * (shares[0] * float(np.mean(good)) + shares[1] * float(np.mean(bad)))


def network(n_words: int, units: int, hidden: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays drawn at random."""
    g = np.random.default_rng(seed)
    return {
        "words": g.normal(size=(n_words, units)),
        "documents": g.normal(size=(n_words, units)),
        "from_words": g.normal(size=(units, hidden)),
        "from_documents": g.normal(size=(units, hidden)),
        "bias": g.normal(size=hidden),
        "out": g.normal(size=hidden),
        "offset": g.normal(size=1),
    }


def counts(n: int = 12, words: int = 15, seed: int = 1) -> np.ndarray:
    """Counts of a few documents; every word is somewhere, no word is everywhere, every document has two words or more."""
    g = np.random.default_rng(seed)
    found = g.poisson(0.6, size=(n, words))
    found[np.arange(words) % n, np.arange(words)] += 1
    found[(np.arange(words) + 1) % n, np.arange(words)] = 0
    found[np.arange(n), (np.arange(n) + 5) % words] += 1
    return found


def topics(
    n: int = 300, each: int = 40, length: int = 30, seed: int = 0, mixed: bool = False
) -> np.ndarray:
    """Documents of three topics, each with words of its own, and words of all; mixed draws every word from all topics."""
    g = np.random.default_rng(seed)
    size = 4 * each
    found = np.zeros((n, size), dtype=np.int64)
    for row in range(n):
        topic = row % 3
        for _ in range(length):
            at = (
                int(g.integers(size))
                if mixed or g.random() < 0.3
                else topic * each + int(g.integers(each))
            )
            found[row, at] += 1
    return found
