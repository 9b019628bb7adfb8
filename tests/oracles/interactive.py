"""Interactive clustering the slow way: counts, lifts, proposals and an oracle, feature by feature; and small reviews."""

from __future__ import annotations

from collections import Counter

import numpy as np

from coterie import Cooccurrence
from coterie.organize.comraf.interactive import Session

GOOD = ["good", "great", "fine", "lovely", "superb", "warm"]
BAD = ["bad", "poor", "awful", "dull", "weak", "cold"]
ELSE = ["film", "plot", "actor", "scene"]


def reviews(n: int = 60, seed: int = 0) -> Cooccurrence:
    """Every other member has words of praise, the others words of blame; all have some of neither."""
    random = np.random.default_rng(seed)
    rows = []
    for at in range(n):
        for word in (
            *random.choice(GOOD if at % 2 == 0 else BAD, 2, replace=False),
            *random.choice(ELSE, 2, replace=False),
        ):
            rows.append((at, str(word), float(random.integers(1, 4))))
    return Cooccurrence.of(rows, [f"review {at}" for at in range(n)])


def marks(n: int = 60) -> Cooccurrence:
    """Praise ends with a shout."""
    return Cooccurrence.of(
        [(at, "!" if at % 2 == 0 else ".", 1.0) for at in range(n)],
        [f"review {at}" for at in range(n)],
    )


def begun(**more) -> Session:
    return Session({"words": reviews(), "marks": marks()}, **more)


def seeded(**more) -> Session:
    return (
        begun(**more)
        .choose_groups(2, ["praise", "blame"])
        .choose_types("words")
        .seed([["good", "great"], ["bad"]])
    )


def occurrences(counts, cols, groups):
    """Members x groups: how often each has features of each group."""
    return [[sum(row[cols.index(one)] for one in group) for group in groups] for row in counts]


def shares(counts, cols, feature, labels, k):
    """Of the occurrences of a feature in members that have a group, the share of each group."""
    at = cols.index(feature)
    found = [
        sum(row[at] for row, label in zip(counts, labels, strict=True) if label == g)
        for g in range(k)
    ]
    total = sum(found)
    return [one / total if total else 0.0 for one in found]


def proposed(cols, clusters, given, rejected):
    """Groups after every cluster of features joined the group with most seeds in it, and clusters with several such groups."""
    groups = [set(group) for group in given]
    ties = []
    owned = {one for group in given for one in group}
    for cluster in sorted(set(clusters) - {-1}):
        mine = {name for name, c in zip(cols, clusters, strict=True) if c == cluster}
        votes = [len(mine & set(group)) for group in given]
        new = mine - owned - set(rejected)
        if max(votes) == 0:
            continue
        best = [at for at, one in enumerate(votes) if one == max(votes)]
        if len(best) == 1:
            groups[best[0]] |= new
        elif new:
            ties.append((best, new))
    return groups, ties


def oracle_seeds(counts, cols, truth, lexicon, most, clear):
    """For every class the most frequent features of the lexicon that have their largest share in it, clearly."""
    classes = sorted(set(truth))
    of = {c: Counter() for c in classes}
    for row, c in zip(counts, truth, strict=True):
        for name, count in zip(cols, row, strict=True):
            of[c][name] += count
    found = {}
    for c in classes:
        mine = []
        for name in cols:
            share = {d: of[d][name] / sum(of[d].values()) for d in classes}
            best = max(classes, key=lambda d: (share[d], -classes.index(d)))
            mean = sum(share.values()) / len(classes)
            if (
                best == c
                and sum(share.values()) > 0
                and share[c] >= clear * mean
                and (lexicon is None or name in lexicon)
            ):
                mine.append(name)
        mine.sort(key=lambda name: -sum(of[d][name] for d in classes))
        found[c] = mine[:most]
    return found
