"""How far a partition can be trusted: cluster random parts of the collection again and again, and compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.random import streams
from coterie.judge.labels import (
    Coded,
    Contingency,
    Floats,
    Ints,
    Labels,
    adjusted_rand,
    code_partition,
    cross,
    singled,
)

RECOVERED = 0.75
DISSOLVED = 0.5


@dataclass(frozen=True, slots=True)
class GroupStability:
    """One group of the reference: mean best Jaccard over the rounds that drew some of it (Hennig), and how
    often that was at least 0.75 (recovered) or at most 0.5 (dissolved).
    """

    group: Any
    size: int
    jaccard: float
    recovered: int
    dissolved: int
    rounds: int


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """Stability of a partition under resampling.

    `mean_ari` is the mean over all pairs of rounds of the adjusted Rand index on the members drawn by both;
    `reference_ari` holds one value per round against the partition of everybody. `members` is, per member,
    the mean Jaccard of its group in the reference and its group in a round (NaN when never drawn or
    unassigned).
    """

    mean_ari: float
    reference_ari: Floats
    members: Floats
    groups: tuple[GroupStability, ...]
    reference: Ints
    rounds: int
    compared: int


def stability(
    cluster: Callable[[Ints], Labels],
    n: int,
    *,
    rounds: int = 20,
    fraction: float = 0.8,
    random_state: int | None = None,
    reference: Labels | None = None,
) -> Stability:
    """Cluster random parts of n members and see what stays.

    `cluster(indices)` gets sorted positions and gives one label for each; `reference` is the partition of
    all members, by default `cluster(arange(n))`. Round t draws with the t-th child of the seed, so that the
    result does not depend on the order in which rounds are done. Unassigned members count as groups of one
    in the adjusted Rand index.
    """
    drawn = draw_subsamples(n, rounds=rounds, fraction=fraction, random_state=random_state)
    everyone = np.arange(n, dtype=np.int64)
    whole = cluster(everyone) if reference is None else reference
    return compare_subsamples([cluster(indices) for indices in drawn], drawn, whole, n)


def draw_subsamples(
    n: int, *, rounds: int = 20, fraction: float = 0.8, random_state: int | None = None
) -> list[Ints]:
    """Sorted positions of the members that each round draws, with a stream of its own."""
    if rounds < 2:
        raise ParameterError(f"rounds must be at least 2, and was {rounds}.")
    if not 0 < fraction <= 1:
        raise ParameterError(f"fraction must be above 0 and at most 1, and was {fraction}.")
    size = round(fraction * n)
    if size < 2:
        raise DataError(
            f"A fraction of {fraction} of {n} members leaves {size}: at least 2 are needed in a round."
        )
    rngs = streams(random_state, rounds)
    return [np.sort(rng.choice(n, size=size, replace=False)).astype(np.int64) for rng in rngs]


def compare_subsamples(
    labels_found: Sequence[Labels], drawn: list[Ints], reference: Labels, n: int
) -> Stability:
    """What stays of the partition of all members in those of subsamples."""
    whole = _labels_of(reference, n)
    found = [
        _labels_of(labels, len(indices))
        for labels, indices in zip(labels_found, drawn, strict=True)
    ]
    tables = [
        cross(labels, singled(_part(whole, indices)))
        for labels, indices in zip(found, drawn, strict=True)
    ]
    members = _member_stability(found, drawn, whole)
    groups = tuple(_group_stability(tables, whole, group) for group in range(len(whole.names)))
    against = [adjusted_rand(table) for table in tables]
    overlaps = _overlaps(found, drawn, n)
    mean_ari = float(np.mean(overlaps)) if overlaps else float("nan")
    return Stability(
        mean_ari, np.asarray(against), members, groups, whole.codes, len(drawn), len(overlaps)
    )


def _labels_of(labels: Labels, expected: int) -> Coded:
    coded = code_partition(labels)
    if coded.codes.size != expected:
        raise DataError(
            f"The clustering gave {coded.codes.size} labels for {expected} members: one each is needed."
        )
    return coded


def _part(coded: Coded, indices: Ints) -> Coded:
    return Coded(coded.codes[indices], coded.names)


def _overlaps(found: list[Coded], drawn: list[Ints], n: int) -> list[float]:
    """Adjusted Rand of every two rounds on the members that both drew; rounds that share fewer than two
    are left out.
    """
    full = []
    for labels, indices in zip(found, drawn, strict=True):
        spread = np.full(n, -2, dtype=np.int64)
        spread[indices] = labels.codes
        full.append(spread)
    values = []
    for later in range(1, len(full)):
        for earlier in range(later):
            both = np.flatnonzero((full[later] > -2) & (full[earlier] > -2))
            if both.size > 1:
                first = Coded(full[later][both], found[later].names)
                second = singled(Coded(full[earlier][both], found[earlier].names))
                values.append(adjusted_rand(cross(first, second)))
    return values


def _member_stability(found: list[Coded], drawn: list[Ints], whole: Coded) -> Floats:
    sums = np.zeros(whole.codes.size)
    times = np.zeros(whole.codes.size)
    for labels, indices in zip(found, drawn, strict=True):
        own = whole.codes[indices]
        now = singled(labels).codes
        width = len(whole.names) + 1
        _, cell, counts = np.unique(now * width + own + 1, return_inverse=True, return_counts=True)
        both = counts[cell]
        either = np.bincount(now)[now] + np.bincount(own + 1)[own + 1] - both
        assigned = own >= 0
        sums[indices[assigned]] += (both / either)[assigned]
        times[indices[assigned]] += 1
    mean: Floats = np.divide(sums, times, out=np.full(sums.size, np.nan), where=times > 0)
    return mean


def _group_stability(tables: list[Contingency], whole: Coded, group: int) -> GroupStability:
    best = []
    for table in tables:
        size = int(table.class_sizes[group])
        if not size:
            continue
        cells = np.flatnonzero(table.cols == group)
        both = table.counts[cells]
        either = table.cluster_sizes[table.rows[cells]] + size - both
        alone = 1 / size if table.unassigned[group] else 0.0
        best.append(max(float(np.max(both / either, initial=0.0)), alone))
    values = np.asarray(best)
    return GroupStability(
        whole.names[group],
        int(np.sum(whole.codes == group)),
        float(values.mean()) if values.size else float("nan"),
        int(np.sum(values >= RECOVERED)),
        int(np.sum(values <= DISSOLVED)),
        values.size,
    )
