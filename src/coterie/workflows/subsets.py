"""Any members prepared for analysis: what the search for groups needs of them, and subsets and shuffled copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from coterie.core.affinity import Affinity
from coterie.workflows.null_models import Draw

if TYPE_CHECKING:
    from coterie.workflows.prepared import PreparedCollection


class Prepared(Protocol):
    """Members ready to be compared."""

    def __len__(self) -> int: ...

    def affinity(self) -> Affinity:
        """Distances between all members."""

    def take(self, rows: np.ndarray) -> Prepared:
        """The members at these positions, prepared as if there were no others."""

    def worth(self, labels: np.ndarray) -> float | None:
        """How good a cut is where members like these have a measure of their own; None where its separation says it."""

    def null_models(self) -> Mapping[str, Callable[[np.random.Generator], Prepared]]:
        """By code, what draws a copy of these members in which nothing belongs together."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the members, or a shuffled copy, in the form in which their modality compares them."""

    whole: PreparedCollection
    values: Any
    rows: np.ndarray | None  # positions in the whole; None for a shuffled copy
    n: int

    @classmethod
    def of(cls, whole: PreparedCollection, rows: np.ndarray) -> Part:
        """The members at these positions, as if there were no others."""
        return cls(whole, whole.part_values(rows), rows, len(rows))

    def __len__(self) -> int:
        return self.n

    def affinity(self) -> Affinity:
        """Distances between these members."""
        return self.whole.compare_part(self.values)

    def take(self, rows: np.ndarray) -> Part:
        """Some of these members."""
        if self.rows is None:
            return Part(self.whole, self.whole.take_values(self.values, rows), None, len(rows))
        return Part.of(self.whole, self.rows[rows])

    def worth(self, labels: np.ndarray) -> float | None:
        """How good a cut of these members is, by a measure of their own."""
        return self.whole.worth(self.values, labels)

    def null_models(self) -> Mapping[str, Callable[[np.random.Generator], Part]]:
        """What draws copies of these members without structure."""

        def drawing(draw: Draw) -> Callable[[np.random.Generator], Part]:
            return lambda generator: Part(self.whole, draw(generator), None, self.n)

        found = self.whole.null_models_of(self.values)
        return {name: drawing(draw) for name, draw in found.items()}
