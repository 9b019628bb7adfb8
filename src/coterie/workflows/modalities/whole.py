"""Members that a comparer takes as they are, without a table in between: the base of tagged text, sound, sequences and sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.findings import Step
from coterie.core.workplace import stage
from coterie.pipeline import Pipeline
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.null_models import Draw
from coterie.workflows.prepared import as_distances

SAMPLE = 600  # members the evidence is read off where comparing them takes long
ITERATIONS = 200  # of a similarity that is learned from random labels
_QUICK = 40  # of each of the many similarities that the evidence asks for


class PreparedWhole(OneView):
    """Members compared as they are; the evidence compares more quickly where a comparer has to learn."""

    def __init__(
        self,
        collection: Collection,
        view: str,
        represent: Sequence[Any],
        comparer: Any,
        steps: Sequence[Step],
        form: Any,
        null_models: Callable[[Any], Mapping[str, Draw]],
        sample_size: int = SAMPLE,
    ) -> None:
        pipeline = Pipeline([*represent, comparer])
        with stage("represent"):
            pipeline.fit(collection.view(view))
        super().__init__(collection, view, pipeline, steps)
        self.sample_size = sample_size
        self.form = form  # the members as the comparer takes them
        self._null_models = null_models
        self._quick = quick_copy(comparer, self.comparer)

    def part_values(self, rows: np.ndarray) -> Any:
        """Some of the members."""
        return self.form.take(rows)

    def compare_part(self, values: Any) -> Affinity:
        """Distances by a quicker copy of the comparer."""
        fitted = clone(self._quick).fit(values)
        return as_distances(fitted.affinity_, type(self._quick).__name__)

    def null_models_of(self, values: Any) -> Mapping[str, Draw]:
        """What draws members without structure."""
        return self._null_models(values)

    def take_values(self, values: Any, rows: np.ndarray) -> Any:
        """Some members of a shuffled copy."""
        return values.take(rows)


def quick_copy(comparer: Any, fitted: Any) -> Any:
    """A comparer that learns less long: fewer iterations of SIC, one model of SSD with the states that were found."""
    quick = clone(comparer)
    name = type(comparer).__name__
    if name == "SIC":
        return quick.set_params(n_iterations=min(_QUICK, quick.n_iterations), stop=None)
    if name == "SSD":
        quick.set_params(n_models=1)
        if not fitted.observed_:
            quick.set_params(n_states=fitted.choice_.n_states)  # looked for once, and not again
    return quick
