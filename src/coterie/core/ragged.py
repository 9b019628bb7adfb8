"""Ragged: sequences and sets of vectors of different lengths, as one flat array and offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from coterie.core.errors import DataError

_WAVEFORM = 2000  # steps a second from which one value per step is taken for sound


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Members that are several vectors each: `values[offsets[i]:offsets[i + 1]]` is member i.

    >>> r = Ragged.of([[[1.0], [2.0]], [[3.0]]])
    >>> len(r), r.dim, r[0].shape
    (2, 1, (2, 1))
    """

    values: np.ndarray
    offsets: np.ndarray
    ordered: bool = True
    names: tuple[str, ...] = ()  # of the values of a step, where they are known
    rate: float = 0.0  # steps per second, where it is known (sound, sensors)

    def __post_init__(self) -> None:
        offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
        object.__setattr__(self, "offsets", offsets)
        if self.values.ndim != 2:
            raise DataError(
                f"values must be one (total, d) array, and have {self.values.ndim} dimensions.",
                owner="Ragged",
            )
        if self.values.dtype.kind not in "biuf":
            raise DataError(
                f"values must be real numbers, and are {self.values.dtype}.", owner="Ragged"
            )
        object.__setattr__(self, "names", tuple(str(name) for name in self.names))
        if self.names and len(self.names) != self.values.shape[1]:
            raise DataError(
                f"there are {len(self.names)} names for {self.values.shape[1]} values per step.",
                owner="Ragged",
            )
        if not 0 <= self.rate < np.inf:
            raise DataError(
                f"rate must be a finite number of steps per second, 0 where it is not known, and was {self.rate}.",
                owner="Ragged",
            )
        if (
            offsets.ndim != 1
            or len(offsets) < 1
            or offsets[0] != 0
            or offsets[-1] != len(self.values)
        ):
            raise DataError(
                "offsets must start at 0 and end at the number of rows of values.", owner="Ragged"
            )
        if np.any(np.diff(offsets) < 0):
            raise DataError(
                f"offsets must not fall, and do at member {int(np.argmax(np.diff(offsets) < 0))}.",
                owner="Ragged",
            )

    @property
    def kind(self) -> str:
        """Sequences, or sets where the order of the vectors means nothing."""
        return "sequences" if self.ordered else "sets"

    @property
    def modality(self) -> str:
        """Sound where it is a waveform, else sequences or sets."""
        return "sound" if self.is_sound else self.kind

    @property
    def is_sound(self) -> bool:
        """Whether these are waveforms: one value per step, and thousands of steps a second."""
        return self.dim == 1 and self.rate >= _WAVEFORM

    @classmethod
    def of(cls, members: Any, ordered: bool = True) -> Ragged:
        """From a list of arrays (length, d) or (length,), a 3-d array, or a Ragged (returned as it is)."""
        if isinstance(members, Ragged):
            return members
        listed = (
            hasattr(members, "__len__")
            and hasattr(members, "__iter__")
            and not isinstance(members, (type, str, bytes))
        )
        if not listed or (
            isinstance(members, np.ndarray) and members.ndim < 2 and members.dtype != object
        ):
            raise DataError(
                "Sequences must come as a list of arrays (one per member), a 3-d array or a Ragged."
            )
        parts: list[np.ndarray] = []
        for index, member in enumerate(members):
            try:
                if np.iscomplexobj(member):
                    raise TypeError("complex numbers")
                part = np.asarray(member, dtype=np.float64)
            except (TypeError, ValueError):
                raise DataError(f"Member {index} cannot be read as numbers.") from None
            part = part[:, None] if part.ndim == 1 else part
            if part.ndim != 2:
                raise DataError(
                    f"Member {index} has {part.ndim} dimensions; a member is (length, d) or (length,)."
                )
            if parts and part.shape[1] != parts[0].shape[1]:
                raise DataError(
                    f"Member {index} has {part.shape[1]} values per step where member 0 has {parts[0].shape[1]}."
                )
            parts.append(part)
        if not parts:
            raise DataError("There are no members: the list of sequences is empty.")
        lengths = [len(part) for part in parts]
        return cls(np.concatenate(parts), np.concatenate([[0], np.cumsum(lengths)]), ordered)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self.values[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True))

    @overload
    def __getitem__(self, index: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | np.ndarray) -> Ragged: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (int, np.integer)):
            at = int(index) + (len(self) if index < 0 else 0)
            if not 0 <= at < len(self):
                raise IndexError(f"member {index} of {len(self)}")
            return self.values[self.offsets[at] : self.offsets[at + 1]]
        if isinstance(index, slice) and index.step in (None, 1):
            start, stop, _ = index.indices(len(self))
            stop = max(start, stop)
            first = self.offsets[start]
            offsets = self.offsets[start : stop + 1] - first
            return Ragged(
                self.values[first : self.offsets[stop]],
                offsets,
                self.ordered,
                self.names,
                self.rate,
            )
        return self.take(np.arange(len(self))[index])

    def take(self, indices: Sequence[int] | np.ndarray) -> Ragged:
        """The members at these positions, in this order."""
        chosen = np.asarray(indices, dtype=np.int64)
        lengths = self.lengths[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Ragged(self.values[rows], offsets, self.ordered, self.names, self.rate)

    @property
    def lengths(self) -> np.ndarray:
        """Number of vectors of each member."""
        return np.diff(self.offsets)

    @property
    def dim(self) -> int:
        """Number of values per vector."""
        return int(self.values.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """(members, values per vector)."""
        return len(self), self.dim

    def with_values(self, values: np.ndarray) -> Ragged:
        """The same members with other values per step; names are kept where there are as many values as before."""
        same = values.ndim == 2 and values.shape[1] == self.dim
        return replace(self, values=values, names=self.names if same else ())

    def __repr__(self) -> str:
        noun = "sequences" if self.ordered else "sets"
        spread = f"{self.lengths.min()} to {self.lengths.max()}" if len(self) else "0"
        return f"Ragged({len(self)} {noun} of {spread} x {self.dim})"
