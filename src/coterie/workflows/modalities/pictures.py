"""Pictures: counts of the colors of their pixels, brought to a few directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from coterie.compare.vectors import Chord
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Step
from coterie.core.pictures import Pictures
from coterie.core.table import Table
from coterie.core.workplace import stage
from coterie.pipeline import Pipeline
from coterie.represent.colours import Colours
from coterie.represent.lsa import LSA
from coterie.workflows import null_models
from coterie.workflows.attributes import measure_pictures
from coterie.workflows.choices import Choices
from coterie.workflows.key_features import KeyFeatures, key_columns
from coterie.workflows.modalities.base import Modality, named_comparer
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.prepared import compared_by, distances_by
from coterie.workflows.view_tables import DefaultCoordinates

DIMENSIONS = 50


class PictureModality(Modality):
    """Color pictures of any size."""

    noun: ClassVar[str] = "pictures"
    features: ClassVar[str] = "looks"
    in_views: ClassVar[str] = "pictures"

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedPictures:
        """Count the colors, reduce them, and compare the pictures."""
        comparer = named_comparer(choices)
        if comparer is not None and comparer.takes is not Table:
            raise DataError(
                f"{type(comparer).__name__} does not compare pictures; take one of tables, such as Cosine or ChiSquare."
            )
        comparer = comparer or Chord()
        data = collection.view(view)
        counts = Colours().fit(data).represent(data)
        pipeline = Pipeline([Colours(), LSA(n_components=DIMENSIONS, normalize=True), comparer])
        with stage("represent"):
            pipeline.fit(data)
        steps = [
            Step("colors"),
            Step("color_directions", {"dimensions": DIMENSIONS}),
            compared_by(comparer),
        ]
        return PreparedPictures(collection, view, pipeline, steps, counts)

    def has_ensemble(self, data: Any) -> bool:
        """They are grouped by a vote over several representations."""
        return True

    def key_features(
        self, data: Any, labels: np.ndarray, n_groups: int
    ) -> Mapping[str, Sequence[KeyFeatures]]:
        """What can be seen at once: brightness, contrast, color, form."""
        found = measure_pictures(data)
        return {self.features: key_columns(found.table, labels, n_groups, words=found.words)}

    def describe_data(self, data: Pictures) -> str:
        """How many pictures of which size."""
        return data.describe()

    def representers(self, data: Any, view: str) -> list[Any]:
        """Counts of colors."""
        return [Colours()]

    def ensemble_representers(self, data: Any, view: str) -> list[Any]:
        """All default representations on their principal axes."""
        return [DefaultCoordinates()]

    def is_scaled_in_views(self, data: Any) -> bool:
        """The axes are as they should be."""
        return False


class PreparedPictures(OneView):
    """Pictures as counts of colors."""

    def __init__(
        self,
        collection: Collection,
        view: str,
        pipeline: Pipeline,
        steps: list[Step],
        counts: Table,
    ) -> None:
        super().__init__(collection, view, pipeline, steps)
        self.counts = counts

    def part_values(self, rows: np.ndarray) -> Any:
        """The reduced counts of some pictures."""
        lsa = LSA(n_components=DIMENSIONS, normalize=True)
        return lsa.fit_transform(self.counts.take(rows))

    def compare_part(self, values: Any) -> Affinity:
        """Distances between reduced counts."""
        return distances_by(self.comparer, values)

    def null_models_of(self, values: Any) -> Mapping[str, null_models.Draw]:
        """One cloud or one box."""
        return null_models.of_points(np.asarray(values))
