"""A consensus of runs slowly, each from its definition: the score of a number of groups, votes by all matchings, where a row fits."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from tests.oracles.bottleneck import grouped, information


def damped(counts):
    """1 + ln c in whole quarters, 0 where there is none."""
    out = np.zeros(np.shape(counts), dtype=int)
    for place, c in np.ndenumerate(np.asarray(counts)):
        if c > 0:
            out[place] = int(np.rint(4 * (1 + np.log(c))))
    return out


def scores(informations, shuffled, reference, agreements):
    """M(k) / max M + A(k)."""
    gain = [(a - b) / (b + reference) for a, b in zip(informations, shuffled, strict=True)]
    return [g / max(gain) + a for g, a in zip(gain, agreements, strict=True)]


def votes(labels, runs, k):
    """The share of runs that put each member where the consensus does, each under its best renaming of the groups."""
    found = np.zeros(len(labels))
    for run in runs:
        best = max(
            permutations(range(k)),
            key=lambda names: sum(names[r] == c for r, c in zip(run, labels, strict=True)),
        )
        found += [best[r] == c for r, c in zip(run, labels, strict=True)]
    return found / len(runs)


def best_group(table, labels, k, row):
    """The group in which one further row leaves most information."""
    values = []
    for c in range(k):
        now = grouped(table, labels, k)
        now[c] += row
        values.append(information(now) * now.sum())
    before = grouped(table, labels, k)
    # what all rows carry apart from the groups is the same wherever the row goes
    return int(np.argmax(np.array(values) - information(before) * before.sum()))


def united(table, labels, k, fewer):
    """Groups united, each time the two whose union leaves most information, later ones moving up."""
    labels = np.array(labels)
    while k > fewer:
        best = (-np.inf, 0, 0)
        for b in range(k):
            for a in range(b):
                after = np.where(labels == b, a, labels)
                kept = information(grouped(table, after, k))
                if kept > best[0] + 1e-12:
                    best = (kept, a, b)
        _, a, b = best
        labels = np.where(labels == b, a, labels)
        labels = np.where(labels > b, labels - 1, labels)
        k -= 1
    return labels
