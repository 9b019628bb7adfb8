"""Measures of a partition against distances alone, without truth: Dunn's index and the silhouette."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.judge.blocks import AffinityLike, check_affinity, strips
from coterie.judge.labels import Coded, Floats, Ints, Labels, code_partition


@dataclass(frozen=True, slots=True, eq=False)
class Silhouette:
    """The silhouette of every member (NaN when unassigned), and the means over the members and over each
    group.
    """

    values: Floats
    mean: float
    groups: dict[Any, float]
    unassigned: int


def silhouette(labels: Labels, affinity: AffinityLike, *, top: float | None = None) -> Silhouette:
    """(b - a) / max(a, b) per member: a, mean distance to its own group; b, to the nearest other group.

    A group of one gets 0. Unassigned members have no value and are in no mean. A similarity s is read as
    the distance `top` - s; without `top` the largest similarity in the affinity is taken, at the price of a
    second pass.
    """
    coded = _groups(labels, affinity)
    sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.names))
    if affinity.kind == "similarity" and top is None:
        top = max(
            float(np.max(s, where=np.isfinite(s), initial=-np.inf)) for _, s in strips(affinity)
        )
    values = np.full(coded.codes.size, np.nan)
    order, starts = _sorted_groups(coded)
    for start, strip in _distances(affinity, coded, 0.0 if top is None else top):
        own = coded.codes[start : start + strip.shape[0]]
        rows = np.flatnonzero(own >= 0)
        own = own[rows]
        sums = np.add.reduceat(strip[rows][:, order], starts, axis=1)
        itself = strip[rows, start + rows]
        inside = (sums[np.arange(rows.size), own] - itself) / np.maximum(sizes[own] - 1, 1)
        means = sums / sizes
        means[np.arange(rows.size), own] = np.inf
        outside = means.min(axis=1)
        larger = np.maximum(inside, outside)
        value = np.divide(outside - inside, larger, out=np.zeros(rows.size), where=larger > 0)
        values[start + rows] = np.where(sizes[own] > 1, value, 0.0)
    groups = {name: float(values[coded.codes == g].mean()) for g, name in enumerate(coded.names)}
    return Silhouette(values, float(np.nanmean(values)), groups, int((coded.codes < 0).sum()))


def dunn(
    labels: Labels,
    distances: AffinityLike,
    *,
    between: Literal["medoid", "min", "mean"] = "medoid",
    within: Literal["max", "mean"] = "max",
) -> float:
    """The smallest distance between two groups over the largest diameter of a group; inf when all
    diameters are 0.

    `between`: distance of the medoids, or the smallest or the mean distance of their members. `within`: the
    largest or the mean distance of two members of the group. Unassigned members are left out. Distances
    must be symmetric.
    """
    if between not in ("medoid", "min", "mean"):
        raise ParameterError(f"between must be 'medoid', 'min' or 'mean', and was {between!r}.")
    if within not in ("max", "mean"):
        raise ParameterError(f"within must be 'max' or 'mean', and was {within!r}.")
    coded = _groups(labels, distances)
    if distances.kind != "distance":
        raise DataError(
            "Dunn's index needs distances, and the affinity holds similarities: convert it first."
        )
    lowest, sums, largest, own_sums = _sweep(coded, distances)
    sizes = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.names)).astype(
        np.float64
    )
    diameters = largest if within == "max" else np.diag(sums) / np.maximum(sizes * (sizes - 1), 1)
    if between == "medoid":
        apart = _medoid_distances(coded, distances, own_sums)
    else:
        apart = lowest if between == "min" else sums / np.outer(sizes, sizes)
    np.fill_diagonal(apart, np.inf)
    widest = float(diameters.max())
    return float("inf") if widest == 0 else float(apart.min()) / widest


def _sweep(coded: Coded, distances: AffinityLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Per two groups the least distance and the sum; per group the largest inside; per member the sum to
    its own.
    """
    k = len(coded.names)
    lowest = np.full((k, k), np.inf)
    sums = np.zeros((k, k))
    largest = np.zeros(k)
    own_sums = np.zeros(coded.codes.size)
    order, starts = _sorted_groups(coded)
    for start, strip in _distances(distances, coded, 0.0):
        own = coded.codes[start : start + strip.shape[0]]
        rows = np.flatnonzero(own >= 0)
        own = own[rows]
        strip = strip[rows][:, order]
        row_sums = np.add.reduceat(strip, starts, axis=1)
        np.minimum.at(lowest, own, np.minimum.reduceat(strip, starts, axis=1))
        np.add.at(sums, own, row_sums)
        np.maximum.at(
            largest, own, np.maximum.reduceat(strip, starts, axis=1)[np.arange(rows.size), own]
        )
        own_sums[start + rows] = row_sums[np.arange(rows.size), own]
    return lowest, sums, largest, own_sums


def _medoid_distances(coded: Coded, distances: AffinityLike, own_sums: Floats) -> Floats:
    medoids = []
    for group in range(len(coded.names)):
        members = np.flatnonzero(coded.codes == group)
        medoids.append(int(members[np.argmin(own_sums[members])]))
    rows = [
        np.asarray(distances.block(slice(m, m + 1), slice(0, distances.shape[1])))[0, medoids]
        for m in medoids
    ]
    return np.asarray(rows, dtype=np.float64)


def _groups(labels: Labels, affinity: AffinityLike) -> Coded:
    coded = code_partition(labels)
    check_affinity(affinity, square=True, members=coded.codes.size)
    if len(coded.names) < 2:
        raise DataError(
            f"At least two groups are needed to tell how far they are apart, and there is {len(coded.names)}."
        )
    return coded


def _sorted_groups(coded: Coded) -> tuple[Ints, Ints]:
    """The assigned members in the order of their groups, and where each group starts."""
    order = np.argsort(coded.codes, kind="stable")
    order = order[coded.codes[order] >= 0]
    starts = np.searchsorted(coded.codes[order], np.arange(len(coded.names)))
    return order.astype(np.int64), starts.astype(np.int64)


def _distances(affinity: AffinityLike, coded: Coded, top: float) -> Any:
    """Strips of distances; a value that is no finite number between two assigned members is refused by its
    place.
    """
    assigned = coded.codes >= 0
    for start, strip in strips(affinity):
        bad = ~np.isfinite(strip) & assigned & assigned[start : start + strip.shape[0], None]
        if bad.any():
            row, col = np.argwhere(bad)[0]
            raise DataError(
                f"The affinity of members {start + row} and {col} is {strip[row, col]}: a finite number is needed."
            )
        yield start, (top - strip if affinity.kind == "similarity" else strip)
