"""The memory given with using(memory=...): what is left of it, what would not fit, and how many workers fit at once.

Arrays too large for it lie in a file without a name, which is gone when nobody holds the array.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import sys
import tempfile
from functools import cache
from typing import Any

import numpy as np

from coterie.core.errors import NotEnoughMemory, StoreError
from coterie.core.workplace import Workplace, resident, workplace

_ROOMY_SHARE = 0.5  # of what is left of the memory given: a larger array goes to a file


def roomy(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """An array to be filled: in memory where it takes at most half of what is left there, else in a file; the same to use."""
    place = workplace()
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return (
        np.empty(shape, dtype=dtype)
        if size <= _ROOMY_SHARE * max(0, place.budget - held_since(place))
        else in_file(shape, dtype)
    )


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


_TOLD = 256_000_000  # budgets below this are about the work alone: Python's own needs could not be told from it
# libraries and compiled kernels may take this, or this share of the budget, beside the data
_CODE = 200_000_000
_SHARE = 0.1


def fits(
    size: float, what: str, instead: str = "keep neighbours only with graph(affinity, k)"
) -> None:
    """Refuse, before any work, what would not fit the memory given; `instead` is what else can be done.

    `size` is all that the work adds at its peak: its result, the copies it makes, and the tiles of all workers.
    """
    place = workplace()
    size = int(size)
    budget = place.budget
    held = 0 if size > budget else held_since(place)
    if size + held > budget and held:
        _tidy()
        held = held_since(place)
    if size + held <= budget:
        return
    more = _rounded_up((size + held) * 1.05)
    beside = f", of which {sized(held, budget)} are in use" if held else ""
    raise NotEnoughMemory(
        f"{what} takes {sized(size, budget)} and {sized(budget, size)} are allowed{beside}; {instead}",
        enough=more,
    )


def held_since(place: Workplace) -> int:
    """Bytes that this process holds of the memory given, since it was given; 0 where no memory was given.

    What code takes that is loaded meanwhile is no data, and is allowed for.
    """
    if not place.memory or place.memory < _TOLD or place.entered < 0:
        return 0
    return max(0, resident() - place.entered - int(min(_CODE, _SHARE * place.memory)))


def left() -> int:
    """Bytes of the memory given that are not in use."""
    place = workplace()
    return max(0, place.budget - held_since(place))


def at_once(each: float, beside: float = 0.0) -> int:
    """How many workers may hold `each` bytes at once beside other work, at least one; results are the same bits."""
    here = workplace()
    if not here.memory or each <= 0:
        return here.workers
    return max(1, min(here.workers, int((left() - beside) // each)))


def sized(size: int, beside: int) -> str:
    """Bytes in KB, MB or GB, with as many places as tell the two sizes apart."""
    unit, name = _unit(size)
    places = 1 if name != "B" else 0
    while (
        places < 6
        and size != beside
        and f"{size / unit:.{places}f}" == f"{beside / unit:.{places}f}"
    ):
        places += 1
    return f"{size / unit:.{places}f} {name}"


def _rounded_up(size: float) -> str:
    """A size as it is written for using(memory=...), never smaller than it is."""
    unit, name = _unit(size)
    return f"{math.ceil(size / unit * 10) / 10:.1f}{name}"


def _unit(size: float) -> tuple[float, str]:
    return next(
        (unit, name)
        for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B"))
        if size >= unit or unit == 1.0
    )


def bytes_of(data: Any) -> int:
    """What an array, a sparse matrix, or a tuple of such holds in memory."""
    if isinstance(data, tuple | list):
        return sum(map(bytes_of, data))
    if hasattr(data, "indptr"):
        return int(data.data.nbytes + data.indices.nbytes + data.indptr.nbytes)
    return int(getattr(data, "nbytes", 0))


def _tidy() -> None:
    """Give back to the system what was freed and is still held for later use."""
    gc.collect()
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """The C library's own way to give memory back, where it has one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
