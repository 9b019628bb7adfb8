"""Vectors: one vector of numbers a member, from a model that somebody else ran; its single numbers mean nothing by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.core.errors import DataError

GIVEN = "vectors"  # what the view of given vectors is called


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Members as vectors of one length, such as embeddings; members are near where the angle between their vectors is small.

    >>> Vectors.of([[1.0, 0.0], [0.6, 0.8]])
    Vectors(2 x 2)
    """

    kind: ClassVar[str] = "vectors"
    modality: ClassVar[str] = "vectors"

    values: np.ndarray  # (n, d) float64, finite

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.dtype.kind != "f":
            raise DataError(
                f"Vectors are rows of real numbers, and were given {self.values.dtype} of {self.values.ndim} dimensions."
            )

    @classmethod
    def of(cls, data: Any) -> Vectors:
        """From an array of rows, or anything that makes one."""
        if isinstance(data, Vectors):
            return data
        return cls(np.ascontiguousarray(np.asarray(data), dtype=np.float64))

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.values.shape[1])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def take(self, indices: Sequence[int] | np.ndarray) -> Vectors:
        """The vectors of the members at these positions."""
        return Vectors(self.values[np.asarray(indices, dtype=np.int64)])

    def unit(self) -> np.ndarray:
        """The vectors brought to length one; one of zeros stays as it is."""
        lengths = np.linalg.norm(self.values, axis=1, keepdims=True)
        return np.divide(self.values, lengths, out=np.zeros_like(self.values), where=lengths > 0)

    def __repr__(self) -> str:
        return f"Vectors({len(self)} x {self.dimension})"
