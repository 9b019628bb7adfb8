"""A vote of labelings, member by member, with every one-to-one renaming tried; agreement counted over pairs."""

from __future__ import annotations

from itertools import combinations, permutations


def renamings(labels, reference):
    """The most members that keep the number of the reference under any one-to-one renaming, and all that reach it."""
    size = max([*labels, *reference, -1]) + 1
    found = []
    for names in permutations(range(size)):
        renamed = [names[label] if label >= 0 else -1 for label in labels]
        kept = sum(a == b for a, b in zip(renamed, reference) if a >= 0)
        found.append((kept, renamed))
    most = max(kept for kept, _ in found)
    return most, [renamed for kept, renamed in found if kept == most]


def elected(aligned, current, weights):
    """One ballot of aligned labelings: the group with the most votes; between equals the one a member has."""
    out = []
    for i, own in enumerate(current):
        votes = {}
        for labels, weight in zip(aligned, weights):
            if labels[i] >= 0:
                votes[labels[i]] = votes.get(labels[i], 0) + weight
        most = max(votes.values(), default=0)
        best = sorted(group for group, count in votes.items() if count == most)
        out.append(own if own in best else best[0] if best else -1)
    return out


def adjusted_rand(one, other):
    """(pairs together in both - expected) / (mean of pairs together in each - expected), pair by pair."""
    rows = [i for i in range(len(one)) if one[i] >= 0 and other[i] >= 0]
    pairs = list(combinations(rows, 2))
    both = sum(one[i] == one[j] and other[i] == other[j] for i, j in pairs)
    first = sum(one[i] == one[j] for i, j in pairs)
    second = sum(other[i] == other[j] for i, j in pairs)
    expected = first * second / len(pairs) if pairs else 0
    span = (first + second) / 2 - expected
    return 1.0 if span == 0 else (both - expected) / span


def mean_agreement(labelings):
    """The mean over pairs of labelings."""
    found = [adjusted_rand(a, b) for a, b in combinations(labelings, 2)]
    return sum(found) / len(found) if found else 1.0
