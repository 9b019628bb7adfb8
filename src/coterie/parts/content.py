"""Members by what they hold, not by where they stand: an order of rows, and samples, that do not change when rows are permuted."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np

_BYTES = 8  # of a digest


def content_keys(rows: Any, seed: int = 0) -> np.ndarray:
    """A number for each row that depends on what it holds and on the seed; equal rows have equal ones.

    >>> keys = content_keys(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    salt = int(seed).to_bytes(16, "little")
    parts = _sparse_bytes(rows) if hasattr(rows, "indptr") else _dense_bytes(rows)
    digests = [hashlib.blake2b(part, digest_size=_BYTES, salt=salt).digest() for part in parts]
    return np.frombuffer(b"".join(digests), dtype="<u8")


def content_order(rows: Any, seed: int = 0) -> np.ndarray:
    """Positions of the rows in an order that depends on what they hold alone; equal rows keep their order."""
    return np.argsort(content_keys(rows, seed), kind="stable")


def content_sample(rows: Any, size: int, seed: int = 0) -> np.ndarray:
    """Positions of `size` rows drawn by what they hold, in the order of the rows."""
    return np.sort(content_order(rows, seed)[:size])


def _sparse_bytes(rows: Any) -> list[bytes]:
    indices = np.asarray(rows.indices, dtype="<i8")
    values = np.asarray(rows.data, dtype="<f8")
    ends = rows.indptr
    return [
        indices[lo:hi].tobytes() + values[lo:hi].tobytes() for lo, hi in pairwise(ends.tolist())
    ]


def _dense_bytes(rows: Any) -> list[bytes]:
    values = np.ascontiguousarray(rows, dtype="<f8") + 0.0  # one zero, not two
    return [row.tobytes() for row in values]
