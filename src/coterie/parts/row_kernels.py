"""Kernels between vectors inside sets: by name with a width, a comparer of tables, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.core.table import Table
from coterie.parts.squares import squared_lengths, squares

NAMES = ("gaussian", "laplacian", "linear", "polynomial")
MOST = 1e300  # a kernel above this is too large to be added to another
Function = Callable[[np.ndarray, np.ndarray], np.ndarray]
_SAMPLE = 3000  # vectors that the median distance is read off
_TRIED = 64  # vectors that a kernel of one's own is tried on
_DEGREE = 2
_WIDTHS = (1e-150, 1e150)  # widths whose squares can be divided by
# vectors compared at once; constants, so that results never depend on the workplace
_TALL = 128
_WIDE = 2048


@dataclass(frozen=True, eq=False)
class RowKernel:
    """k(x, y) of two vectors: gaussian exp(-|x - y|^2 / width^2), laplacian exp(-|x - y|_1 / width), linear x.y, polynomial
    (1 + x.y / width^2)^2, or whatever `function(rows, rows)` gives.

    `center` is subtracted where that changes nothing but rounding (gaussian).
    """

    name: str
    width: float = 1.0
    function: Function | None = None
    center: np.ndarray | None = None
    owner: str = "The kernel"

    def block(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """All pairs of two blocks of vectors: (len(a), len(b))."""
        if self.function is not None:
            return _answered(self.function, a, b, self.owner)
        if self.name == "laplacian":
            from scipy.spatial.distance import cdist

            far = cdist(a, b, "cityblock")
            far *= -1.0 / self.width
            return np.asarray(np.exp(far, out=far))
        if self.name == "gaussian":
            apart = (
                squares(a, b) if self.center is None else squares(a - self.center, b - self.center)
            )
            apart *= -1.0 / self.width**2
            return np.asarray(np.exp(apart, out=apart))
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # whoever takes it looks whether it is finite, and knows whose it is
            return self._of_products(a @ b.T)

    def diagonal(self, a: np.ndarray) -> np.ndarray:
        """k(x, x) of every vector."""
        if self.function is not None:
            parts = [a[lo : lo + _TRIED] for lo in range(0, len(a), _TRIED)]
            return np.concatenate([np.diagonal(self.block(part, part)) for part in parts])
        if self.name in ("gaussian", "laplacian"):
            return np.ones(len(a))
        with np.errstate(over="ignore"):
            return self._of_products(squared_lengths(a))

    def _of_products(self, inner: np.ndarray) -> np.ndarray:
        return np.asarray(
            inner if self.name == "linear" else (1.0 + inner / self.width**2) ** _DEGREE
        )

    def sums(self, x: Ragged, y: Ragged) -> np.ndarray:
        """The kernel summed over all pairs of vectors of every two sets, (len(x), len(y)), block by block.

        Sums that are too large come out as infinite or NaN, without a warning.
        """
        out = np.zeros((len(x), len(y)))
        for top in range(0, len(x.values), _TALL):
            rows, starts = stretch(x.offsets, top, top + _TALL)
            for left in range(0, len(y.values), _WIDE):
                cols, begins = stretch(y.offsets, left, left + _WIDE)
                block = self.block(x.values[top : top + _TALL], y.values[left : left + _WIDE])
                with np.errstate(over="ignore", invalid="ignore"):
                    out[rows, cols] += np.add.reduceat(sums_down(block, starts), begins, axis=1)
        return out


def kernel_of(kernel: Any, width: float | str, rows: np.ndarray, owner: str) -> RowKernel:
    """The kernel a person means, its width read off these vectors where it is 'median'.

    A comparer of tables learns from a sample of the vectors, and has a width of its own; so has a function, and linear has
    none: a width beside one of these is refused.
    """
    if isinstance(kernel, str) and kernel in NAMES:
        size = _width(width, kernel, rows, owner)
        return RowKernel(
            kernel, size, center=rows.mean(axis=0) if kernel == "gaussian" else None, owner=owner
        )
    name = type(kernel).__name__ if _compares(kernel) else "own"
    if isinstance(kernel, (type, str)) or not (_compares(kernel) or callable(kernel)):
        raise ParameterError(
            f"kernel must be {' | '.join(NAMES)}, a comparer of tables such as compare.Gaussian(), or a function of two "
            f"arrays, and was {kernel!r}.",
            owner=owner,
        )
    if width != "median":
        own = (
            f"write kernel={name}(width=...)"
            if _compares(kernel) and hasattr(kernel, "width")
            else "leave it out"
        )
        what = (
            f"{kernel!r} has its own settings"
            if _compares(kernel)
            else "a kernel function takes none"
        )
        raise ParameterError(
            f"width = {width} is for kernels by name, and {what}; {own}.", owner=owner
        )
    found = RowKernel(
        name, function=_learned(kernel, rows, owner) if _compares(kernel) else kernel, owner=owner
    )
    _tried(found, sample_of(rows, _TRIED))
    return found


def _width(width: float | str, kernel: str, rows: np.ndarray, owner: str) -> float:
    if kernel == "linear" and width != "median":
        raise ParameterError(
            f"width = {width} has no meaning for kernel 'linear'; leave it out.", owner=owner
        )
    return usable_width(
        median_width(rows, kernel, owner) if width == "median" else float(width), owner
    )


def usable_width(size: float, owner: str) -> float:
    """The width, where its square can be divided by; refused where not."""
    if not _WIDTHS[0] <= size <= _WIDTHS[1]:
        raise ParameterError(
            f"width must lie between {_WIDTHS[0]:g} and {_WIDTHS[1]:g}, and was {size:g}; scale the values first.",
            owner=owner,
        )
    return size


def median_width(rows: np.ndarray, kernel: str, owner: str) -> float:
    """The median distance of at most 3,000 of the vectors, the same ones every time."""
    from scipy.spatial.distance import pdist

    if kernel == "linear":
        return 1.0
    far = pdist(sample_of(rows, _SAMPLE), "cityblock" if kernel == "laplacian" else "euclidean")
    middle = float(np.median(far)) if far.size else 0.0
    if middle > 0:
        return middle
    positive = far[far > 0]
    if not positive.size:
        raise DataError(
            "all vectors of all members are identical, so no kernel width can be read off; give a width.",
            owner=owner,
        )
    return float(positive.mean())


def sample_of(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the vectors, the same ones every time, in their order."""
    return (
        rows
        if len(rows) <= most
        else rows[np.sort(stream(0, len(rows)).choice(len(rows), most, replace=False))]
    )


def stretch(offsets: np.ndarray, low: int, high: int) -> tuple[slice, np.ndarray]:
    """The sets that have vectors from `low` to before `high`, and where each begins there."""
    first = int(np.searchsorted(offsets, low, side="right")) - 1
    last = int(np.searchsorted(offsets[:-1], high, side="left"))
    return slice(first, last), np.maximum(offsets[first:last] - low, 0)


def sums_down(block: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Rows summed from each start to before the next: np.add.reduceat(block, starts, axis=0), and much faster."""
    out = np.empty((len(starts), block.shape[1]))
    for at, (first, last) in enumerate(zip(starts, [*starts[1:], len(block)], strict=True)):
        block[first:last].sum(axis=0, out=out[at])
    return out


class _ByComparer:
    """The kernel of a comparer of tables that learned from a sample of the vectors."""

    stored_fields: ClassVar[tuple[str, ...]] = ("fitted", "tile")

    def __init__(self, fitted: Any) -> None:
        self.fitted = fitted
        self.tile = fitted.tile()

    def __call__(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(self.tile(self._side(a, -1), self._side(b, -2)))

    def _side(self, rows: np.ndarray, who: int) -> tuple[Any, ...]:
        return (*self.fitted.prepare(Table.of(rows)), np.full(len(rows), who))


def _compares(kernel: Any) -> bool:
    return not isinstance(kernel, type) and all(
        hasattr(kernel, name) for name in ("fit", "prepare", "tile", "kind")
    )


def _learned(kernel: Any, rows: np.ndarray, owner: str) -> _ByComparer:
    from sklearn.base import clone

    if kernel.kind != "similarity":
        raise ParameterError(
            f"kernel must be a similarity, and {kernel!r} is a {kernel.kind}; use compare.Gaussian().",
            owner=owner,
        )
    return _ByComparer(clone(kernel).fit(sample_of(rows, _SAMPLE)))


def _answered(function: Function, a: np.ndarray, b: np.ndarray, owner: str) -> np.ndarray:
    """What a kernel of one's own gave, if it is a number for every pair."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.asarray(function(a, b), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"the kernel function failed on two blocks of vectors: {error}", owner=owner
        ) from error
    if found.shape != (len(a), len(b)):
        raise ParameterError(
            f"the kernel function must give one value per pair of rows, {len(a)} x {len(b)}, and gave {found.shape}.",
            owner=owner,
        )
    if found.size and not max(found.max(), -found.min()) <= MOST:  # NaN too
        raise ParameterError(
            f"the kernel function gave a value that is not a finite number below {MOST:g}.",
            owner=owner,
        )
    return found


def _tried(kernel: RowKernel, rows: np.ndarray) -> None:
    """Refuse a function that is no kernel on these vectors: not symmetric, or with an eigenvalue below zero."""
    found = kernel.block(rows, rows)
    size = float(np.abs(found).max())
    if not np.allclose(found, found.T, rtol=1e-8, atol=1e-10 * size):
        i, j = np.argwhere(~np.isclose(found, found.T, rtol=1e-8, atol=1e-10 * size))[0]
        raise ParameterError(
            f"{kernel.owner}: the kernel is not symmetric: it gave {found[i, j]:.6g} for two vectors and {found[j, i]:.6g} "
            "for the same two the other way round."
        )
    least = float(np.linalg.eigvalsh((found + found.T) / 2)[0])
    if least < -1e-6 * size * len(rows):
        raise ParameterError(
            f"{kernel.owner}: the kernel is not positive semidefinite (smallest eigenvalue {least:.3g} on {len(rows)} vectors); "
            "is it a distance? Use exp(-distance), or compare.Gaussian()."
        )
