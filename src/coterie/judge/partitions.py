"""Measures of a partition against the truth: pairs, information, purity, accuracy, and all in one call.

Every function takes labels and truth, or one ready contingency table. Members of unknown truth are left
out. Unassigned members (-1) are never a way to gain: for accuracy, purity and error they stay in the
denominator and count as errors; for the measures on pairs and on information each of them is a group of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from coterie.core.errors import ParameterError
from coterie.judge.geometry import Silhouette, dunn, silhouette
from coterie.judge.labels import Contingency, Floats, Ints, Labels, contingency
from coterie.judge.matching import (
    CategoryRow,
    CoreScores,
    Matching,
    breakdown,
    clustering_error,
    core_scores,
    match,
)

__all__ = [
    "CategoryRow",
    "Contingency",
    "CoreScores",
    "Matching",
    "PrecisionRecall",
    "Silhouette",
    "adjusted_purity",
    "adjusted_rand",
    "bcubed",
    "breakdown",
    "clustering_error",
    "completeness",
    "contingency",
    "core_scores",
    "dunn",
    "homogeneity",
    "judge_partition",
    "macro_accuracy",
    "match",
    "micro_accuracy",
    "nmi",
    "pairwise_f1",
    "pairwise_scores",
    "rand",
    "silhouette",
    "v_measure",
    "well_balanced",
]


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
