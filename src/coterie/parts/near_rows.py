"""Rows that can be searched for near ones: codes, dense numbers and sparse numbers, each with its own compiled measure.

What a search needs of rows: `n`; `margins` (which of two pivots a member is nearer to), `measure` (keys inside groups of members,
smaller is nearer, single precision) and `values` (what the affinity says of the members found, exact).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

Finish = Callable[[np.ndarray], np.ndarray]  # squared distances as the values of the affinity


class NearRows(Protocol):
    """Rows as the search of `coterie.parts.approximate` reads them."""

    n: int

    def margins(
        self, order: np.ndarray, nodes: np.ndarray, pivots: np.ndarray, out: np.ndarray
    ) -> None:
        """How much nearer every member is to the first pivot of its node than to the second."""

    def measure(
        self, members: np.ndarray, sizes: np.ndarray, n_new: np.ndarray, out: np.ndarray
    ) -> None:
        """Keys of the first members of every group to all of the group."""

    def values(self, near: np.ndarray, first: int, out: np.ndarray) -> None:
        """The affinity of rows `first`, first + 1, ... to the members listed for them; NaN where there is none."""


class CodeRows:
    """Members by their codes: the share of equal codes among the iterations that tested both, larger is nearer."""

    def __init__(self, codes: np.ndarray, bits: np.ndarray, always: bool) -> None:
        from coterie._kernels.measured_codes import WHOLE

        self.n, self.iterations = codes.shape
        lanes = WHOLE // codes.itemsize
        self.codes = np.zeros((self.n, -(-self.iterations // lanes) * lanes), dtype=codes.dtype)
        self.codes[:, : self.iterations] = codes
        self.bits = np.ascontiguousarray(bits[:, :0] if always else bits)
        self.tested = np.bitwise_count(self.bits).sum(axis=1).astype(np.int64)

    def margins(
        self, order: np.ndarray, nodes: np.ndarray, pivots: np.ndarray, out: np.ndarray
    ) -> None:
        from coterie._kernels.measured_codes import margins

        margins(self.codes, self.bits, self.tested, self.iterations, order, nodes, pivots, out)

    def measure(
        self, members: np.ndarray, sizes: np.ndarray, n_new: np.ndarray, out: np.ndarray
    ) -> None:
        from coterie._kernels.measured_codes import measure

        measure(self.codes, self.bits, self.tested, self.iterations, members, sizes, n_new, out)

    def values(self, near: np.ndarray, first: int, out: np.ndarray) -> None:
        from coterie._kernels.measured_codes import shares

        shares(self.codes, self.bits, self.tested, self.iterations, near, first, out)


class DenseRows:
    """Members by rows of numbers, near by Euclidean distance; `unit`: rows have length one, and those of zeros are apart."""

    def __init__(self, rows: np.ndarray, finish: Finish, unit: bool = False) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.float64)
        self.finish = finish
        self.n = len(rows)
        self.empty = _empty(np.asarray(~self.rows.any(axis=1))) if unit else _NONE
        self.scale = _scale(self.rows)

    def margins(
        self, order: np.ndarray, nodes: np.ndarray, pivots: np.ndarray, out: np.ndarray
    ) -> None:
        from coterie._kernels.measured_rows import margins

        margins(self.rows, self.scale, order, nodes, pivots, out)

    def measure(
        self, members: np.ndarray, sizes: np.ndarray, n_new: np.ndarray, out: np.ndarray
    ) -> None:
        from coterie._kernels.measured_rows import measure

        measure(self.rows, self.empty, self.scale, members, sizes, n_new, out)

    def values(self, near: np.ndarray, first: int, out: np.ndarray) -> None:
        from coterie._kernels.measured_rows import squares

        squares(self.rows, self.empty, near, first, out)
        out[:] = self.finish(out)


class SparseRows:
    """Members by sparse rows of numbers, near by Euclidean distance; `unit` as for dense rows."""

    def __init__(self, rows: Any, finish: Finish, unit: bool = False) -> None:
        matrix = rows.tocsr()
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()
        self.starts = matrix.indptr.astype(np.int64)
        self.columns = matrix.indices.astype(np.int32)
        self.data = matrix.data.astype(np.float64)
        self.finish = finish
        (self.n, self.width) = matrix.shape
        self.lengths = np.asarray(matrix.multiply(matrix).sum(axis=1), dtype=np.float64).ravel()
        self.empty = _empty(self.lengths == 0) if unit else _NONE
        self.scale = _scale(self.data)

    def margins(
        self, order: np.ndarray, nodes: np.ndarray, pivots: np.ndarray, out: np.ndarray
    ) -> None:
        from coterie._kernels.measured_sparse import margins

        margins(
            self.starts,
            self.columns,
            self.data,
            self.lengths,
            self.width,
            self.scale,
            order,
            nodes,
            pivots,
            out,
        )

    def measure(
        self, members: np.ndarray, sizes: np.ndarray, n_new: np.ndarray, out: np.ndarray
    ) -> None:
        from coterie._kernels.measured_sparse import measure

        rows = (
            self.starts,
            self.columns,
            self.data,
            self.lengths,
            self.width,
            self.empty,
            self.scale,
        )
        measure(*rows, members, sizes, n_new, out)

    def values(self, near: np.ndarray, first: int, out: np.ndarray) -> None:
        from coterie._kernels.measured_sparse import squares

        squares(self.starts, self.columns, self.data, self.empty, near, first, out)
        out[:] = self.finish(out)


class Through:
    """Rows whose values are put through a function that keeps, or turns round, their order; what is no value stays none."""

    def __init__(self, search: Callable[[], NearRows], function: Finish) -> None:
        self.inner = search()
        self.function = function
        self.n = self.inner.n
        self.margins = self.inner.margins
        self.measure = self.inner.measure

    def values(self, near: np.ndarray, first: int, out: np.ndarray) -> None:
        self.inner.values(near, first, out)
        there = ~np.isnan(out)
        out[there] = self.function(out[there])


def number_rows(rows: Any, finish: Finish, unit: bool = False) -> NearRows:
    """Dense or sparse rows."""
    return (
        SparseRows(rows, finish, unit) if hasattr(rows, "tocsr") else DenseRows(rows, finish, unit)
    )


def as_cosine(squares: np.ndarray) -> np.ndarray:
    """The cosines of rows of length one from their squared distances."""
    return 1.0 - squares / 2.0


_NONE = np.zeros(0, dtype=bool)


def _empty(flags: np.ndarray) -> np.ndarray:
    return flags if flags.any() else _NONE


def _scale(values: np.ndarray) -> float:
    """What brings numbers to at most one, so that their squares fit single precision."""
    most = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return 1.0 / most if most > 0 else 1.0
