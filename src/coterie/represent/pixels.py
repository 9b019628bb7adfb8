"""Pixels: colours as CIE Lab and luminance, the cells of a grid over a picture, and work done picture by picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coterie.core.errors import DataError
from coterie.core.pictures import Pictures
from coterie.parts.workers import in_order

_BLOCK = 16  # pictures at a time; a constant, so that results never depend on the workplace
_LEVELS = np.arange(256) / 255.0
_LINEAR = np.where(
    _LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4
)  # of a byte of sRGB
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _XYZ.sum(axis=1)  # of the light D65, in these units
# below it the cube root is replaced by a line
_LOW = (6 / 29) ** 3
_SLOPE = (29 / 6) ** 2 / 3
_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)


def each_picture(
    work: Callable[[np.ndarray], Any], pictures: Pictures, label: str
) -> Iterator[Any]:
    """Run `work(picture)` on the workers; results come in the order of the pictures."""
    seen = list(pictures)
    blocks = [seen[a : a + _BLOCK] for a in range(0, len(seen), _BLOCK)]
    for found in in_order(
        lambda block: [work(picture) for picture in block], blocks, label, size=len
    ):
        yield from found


def luminance(picture: np.ndarray) -> np.ndarray:
    """How bright every pixel is, from 0 to 255."""
    return np.asarray(picture.astype(np.float32) @ _LUMA)


def lab(picture: np.ndarray) -> np.ndarray:
    """Bytes of sRGB as CIE L, a, b under the light D65: distances that look alike are alike.

    >>> lab(np.array([[[255, 255, 255], [0, 0, 0]]], dtype=np.uint8)).round(3).tolist()
    [[[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """
    ratio = _LINEAR[picture] @ (_XYZ / _WHITE[:, None]).T
    f = np.where(ratio > _LOW, np.cbrt(ratio), _SLOPE * ratio + 4 / 29)
    x = f[..., 0]
    y = f[..., 1]
    z = f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def starts(size: int, parts: int) -> np.ndarray:
    """Where each of `parts` equal stretches begins; what is left over belongs to the last.

    >>> starts(100, 6).tolist()
    [0, 16, 32, 48, 64, 80]
    """
    return np.arange(parts) * (size // parts)


def cells(values: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Sums of (height, width, ...) values over the cells of a grid, row by row: (rows * columns, ...)."""
    down = np.add.reduceat(values, starts(values.shape[0], rows), axis=0)
    across = np.add.reduceat(down, starts(values.shape[1], columns), axis=1)
    return np.asarray(across.reshape(rows * columns, *values.shape[2:]))


def cell_of_each(height: int, width: int, rows: int, columns: int) -> np.ndarray:
    """The cell in which each pixel lies, numbered row by row: (height, width)."""
    down = np.minimum(np.arange(height) // (height // rows), rows - 1)
    across = np.minimum(np.arange(width) // (width // columns), columns - 1)
    return np.asarray(down[:, None] * columns + across[None, :])


def check_cells(pictures: Pictures, rows: int, columns: int, owner: str) -> None:
    """Refuse, by name, a picture with fewer pixels than the grid has cells."""
    small = (pictures.sizes < [rows, columns]).any(axis=1)
    if small.any():
        at = int(np.argmax(small))
        height, width = pictures.sizes[at]
        raise DataError(
            f"picture {at} has {width} x {height} pixels, too few for {columns} x {rows} regions; leave it out first.",
            owner=owner,
        )
