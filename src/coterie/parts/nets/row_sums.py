"""Weighted sums of the rows of a table over bags, with a gradient that has only the rows that were summed.

On the processor scipy multiplies (several times faster than torch's own gradient of bags); on another device torch does.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.parts.nets.bags import Bags, device, torch_here


class RowSums:
    """Bags of the rows of a sparse table, on the device in force: `sums(table, rows, more)`."""

    def __init__(self, rows: Any, dtype: Any = np.float32) -> None:
        torch = torch_here()
        self.n_columns = int(rows.shape[1])
        self.on_processor = device().type == "cpu"
        self.dtype = dtype
        if self.on_processor:
            self.rows = sp.csr_array(rows, dtype=dtype)
        else:
            self.bags = Bags.of(rows, torch.float64 if dtype == np.float64 else torch.float32)

    def sums(self, table: Any, rows: np.ndarray, more: np.ndarray) -> Any:
        """The sums of `table` over these rows, and below them its plain rows `more`, as one tensor."""
        torch = torch_here()
        if self.on_processor:
            return _product().apply(table, _stacked(self.rows, rows, more, self.dtype))
        columns, offsets, weights = self.bags.take(torch.as_tensor(rows, device=table.device))
        single = torch.as_tensor(more, device=table.device)
        ends = torch.arange(len(more), device=table.device) + len(columns)
        return torch.nn.functional.embedding_bag(
            torch.cat([columns, single]),
            table,
            torch.cat([offsets, ends]),
            mode="sum",
            per_sample_weights=torch.cat(
                [weights, torch.ones(len(more), dtype=weights.dtype, device=table.device)]
            ),
            sparse=True,
        )


def _stacked(table: Any, rows: np.ndarray, more: np.ndarray, dtype: Any) -> Any:
    """These rows of the table, and below them rows with a single one in the columns `more`."""
    part = table[rows]
    indices = np.concatenate([part.indices, more.astype(part.indices.dtype)])
    data = np.concatenate([part.data, np.ones(len(more), dtype=dtype)])
    ends = np.concatenate(
        [part.indptr, part.indptr[-1] + 1 + np.arange(len(more), dtype=part.indptr.dtype)]
    )
    return sp.csr_array((data, indices, ends), shape=(len(rows) + len(more), table.shape[1]))


@lru_cache(maxsize=1)
def _product() -> Any:
    """The product of a sparse table with a tensor as a function that torch can differentiate."""
    torch = torch_here()
    base: Any = torch.autograd.Function

    class Product(base):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, table: Any, rows: Any) -> Any:
            ctx.rows = rows
            ctx.shape = table.shape
            return torch.from_numpy(rows @ table.detach().numpy())

        @staticmethod
        def backward(ctx: Any, above: Any) -> Any:
            rows = ctx.rows
            here = np.zeros(rows.shape[1], dtype=bool)
            here[rows.indices] = True
            columns = np.flatnonzero(here)
            place = np.empty(rows.shape[1], dtype=rows.indices.dtype)
            place[columns] = np.arange(len(columns), dtype=place.dtype)
            small = sp.csr_array(
                (rows.data, place[rows.indices], rows.indptr), shape=(rows.shape[0], len(columns))
            )
            values = torch.from_numpy(np.ascontiguousarray(small.T @ above.numpy()))
            where = torch.from_numpy(columns)[None]
            return torch.sparse_coo_tensor(
                where, values, ctx.shape, is_coalesced=True, check_invariants=False
            ), None

    return Product
