"""Sequences: described by their course and their moments, or compared as they are by a comparer that takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from coterie.compare.vectors import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.findings import Step
from coterie.core.ragged import Ragged
from coterie.core.workplace import stage
from coterie.messages.notes import count_things
from coterie.pipeline import Pipeline
from coterie.represent.shapes import Shapes
from coterie.workflows import null_models
from coterie.workflows.attributes import measure_traces
from coterie.workflows.choices import Choices, method
from coterie.workflows.key_features import KeyFeatures, key_columns, sparks
from coterie.workflows.modalities.base import Modality, takes_whole
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.modalities.whole import PreparedWhole
from coterie.workflows.prepared import (
    PreparedCollection,
    compared_by,
    compared_whole,
    distances_by,
)
from coterie.workflows.view_tables import DefaultCoordinates

_BESIDE = {"SpherePacking": "MMD", "HMMMixture": "Likelihood"}  # organizers of members, and
# comparers that see members as they do


class SequenceModality(Modality):
    """Members that are vectors in an order."""

    noun: ClassVar[str] = "sequences"
    features: ClassVar[str] = "traces"
    in_views: ClassVar[str] = "vectors"
    shapes: ClassVar[str] = "sequence_shapes"

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedCollection:
        """Describe the members by their shapes, unless the comparer takes them as they are."""
        comparer = comparer_of_members(choices)
        data = cast(Ragged, collection.view(view))
        if takes_whole(comparer, data):
            return prepare_whole(collection, view, comparer)
        comparer = comparer or Euclidean()
        pipeline = Pipeline([Shapes(), comparer])
        with stage("represent"):
            pipeline.fit(data)
        return PreparedShapes(
            collection, view, pipeline, [Step(self.shapes), compared_by(comparer)]
        )

    def has_ensemble(self, data: Any) -> bool:
        """They are grouped by a vote over several representations."""
        return True

    def describe_data(self, data: Ragged) -> str:
        """How long the members are, and how many values a step has."""
        low = int(data.lengths.min())
        high = int(data.lengths.max())
        long = f"{low:,} to {high:,}" if low < high else f"{low:,}"
        steps = "steps" if data.ordered else "vectors"
        return f"{long} {steps} of {count_things(data.dim, 'value')}"

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        """How long each member is."""
        data = cast(Ragged, collection.view(view))
        return [f"{length} steps of {data.dim}" for length in data.lengths]

    def key_features(
        self, data: Any, labels: np.ndarray, n_groups: int
    ) -> Mapping[str, Sequence[KeyFeatures]]:
        """Plain properties: length, mean, spread, change per step, rise."""
        found = measure_traces(data)
        return {self.features: key_columns(found.table, labels, n_groups, words=found.words)}

    def sparks(self, data: Any, members: np.ndarray) -> tuple[tuple[float, ...], ...]:
        """The mean course."""
        return sparks(data, members)

    def representers(self, data: Any, view: str) -> list[Any]:
        """Shapes."""
        return [Shapes()]

    def ensemble_representers(self, data: Any, view: str) -> list[Any]:
        """All default representations on their principal axes."""
        return [DefaultCoordinates()]

    def is_scaled_in_views(self, data: Any) -> bool:
        """The axes are as they should be."""
        return False

    def present(self, data: Any) -> np.ndarray:
        """Which members have a vector."""
        return np.asarray(data.lengths > 0)


class PreparedShapes(OneView):
    """Sequences or sets as the numbers that describe them."""

    def part_values(self, rows: np.ndarray) -> Any:
        """Some of the members."""
        return self.data.take(rows)

    def compare_part(self, values: Any) -> Affinity:
        """Distances between their shapes."""
        return distances_by(self.comparer, Shapes().fit_transform(values))

    def null_models_of(self, values: Any) -> Mapping[str, null_models.Draw]:
        """One process for all, and stitched pieces; of sets, all vectors shuffled."""
        if values.ordered:
            return null_models.of_sequences(values, Shapes().points)
        return {"shuffled_vectors": null_models.dealt(values)}

    def take_values(self, values: Any, rows: np.ndarray) -> Any:
        """Some members of a shuffled copy."""
        return values.take(rows)


def comparer_of_members(choices: Choices) -> Any:
    """The comparer that was named, or the one that sees members as the named organizer does."""
    organizer = type(method(choices.organize, "organize")).__name__ if choices.organize else ""
    named = choices.compare or _BESIDE.get(organizer, "")
    return method(named, "compare", random_state=choices.seed) if named else None


def prepare_whole(collection: Collection, view: str, comparer: Any) -> PreparedWhole:
    """Sequences or sets by a comparer that takes them without a table in between."""
    data = cast(Ragged, collection.view(view))
    ordered = data.ordered and comparer.by_order
    families = null_models_of_sequences if ordered else null_models.of_sets
    steps = [compared_whole(comparer)]
    return PreparedWhole(collection, view, [], comparer, steps, data, families, comparer.often)


def null_models_of_sequences(part: Any) -> Mapping[str, null_models.Draw]:
    """One process for all, and sequences stitched together."""
    return null_models.of_sequences(part, Shapes().points)
