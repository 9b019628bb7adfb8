"""Members prepared for analysis: counted, scaled or framed once, and read by everything that follows.

`PreparedCollection` is what a modality makes of a whole collection; a subset or a shuffled copy of it is a `Part`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Duplicates, Evidence, Findings, Remark, Step
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.parts.neighbors import near_ones
from coterie.parts.pairwise import distance, submatrix
from coterie.pipeline import Branch, Pipeline
from coterie.workflows.choices import Choices
from coterie.workflows.duplicates import repeats_of_members
from coterie.workflows.key_features import KeyFeatures
from coterie.workflows.null_models import Draw
from coterie.workflows.subsets import Part

_NEAR = 12  # nearest members kept per member
ByPopulation = Mapping[str, KeyFeatures]  # words, columns, correspondents ... -> key features


@dataclass(frozen=True)
class Graph:
    """How members are tied to their neighbors before they are cut."""

    neighbors: Callable[[int], int]  # number of members -> neighbors of each
    scale: int  # the neighbor whose distance is a member's own bandwidth


def ten(n: int) -> int:
    """Ten neighbors, however many members there are."""
    return 10


def one_in_fifty(n: int) -> int:
    """A fiftieth of the members, from ten to forty."""
    return min(40, max(10, n // 50))


class PreparedCollection(ABC):
    """All members of a collection, with the fitted representers and comparer that place new members later."""

    graph: Graph = Graph(ten, 3)
    measure: str = "separation"  # what says how good a cut is
    sample_size: int = 2000  # members from which the evidence is read
    is_thorough: bool = (
        False  # whether the ensemble makes all its runs where it looks for the number of groups
    )

    def __init__(
        self,
        collection: Collection,
        view: str,
        pipeline: Pipeline,
        steps: Sequence[Step],
        views: tuple[str, ...] = (),
    ) -> None:
        self.collection = collection
        self.view = view
        self.views = views
        self.pipeline = pipeline
        self.steps = tuple(steps)
        self._near: tuple[np.ndarray, np.ndarray, float | None] | None = None
        self._affinity = as_distances(pipeline.affinity_, type(self.comparer).__name__)

    def __len__(self) -> int:
        return len(self.collection)

    @property
    def data(self) -> Any:
        """What the pipeline is given of the members."""
        return self.collection.view(self.view)

    @property
    def modality(self) -> str:
        """What the members are, where evidence is weighed."""
        return self.collection.modality(self.view)

    @property
    def beside(self) -> tuple[str, ...]:
        """The views that stand beside the main one and are compared with it."""
        return ()

    @property
    def comparer(self) -> Any:
        """The fitted comparer."""
        return self.pipeline.steps_[-1]

    # ---- to be compared ---------------------------------------------------------------------------------------------

    def affinity(self) -> Affinity:
        """Distances between all members."""
        return self._affinity

    def take(self, rows: np.ndarray) -> Part:
        """Some members, prepared as if there were no others."""
        return Part.of(self, rows)

    def null_models(self) -> Mapping[str, Callable[[np.random.Generator], Part]]:
        """What draws copies of the members without structure."""
        return self.take(np.arange(len(self))).null_models()

    def sample(self, seed: int) -> np.ndarray:
        """The members from which the evidence is read: all, or a sample of many."""
        n = len(self)
        if n <= self.sample_size:
            return np.arange(n)
        return np.sort(stream(seed, 5).choice(n, self.sample_size, replace=False))

    @abstractmethod
    def part_values(self, rows: np.ndarray) -> Any:
        """These members in the form that `compare_part` and the null models take."""

    @abstractmethod
    def compare_part(self, values: Any) -> Affinity:
        """Distances between members in that form."""

    @abstractmethod
    def null_models_of(self, values: Any) -> Mapping[str, Draw]:
        """By code, what draws values without structure like these."""

    def worth(self, values: Any, labels: np.ndarray) -> float | None:
        """How good a cut of members in that form is, by a measure of their own; None where its separation says it."""
        return None

    def take_values(self, values: Any, rows: np.ndarray) -> Any:
        """Some of the members in that form."""
        return values[rows]

    # ---- to be grouped ----------------------------------------------------------------------------------------------

    def members(self) -> Any:
        """What an organizer that groups members by what they are is given."""
        return self.pipeline.members(self.data)

    def ensemble(self, n_groups: int | None, choices: Choices) -> Branch:
        """The modality's ensemble of models, fitted on the members; it chooses the number of groups where none is given."""
        raise NotImplementedError(f"{type(self).__name__} has no ensemble of models")

    def regrouping(
        self, organizer: Any, choices: Choices
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The members that subsamples are drawn of, and what groups those at some of their places anew."""
        raise NotImplementedError(f"{type(self).__name__} has no ensemble of models")

    def scores_of(self, organizer: Any) -> np.ndarray:
        """How good each number of groups is that a fitted ensemble has looked at; higher is better."""
        return np.asarray(organizer.scores_)

    def witnesses(self, organizer: Any, choices: Choices) -> Mapping[str, float]:
        """What speaks for the groups of a fitted ensemble, by code."""
        return {}

    def levels_of(self, organizer: Any) -> np.ndarray:
        """Labels of nested groups, a row each from coarse to fine, the groups of a fitted ensemble among them; none here."""
        return np.zeros((0, len(self)), dtype=np.int64)

    # ---- members that repeat others ---------------------------------------------------------------------------------

    nearly: float = 0.01  # of the median distance to the nearest member: one so near is a repeat

    def near(self) -> tuple[np.ndarray, np.ndarray, float | None]:
        """The nearest members of every member, their distances, and the recall where they were searched for."""
        if self._near is None:
            self._near = near_ones(self.affinity(), min(_NEAR, len(self) - 1))
        return self._near

    def repeats(self) -> Duplicates:
        """Which members repeat another one, exactly or nearly."""
        near, distances, _ = self.near()
        return repeats_of_members(self.held(), near, distances, self.nearly)

    def held(self) -> Any:
        """What each member holds, as far as two can be the same by it; None where they cannot."""
        return None

    # ---- to be shown ------------------------------------------------------------------------------------------------

    def blank(self) -> np.ndarray | None:
        """Which members hold nothing that is compared; None where that cannot be."""
        return None

    def adjust(self, evidence: Evidence) -> Evidence:
        """The evidence, corrected by what is known of the members beyond their distances."""
        return evidence

    @abstractmethod
    def describe(self, labels: np.ndarray, n_groups: int) -> list[ByPopulation]:
        """Per group, what tells it from the rest."""

    def shortcomings(self, labels: np.ndarray) -> list[Remark]:
        """What may hide groups of these members; the labels are those of the best cut."""
        return []

    def alternatives(self) -> list[Remark]:
        """What else members of this kind can be grouped by; `changes` are those to the request."""
        return []

    def finish(self, findings: Findings, partition: Partition) -> Findings:
        """The findings with what this preparation knows beyond one view."""
        return findings


def as_distances(affinity: Affinity, comparer: str) -> Affinity:
    """Distances from what a comparer gave; similarities above one have none, and that is refused."""
    if affinity.kind == "similarity":
        n = affinity.shape[0]
        some = np.linspace(0, n - 1, min(n, 200)).astype(np.int64)
        most = float(np.nanmax(submatrix(affinity, some, some), initial=0.0))
        if most > 1 + 1e-6:
            raise DataError(
                f"{comparer} gives similarities above one here ({most:.3g}), which say no distance; take one that "
                "stays below (Cosine, Gaussian, SIC with scoring='binary' or 'posterior') or a distance."
            )
    return distance(affinity)


def distances_by(comparer: Any, rows: Any) -> Affinity:
    """Distances between rows by a comparer like this one."""
    return as_distances(clone(comparer).fit(rows).affinity_, type(comparer).__name__)


def compared_by(comparer: Any) -> Step:
    """How members are compared, as a step."""
    name = type(comparer).__name__
    if not hasattr(comparer, "explain"):
        return Step("compared", {"method": name})
    return compared_whole(comparer)


def compared_whole(comparer: Any) -> Step:
    """How members are compared by a method that takes them as they are, as a step."""
    if type(comparer).__name__ == "SIC":
        values = {"classifier": str(comparer.diverter or ""), "iterations": comparer.n_iterations}
        return Step("sic", values)
    first = (type(comparer).__doc__ or "").split("\n")[0].rstrip(".")
    return Step("compared", {"method": repr(comparer), "what": first[:1].lower() + first[1:]})
