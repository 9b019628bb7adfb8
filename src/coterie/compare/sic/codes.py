"""Codes: which label every member got in every iteration, or none; everything else SIC says is read off this matrix.

Hard codes (one label per member and iteration) are one array. A member with several occurrences has a profile instead:
the share of its tested occurrences that got each label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie.core.errors import DataError

MISSING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """`labels[i, p]` is the code of member p in iteration i, -1 where it was not tested or the iteration failed.

    Codes mean nothing across iterations. `classes[i][c]` is what the classifier of iteration i called its code c.
    `control` marks iterations whose task did not use what was learned before; all are, unless SIC is sequential.
    """

    labels: (
        np.ndarray
    )  # (iterations, members), the smallest signed integer type that holds the codes
    classes: Sequence[np.ndarray] = ()
    control: np.ndarray | None = None  # (iterations,) bool; None: all
    records: Sequence[Mapping[str, Any]] = field(
        default_factory=tuple
    )  # settings, seconds and failures per iteration

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels)
        if labels.ndim != 2 or labels.dtype.kind not in "iu":
            raise DataError(
                "Codes are whole numbers, one row per iteration and one column per member; -1 is 'not tested'."
            )
        least = int(labels.min(initial=0))
        if least < MISSING:
            raise DataError(
                f"A code is a whole number from 0, or -1 where a member was not tested, and one was {least}."
            )
        object.__setattr__(
            self,
            "labels",
            np.ascontiguousarray(labels, dtype=_smallest(int(labels.max(initial=0)))),
        )

    @property
    def n_iterations(self) -> int:
        return int(self.labels.shape[0])

    @property
    def n_members(self) -> int:
        return int(self.labels.shape[1])

    @property
    def tested(self) -> np.ndarray:
        """(iterations, members): who was tested when."""
        return self.labels != MISSING

    @property
    def n_tested(self) -> np.ndarray:
        """How many members each iteration tested."""
        return self.tested.sum(axis=1)

    def sizes(self) -> list[np.ndarray]:
        """Per iteration the sizes of the classes that came out."""
        return [
            np.bincount(row[row >= 0]) if (row >= 0).any() else np.zeros(0, dtype=np.int64)
            for row in self.labels
        ]

    def rates(self) -> np.ndarray:
        """Per iteration the share of tested pairs that got one code: sum_c n_c (n_c - 1) / (n (n - 1)); NaN below two tested."""
        out = np.full(self.n_iterations, np.nan)
        for i, sizes in enumerate(self.sizes()):
            n = int(sizes.sum())
            if n > 1:
                out[i] = float((sizes * (sizes - 1)).sum()) / (n * (n - 1))
        return out

    def take(self, iterations: np.ndarray | slice) -> Codes:
        """Some of the iterations, as codes of their own."""
        chosen = np.arange(self.n_iterations)[iterations]
        return Codes(
            self.labels[chosen],
            [self.classes[i] for i in chosen] if self.classes else (),
            None if self.control is None else self.control[chosen],
            [self.records[i] for i in chosen] if self.records else (),
        )

    def pairs(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For pairs of members, iteration by iteration: whether they got one code, and whether both were tested."""
        a = self.labels[:, first].T
        b = self.labels[:, second].T
        both = (a >= 0) & (b >= 0)
        return both & (a == b), both

    def __repr__(self) -> str:
        return f"Codes({self.n_iterations} iterations x {self.n_members} members)"


def _smallest(most: int) -> type[np.signedinteger[Any]]:
    return np.int16 if most < 2**15 else np.int32
