"""Bonds by their definition: pairs looped over one by one, and moves tried by computing the whole objective anew."""

from __future__ import annotations

import numpy as np

from tests.oracles import moves as slow


def value(tags, pull, pairs, weights, labels):
    """What all bonds add: every pair of tagged elements, and every given pair, in one cluster."""
    total = 0.0
    n = len(labels)
    for i in range(n):
        for j in range(i + 1, n):
            if tags[i] >= 0 and tags[j] >= 0 and labels[i] == labels[j] >= 0:
                total += pull[0] if tags[i] == tags[j] else -pull[1]
    for (i, j), weight in zip(pairs, weights, strict=True):
        if labels[i] == labels[j] >= 0:
            total += weight
    return total


def sweep(sides, labels, k, order, tags, pull, pairs, weights, slack):
    """Each element put where the objective with its bonds is highest; it stays where nothing is better by more than slack."""
    labels = np.array(labels)
    for x in order:
        if labels[x] < 0 or all(side.table[x].sum() == 0 for side in sides):
            continue
        found = []
        for c in range(k):
            tried = labels.copy()
            tried[x] = c
            found.append(slow.value(sides, tried, k) + value(tags, pull, pairs, weights, tried))
        best = int(np.argmax(found))
        own = found[labels[x]]
        if found[best] > own and found[best] - own > slack:
            labels[x] = best
    return labels
