"""What a partition and an affinity say together: sums and means per group, fuzzy memberships, silhouettes, numbering."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from coterie.core.affinity import Affinity, Graph
from coterie.core.errors import DataError
from coterie.core.partition import Partition
from coterie.parts.pairwise import reduce_bands, similarity


def group_sums(
    affinity: Affinity, labels: np.ndarray, n_groups: int, *, without_self: bool = False
) -> np.ndarray:
    """Rows x groups: the sum of each row's values over the members of each group, band by band.

    `without_self` leaves out the diagonal of members x members.
    """
    labels = np.asarray(labels)
    if len(labels) != affinity.shape[1]:
        raise DataError(
            f"There are {len(labels)} labels and {affinity.shape[1]} members in the affinity."
        )
    if isinstance(affinity, Graph):
        return _sparse_sums(affinity, labels, n_groups, without_self)
    order = np.flatnonzero(labels >= 0)
    order = order[np.argsort(labels[order], kind="stable")]
    present, starts = np.unique(labels[order], return_index=True)
    out = np.zeros((affinity.shape[0], n_groups))

    def sums(values: np.ndarray, rows: slice, _: Affinity) -> tuple[np.ndarray]:
        if without_self:
            own = np.arange(rows.start, rows.stop)
            values[own - rows.start, own] = 0.0
        return (np.add.reduceat(values[:, order], starts, axis=1) if len(order) else values[:, :0],)

    for rows, part in reduce_bands(sums, affinity, label="sums per group"):
        out[rows, present] = part
    return out


def _sparse_sums(graph: Graph, labels: np.ndarray, n_groups: int, without_self: bool) -> np.ndarray:
    matrix = graph.values
    if without_self:
        matrix = sp.csr_array(matrix - sp.diags_array(matrix.diagonal()))
    inside = np.flatnonzero(labels >= 0)
    shape = (len(labels), n_groups)
    indicator = sp.csr_array((np.ones(len(inside)), (inside, labels[inside])), shape=shape)
    return np.asarray((matrix @ indicator).toarray())


def group_means(
    affinity: Affinity, labels: np.ndarray, n_groups: int, *, without_self: bool = False
) -> np.ndarray:
    """Rows x groups: the mean value of each row to the members of each group; 0 for a group without members."""
    labels = np.asarray(labels)
    sums = group_sums(affinity, labels, n_groups, without_self=without_self)
    sizes = np.bincount(labels[labels >= 0], minlength=n_groups).astype(np.float64)
    counts = np.broadcast_to(sizes, sums.shape).copy()
    if without_self:
        inside = np.flatnonzero(labels >= 0)
        counts[inside, labels[inside]] -= 1
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def memberships(affinity: Affinity, partition: Partition) -> np.ndarray:
    """Fuzzy membership: each row's mean similarity to every group (itself left out), scaled to sum to one.

    A row that is like nobody belongs to all groups alike.
    """
    alike = similarity(affinity)
    own = alike.square and alike.symmetric and alike.shape[0] == len(partition)
    means = np.maximum(
        group_means(alike, partition.labels, partition.n_groups, without_self=own), 0.0
    )
    total = means.sum(axis=1, keepdims=True)
    even = np.full_like(means, 1.0 / max(partition.n_groups, 1))
    return np.divide(means, total, out=even, where=total > 0)


def silhouettes(distances: Affinity, labels: np.ndarray) -> np.ndarray:
    """(b - a) / max(a, b) per member: a its mean distance inside its group, b to the nearest other; 0 where alone."""
    labels = np.asarray(labels)
    n_groups = int(labels.max(initial=-1)) + 1
    sizes = np.bincount(labels[labels >= 0], minlength=n_groups)
    found = np.zeros(len(labels))
    judged = (
        np.flatnonzero((labels >= 0) & (sizes[np.maximum(labels, 0)] > 1))
        if n_groups
        else np.arange(0)
    )
    if np.count_nonzero(sizes) < 2 or not len(judged):
        return found
    means = group_means(distances, labels, n_groups, without_self=True)
    means[:, sizes == 0] = np.inf
    own = means[judged, labels[judged]]
    means[judged, labels[judged]] = np.inf
    other = means[judged].min(axis=1)
    wide = np.maximum(own, other)
    found[judged] = np.divide(other - own, wide, out=np.zeros_like(own), where=wide > 0)
    return found


def mean_silhouette(values: np.ndarray, labels: np.ndarray, *, embedded: bool = False) -> float:
    """The mean of the silhouettes where all members are labeled: of distances, or of Euclidean ones between embedded rows."""
    from coterie._kernels.silhouettes import mean_of_distances, mean_of_rows

    labels = np.asarray(labels, dtype=np.int64)
    sizes = np.bincount(labels)
    if np.count_nonzero(sizes) < 2:
        return 0.0
    if embedded:
        return float(mean_of_rows(np.ascontiguousarray(values.T, dtype=np.float64), labels, sizes))
    return float(mean_of_distances(np.ascontiguousarray(values, dtype=np.float64), labels, sizes))
