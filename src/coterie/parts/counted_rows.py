"""Counts of words as sparse rows of their own, each word of a row once; negative ones are refused by their row."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError


def counted_rows(values: Any, owner: str, what: str = "document") -> Any:
    """A copy of the counts as sparse rows without zeros; `what` a row is said where one is negative."""
    counts = sp.csr_array(values, dtype=np.float64, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    if counts.nnz and counts.data.min() < 0:
        least = int(np.argmin(counts.data))
        row = int(np.searchsorted(counts.indptr, least, side="right")) - 1
        raise DataError(
            f"Negative values in data: counts are from 0 up, and {what} {row} has {counts.data[least]:g}.",
            owner=owner,
        )
    return counts
