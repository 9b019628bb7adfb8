"""Features of single vectors and their means over sets: random Fourier features, whose inner products are near a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coterie.core.errors import ParameterError
from coterie.core.ragged import Ragged
from coterie.core.random import stream
from coterie.core.workplace import fits
from coterie.parts.row_kernels import RowKernel, stretch, sums_down
from coterie.parts.workers import in_order

_CELLS = (
    2**19
)  # features of single vectors held at once; a constant, so that results never depend on the workplace
_VECTORS = 4096  # vectors of one task, about


@dataclass(frozen=True, eq=False)
class Fourier:
    """cos and sin of random directions: the inner product of the features of two vectors is near the kernel (Rahimi, Recht).

    The features of a vector have length one, as exp(0) is one.
    """

    directions: np.ndarray  # (d, count)
    center: np.ndarray

    @property
    def count(self) -> int:
        """Features of a vector: a cosine and a sine of each direction."""
        return 2 * self.directions.shape[1]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        angles = (rows - self.center) @ self.directions
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(
            self.directions.shape[1]
        )


def fourier(kernel: RowKernel, rows: np.ndarray, count: int, seed: int, owner: str) -> Fourier:
    """Features of so many random directions for a kernel: normal ones for gaussian, Cauchy ones for laplacian."""
    if kernel.function is not None or kernel.name not in ("gaussian", "laplacian"):
        raise ParameterError(
            f"features need kernel 'gaussian' or 'laplacian', and it is {kernel.name!r}; leave features out (None).",
            owner=owner,
        )
    generator = stream(seed, count)
    shape = (rows.shape[1], count)
    if kernel.name == "gaussian":
        directions = generator.standard_normal(shape) * (np.sqrt(2.0) / kernel.width)
    else:
        directions = generator.standard_cauchy(shape) / kernel.width
    return Fourier(directions, rows.mean(axis=0))


def feature_means(
    features: Callable[[np.ndarray], np.ndarray], count: int, sets: Ragged, label: str
) -> np.ndarray:
    """The mean of the `count` features over the vectors of every set: (sets, count)."""
    fits(len(sets) * count * 8, f"{count} features of {len(sets)} sets", "ask for fewer")
    step = max(1, _CELLS // count)

    def work(some: slice) -> np.ndarray:
        part = sets[some]
        sums = np.zeros((len(part), count))
        for low in range(0, len(part.values), step):
            which, starts = stretch(part.offsets, low, low + step)
            sums[which] += sums_down(features(part.values[low : low + step]), starts)
        return sums / part.lengths[:, None]

    return np.concatenate(list(in_order(work, batches(sets), label)))


def batches(sets: Ragged) -> list[slice]:
    """Sets in a row, of some thousand vectors together: pieces of work that depend on the sets alone."""
    piece = sets.offsets[:-1] // _VECTORS
    starts = np.flatnonzero(np.diff(piece, prepend=-1)).tolist()
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], len(sets)], strict=True)]
