"""Slow twins: the weighted mean of the vectors of the tokens of a text, and likelihoods of groups as directions and as multinomials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np


def weighted_means(
    texts: Sequence[Sequence[str]], vectors: Mapping[str, np.ndarray], smoothing: float
) -> np.ndarray:
    """Of each text, given as its tokens, the mean of the vectors weighted by a / (a + share of the token)."""
    known = [[token for token in text if token in vectors] for text in texts]
    times = Counter(token for text in known for token in text)
    total = sum(times.values())
    width = len(next(iter(vectors.values())))
    rows = []
    for text in known:
        row = np.zeros(width)
        mass = 0.0
        for token in text:
            weight = smoothing / (smoothing + times[token] / total)
            row += weight * vectors[token]
            mass += weight
        rows.append(row / mass if mass else row)
    return np.array(rows)


def von_mises_fisher(
    fitted: np.ndarray, labels: Sequence[int], k: int, new: np.ndarray
) -> np.ndarray:
    """The log-likelihood of new rows of length one in each group, up to a constant: half the concentration times cosine."""
    middle = [sum(row[j] for row in fitted) / len(fitted) for j in range(fitted.shape[1])]

    def turned(row: np.ndarray) -> np.ndarray:
        away = np.array([value - mean for value, mean in zip(row, middle, strict=True)])
        return away / math.sqrt(float((away**2).sum()))

    rows = [turned(row) for row in fitted]
    sums = [
        sum((row for row, own in zip(rows, labels, strict=True) if own == g), 0.0) for g in range(k)
    ]
    lengths = [math.sqrt(float((np.asarray(one) ** 2).sum())) for one in sums]
    r = sum(lengths) / len(rows)
    d = fitted.shape[1]
    concentration = r * (d - r**2) / (1 - r**2) / 2
    return np.array(
        [
            [
                concentration * float(turned(row) @ one) / length
                for one, length in zip(sums, lengths, strict=True)
            ]
            for row in new
        ]
    )


def multinomial(counts: np.ndarray, labels: Sequence[int], k: int) -> np.ndarray:
    """The log-likelihood of each row in each group, its own without it: 0.7 of the group's share and 0.3 of everybody's."""
    n, width = counts.shape
    everybody = counts.sum()
    found = np.zeros((n, k))
    for i in range(n):
        for g in range(k):
            others = [j for j in range(n) if labels[j] == g and j != i]
            total = counts[others].sum()
            for w in range(width):
                share = counts[others, w].sum() / total if total else 0.0
                if counts[i, w]:
                    found[i, g] += counts[i, w] * math.log(
                        0.7 * share + 0.3 * counts[:, w].sum() / everybody
                    )
    return found
