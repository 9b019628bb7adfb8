"""Sets of vectors: compared by the means of their vectors in the space of a kernel, or by their moments."""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np

from coterie.compare.mmd import MMD
from coterie.core.collection import Collection
from coterie.core.ragged import Ragged
from coterie.parts.units import same_units
from coterie.workflows.choices import Choices
from coterie.workflows.modalities.sequences import (
    SequenceModality,
    comparer_of_members,
    prepare_whole,
)
from coterie.workflows.prepared import PreparedCollection

# vectors from which a kernel is replaced by so many random directions
_VECTORS = 10_000
_DIRECTIONS = 1000


class SetModality(SequenceModality):
    """Members that are vectors in no order."""

    noun: ClassVar[str] = "sets"
    features: ClassVar[str] = "sets"
    shapes: ClassVar[str] = "set_shapes"

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedCollection:
        """MMD where all values share one unit; else as sequences are."""
        data = cast(Ragged, collection.view(view))
        if comparer_of_members(choices) is None and share_one_unit(data):
            many = len(data.values) > _VECTORS
            comparer = MMD(features=_DIRECTIONS, random_state=choices.seed) if many else MMD()
            return prepare_whole(collection, view, comparer)
        return super().prepare(collection, view, choices)

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        """How many vectors each member has."""
        data = cast(Ragged, collection.view(view))
        return [f"{length} vectors of {data.dim}" for length in data.lengths]

    def sparks(self, data: Ragged, members: np.ndarray) -> tuple[tuple[float, ...], ...]:
        """Sets have no course."""
        return ()


def share_one_unit(data: Ragged) -> bool:
    """Whether nothing is missing and the values seem to share one unit, so that vectors can be compared as they are."""
    return not np.isnan(data.values).any() and same_units(data.values.std(axis=0))
