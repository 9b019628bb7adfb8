"""Pictures: one color picture per member, of any size, as one flat array of pixels and the sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Members that are pictures: member i has `sizes[i]` = (height, width) and red, green, blue from 0 to 255 per pixel.

    >>> p = Pictures.of([np.zeros((2, 3, 3), dtype=np.uint8), np.full((4, 4, 3), 255, dtype=np.uint8)])
    >>> len(p), p[1].shape
    (2, (4, 4, 3))
    """

    kind: ClassVar[str] = "pictures"
    modality: ClassVar[str] = "pictures"

    pixels: (
        np.ndarray
    )  # (all pixels, 3) of uint8, row by row, picture by picture; may be a memory map
    sizes: np.ndarray  # (n, 2) heights and widths

    def __post_init__(self) -> None:
        sizes = np.ascontiguousarray(self.sizes, dtype=np.int64).reshape(-1, 2)
        object.__setattr__(self, "sizes", sizes)
        if self.pixels.ndim != 2 or self.pixels.shape[1] != 3 or self.pixels.dtype != np.uint8:
            raise DataError(
                "pixels must be one (total, 3) array of bytes: red, green and blue from 0 to 255.",
                owner="Pictures",
            )
        if (sizes < 1).any():
            raise DataError(f"Picture {int(np.argmax((sizes < 1).any(axis=1)))} has no pixels.")
        if int(sizes.prod(axis=1).sum()) != len(self.pixels):
            raise DataError(
                f"the sizes ask for {int(sizes.prod(axis=1).sum())} pixels, and there are {len(self.pixels)}.",
                owner="Pictures",
            )

    @classmethod
    def of(cls, pictures: Any) -> Pictures:
        """From a list of arrays (height, width, 3) of bytes, one array of four dimensions, or Pictures (as they are)."""
        if isinstance(pictures, Pictures):
            return pictures
        if isinstance(pictures, (str, bytes)) or not (
            hasattr(pictures, "__len__") and hasattr(pictures, "__iter__")
        ):
            raise DataError(
                "Pictures must come as a list of arrays (height, width, 3), one per member; read a folder with read."
            )
        if isinstance(pictures, np.ndarray) and pictures.ndim != 4 and pictures.dtype != object:
            raise DataError(
                f"Pictures must come as a list of arrays (height, width, 3), and one array of {pictures.ndim} dimensions was "
                "given; put a single picture in a list."
            )
        parts = [_checked(picture, index) for index, picture in enumerate(pictures)]
        if not parts:
            raise DataError("There are no pictures: the list is empty.")
        return cls(
            np.concatenate([part.reshape(-1, 3) for part in parts]),
            np.array([part.shape[:2] for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def offsets(self) -> np.ndarray:
        """Where the pixels of each picture begin, and the number of all."""
        return np.concatenate([[0], np.cumsum(self.sizes.prod(axis=1))])

    def __getitem__(self, index: int) -> np.ndarray:
        at = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= at < len(self):
            raise IndexError(f"picture {index} of {len(self)}")
        first = int(self.sizes[:at].prod(axis=1).sum())
        height, width = (int(side) for side in self.sizes[at])
        return self.pixels[first : first + height * width].reshape(height, width, 3)

    def __iter__(self) -> Iterator[np.ndarray]:
        first = self.offsets
        for at, (height, width) in enumerate(self.sizes):
            yield self.pixels[first[at] : first[at + 1]].reshape(int(height), int(width), 3)

    def take(self, indices: Sequence[int] | np.ndarray) -> Pictures:
        """The pictures at these positions, in this order."""
        chosen = np.asarray(indices, dtype=np.int64)
        first = self.offsets[:-1][chosen]
        many = self.sizes[chosen].prod(axis=1)
        parts = [self.pixels[a : a + n] for a, n in zip(first, many, strict=True)]
        return Pictures(np.concatenate(parts) if parts else self.pixels[:0], self.sizes[chosen])

    def __repr__(self) -> str:
        return f"Pictures({self.describe()})"

    def describe(self) -> str:
        """How many pictures of which size."""
        if not len(self):
            return "0 pictures"
        low = self.sizes.min(axis=0)
        high = self.sizes.max(axis=0)
        spread = [f"{a}" if a == b else f"{a} to {b}" for a, b in zip(low, high, strict=True)]
        return f"{len(self)} pictures of {spread[1]} x {spread[0]} pixels"


def _checked(picture: Any, index: int) -> np.ndarray:
    """One picture as (height, width, 3) of bytes, or a sentence that names it."""
    try:
        array = np.asarray(picture)
    except (TypeError, ValueError):
        raise DataError(f"Picture {index} cannot be read as an array.") from None
    if array.ndim != 3 or array.shape[2] != 3:
        shape = " x ".join(map(str, array.shape)) or "a single value"
        raise DataError(
            f"Picture {index} must be (height, width, 3) for red, green and blue, and is {shape}."
        )
    if 0 in array.shape:
        raise DataError(f"Picture {index} has no pixels.")
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind not in "iu" or array.min() < 0 or array.max() > 255:
        raise DataError(
            f"Picture {index} must hold whole numbers from 0 to 255; it holds {array.dtype.name}."
        )
    return array.astype(np.uint8)
