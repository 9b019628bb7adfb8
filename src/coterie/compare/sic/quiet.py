"""Quiet: what a classifier library says of made-up labels is no news; silenced in the thread that trains, nowhere else."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

_SAID = (
    "The number of unique classes is greater than 50%",
    "The least populated class in y",
    "Liblinear failed to converge",
    "lbfgs failed to converge",
    "Solver terminated early",
)


class _Remarks(threading.local):
    """Stands where a warning filter has its pattern, and matches only while this thread is inside `quiet`."""

    depth = 0
    pattern = "|".join(_SAID)  # scikit-learn copies filters by their pattern

    def match(self, text: str) -> bool:
        return self.depth > 0 and text.startswith(_SAID)


_REMARKS = _Remarks()
_FILTER = ("ignore", _REMARKS, Warning, None, 0)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence remarks on labels that are meant to be meaningless; other threads hear theirs."""
    filters = cast("list[Any]", warnings.filters)
    if _FILTER not in filters:  # put in again after anybody has reset the filters
        filters.insert(0, _FILTER)
    _REMARKS.depth += 1
    try:
        yield
    finally:
        _REMARKS.depth -= 1
