"""Label arrays read once: codes, unknown truth, unassigned members, and the table that crosses two of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.core.errors import DataError

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


@runtime_checkable
class HasLabels(Protocol):
    """Anything that carries one label per member, such as a Partition."""

    @property
    def labels(self) -> Any: ...


Labels: TypeAlias = "HasLabels | ArrayLike | Sequence[Any]"


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Labels as integers: ``codes[i]`` is a position in ``names``, or -1 where the member has no label."""

    codes: Ints
    names: tuple[Any, ...]


def code_truth(truth: Labels, what: str = "truth") -> Coded:
    """Code the truth; None, an empty string and NaN mean unknown and become -1.

    A number -1 in a plain array of truth is a class like any other.
    """
    return _code(_flat(truth, what))


def code_partition(labels: Labels, what: str = "labels") -> Coded:
    """Code a partition; -1, None, an empty string and NaN mean unassigned and become -1."""
    coded = _code(_flat(labels, what))
    for position, name in enumerate(coded.names):
        if isinstance(name, int | float | np.number) and name == -1:
            codes = coded.codes.copy()
            codes[coded.codes == position] = -1
            codes[coded.codes > position] -= 1
            return Coded(codes, coded.names[:position] + coded.names[position + 1 :])
    return coded


def singled(coded: Coded) -> Coded:
    """The same labels with every member that has none put into a group of its own."""
    alone = np.flatnonzero(coded.codes < 0)
    codes = coded.codes.copy()
    codes[alone] = len(coded.names) + np.arange(alone.size)
    return Coded(codes, coded.names + (None,) * int(alone.size))


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """How many members of each cluster are in each class, kept as the non-zero cells only.

    Members whose truth is unknown are left out and counted in ``unknown``. Members that the partition leaves
    unassigned are in no cell; ``unassigned[b]`` says how many there are in class b, and ``n`` includes them.
    """

    rows: Ints
    cols: Ints
    counts: Ints
    clusters: tuple[Any, ...]
    classes: tuple[Any, ...]
    unassigned: Ints
    unknown: int

    @property
    def n(self) -> int:
        """Members with known truth, assigned or not."""
        return int(self.counts.sum() + self.unassigned.sum())

    @property
    def table(self) -> Ints:
        """The dense clusters x classes table."""
        dense = np.zeros((len(self.clusters), len(self.classes)), dtype=np.int64)
        dense[self.rows, self.cols] = self.counts
        return dense

    @property
    def cluster_sizes(self) -> Ints:
        """Members of each cluster whose truth is known."""
        return _sums(self.rows, self.counts, len(self.clusters))

    @property
    def class_sizes(self) -> Ints:
        """Members of each class, assigned or not."""
        return _sums(self.cols, self.counts, len(self.classes)) + self.unassigned

    @property
    def dominant(self) -> Ints:
        """Size of the largest class inside each cluster."""
        largest = np.zeros(len(self.clusters), dtype=np.int64)
        np.maximum.at(largest, self.rows, self.counts)
        return largest

    def with_singletons(self) -> Contingency:
        """The same table where every unassigned member is a cluster of its own."""
        alone = int(self.unassigned.sum())
        if not alone:
            return self
        extra_cols = np.repeat(np.arange(len(self.classes)), self.unassigned)
        return Contingency(
            np.concatenate([self.rows, len(self.clusters) + np.arange(alone)]),
            np.concatenate([self.cols, extra_cols]),
            np.concatenate([self.counts, np.ones(alone, dtype=np.int64)]),
            self.clusters + (None,) * alone,
            self.classes,
            np.zeros(len(self.classes), dtype=np.int64),
            self.unknown,
        )


def contingency(labels: Labels | Contingency, truth: Labels | None = None) -> Contingency:
    """Cross a partition with the truth, or with a second partition (an object that has ``.labels``).

    A ready table passes through, so every measure of this room takes either two labelings or one table.
    Unassigned members of a second partition count as classes of one.
    """
    if isinstance(labels, Contingency):
        return labels
    if truth is None:
        raise DataError("Give the truth beside the labels, or a contingency table alone.")
    clusters = code_partition(labels)
    classes = singled(code_partition(truth)) if isinstance(truth, HasLabels) else code_truth(truth)
    if clusters.codes.size != classes.codes.size:
        raise DataError(
            f"The labels have {clusters.codes.size} members and the truth {classes.codes.size}: they must be equally many."
        )
    known = classes.codes >= 0
    if not known.any():
        raise DataError(
            f"The truth of all {known.size} members is unknown, so there is nothing to judge against."
        )
    return cross(clusters, classes)


def cross(clusters: Coded, classes: Coded) -> Contingency:
    """The table of two coded labelings of equal length; clusters without a member of known truth are
    dropped.
    """
    known = classes.codes >= 0
    a = clusters.codes[known]
    b = classes.codes[known]
    unassigned = np.bincount(b[a < 0], minlength=len(classes.names)).astype(np.int64)
    width = max(len(classes.names), 1)
    cells, counts = np.unique(a[a >= 0] * width + b[a >= 0], return_counts=True)
    used, rows = np.unique(cells // width, return_inverse=True)
    return Contingency(
        rows.astype(np.int64),
        (cells % width).astype(np.int64),
        counts.astype(np.int64),
        tuple(clusters.names[int(code)] for code in used),
        classes.names,
        unassigned,
        int((~known).sum()),
    )


def _sums(positions: Ints, counts: Ints, size: int) -> Ints:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, positions, counts)
    return total


def _flat(labels: Labels, what: str) -> NDArray[Any]:
    raw: Any = labels.labels if isinstance(labels, HasLabels) else labels
    if isinstance(raw, str) or not hasattr(raw, "__len__"):
        raise DataError(
            f"The {what} must be a list or array with one label per member, not {type(raw).__name__}."
        )
    array = np.asarray(raw) if hasattr(raw, "__array__") else _from_list(list(raw))
    if array.ndim != 1:
        raise DataError(f"The {what} must have one dimension, but their shape is {array.shape}.")
    if array.size == 0:
        raise DataError(f"The {what} are empty: give at least one member.")
    return array


def _from_list(raw: list[Any]) -> NDArray[Any]:
    if all(isinstance(value, int | float) for value in raw):
        return np.asarray(raw)
    return np.fromiter(raw, dtype=object, count=len(raw))


def _code(array: NDArray[Any]) -> Coded:
    if array.dtype.kind in "biuf":
        absent = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.size, dtype=bool)
        names, inverse = np.unique(array[~absent], return_inverse=True)
        codes = np.full(array.size, -1, dtype=np.int64)
        codes[~absent] = inverse
        return Coded(codes, tuple(names.tolist()))
    values = array.tolist()
    try:
        names_seen = {value for value in values if not _absent(value)}
    except TypeError:
        bad = next(i for i, value in enumerate(values) if not _hashable(value))
        raise DataError(
            f"Label {bad} is a {type(values[bad]).__name__}: give one number or one word."
        ) from None
    ordered = sorted(names_seen, key=_order)
    position = {name: code for code, name in enumerate(ordered)}
    coded = [-1 if _absent(value) else position[value] for value in values]
    return Coded(np.asarray(coded, dtype=np.int64), tuple(ordered))


def _order(name: Any) -> tuple[int, float, str]:
    return (0, float(name), "") if isinstance(name, int | float) else (1, 0.0, str(name))


def _absent(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in ("NAType", "NaTType")


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
