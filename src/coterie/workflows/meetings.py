"""What members are tied to, cut into a few named clusters, and how often groups and clusters meet: who writes about what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coterie.core.findings import CLEARLY, Axis, Cluster, Findings, Meeting, Population
from coterie.core.links import Links
from coterie.core.partition import Partition
from coterie.core.random import stream
from coterie.parts.moves import Clusters, Counts, Rows, dealt, united
from coterie.workflows.populations import PEOPLE, WORDS

_INFORMATION = "Information kept (nats) by iteration"
_NAMES = 8  # telling elements of a cluster
_MOST = 24  # clusters of a population that are shown
_FINE = 4  # times the clusters shown from which they are united one pair at a time
_PASSES = 3
_PAIR = 0.5  # added to counts before their ratio is taken, as one would for half an occurrence


def with_populations(
    findings: Findings, organizer: Any, links: Links, partition: Partition, seed: int
) -> Findings:
    """The findings with the clusters of what members are tied to."""
    if not hasattr(organizer, "partition_"):  # nothing stood out, and nothing was grouped
        return findings
    partitions = getattr(organizer, "partitions_", {})
    populations, meetings = pictured(links, partition, partitions, seed)
    history = enumerate(getattr(organizer, "history_", ()), 1)
    steps = [(float(at), value) for at, (_, _, value) in history]
    curve = {_INFORMATION: steps} if len(steps) > 2 else {}
    return replace(
        findings,
        populations=populations,
        meetings=meetings,
        notes=(*findings.notes, *getattr(organizer, "notes_", ())),
        curves={**findings.curves, **curve},
        axes={**findings.axes, **({_INFORMATION: Axis("iteration")} if curve else {})},
    )


def pictured(
    links: Links, partition: Partition, partitions: Mapping[str, Partition], seed: int
) -> tuple[tuple[Population, ...], tuple[Meeting, ...]]:
    """Every population tied to the members in a few clusters beside the groups, and the meetings of people and words."""
    if partition.n_groups < 2:
        return (), ()
    found = list[Population]()
    cuts = dict[str, tuple[Any, np.ndarray, Population]]()
    for name in links.populations:
        table = links.between(links.target, name) if name != links.target else None
        if table is None or table.counts.nnz == 0:
            continue
        flipped = Counts.of(table.counts).flipped()
        labels = _coarse(flipped, partition, partitions.get(name), stream(seed, 10, len(found)))
        population, labels = _described(name, flipped, table.cols, labels, partition)
        found.append(population)
        cuts[name] = (table.counts, labels, population)
    return tuple(found), tuple(_meetings(cuts))


def _coarse(
    counts: Counts, partition: Partition, own: Partition | None, generator: np.random.Generator
) -> np.ndarray:
    """At most about two clusters per group: those the organizer found, united where that loses least of what they tell."""
    most = max(4, min(2 * partition.n_groups, _MOST))
    rows = Rows.of([counts], [partition.labels], [partition.n_groups], [1.0])
    usable = ~rows.empty
    if own is not None and len(own) == len(counts):
        levels, labels = np.unique(np.where(usable, own.labels, -1), return_inverse=True)
        labels = labels - int(levels[0] < 0)
    else:
        labels = np.full(len(counts), -1, dtype=np.int64)
        labels[usable] = dealt(
            int(usable.sum()), min(_FINE * most, max(int(usable.sum()), 1)), generator
        )
    clusters = Clusters(rows, labels, int(labels.max(initial=-1)) + 1)
    while clusters.k > _FINE * most:
        labels = clusters.pair(generator, _FINE * most)
        clusters = Clusters(rows, labels, int(labels.max(initial=-1)) + 1)
    clusters.sweep(generator, _PASSES)
    while clusters.k > most:
        clusters.unite()
    clusters.sweep(generator, _PASSES)
    return clusters.labels


def _described(
    name: str, counts: Counts, ids: Sequence[str], labels: np.ndarray, partition: Partition
) -> tuple[Population, np.ndarray]:
    """The clusters with their names, those of the first group first; and the labels in that order."""
    k = int(labels.max(initial=-1)) + 1
    lift = lift_of(united(counts, labels, k, partition.labels, partition.n_groups))
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    hot = np.where(
        lift.max(axis=1, initial=0.0) >= CLEARLY, lift.argmax(axis=1), partition.n_groups
    )
    order = np.lexsort((np.arange(k), -lift.max(axis=1), hot))
    order = order[sizes[order] > 0]
    place = np.full(k, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    labels = np.where(labels >= 0, place[labels], -1)
    strength = told(counts, partition)
    mass = np.bincount(
        np.repeat(labels + 1, np.diff(counts.ptr)), weights=counts.val, minlength=len(order) + 1
    )[1:]
    clusters = tuple(
        _cluster(c, labels, strength, ids, mass[c] / max(mass.sum(), 1e-300))
        for c in range(len(order))
    )
    some = int((labels >= 0).sum())
    said = f"{some:,} {name} in {len(clusters)} clusters; a number says how many times as often as by chance a group meets one."
    return Population(name, some, clusters, lift[order], said), labels


def _cluster(
    c: int, labels: np.ndarray, strength: np.ndarray, ids: Sequence[str], share: float
) -> Cluster:
    inside = np.flatnonzero(labels == c)
    best = inside[np.lexsort((inside, -strength[inside]))][:_NAMES]
    telling = tuple((str(ids[i]), float(strength[i])) for i in best)
    return Cluster(", ".join(name for name, _ in telling[:3]), len(inside), float(share), telling)


def told(counts: Counts, partition: Partition) -> np.ndarray:
    """Per element what it tells of the groups: the share of members that hold it times how far their groups are from usual.

    That is p(element) KL(p(group | element) || p(group)), over members and not over occurrences, so that a single member that
    repeats a word a hundred times does not make it telling.
    """
    k = partition.n_groups
    there = Counts(
        counts.ptr,
        counts.idx,
        np.ones(len(counts.val), dtype=np.int64),
        counts.width,
        float(len(counts.val)),
    )
    table = united(there, np.arange(len(counts)), len(counts), partition.labels, k).astype(
        np.float64
    )
    totals = table.sum(axis=1, keepdims=True)
    usual = np.maximum(np.bincount(partition.labels[partition.labels >= 0], minlength=k), 1) / max(
        len(partition), 1
    )
    share = table / np.maximum(totals, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(share > 0, share * np.log(share / usual), 0.0)
    return np.asarray(totals[:, 0] * np.maximum(gain.sum(axis=1), 0.0) / max(len(partition), 1))


def lift_of(table: np.ndarray) -> np.ndarray:
    """How many times as often as by chance the rows and columns of a table of counts meet, both half an occurrence more."""
    table = np.asarray(table, dtype=np.float64)
    expected = (
        table.sum(axis=1, keepdims=True)
        * table.sum(axis=0, keepdims=True)
        / max(table.sum(), 1e-300)
    )
    return np.asarray((table + _PAIR) / (expected + _PAIR))


def _meetings(cuts: Mapping[str, tuple[Any, np.ndarray, Population]]) -> list[Meeting]:
    """Clusters of people against clusters of words, over the members that hold both."""
    if PEOPLE not in cuts or WORDS not in cuts:
        return []
    people, words = (
        _by_member(*cuts[name][:2], len(cuts[name][2].clusters)) for name in (PEOPLE, WORDS)
    )
    lift = lift_of((people > 0).T.astype(np.float64) @ words)
    rows, columns = (
        tuple(cluster.name for cluster in cuts[name][2].clusters) for name in (PEOPLE, WORDS)
    )
    strong = np.unravel_index(int(lift.argmax()), lift.shape)
    said = "Clusters of people (rows) against clusters of words, in the messages they write or get; 1 is as often as by chance."
    if lift[strong] >= CLEARLY:
        said += f" Most above chance: {rows[strong[0]]} on {columns[strong[1]]} ({lift[strong]:.1f} times)."
    return [Meeting("Who writes about what", rows, columns, lift, said)]


def _by_member(counts: Any, labels: np.ndarray, k: int) -> np.ndarray:
    import scipy.sparse as sp

    kept = np.flatnonzero(labels >= 0)
    pick = sp.csr_array((np.ones(len(kept)), (kept, labels[kept])), shape=(len(labels), k))
    return np.asarray((sp.csr_array(counts) @ pick).todense())
