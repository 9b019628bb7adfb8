"""One-versus-all SIC by loops over iterations, members and occurrences, as written on paper."""

from __future__ import annotations

import math

import numpy as np

from coterie import TaggedText
from coterie.compare.sic.roles import Diverter
from coterie.parts.windows import attributes


def forms(said: list[list[tuple[int, bool]]], n_members: int) -> dict[str, list[float]]:
    """One row: `said[i]` holds (member, taken for the reference) of every tested occurrence of iteration i."""
    sums = {name: [0.0] * n_members for name in ("raw", "share", "occurrence", "occurrence-share")}
    tested = [0] * n_members
    for occurrences in said:
        fractions = [0.0] * n_members
        for y in range(n_members):
            own = [hit for member, hit in occurrences if member == y]
            if own:
                tested[y] += 1
                fractions[y] = sum(own) / len(own)
        recognized = [y for y in range(n_members) if fractions[y] > 0]
        for y in recognized:
            sums["raw"][y] += 1
            sums["share"][y] += 1 / len(recognized)
            sums["occurrence"][y] += fractions[y]
            sums["occurrence-share"][y] += fractions[y] / sum(fractions)
    return {
        name: [row[y] / tested[y] if tested[y] else math.nan for y in range(n_members)]
        for name, row in sums.items()
    }


def symmetric(rows: dict[int, list[float]], n_members: int, how: str) -> np.ndarray:
    """Rows by reference -> members x members: each over its largest value off the diagonal, then both directions as one."""
    scaled: dict[int, list[float]] = {}
    for x, row in rows.items():
        largest = max([v for y, v in enumerate(row) if y != x and not math.isnan(v)], default=0.0)
        scaled[x] = [v / largest if largest > 0 else v for v in row]
    out = np.full((n_members, n_members), math.nan)
    for p in range(n_members):
        for q in range(n_members):
            found = [
                scaled[a][b]
                for a, b in ((p, q), (q, p))
                if a in scaled and not math.isnan(scaled[a][b])
            ]
            if p == q:
                out[p, q] = 1.0
            elif found:
                out[p, q] = {"mean": sum(found) / len(found), "max": max(found), "min": min(found)}[
                    how
                ]
    return out


class Bayes(Diverter):
    """A naive Bayes classifier of the words around a span (never the span itself); small, fast, and enough for tests."""

    takes = (TaggedText,)

    def prepare(self, view, like=None):
        known = None if like is None else {name: at for at, name in enumerate(like[1])}
        return attributes(view, offsets=(-2, -1, 1, 2), known=known)

    def train(self, data, members, labels, drawn, generator, contrast=None):
        classes, which = np.unique(labels, return_inverse=True)
        counts = np.full((len(classes), data[0].shape[1]), 0.1)
        for c in range(len(classes)):
            counts[c] += data[0][members[which == c]].sum(axis=0)
        logs = np.log(counts / counts.sum(axis=1, keepdims=True))
        return classes, logs.T, np.log(np.bincount(which) / len(which))

    def apply(self, trained, data, members):
        classes, logs, prior = trained
        return classes[np.argmax(data[0][members] @ logs + prior, axis=1)]
