"""Cooccurrence: sparse counts between two populations, with the names of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError

_LARGEST = 1e100  # counts whose sums and squares still fit


@dataclass(frozen=True, slots=True, eq=False)
class Cooccurrence:
    """How often a row thing (a document) occurs with a column thing (a word, a correspondent)."""

    counts: Any  # scipy.sparse.csr_array of float64
    rows: Sequence[str]
    cols: Sequence[str]

    def __post_init__(self) -> None:
        import scipy.sparse as sp

        try:
            counts = sp.csr_array(self.counts)
        except (TypeError, ValueError):
            raise DataError("Counts must be a table of numbers, dense or sparse.") from None
        if counts.shape != (len(self.rows), len(self.cols)):
            raise DataError(
                f"Counts are {counts.shape[0]} x {counts.shape[1]} where {len(self.rows)} row and "
                f"{len(self.cols)} column names are given."
            )
        if counts.dtype.kind not in "biuf":
            raise DataError(f"Counts must be numbers, and these are {counts.dtype}.")
        if counts.nnz and not (
            np.isfinite(counts.data).all()
            and counts.data.min() >= 0
            and counts.data.max() <= _LARGEST
        ):
            self._refuse(counts)
        object.__setattr__(self, "counts", counts.astype(np.float64))

    def _refuse(self, counts: Any) -> None:
        """Name the first count that is none."""
        at = int(
            np.flatnonzero(
                ~np.isfinite(counts.data) | (counts.data < 0) | (counts.data > _LARGEST)
            )[0]
        )
        row = int(np.searchsorted(counts.indptr, at, side="right")) - 1
        col = int(counts.indices[at])
        what = (
            "must be finite numbers" if not np.isfinite(counts.data[at]) else "must not be negative"
        )
        if counts.data[at] > _LARGEST and np.isfinite(counts.data[at]):
            what = f"must be at most {_LARGEST:g}"
        raise DataError(
            f"Counts {what}: row '{self.rows[row]}', column '{self.cols[col]}' holds {counts.data[at]:g}."
        )

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, str, float]], rows: Sequence[str]) -> Cooccurrence:
        """From (row position, column name, count) triples; columns are sorted by name."""
        import scipy.sparse as sp

        triples = list(pairs)
        cols = sorted({name for _, name, _ in triples})
        place = {name: j for j, name in enumerate(cols)}
        i = np.fromiter((t[0] for t in triples), dtype=np.int64, count=len(triples))
        j = np.fromiter((place[t[1]] for t in triples), dtype=np.int64, count=len(triples))
        data = np.fromiter((t[2] for t in triples), dtype=np.float64, count=len(triples))
        return cls(sp.csr_array((data, (i, j)), shape=(len(rows), len(cols))), rows, cols)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.cols)

    @property
    def total(self) -> float:
        """Sum of all counts."""
        return float(self.counts.sum())

    def take(self, indices: Sequence[int] | np.ndarray) -> Cooccurrence:
        """The rows at these positions; columns that lose all their counts stay."""
        chosen = np.asarray(indices, dtype=np.int64)
        return Cooccurrence(self.counts[chosen], [self.rows[i] for i in chosen], self.cols)

    @property
    def transposed(self) -> Cooccurrence:
        """The same counts seen from the other side."""
        return Cooccurrence(self.counts.T.tocsr(), self.cols, self.rows)

    def __repr__(self) -> str:
        return f"Cooccurrence({len(self.rows)} x {len(self.cols)}, {self.counts.nnz} nonzero)"
