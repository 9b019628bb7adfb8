"""Vectors: members compared by the angle between vectors that are given; texts beside them vote, name and explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.base import clone

from coterie.compare.vectors import Chord
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Step
from coterie.core.random import content_order
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.vectors import GIVEN, Vectors
from coterie.core.workplace import stage
from coterie.organize.consensus_ib import ConsensusIB, candidates_up_to
from coterie.organize.mixture_consensus import CANDIDATES, MixtureConsensus
from coterie.pipeline import Branch, Pipeline
from coterie.workflows import null_models
from coterie.workflows.choices import Choices
from coterie.workflows.key_terms import CountedWords
from coterie.workflows.modalities.base import Modality, named_comparer
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.modalities.text import PreparedText, TextModality, has_common_words
from coterie.workflows.prepared import Graph, compared_by, distances_by, one_in_fifty
from coterie.workflows.spaces import PickVectors, SpacesBranch, measure_separation
from coterie.workflows.view_space import SeenViews

_GIVEN_RUNS = 12  # of k-means on the vectors, as many as there are runs on the words


class VectorsModality(Modality):
    """Members as vectors of one length."""

    noun: ClassVar[str] = "members"
    in_views: ClassVar[str] = "vectors"
    wide_graph: ClassVar[bool] = True

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedVectors:
        """Compare the members by the angle between their vectors; where `view` holds texts, count their words once."""
        vectors = cast(Vectors, collection.view(given_beside(collection, view) or view))
        comparer = named_comparer(choices) or Chord()
        if comparer.takes is not Table:
            raise DataError(
                f"{type(comparer).__name__} does not compare vectors; take one of tables, such as Cosine.",
                parameter="compare",
            )
        pipeline = Pipeline([PickVectors(), comparer])
        with stage("represent"):
            pipeline.fit(vectors)
        steps = [Step("given_vectors", {"dimension": vectors.dimension}), compared_by(comparer)]
        words = _words_of(collection, view, choices)
        if words is not None:
            steps.append(Step("words_beside"))
        return PreparedVectors(collection, view, pipeline, steps, vectors, words)

    def has_ensemble(self, data: Any) -> bool:
        """Vectors are grouped by mixtures, or with the words of their texts by a consensus."""
        return True

    def describe_data(self, data: Vectors) -> str:
        """How long the vectors are."""
        return f"vectors of {data.dimension:,} numbers"

    def count_blank(self, data: Vectors) -> int:
        """How many vectors are zero."""
        return int((~self.present(data)).sum())

    def representers(self, data: Any, view: str) -> list[Any]:
        """The vectors as they are."""
        return [PickVectors()]

    def present(self, data: Any) -> np.ndarray:
        """Which vectors are not zero."""
        return np.asarray((data.values != 0).any(axis=1))


class PreparedVectors(OneView):
    """Members by their vectors, and by their words where they are texts."""

    graph = Graph(one_in_fifty, 7)

    def __init__(
        self,
        collection: Collection,
        view: str,
        pipeline: Pipeline,
        steps: list[Step],
        vectors: Vectors,
        text: PreparedText | None,
    ) -> None:
        super().__init__(collection, view, pipeline, steps)
        self.vectors = vectors
        self.text = text
        self.words = None if text is None else text.words

    @property
    def modality(self) -> str:
        """Vectors, with texts or without."""
        return "vectors" if self.text is None else "texts with vectors"

    @property
    def beside(self) -> tuple[str, ...]:
        """The vectors, where they stand beside another view."""
        found = given_beside(self.collection, self.view)
        return (found,) if found else ()

    @property
    def data(self) -> Any:
        """What is seen of the members: their vectors, with the view they stand beside."""
        if not self.beside:
            return self.vectors
        return SeenViews({self.view: self.collection.view(self.view), GIVEN: self.vectors})

    def held(self) -> np.ndarray:
        """The vectors."""
        return np.asarray(self.vectors.values)

    def part_values(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of some members."""
        return np.asarray(self.vectors.values[rows])

    def compare_part(self, values: Any) -> Affinity:
        """Distances between vectors."""
        return distances_by(self.comparer, values)

    def null_models_of(self, values: Any) -> Mapping[str, null_models.Draw]:
        """One cloud or one box."""
        return null_models.of_points(np.asarray(values))

    def sample(self, seed: int) -> np.ndarray:
        """Members drawn by what they hold."""
        order = content_order(self.vectors.values, seed)
        return np.sort(order[: self.sample_size])

    def ensemble(self, n_groups: int | None, choices: Choices) -> Branch:
        """What mixtures on the vectors agree on; of texts the consensus of runs on their words and on their vectors."""
        if self.text is None:
            organizer = MixtureConsensus(
                n_groups=n_groups,
                candidates=tuple(k for k in CANDIDATES if k <= choices.max_k),
                random_state=choices.seed,
            )
            with stage("ensemble"):
                organizer.fit(Table.of(self.vectors.unit()))
            return Branch.of_fitted([PickVectors().fit(self.vectors), organizer])
        terms, counts = self.text.count_telling(np.arange(len(self)))
        consensus = ConsensusIB(
            n_groups=n_groups,
            candidates=candidates_up_to(choices.max_k),
            n_beside=_GIVEN_RUNS,
            random_state=choices.seed,
        )
        with stage("ensemble"):
            consensus.fit(counts, spaces=(self.vectors.values,))
        return SpacesBranch.of_spaces([terms, consensus], self.view, vectors=GIVEN)

    def regrouping(
        self, organizer: Any, choices: Choices
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Members in an order of their content, and the same with a run of each kind on some of them."""
        rows = self.sample(choices.seed)
        members = rows[content_order(self.vectors.values[rows], choices.seed)]
        text = self.text
        if text is None:
            again = clone(organizer).set_params(n_groups=organizer.partition_.n_groups)
            unit = Table.of(self.vectors.unit())

            def group(places: np.ndarray) -> np.ndarray:
                return clone(again).fit(unit.take(members[places])).labels_

            return members, group

        def group_both(places: np.ndarray) -> np.ndarray:
            _, counts = text.count_telling(members[places])
            return np.asarray(organizer.regroup(counts, (self.vectors.values[members[places]],)))

        return members, group_both

    def scores_of(self, organizer: Any) -> np.ndarray:
        """How good each number of groups is, by the consensus of words and vectors or by mixtures on the vectors."""
        if self.text is not None:
            return np.asarray(organizer.scores_)
        return np.asarray(organizer.scores_["rank_sum"])

    def witnesses(self, organizer: Any, choices: Choices) -> Mapping[str, float]:
        """How far the vectors separate beyond copies without groups; with words also what the words say of the groups."""
        strength = measure_separation(self.vectors.values, choices)
        found = {"agreement": organizer.agreement_, "silhouette": strength}
        if self.text is None:
            return found
        return {**found, "halves": organizer.halves_, "information": organizer.excess_}

    def blank(self) -> np.ndarray:
        """Which members have a vector of zeros, and of texts also no word that another one holds."""
        empty = np.asarray(~(self.vectors.values != 0).any(axis=1))
        return empty if self.text is None else empty & self.text.blank()


def given_beside(collection: Collection, view: str) -> str:
    """The name of the vectors that stand beside a view; empty where there are none, or where the view is these vectors."""
    there = collection.of_modality("vectors")
    return next(iter(there), "") if view not in there else ""


def _words_of(collection: Collection, view: str, choices: Choices) -> PreparedText | None:
    """The words of texts that have vectors beside them; None where no word is in several of them."""
    if collection.modality(view) != "text":
        return None
    data = cast(Text, collection.view(view))
    counted = CountedWords.of(data)
    if not has_common_words(counted.counts):
        return None
    return TextModality().prepare_counted(collection, view, choices, counted)
