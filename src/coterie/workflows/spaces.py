"""Several spaces of one member: what steps of a pipeline take where members are seen by words and by vectors at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.random import content_order
from coterie.core.table import Table
from coterie.core.text import Text
from coterie.core.vectors import Vectors
from coterie.core.workplace import steady
from coterie.organize.space_votes import center, unit_rows
from coterie.parts.groups import mean_silhouette
from coterie.parts.starts import kmeans
from coterie.pipeline import Branch, Pipeline
from coterie.represent.role import Representer
from coterie.represent.word_vectors import WordVectors
from coterie.workflows.choices import Choices
from coterie.workflows.table_existence import KS, TableExistence, table_existence
from coterie.workflows.view_space import SeenViews

_COPIES = 6  # without groups, at least: fewer have no spread to speak of
_DIRECTIONS = 50  # principal components in which vectors are set against copies without groups
_FEWER_DIRECTIONS = (
    20  # principal components in which vectors of words are set against those of shuffled words
)
_LOOKED_AT = 600  # texts of which that is asked
_FEW = 12  # members below which nothing can be told


class PickVectors(Representer):
    """The vectors among what is seen of the members, as rows of length one."""

    takes: ClassVar[type] = SeenViews
    also: ClassVar[tuple[type, ...]] = (Vectors, Table)

    view: str = param("vectors", "The name of the vectors among several views.")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember how long the vectors are."""
        self.n_features_out_ = int(self._rows(X).shape[1])
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The vectors, refused where they are of another length than those that were fitted."""
        check_is_fitted(self, "n_features_out_")
        rows = self._rows(X)
        if rows.shape[1] != self.n_features_out_:
            raise DataError(
                f"The new vectors have {rows.shape[1]:,} numbers, and those of the run {self.n_features_out_:,}; they must "
                "be of the same model.",
                parameter="vectors",
            )
        return unit_rows(rows)

    def represent(self, X: Any) -> Table:
        """The vectors as a table."""
        return Table.of(self.transform(X))

    def _rows(self, X: Any) -> np.ndarray:
        views = getattr(X, "views", {self.view: X})
        if self.view not in views:
            raise DataError(
                "The run was made with vectors beside its members; give those of the new members too.",
                parameter="vectors",
            )
        found = views[self.view]
        return np.asarray(getattr(found, "values", found), dtype=np.float64)


class SpacesBranch(Branch):
    """A branch that groups texts by their words and by vectors: given ones, or those of their words by a model."""

    stored_fields: ClassVar[tuple[str, ...]] = ("pipeline", "text", "vectors", "model")

    pipeline_: Pipeline

    def __init__(
        self,
        pipeline: Pipeline,
        text: str = "text",
        vectors: str = "",
        model: WordVectors | None = None,
    ) -> None:
        super().__init__(pipeline)
        self.text = text
        self.vectors = vectors
        self.model = model

    @classmethod
    def of_spaces(
        cls,
        steps: Sequence[Any],
        text: str,
        vectors: str = "",
        model: WordVectors | None = None,
    ) -> Self:
        """Of steps that were fitted before: what counts words, and what groups by them."""
        made = cls.of_fitted(steps)
        made.text = text
        made.vectors = vectors
        made.model = model
        return made

    def predict(self, X: Any) -> np.ndarray:
        """The group of new members, by their words and vectors together."""
        check_is_fitted(self, "pipeline_")
        terms, organizer = self.pipeline_.steps_
        views = getattr(X, "views", {self.text: X})
        text: Text = views[self.text]
        spaces = []
        if self.model is not None:
            spaces.append(self.model.transform(text))
        if self.vectors:
            spaces.append(np.asarray(views[self.vectors].values))
        return np.asarray(organizer.predict(terms.represent(text), spaces))


def measure_separation(vectors: np.ndarray, choices: Choices) -> float:
    """How far vectors separate beyond copies with their margins and correlations, in principal components; see `table_existence`.

    Members whose vector is zero are left out; 0 where too few are left.
    """
    rows = center(unit_rows(vectors))
    rows = rows[(rows != 0).any(axis=1)]
    if len(rows) < _FEW:
        return 0.0
    table = Table.of(_principal(rows, _DIRECTIONS))
    copies = max(choices.nulls, _COPIES)
    return table_existence(table, n_copies=copies, random_state=choices.seed).strength


def measure_beyond_shuffled(
    model: WordVectors, text: Text, vectors: np.ndarray, choices: Choices
) -> float:
    """How far vectors of words separate beyond those of texts over which all words were shuffled, in their standard deviations.

    The silhouettes of k-means at several numbers of groups are compared, in principal components, on at most 600 texts that
    are drawn by what they hold; 0 where too few hold anything.
    """
    known = np.flatnonzero((vectors != 0).any(axis=1))
    if len(known) < _FEW:
        return 0.0
    rows = known[content_order(vectors[known], choices.seed)][:_LOOKED_AT]
    some = text.take(rows)
    used = tuple(k for k in KS if k < max(len(rows) // 4, 3))
    with steady():
        own = _silhouettes(vectors[rows], used, choices.seed)
        copies = model.transform_shuffled(some, max(choices.nulls, _COPIES), choices.seed)
        nulls = [_silhouettes(copy, used, choices.seed) for copy in copies]
    none = np.zeros(len(used))
    return TableExistence(used, own, np.array(nulls), none, none[None, :]).strength


def _silhouettes(vectors: np.ndarray, ks: Sequence[int], seed: int) -> np.ndarray:
    """The mean silhouette of k-means on principal components, at several numbers of groups."""
    points = _principal(center(unit_rows(vectors)), _FEWER_DIRECTIONS)
    found = []
    for k in ks:
        labels = kmeans(points, k, n_init=4, seed=seed)
        found.append(mean_silhouette(points, labels, embedded=True))
    return np.array(found)


def _principal(rows: np.ndarray, most: int) -> np.ndarray:
    """Rows in their first principal components."""
    away = rows - rows.mean(axis=0)
    _, _, axes = np.linalg.svd(away, full_matrices=False)
    return np.asarray(away @ axes[:most].T)


def with_beside(part: Collection, view: str, beside: Sequence[str]) -> SeenViews:
    """New members as a run takes them that compares a view with others beside it; refused where they lack one."""
    for name in beside:
        if name not in part.views:
            raise DataError(
                f"The run was made with {name} beside its members, and '{part.name}' comes without; give those of the new "
                "members too.",
                parameter="vectors",
            )
    return SeenViews({name: part.view(name) for name in (view, *beside)})
