"""Labels against the truth: both are read once into one table, and every measure of agreement is taken from it.

Every function takes labels and truth, or one contingency table that was made before. Members of unknown truth are left out.
Unassigned members (-1) are never a way to gain: for accuracy, purity and error they stay in the denominator and count as errors;
for the measures on pairs and on information each of them is a group of its own. The best match of groups and classes pairs each
group with at most one class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from coterie.core.errors import DataError, ParameterError

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


@dataclass(frozen=True, slots=True)
class Matching:
    """The one-to-one pairing of clusters and classes with the most members in agreement.

    `pairs` holds (cluster, class, members in both). Clusters or classes too many for a partner are listed
    apart; all their members, and the unassigned ones, are errors.
    """

    pairs: tuple[tuple[Any, Any, int], ...]
    unmatched_clusters: tuple[Any, ...]
    unmatched_classes: tuple[Any, ...]
    agreement: int
    n: int

    @property
    def error(self) -> float:
        """Share of members outside the agreement."""
        return 1.0 - self.agreement / self.n


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """How one class is spread: (cluster, members, whether the class is dominant there), largest part
    first.
    """

    category: Any
    size: int
    unassigned: int
    parts: tuple[tuple[Any, int, bool], ...]

    def __str__(self) -> str:
        sizes = " ".join(f"{count}{'*' if star else ''}" for _, count, star in self.parts)
        rest = f" ({self.unassigned} unassigned)" if self.unassigned else ""
        return f"{self.category}: {sizes}{rest}".rstrip()


@dataclass(frozen=True, slots=True)
class CoreScores:
    """How well a chosen set meets the true core; precision is NaN when nothing was chosen."""

    precision: float
    recall: float
    f: float
    chosen: int
    core: int


def match(labels: Labels | Contingency, truth: Labels | None = None) -> Matching:
    """The best permutation of cluster names (Hungarian method; a table that is not square is padded with
    zeros).
    """
    table = contingency(labels, truth)
    dense = table.table
    rows, cols = linear_sum_assignment(dense, maximize=True)
    kept = [(int(a), int(b)) for a, b in zip(rows, cols, strict=True) if dense[a, b] > 0]
    used_rows = {a for a, _ in kept}
    used_cols = {b for _, b in kept}
    return Matching(
        tuple((table.clusters[a], table.classes[b], int(dense[a, b])) for a, b in kept),
        tuple(name for a, name in enumerate(table.clusters) if a not in used_rows),
        tuple(name for b, name in enumerate(table.classes) if b not in used_cols),
        int(sum(dense[a, b] for a, b in kept)),
        table.n,
    )


def clustering_error(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """1 - the largest share of members in agreement over all one-to-one matchings of clusters and classes."""
    return match(labels, truth).error


def breakdown(labels: Labels | Contingency, truth: Labels | None = None) -> list[CategoryRow]:
    """One row per class: its parts over the clusters, largest first, starred where the class is dominant.

    A class that shares the first place in a cluster with another is starred there too.
    """
    table = contingency(labels, truth)
    dominant = table.dominant
    sizes = table.class_sizes
    rows = []
    for b, name in enumerate(table.classes):
        cells = np.flatnonzero(table.cols == b)
        cells = cells[np.argsort(-table.counts[cells], kind="stable")]
        parts = tuple(
            (
                table.clusters[table.rows[c]],
                int(table.counts[c]),
                bool(table.counts[c] == dominant[table.rows[c]]),
            )
            for c in cells
        )
        rows.append(CategoryRow(name, int(sizes[b]), int(table.unassigned[b]), parts))
    return rows


def core_scores(chosen: ArrayLike | Sequence[Any], core: ArrayLike | Sequence[Any]) -> CoreScores:
    """Precision, recall and F of a chosen set against the true core.

    Both are ids (or positions), or both are masks of True and False over the same members. With as many
    chosen as there are in the core the three coincide: the one-class accuracy.
    """
    got = np.asarray(chosen)
    wanted = np.asarray(core)
    if (got.dtype == bool) != (wanted.dtype == bool) and got.size and wanted.size:
        raise DataError(
            "Give the chosen members and the core in the same way: both as ids, or both as True/False."
        )
    if wanted.dtype == bool:
        if got.shape != wanted.shape:
            raise DataError(
                f"The chosen mask has {got.size} members and the core {wanted.size}: they must be equally many."
            )
        got = np.flatnonzero(got)
        wanted = np.flatnonzero(wanted)
    ours = set(got.tolist())
    theirs = set(wanted.tolist())
    if not theirs:
        raise DataError("The true core is empty, so there is nothing to judge against.")
    hits = len(ours & theirs)
    precision = hits / len(ours) if ours else float("nan")
    return CoreScores(
        precision, hits / len(theirs), 2 * hits / (len(ours) + len(theirs)), len(ours), len(theirs)
    )


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


def rand(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """Share of pairs of members on which the partition and the truth agree (1 for a single member)."""
    both, in_clusters, in_classes, pairs = _pairs(contingency(labels, truth))
    return 1.0 if pairs == 0 else (pairs + 2 * both - in_clusters - in_classes) / pairs


def adjusted_rand(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """Rand corrected for chance (ARI): 0 is expected at random, 1 is the same partition, trivial ones
    included.
    """
    both, in_clusters, in_classes, pairs = _pairs(contingency(labels, truth))
    expected = in_clusters * in_classes / pairs if pairs else 0.0
    span = (in_clusters + in_classes) / 2 - expected
    return 1.0 if span == 0 else (both - expected) / span


def pairwise_scores(labels: Labels | Contingency, truth: Labels | None = None) -> PrecisionRecall:
    """Precision, recall and F of "these two belong together"; 0/0 counts as 1."""
    both, in_clusters, in_classes, _ = _pairs(contingency(labels, truth))
    return PrecisionRecall(
        both / in_clusters if in_clusters else 1.0,
        both / in_classes if in_classes else 1.0,
        2 * both / (in_clusters + in_classes) if in_clusters + in_classes else 1.0,
    )


def pairwise_f1(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """F of "these two belong together" over all pairs of members."""
    return pairwise_scores(labels, truth).f


def bcubed(labels: Labels | Contingency, truth: Labels | None = None) -> PrecisionRecall:
    """BCubed: per member, the share of its cluster in its class and of its class in its cluster, then the
    means.
    """
    table = contingency(labels, truth).with_singletons()
    squares = table.counts.astype(np.float64) ** 2
    precision = float(np.sum(squares / table.cluster_sizes[table.rows])) / table.n
    recall = float(np.sum(squares / table.class_sizes[table.cols])) / table.n
    return PrecisionRecall(precision, recall, _harmonic(precision, recall))


def adjusted_purity(
    labels: Labels | Contingency, truth: Labels | None = None, *, singleton: Literal[0, 1] = 0
) -> float:
    """Size-weighted share of the pairs inside a cluster that are of one class; `singleton` is what a
    cluster of one gets.

    Unassigned members contribute 0 whatever `singleton` is.

    """
    if singleton not in (0, 1):
        raise ParameterError(f"singleton must be 0 or 1, and was {singleton!r}.")
    table = contingency(labels, truth)
    sizes = table.cluster_sizes
    same = np.zeros(len(table.clusters))
    np.add.at(same, table.rows, _choose2(table.counts).astype(np.float64))
    shares = np.where(sizes > 1, same / np.maximum(_choose2(sizes), 1), float(singleton))
    return float(np.sum(sizes * shares)) / table.n


def homogeneity(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """1 - H(class | cluster) / H(class): 1 when no cluster mixes classes; 0/0 is 1."""
    mutual, _, of_classes = _information(contingency(labels, truth))
    return mutual / of_classes if of_classes else 1.0


def completeness(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """1 - H(cluster | class) / H(cluster): 1 when no class is spread over clusters; 0/0 is 1."""
    mutual, of_clusters, _ = _information(contingency(labels, truth))
    return mutual / of_clusters if of_clusters else 1.0


def v_measure(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """Harmonic mean of homogeneity and completeness."""
    table = contingency(labels, truth)
    return _harmonic(homogeneity(table), completeness(table))


def nmi(
    labels: Labels | Contingency,
    truth: Labels | None = None,
    *,
    mean: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic",
) -> float:
    """Mutual information over a mean of the two entropies; 1 when both are trivial, 0 when only one of
    them is.
    """
    mutual, first, second = _information(contingency(labels, truth))
    if first == 0 and second == 0:
        return 1.0
    if mean == "arithmetic":
        scale = (first + second) / 2
    elif mean == "geometric":
        scale = float(np.sqrt(first * second))
    elif mean == "min":
        scale = min(first, second)
    elif mean == "max":
        scale = max(first, second)
    else:
        raise ParameterError(
            f"mean must be 'arithmetic', 'geometric', 'min' or 'max', and was {mean!r}."
        )
    return mutual / scale if scale else 0.0


def micro_accuracy(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """Share of members that are of the dominant class of their cluster.

    It is comparable with classification accuracy only when the partition is well balanced; with more
    clusters than classes it is a precision, and grows with the number of clusters.
    """
    table = contingency(labels, truth)
    return int(table.dominant.sum()) / table.n


def macro_accuracy(labels: Labels | Contingency, truth: Labels | None = None) -> float:
    """Mean over non-empty clusters of the share of the dominant class; 0 when nobody is assigned."""
    table = contingency(labels, truth)
    if not table.clusters:
        return 0.0
    return float(np.mean(table.dominant / table.cluster_sizes))


def well_balanced(labels: Labels | Contingency, truth: Labels | None = None) -> bool:
    """Whether each class is dominant in exactly one cluster (ties of dominance may be broken in favour of
    yes).
    """
    table = contingency(labels, truth)
    k = len(table.clusters)
    if k != len(table.classes) or k == 0:
        return False
    tops = table.counts == table.dominant[table.rows]
    graph = csr_array(
        (np.ones(int(tops.sum())), (table.rows[tops], table.cols[tops])), shape=(k, k)
    )
    return bool(np.all(maximum_bipartite_matching(graph) >= 0))


def judge_partition(labels: Labels | Contingency, truth: Labels | None = None) -> dict[str, float]:
    """The standard battery in one call: counts first, then every measure that needs no distances."""
    table = contingency(labels, truth)
    pairs = pairwise_scores(table)
    cubed = bcubed(table)
    return {
        "members": float(table.n),
        "unknown": float(table.unknown),
        "unassigned": float(table.unassigned.sum()),
        "clusters": float(len(table.clusters)),
        "classes": float(len(table.classes)),
        "adjusted_rand": adjusted_rand(table),
        "rand": rand(table),
        "nmi": nmi(table),
        "v_measure": v_measure(table),
        "homogeneity": homogeneity(table),
        "completeness": completeness(table),
        "adjusted_purity": adjusted_purity(table),
        "micro_accuracy": micro_accuracy(table),
        "macro_accuracy": macro_accuracy(table),
        "well_balanced": float(well_balanced(table)),
        "clustering_error": clustering_error(table),
        "pairwise_precision": pairs.precision,
        "pairwise_recall": pairs.recall,
        "pairwise_f1": pairs.f,
        "bcubed_precision": cubed.precision,
        "bcubed_recall": cubed.recall,
        "bcubed_f": cubed.f,
    }


def _choose2(counts: Ints) -> Ints:
    return counts * (counts - 1) // 2


def _pairs(table: Contingency) -> tuple[int, int, int, int]:
    """Pairs together in both, in a cluster, in a class, and all pairs; exact integers."""
    both = int(_choose2(table.counts).sum())
    clusters = int(_choose2(table.cluster_sizes).sum())
    return both, clusters, int(_choose2(table.class_sizes).sum()), table.n * (table.n - 1) // 2


def _information(table: Contingency) -> tuple[float, float, float]:
    """Mutual information and the entropies of clusters and classes, in nats; rounding never leaves [0, min
    entropy].
    """
    single = table.with_singletons()
    a = single.cluster_sizes / single.n
    b = single.class_sizes / single.n
    of_clusters = _entropy(a)
    of_classes = _entropy(b)
    p = single.counts / single.n
    mutual = float(np.sum(p * np.log(p / (a[single.rows] * b[single.cols]))))
    return min(max(mutual, 0.0), of_clusters, of_classes), of_clusters, of_classes


def _entropy(shares: Floats) -> float:
    used = shares[(shares > 0) & (shares < 1)]
    return float(-np.sum(used * np.log(used)))


def _harmonic(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0
