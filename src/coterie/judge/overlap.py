"""Do development and test data share documents? Found by content, so that a copy under another name is found too."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from coterie.core.errors import DataError


def shared_documents(first: Iterable[object], second: Iterable[object]) -> list[tuple[int, int]]:
    """Places in both of the documents that are the same text, letter case and white space aside; empty ones do not count.

    >>> shared_documents(["one", "Two  hats"], ["two hats", "three"])
    [(1, 0)]
    """
    where: dict[bytes, int] = {}
    for i, document in enumerate(first):
        if (mark := _mark(document)) is not None:
            where.setdefault(mark, i)
    marks = ((j, _mark(document)) for j, document in enumerate(second))
    return [(where[mark], j) for j, mark in marks if mark is not None and mark in where]


def check_apart(
    development: Iterable[object], test: Iterable[object], *, allow_overlap: bool = False
) -> int:
    """The number of test documents that are in the development data too; they are refused unless `allow_overlap`."""
    shared = shared_documents(development, test)
    if shared and not allow_overlap:
        i, j = shared[0]
        others = f" (and {len(shared) - 1} more)" if len(shared) > 1 else ""
        raise DataError(
            f"Development document {i} and test document {j}{others} are the same, so that what was tuned on the one is no "
            "promise for the other; take them out of one side, or say allow_overlap=True."
        )
    return len(shared)


def _mark(document: object) -> bytes | None:
    text = " ".join(str(document).lower().split())
    return (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if text
        else None
    )
