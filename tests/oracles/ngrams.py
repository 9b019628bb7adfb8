"""Runs of tags counted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def runs(
    documents: Sequence[Sequence[Sequence[str]]], n: int, low: int, high: int | None
) -> tuple[list[str], list[list[int]]]:
    """The names of the runs that stay, sorted, and a row of counts per document."""
    bags = [
        Counter(
            " ".join(sentence[at : at + n])
            for sentence in document
            for at in range(len(sentence) - n + 1)
        )
        for document in documents
    ]
    names = sorted(
        name
        for name in set().union(*bags)
        if low <= sum(name in bag for bag in bags) <= (high or len(bags))
    )
    return names, [[bag[name] for name in names] for bag in bags]
