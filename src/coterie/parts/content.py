"""Members by what they hold, not by where they stand: an order, and samples, that do not change when members are permuted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.core.pictures import Pictures
from coterie.core.text import TaggedText

_BYTES = 8  # of a digest


def content_keys(members: Any, seed: int = 0) -> np.ndarray:
    """A number for each member that depends on what it holds and on the seed; members that hold the same have the same.

    Members are rows of a dense or sparse array, sequences, sets, recordings, pictures, or names in text.

    >>> keys = content_keys(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    salt = (int(seed) % 2**128).to_bytes(16, "little")
    digests = [
        hashlib.blake2b(held, digest_size=_BYTES, salt=salt).digest() for held in _held(members)
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8")


def content_order(members: Any, seed: int = 0) -> np.ndarray:
    """Positions of the members in an order that depends on what they hold alone; those that hold the same keep theirs."""
    return np.argsort(content_keys(members, seed), kind="stable")


def content_sample(members: Any, size: int, seed: int = 0) -> np.ndarray:
    """Positions of `size` members drawn by what they hold, in the order of the members."""
    return np.sort(content_order(members, seed)[:size])


def _held(members: Any) -> Iterator[bytes]:
    """What each member holds, as bytes."""
    if isinstance(members, Pictures):
        for picture, size in zip(members, members.sizes, strict=True):
            yield size.tobytes() + np.ascontiguousarray(picture).tobytes()
    elif isinstance(members, TaggedText):
        yield from _mentions(members)
    elif hasattr(members, "indptr"):
        indices = np.asarray(members.indices, dtype="<i8")
        values = np.asarray(members.data, dtype="<f8")
        for low, high in pairwise(members.indptr.tolist()):
            yield indices[low:high].tobytes() + values[low:high].tobytes()
    else:
        for row in members:
            kept = np.asarray(row, dtype="<f8") + 0.0  # no zero with a sign
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
