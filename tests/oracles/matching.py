"""Matchings of groups by trying every one-to-one assignment, and Jaccard overlaps by sets."""

from __future__ import annotations

from itertools import permutations


def groups(labels):
    """The members of every group, by its number; -1 is no group."""
    return {
        g: {i for i, label in enumerate(labels) if label == g}
        for g in sorted(set(labels))
        if g >= 0
    }


def most_together(new, old) -> int:
    """The largest number of members that one-to-one pairs of groups can have in common."""
    mine = groups(new)
    other = groups(old)
    few, many = sorted((list(mine.values()), list(other.values())), key=len)
    return max(
        (sum(len(a & b) for a, b in zip(few, chosen)) for chosen in permutations(many, len(few))),
        default=0,
    )


def jaccard(new, old):
    """Rows per new group, columns per old one: members in both over members in either."""
    return [[len(a & b) / len(a | b) for b in groups(old).values()] for a in groups(new).values()]
