"""Tree and Forest: decision trees put to another use; blind to any monotone change of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coterie.compare.sic.quiet import quiet
from coterie.compare.sic.ranks import Ranks, ranks
from coterie.compare.sic.roles import Diverter
from coterie.core.errors import ParameterError
from coterie.core.params import param
from coterie.core.random import small_seed
from coterie.core.table import Table


class Tree(Diverter):
    """Decision tree: members in leaves with the same label, or in the same leaf, are taken for one.

    Numbers are read by their ranks, so that no monotone change of a column matters at all.
    """

    takes: ClassVar[tuple[type, ...]] = (Table,)
    contrasts: ClassVar[bool] = True

    leaves: bool = param(
        False, "The code is the leaf a member ends in, not the label of that leaf."
    )
    splitter: str = param(
        "best",
        "The best threshold of a column, or a random one (extra tree).",
        choices=("best", "random"),
    )
    max_depth: int | tuple[int, int] | None = param(
        None, "Greatest depth; drawn anew from a pair (from, to).", ge=1
    )
    min_leaf: int | tuple[int, int] = param(
        1, "Trained members in a leaf at least; drawn anew from a pair (from, to).", ge=1
    )
    max_features: float | tuple[float, float] | None = param(
        None,
        "Share of the columns tried at a split; drawn anew from a pair; the square root of their number if left out.",
        gt=0,
    )
    gaps: str = param(
        "median",
        "A gap is read as the median of its column, or left to the tree (own).",
        choices=("median", "own"),
        advanced=True,
    )

    def check_params(self) -> None:
        """Refuse what is out of range, in one sentence."""
        super().check_params()
        for name, least in (("max_depth", 1), ("min_leaf", 1), ("max_features", 0.0)):
            value = getattr(self, name)
            if isinstance(value, (tuple, list)) and not (
                len(value) == 2 and least <= value[0] <= value[1]
            ):
                raise ParameterError(
                    f"{name} must be one number or two rising ones, and was {value!r}.",
                    owner=type(self).__name__,
                )

    def label_range(self, n_train: int) -> tuple[int, int]:
        """Many more labels than trained members: two of them rarely share one by chance."""
        return max(2, 10 * n_train), max(2, 10 * n_train)

    def prepare(self, view: Any, like: Any = None) -> Ranks:
        """The table by the order of its values."""
        return ranks(Table.of(view), self.gaps, type(self).__name__, like)

    def draw(self, data: Ranks, generator: np.random.Generator) -> dict[str, Any]:
        """Depth, leaf size and columns per split, where a range was given."""
        ranges = {name: getattr(self, name) for name in ("max_depth", "min_leaf", "max_features")}
        return {
            name: _drawn(value, generator)
            for name, value in ranges.items()
            if isinstance(value, (tuple, list))
        }

    def train(
        self,
        data: Ranks,
        members: np.ndarray,
        labels: np.ndarray,
        drawn: Mapping[str, Any],
        generator: np.random.Generator,
        contrast: Any = None,
    ) -> Any:
        """A tree that tells the labels apart (or real members from made-up ones)."""
        rows = data.rows[members]
        labels = np.asarray(labels)
        if contrast is not None:
            if not self.leaves:
                raise ParameterError(
                    f"Real against made-up members needs leaves as codes: {type(self).__name__}(leaves=True)."
                )
            rows = np.vstack([rows, contrast.rows])
            labels = np.append(labels, np.full(len(contrast.rows), labels.max() + 1))
        settings = self._settings(data, drawn, generator)
        with quiet():
            return self._made(settings).fit(rows, labels)

    def apply(self, trained: Any, data: Ranks, members: np.ndarray) -> np.ndarray:
        """Leaves, or the label of the leaf."""
        rows = data.rows[members]
        return np.asarray(trained.apply(rows) if self.leaves else trained.predict(rows))

    def reasons(
        self, trained: Any, data: Ranks, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """The conditions on the way that all these members go down the tree; the weight is the share of members outside."""
        way = trained.decision_path(data.rows[members]).toarray().all(axis=0)
        boxes = _boxes(trained.tree_, np.flatnonzero(way))
        told = [(data.words(box.column, box.low, box.high), _outside(data, box)) for box in boxes]
        return tuple(sorted(told, key=lambda pair: -pair[1]))

    def _settings(
        self, data: Ranks, drawn: Mapping[str, Any], generator: np.random.Generator
    ) -> dict[str, Any]:
        now = {
            "max_depth": self.max_depth,
            "min_leaf": self.min_leaf,
            "max_features": self.max_features,
            **drawn,
        }
        width = data.rows.shape[1]
        tried = (
            "sqrt"
            if now["max_features"] is None
            else min(width, max(1, round(now["max_features"] * width)))
        )
        return {
            "max_depth": now["max_depth"],
            "min_samples_leaf": now["min_leaf"],
            "max_features": tried,
            "random_state": small_seed(generator),
        }

    def _made(self, settings: Mapping[str, Any]) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(splitter=self.splitter, **settings)


class Forest(Tree):
    """A small forest per iteration: members that most of its trees give the same label are taken for one."""

    contrasts: ClassVar[bool] = False

    leaves: bool = param(
        False, "A forest has no leaves of its own; always False.", choices=(False,), advanced=True
    )
    splitter: str = param(
        "random",
        "Random thresholds (extra-trees), or the best ones (random forest).",
        choices=("best", "random"),
    )
    n_trees: int = param(25, "Trees in the forest of one iteration.", ge=1)

    def reasons(
        self, trained: Any, data: Ranks, members: np.ndarray
    ) -> tuple[tuple[str, float], ...]:
        """The conditions on the common way of these members, taken together over the trees of the forest."""
        told: dict[str, float] = {}
        for tree in trained.estimators_:
            for words, weight in super().reasons(tree, data, members):
                told[words] = told.get(words, 0.0) + weight / self.n_trees
        return tuple(sorted(told.items(), key=lambda pair: -pair[1]))

    def _made(self, settings: Mapping[str, Any]) -> Any:
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        kind = ExtraTreesClassifier if self.splitter == "random" else RandomForestClassifier
        return kind(n_estimators=self.n_trees, n_jobs=1, **settings)


@dataclass(frozen=True, slots=True)
class Box:
    """A column above `low` and at most at `high`."""

    column: int
    low: float
    high: float


def _boxes(tree: Any, way: np.ndarray) -> list[Box]:
    """The conditions along a way of nodes from the root, one per column."""
    edges: dict[int, tuple[float, float]] = {}
    for parent, child in zip(way[:-1].tolist(), way[1:].tolist(), strict=True):
        column = int(tree.feature[parent])
        edge = float(tree.threshold[parent])
        low, high = edges.get(column, (-np.inf, np.inf))
        left = child == int(tree.children_left[parent])
        edges[column] = (low, min(high, edge)) if left else (max(low, edge), high)
    return [Box(column, low, high) for column, (low, high) in edges.items()]


def _outside(data: Ranks, box: Box) -> float:
    """The share of members that do not meet the condition."""
    column = data.rows[:, [box.column]]
    cells = np.asarray(column.toarray() if data.table.sparse else column).ravel()
    return float(np.mean((cells <= box.low) | (cells > box.high)))


def _drawn(span: Any, generator: np.random.Generator) -> int | float:
    low, high = span
    if isinstance(low, int) and isinstance(high, int):
        return int(generator.integers(low, high + 1))
    return float(generator.uniform(low, high))
