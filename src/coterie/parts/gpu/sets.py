"""Kernels summed over the vectors of every two sets, and the discrepancy of their means (MMD), on a card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import need
from coterie.core.ragged import Ragged
from coterie.parts.gpu.distances import squares
from coterie.parts.row_kernels import RowKernel

ROUNDING = 1e-14  # as in compare.mmd
# vectors compared at once
_TALL = 2048
_WIDE = 16384


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of vectors on a device: all vectors one after another, and where each set begins."""

    values: Any
    offsets: np.ndarray

    @classmethod
    def of(cls, sets: Ragged, device: Any) -> Sets:
        """From sets here."""
        torch = need("torch", extra="neural")
        values = torch.as_tensor(np.ascontiguousarray(sets.values, dtype=np.float64), device=device)
        return cls(values, np.asarray(sets.offsets, dtype=np.int64))

    def __getitem__(self, some: slice) -> Sets:
        first, last, _ = some.indices(len(self.offsets) - 1)
        bounds = self.offsets[first : last + 1]
        return Sets(self.values[bounds[0] : bounds[-1]], bounds - bounds[0])

    @property
    def lengths(self) -> Any:
        return need("torch", extra="neural").as_tensor(
            np.diff(self.offsets), device=self.values.device
        )


def can_do(kernel: RowKernel) -> bool:
    """Whether a kernel of two vectors is one of those known by name."""
    return kernel.function is None


def kernel_block(kernel: RowKernel, a: Any, b: Any) -> Any:
    """The kernel of all pairs of two blocks of vectors."""
    torch = need("torch", extra="neural")
    if kernel.name == "laplacian":
        return torch.cdist(a, b, p=1.0).mul_(-1.0 / kernel.width).exp_()
    if kernel.name == "gaussian":
        if kernel.center is not None:
            center = torch.as_tensor(kernel.center, device=a.device)
            a = a - center
            b = b - center
        return (
            squares(a, b, torch.square(a).sum(dim=1), torch.square(b).sum(dim=1))
            .mul_(-1.0 / kernel.width**2)
            .exp_()
        )
    inner = a @ b.T
    return inner if kernel.name == "linear" else (1.0 + inner / kernel.width**2) ** 2


def kernel_sums(kernel: RowKernel, x: Sets, y: Sets) -> Any:
    """The kernel summed over all pairs of vectors of every two sets: (sets of x, sets of y)."""
    torch = need("torch", extra="neural")
    down = []
    for rows in _spans(x.offsets, _TALL):
        across = []
        some = x[rows]
        for cols in _spans(y.offsets, _WIDE):
            others = y[cols]
            block = kernel_block(kernel, some.values, others.values)
            by_row = torch.segment_reduce(block, "sum", lengths=some.lengths, axis=0)
            across.append(
                torch.segment_reduce(by_row.T.contiguous(), "sum", lengths=others.lengths, axis=0).T
            )
        down.append(torch.cat(across, dim=1))
    return torch.cat(down)


def discrepancy(a: tuple[Any, ...], b: tuple[Any, ...], kernel: RowKernel, root: bool) -> Any:
    """Discrepancies of two blocks of (sets, own kernel means)."""
    out = kernel_sums(kernel, a[0], b[0])
    out /= a[0].lengths[:, None] * b[0].lengths.to(out.dtype)
    own = a[1][:, None] + b[1]
    out = out.mul_(-2.0).add_(own)
    out[out < ROUNDING * own.abs()] = 0.0
    return out.sqrt_() if root else out


def feature_discrepancy(a: tuple[Any, ...], b: tuple[Any, ...], root: bool) -> Any:
    """Discrepancies of two blocks of (mean features, squared norms, what pairs of a vector with itself add)."""
    out = squares(a[0], b[0], a[1], b[1]).add_(a[2][:, None] + b[2]).clamp_(min=0.0)
    return out.sqrt_() if root else out


def _spans(offsets: np.ndarray, vectors: int) -> list[slice]:
    """Runs of whole sets of at most so many vectors, but for a single one that is larger."""
    found = []
    first = 0
    n = len(offsets) - 1
    while first < n:
        last = max(
            first + 1, int(np.searchsorted(offsets, offsets[first] + vectors, side="right")) - 1
        )
        found.append(slice(first, min(last, n)))
        first = min(last, n)
    return found
