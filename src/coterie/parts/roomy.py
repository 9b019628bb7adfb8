"""Arrays too large for the memory given lie in a file without a name, which is gone when nobody holds the array."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from coterie.core.blocks import row_blocks
from coterie.core.errors import StoreError
from coterie.parts.budget import left

_SHARE = 0.5  # of what is left of the memory given: a larger array goes to a file


def roomy(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """An array to be filled: in memory where it takes at most half of what is left there, else in a file; the same to use."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return np.empty(shape, dtype=dtype) if size <= _SHARE * left() else in_file(shape, dtype)


def by_rows(values: np.ndarray, work: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What `work` makes of the rows, a block at a time: for work on each row by itself that keeps its width."""
    out = roomy(values.shape)
    for rows in row_blocks(*values.shape):
        out[rows] = work(values[rows])
    return out


def in_file(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """A writable array of zeros in a file of the temporary folder (TMPDIR), which has no name and needs no cleaning up."""
    size = max(1, int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)
    try:
        with tempfile.TemporaryFile(prefix="coterie-") as file:
            _reserve(file, size)
            return np.memmap(file, dtype=dtype, mode="r+", shape=shape)
    except OSError as error:
        raise StoreError(
            f"The temporary folder has no room for {size / 1e9:.2f} GB ({(error.strerror or 'it cannot be written').lower()}); "
            "name another one with the variable TMPDIR."
        ) from None


def _reserve(file: Any, size: int) -> None:
    """Room on the disk for all of it now: a page that finds none later would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)
