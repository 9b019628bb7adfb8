"""Tables: columns scaled, categories spread out, missing values filled; sparse tables reduced to a few directions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.base import clone

from coterie.compare.vectors import Euclidean
from coterie.core.affinity import Affinity
from coterie.core.collection import Collection
from coterie.core.errors import DataError
from coterie.core.findings import Remark, Step
from coterie.core.links import MEMBERS
from coterie.core.ragged import Ragged
from coterie.core.random import content_order
from coterie.core.table import Table
from coterie.core.views import present
from coterie.core.workplace import stage
from coterie.messages.notes import count_things
from coterie.organize.mixture_consensus import CANDIDATES, MixtureConsensus
from coterie.pipeline import Branch, Pipeline
from coterie.represent.lsa import LSA
from coterie.represent.scaling import Scaling
from coterie.workflows import null_models
from coterie.workflows.choices import Choices
from coterie.workflows.key_features import KeyFeatures, key_columns
from coterie.workflows.modalities.base import Modality, named_comparer
from coterie.workflows.modalities.one_view import OneView
from coterie.workflows.prepared import (
    compared_by,
    distances_by,
)
from coterie.workflows.table_existence import table_existence

DIMENSIONS = 50
_COPIES = 6  # without groups, at least: fewer have no spread to speak of
_SHOWN = 8  # columns of a row that a snippet shows
_HELD = 12  # things that a member is tied to that a snippet shows


_NO_DIFFERENCE = 0.05  # share of the variance of a column between the parts of the best cut
_WIDE = 5  # columns from which two rows are hardly near each other by chance


class TableModality(Modality):
    """Members as rows of numbers and categories."""

    noun: ClassVar[str] = "rows"
    features: ClassVar[str] = "columns"
    in_views: ClassVar[str] = "table"

    def prepare(self, collection: Collection, view: str, choices: Choices) -> PreparedTable:
        """Scale the columns, unless the comparer that was named takes them as they are."""
        data = cast(Table, collection.view(view))
        comparer = named_comparer(choices)
        if comparer is not None and comparer.takes is Ragged:
            raise DataError(
                f"{type(comparer).__name__} compares sequences, and '{collection.name}' was read as a table; if its rows are "
                "steps of several sequences, read it with kind='long' and name the columns of id and time.",
                parameter="kind",
            )
        mixed = bool(data.categories) or (not data.sparse and bool(np.isnan(data.values).any()))
        raw = (
            comparer is not None
            and (comparer.categories or not mixed)
            and (comparer.gaps or not mixed)
        )
        reduce = [LSA(n_components=DIMENSIONS)] if data.sparse else []
        represent: list[Any] = [] if raw else reduce or [Scaling()]
        comparer = comparer or Euclidean()
        pipeline = Pipeline([*represent, comparer])
        with stage("represent"):
            pipeline.fit(data)
        steps = [_scaled(data, raw, pipeline.steps_[0]), compared_by(comparer)]
        return PreparedTable(collection, view, pipeline, steps, mixed, raw)

    def describe_data(self, data: Table) -> str:
        """How many numbers and categories a row has."""
        levels = len(data.categories)
        numbers = len(data.numeric)
        parts = [count_things(numbers, "number")] * bool(numbers)
        parts += [count_things(levels, "category", "categories")] * bool(levels)
        return f"rows of {' and '.join(parts)}"

    def has_ensemble(self, data: Any) -> bool:
        """Dense tables in which anything differs are grouped by mixtures; sparse ones, which are often networks, are not."""
        return not data.sparse and self.differs(data)

    def differs(self, data: Any) -> bool:
        """Whether any column holds two values."""
        if data.sparse:
            return bool(data.values.nnz)
        values = np.asarray(data.values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value
            return bool(np.any(np.nanmin(values, axis=0) < np.nanmax(values, axis=0)))

    def snippets(self, collection: Collection, view: str, most: int) -> list[str]:
        """The first columns of each row; what a member holds most of, where it is only known by its links."""
        data = cast(Table, collection.view(view))
        linked = (MEMBERS, view) in collection.links
        return [(_held if linked else _row)(data, i)[:most] for i in range(len(data))]

    def key_features(
        self, data: Any, labels: np.ndarray, n_groups: int
    ) -> Mapping[str, Sequence[KeyFeatures]]:
        """Columns that are high, low or mostly of one category."""
        return {"columns": key_columns(data, labels, n_groups)}

    def representers(self, data: Any, view: str) -> list[Any]:
        """Scaled columns; sparse ones as they are."""
        return [] if data.sparse else [Scaling()]

    def ensemble_representers(self, data: Any, view: str) -> list[Any]:
        """The columns as they are."""
        return []

    def present(self, data: Any) -> np.ndarray:
        """Which rows are not all missing."""
        return np.diff(data.values.indptr) > 0 if data.sparse else present(data)

    def is_counts(self, data: Any) -> bool:
        """Sparse tables are taken for counts."""
        return bool(data.sparse)

    def share_same(self, one: Any, other: Any) -> float:
        """The share of rows that are the same in two tables."""
        if one.shape != other.shape or one.sparse or other.sparse:
            return 0.0
        pairs = zip(one.values, other.values, strict=True)
        return float(np.mean([np.array_equal(a, b, equal_nan=True) for a, b in pairs]))


class PreparedTable(OneView):
    """Rows as scaled columns."""

    def __init__(
        self,
        collection: Collection,
        view: str,
        pipeline: Pipeline,
        steps: list[Step],
        mixed: bool,
        raw: bool,
    ) -> None:
        super().__init__(collection, view, pipeline, steps)
        self.mixed = mixed  # whether there are categories or missing values
        self.raw = raw  # whether the comparer takes rows as they are
        table = self.data
        self.scaled = None if table.sparse or raw else Scaling().fit(table)
        self.is_network = not raw and is_network(table)
        self.measure = "modularity" if self.is_network else "separation"
        self.nearly = self.nearly if table.shape[1] >= _WIDE else 0.0

    def shortcomings(self, labels: np.ndarray) -> list[Remark]:
        """Which columns of numbers hardly differ between the parts of the best cut."""
        table = self.data
        if table.sparse:
            return []
        numeric = [j for j in range(table.shape[1]) if j not in table.categories]
        names = [table.names[j] for j in numeric]
        return _columns_without_difference(np.asarray(table.values)[:, numeric], names, labels)

    def alternatives(self) -> list[Remark]:
        """The words of a column that is only shown, and groups of bent shapes."""
        cards = self.collection.cards
        phrases = [name for name, cells in cards.items() if _are_phrases(cells)]
        words = [
            Remark("words", {"changes": {"kind": "text", "text": name}}) for name in phrases[:1]
        ]
        return [*words, Remark("bent", {"changes": {"organize": "Spectral"}})]

    def held(self) -> Any:
        """The rows."""
        return self.data.values

    def ensemble(self, n_groups: int | None, choices: Choices) -> Branch:
        """What k-means and two mixtures of t distributions agree on."""
        organizer = MixtureConsensus(
            n_groups=n_groups,
            candidates=tuple(k for k in CANDIDATES if k <= choices.max_k),
            random_state=choices.seed,
        )
        with stage("ensemble"):
            organizer.fit(self.data)
        return Branch.of_fitted([organizer])

    def regrouping(
        self, organizer: Any, choices: Choices
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Rows in an order of their content, and the same three models of some of them."""
        rows = self.sample(choices.seed)
        members = rows[content_order(np.asarray(self.data.values)[rows], choices.seed)]
        again = clone(organizer).set_params(n_groups=organizer.partition_.n_groups)

        def group(places: np.ndarray) -> np.ndarray:
            return clone(again).fit(self.data.take(members[places])).labels_

        return members, group

    def scores_of(self, organizer: Any) -> np.ndarray:
        """The sum of the ranks by BIC, by agreement and by stability of halves."""
        return np.asarray(organizer.scores_["rank_sum"])

    def witnesses(self, organizer: Any, choices: Choices) -> Mapping[str, float]:
        """How well the three agree, and how much more the table separates than copies with its margins and correlations."""
        copies = max(choices.nulls, _COPIES)
        found = table_existence(self.data, n_copies=copies, random_state=choices.seed)
        return {"agreement": organizer.agreement_, "silhouette": found.strength}

    def part_values(self, rows: np.ndarray) -> Any:
        """Some rows: as they are where they are mixed, else scaled or reduced."""
        if self.is_network:
            return self.data.values[rows][:, rows]
        part = self.data.take(rows)
        if self.mixed or self.raw:
            return part
        if self.scaled is None:
            return LSA(n_components=DIMENSIONS).fit_transform(part)
        return self.scaled.transform(part)

    def compare_part(self, values: Any) -> Affinity:
        """Distances between rows; mixed ones are scaled by themselves, and networks reduced."""
        if self.is_network:
            rows = LSA(n_components=DIMENSIONS).fit_transform(Table.of(values))
            return distances_by(self.comparer, rows)
        if not self.raw and self.mixed:
            values = Scaling().fit_transform(values)
        return distances_by(self.comparer, values)

    def null_models_of(self, values: Any) -> Mapping[str, null_models.Draw]:
        """One cloud or one box, categories shuffled within their columns; of a network the same numbers of ties, to others."""
        if self.is_network:
            return {"rewired": null_models.rewired(values)}
        if self.mixed or self.raw:
            return null_models.of_columns(values)
        return null_models.of_points(np.asarray(values))

    def worth(self, values: Any, labels: np.ndarray) -> float | None:
        """Of a network the modularity of its groups."""
        return modularity(values, labels) if self.is_network else None

    def take_values(self, values: Any, rows: np.ndarray) -> Any:
        """Some rows of a shuffled copy."""
        if self.is_network:
            return values[rows][:, rows]
        return values.take(rows) if self.mixed or self.raw else values[rows]


def _columns_without_difference(
    values: np.ndarray, names: Sequence[str], labels: np.ndarray
) -> list[Remark]:
    """The columns of numbers that hardly differ between the parts of a cut, where these are at least half of them."""
    flat = []
    for name, column in zip(names, values.T, strict=True):
        known = np.isfinite(column) & (labels >= 0)
        own = labels[known]
        rest = column[known]
        total = float(((rest - rest.mean()) ** 2).sum()) if len(rest) else 0.0
        counts = np.bincount(own)
        means = np.bincount(own, weights=rest) / np.maximum(counts, 1)
        between = float((counts * (means - rest.mean()) ** 2).sum()) if len(rest) else 0.0
        if between <= _NO_DIFFERENCE * total:
            flat.append(name)
    if len(flat) < 2 or 2 * len(flat) < len(names):
        return []
    return [Remark("noise_columns", {"columns": tuple(flat), "of": len(names)})]


def modularity(network: Any, labels: np.ndarray) -> float:
    """The share of the ties that lie inside groups, less that expected where ties keep only the numbers of their members.

    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)) - np.eye(2))
    >>> modularity(pairs, np.array([0, 0, 1, 1])), modularity(pairs, np.array([0, 1, 0, 1]))
    (0.5, -0.5)
    """
    degrees = np.asarray(network.sum(axis=1)).ravel()
    total = float(degrees.sum())
    if total <= 0:
        return 0.0
    groups = np.eye(int(labels.max()) + 1)[labels]
    inside = float((groups * (network @ groups)).sum()) / total
    return inside - float(np.square(degrees @ groups).sum()) / total**2


def is_network(table: Table) -> bool:
    """Whether a table holds the ties of its members with each other: sparse, square and symmetric, nothing below zero."""
    if not table.sparse or table.shape[0] != table.shape[1] or not table.values.nnz:
        return False
    values = table.values
    return bool(values.data.min() >= 0 and abs(values - values.T).max() == 0)


def _scaled(data: Table, raw: bool, first: Any) -> Step:
    if raw:
        return Step("rows_as_given")
    if data.sparse:
        return Step("sparse_columns", {"dimensions": DIMENSIONS})
    return Step(
        "scaled_columns",
        {
            "numeric": len(data.numeric),
            "standardized": first.method_ == "standard",
            "categories": len(data.categories),
            "missing": float(np.max(first.gaps_)) > 0,
        },
    )


def _are_phrases(cells: Sequence[str]) -> bool:
    """Whether most cells hold several words."""
    return 2 * sum(len(cell.split()) > 1 for cell in cells) > len(cells) > 0


def _held(table: Table, i: int) -> str:
    """What a member holds most of."""
    row = table.values[[i]].tocoo()
    order = np.lexsort((row.coords[1], -row.data))[:_HELD]
    return ", ".join(str(table.names[int(row.coords[1][j])]) for j in order)


def _row(table: Table, i: int) -> str:
    values = table.values[[i]].toarray()[0] if table.sparse else table.values[i]
    names = table.names[:_SHOWN]
    return ", ".join(f"{name} {table.level(j, values[j])}" for j, name in enumerate(names))
