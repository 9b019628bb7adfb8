"""The order of members by what they hold, so that nothing that is drawn or begun depends on the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from coterie.core.pictures import Pictures
from coterie.core.text import TaggedText

_DIGEST = 16


def order_by_content(members: Any) -> np.ndarray:
    """Positions of the members, sorted by a digest of what each holds; members that hold the same keep their order.

    >>> a, b = order_by_content(np.array([[1.0], [2.0], [3.0]])), order_by_content(np.array([[3.0], [2.0], [1.0]]))
    >>> bool((a == 2 - b).all())
    True
    """
    marks = [blake2b(held, digest_size=_DIGEST).digest() for held in _held(members)]
    return np.array(sorted(range(len(marks)), key=marks.__getitem__), dtype=np.int64)


def _held(members: Any) -> Iterator[bytes]:
    if isinstance(members, Pictures):
        for picture, size in zip(members, members.sizes, strict=True):
            yield size.tobytes() + np.ascontiguousarray(picture).tobytes()
    elif isinstance(members, TaggedText):
        yield from _mentions(members)
    else:
        for row in members:
            kept = np.asarray(row, dtype=np.float64) + 0.0  # no zero with a sign
            yield np.where(np.isnan(kept), np.nan, kept).tobytes()


def _mentions(text: TaggedText) -> Iterator[bytes]:
    """The sentences of a member with the place of each mention; whichever comes first in the text does not matter."""
    own: list[list[str]] = [[] for _ in range(len(text))]
    owners = np.arange(len(text.spans)) if text.owners is None else text.owners
    for owner, sentence, (first, end) in zip(owners, text.sentence_of(), text.spans, strict=True):
        low, high = text.offsets[sentence], text.offsets[sentence + 1]
        words = " ".join(map(str, text.tokens[low:high]))
        own[owner].append(f"{first - low} {end - low} {words}")
    for held in own:
        yield "\n".join(sorted(held)).encode("utf-8", "surrogatepass")
