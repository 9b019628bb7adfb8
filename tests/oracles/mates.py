"""Mates and pairwise clusters counted one by one."""

from __future__ import annotations

import math


def average_precision(one, other):
    """The mean of 1 / rank by cosine, every pair of rows looked at."""
    total = 0.0
    for i, row in enumerate(one):
        scores = [_cosine(row, candidate) for candidate in other]
        better = sum(1 for score in scores if score > scores[i] + 1e-12)
        equal = sum(
            1 for j, score in enumerate(scores) if j != i and abs(score - scores[i]) <= 1e-12
        )
        total += 1 / (1 + better + equal / 2)
    return total / len(one)


def _cosine(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(
        sum(a * a for a in one) * sum(b * b for b in other)
    )


def quantile(values, q):
    """The linear quantile of some numbers."""
    ordered = sorted(values)
    at = q * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def candidate(fitted, held_out, component, sign, q):
    """Of one candidate: the share that contradicts it, that would by chance, and that every view puts in."""
    edges = [quantile([sign * row[component] for row in view], q) for view in fitted]
    marks = [
        [sign * view[i][component] > edge for view, edge in zip(held_out, edges, strict=True)]
        for i in range(len(held_out[0]))
    ]
    n = len(marks)
    risk = sum(1 for row in marks if any(row) and not all(row)) / n
    both = 1.0
    neither = 1.0
    for v in range(len(held_out)):
        share = sum(row[v] for row in marks) / n
        both = both * share
        neither = neither * (1 - share)
    return risk, 1 - both - neither, sum(1 for row in marks if all(row)) / n


def kl(weights, size):
    """KL of weights from the even prior over so many candidates."""
    return sum(w * math.log(w * size) for w in weights if w > 0)
