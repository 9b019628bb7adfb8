"""Chance: streams by task index, so that no result depends on how many workers there were; and draws by content.

What is drawn by what members hold, not by where they stand, does not change when members are permuted.
"""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.pictures import Pictures
from coterie.core.text import TaggedText


def seed_of(random_state: Any) -> int:
    """One whole number from a seed, a generator (advanced once), a RandomState, or None (fresh entropy)."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ParameterError(
                f"random_state must be a whole number from 0, a generator or None, and was {random_state}."
            )
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ParameterError(
        f"random_state must be a whole number from 0, a generator or None, and was {random_state!r}."
    )


def streams(random_state: Any, n: int) -> list[np.random.Generator]:
    """One independent generator per task index; stream i does not depend on n.

    >>> a, b = streams(7, 2), streams(7, 5)
    >>> bool(a[1].random() == b[1].random())
    True
    """
    return [
        np.random.Generator(np.random.PCG64(child))
        for child in np.random.SeedSequence(seed_of(random_state)).spawn(n)
    ]


def stream(random_state: Any, *key: int) -> np.random.Generator:
    """The generator of one task named by whole numbers, without making its siblings."""
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed_of(random_state), spawn_key=key))
    )


def small_seed(generator: np.random.Generator) -> int:
    """A seed for a library that takes 31-bit whole numbers."""
    return int(generator.integers(2**31 - 1))


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
