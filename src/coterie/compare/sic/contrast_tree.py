"""A partition by one tree: boxes in which real members outnumber points spread evenly over the data's range (Liu et al. 2000)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from coterie.compare.sic.contrast import made_up, refuse_words
from coterie.core.errors import DataError, ParameterError
from coterie.core.partition import Partition
from coterie.core.random import small_seed, stream
from coterie.core.table import Table

_SMALL = 0.02  # of the members: no leaf is smaller, when its size was left out


def contrast_tree(
    table: Any, *, min_leaf: int | None = None, merge: bool = False, random_state: Any = 0
) -> tuple[Partition, tuple[str, ...]]:
    """Groups of a table of numbers, and the box of each in words; members where points prevail are in no group.

    One decision tree tells the members from as many points spread evenly over their bounding box. A leaf with more members
    than points is a group; with `merge`, leaves that share a face are one group.

    >>> import numpy as np
    >>> rows = np.r_[np.random.default_rng(0).normal(0, 0.1, (40, 2)), np.random.default_rng(1).normal(5, 0.1, (40, 2))]
    >>> partition, boxes = contrast_tree(rows, merge=True)
    >>> partition.n_groups, bool(partition.labels[0] != partition.labels[-1])
    (2, True)
    """
    from sklearn.tree import DecisionTreeClassifier

    table = Table.of(table)
    values = _numbers(table)
    least = max(2, round(_SMALL * len(table))) if min_leaf is None else min_leaf
    if least < 1:
        raise ParameterError(f"min_leaf must be from 1, and was {min_leaf}.", owner="contrast_tree")
    generator = stream(random_state)
    points = made_up(table, "uniform", generator).values
    rows = np.vstack([values, points])
    real = np.r_[np.ones(len(values), dtype=np.int64), np.zeros(len(points), dtype=np.int64)]
    tree = DecisionTreeClassifier(min_samples_leaf=least, random_state=small_seed(generator)).fit(
        rows, real
    )
    leaf = tree.apply(rows)
    names = np.unique(leaf)
    dense = np.array([real[leaf == name].mean() > 0.5 for name in names])
    low, high = leaf_boxes(tree.tree_, names, values.min(axis=0), values.max(axis=0))
    group = _groups(low[dense], high[dense], merge)
    labels = np.full(len(names), -1)
    labels[dense] = group
    mine = labels[np.searchsorted(names, leaf[: len(values)])]
    kept, back = np.unique(mine[mine >= 0], return_inverse=True)
    found = np.full(len(values), -1)
    found[mine >= 0] = back.ravel()
    told = tuple(
        " or ".join(_words(table, values, low[at], high[at]) for at in np.flatnonzero(labels == g))
        for g in kept
    )
    return Partition(found), told


def _numbers(table: Table) -> np.ndarray:
    if table.sparse:
        raise DataError(
            "contrast_tree does not take sparse input; pass a dense array (.toarray())."
        )
    refuse_words(table)
    bad = ~np.isfinite(table.values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        what = "NaN" if np.isnan(table.values[row, column]) else "infinity"
        raise DataError(
            f"input contains {what} at row {row}, column '{table.names[column]}'; fill or drop it first.",
            owner="contrast_tree",
        )
    return np.asarray(table.values)


def leaf_boxes(
    tree: Any, leaves: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest value of every column in each of the leaves."""
    lows = np.tile(low, (tree.node_count, 1))
    highs = np.tile(high, (tree.node_count, 1))
    for node in range(tree.node_count):  # children come after their parents
        left = int(tree.children_left[node])
        right = int(tree.children_right[node])
        if left < 0:
            continue
        lows[[left, right]] = lows[node]
        highs[[left, right]] = highs[node]
        highs[left, tree.feature[node]] = tree.threshold[node]
        lows[right, tree.feature[node]] = tree.threshold[node]
    return lows[leaves], highs[leaves]


def _groups(low: np.ndarray, high: np.ndarray, merge: bool) -> np.ndarray:
    """One group per box, or per set of boxes that share faces: they touch in one column and overlap in all the others."""
    if not merge or len(low) < 2:
        return np.arange(len(low))
    meet = (low[:, None] <= high[None]) & (low[None] <= high[:, None])
    overlap = (low[:, None] < high[None]) & (low[None] < high[:, None])
    flat = (low == high).all(axis=0)  # a constant column neither parts nor joins
    touching = meet.all(axis=2) & ((~overlap & ~flat).sum(axis=2) <= 1)
    return np.asarray(connected_components(touching, directed=False)[1])


def _words(table: Table, values: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    least = values.min(axis=0)
    most = values.max(axis=0)
    parts = []
    for j, name in enumerate(table.names):
        below = low[j] > least[j]
        above = high[j] < most[j]
        if below and above:
            parts.append(f"{name} between {table.level(j, low[j])} and {table.level(j, high[j])}")
        elif below or above:
            parts.append(
                f"{name} above {table.level(j, low[j])}"
                if below
                else f"{name} at most {table.level(j, high[j])}"
            )
    return ", ".join(parts) or "everywhere"
