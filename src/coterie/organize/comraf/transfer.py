"""Transfer: clusters of words learned from labels in one collection, observed as a population in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Cooccurrence, Links
from coterie.core.partition import Partition
from coterie.organize.bottleneck import SequentialIB

_LEAST = 0.05  # share of the counts that must be known from the other collection
_KNOWN = "known {}"


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What one collection teaches of a population: the cluster of each of its elements, by how labels use them."""

    population: str
    ids: tuple[str, ...]
    clusters: np.ndarray

    @property
    def called(self) -> str:
        """The name of the population these clusters become elsewhere."""
        return _KNOWN.format(self.population)

    def shared(self, links: Links) -> float:
        """The share of another collection's counts that falls on elements this one knows, from 0 to 1."""
        table = _table(links, self.population)
        own = set(self.ids)
        known = np.array([name in own for name in table.cols], dtype=bool)
        sums = np.asarray(table.counts.sum(axis=0)).ravel()
        return float(sums[known].sum() / max(sums.sum(), 1e-300))

    def __repr__(self) -> str:
        return f"Lesson({len(self.ids)} {self.population} in {int(self.clusters.max(initial=-1)) + 1} clusters)"


def lesson(
    links: Links,
    labels: Any,
    population: str = "words",
    n_clusters: int = 50,
    random_state: int | None = 0,
) -> Lesson:
    """Clusters of a population by how often its elements occur in members of each label (hard information bottleneck).

    `labels` are one per member (None, "" or -1: unknown).
    """
    table = _table(links, population)
    told = Partition.of(labels)
    if len(told) != len(links):
        raise DataError(f"lesson: there are {len(told)} labels for {len(links)} members.")
    if told.n_groups < 2:
        raise DataError("lesson: labels must name two groups or more.")
    import scipy.sparse as sp

    known = np.flatnonzero(told.labels >= 0)
    own = sp.csr_array(
        (np.ones(len(known)), (known, told.labels[known])), shape=(len(told), told.n_groups)
    )
    counts = sp.csr_array(table.counts.T @ own)
    used = np.flatnonzero(np.diff(counts.indptr) > 0)
    if not 2 <= n_clusters <= len(used):
        raise ParameterError(
            f"lesson: n_clusters must be from 2 to the {len(used)} {population} that occur, and was {n_clusters}."
        )
    ids = [table.cols[at] for at in used.tolist()]
    tied = Links(
        {(population, "labels"): Cooccurrence(counts[used], ids, list(told.names))}, population
    )
    found = SequentialIB(n_groups=n_clusters, restarts=4, random_state=random_state).fit(tied)
    return Lesson(population, tuple(ids), found.labels_)


def taught(links: Links, lesson: Lesson) -> Links:
    """The links of another collection with the lesson's clusters as one more population, which is to be observed.

    Members are tied to a cluster as often as they hold an element of it, and elements to their own cluster with all their
    counts; elements the lesson does not know stay untied. Less than 5 % of known counts is refused.
    """
    import scipy.sparse as sp

    share = lesson.shared(links)
    if share < _LEAST:
        raise DataError(
            f"Only {share:.1%} of the counts of '{lesson.population}' are known from the other collection; a transfer needs "
            f"{_LEAST:.0%}."
        )
    table = _table(links, lesson.population)
    place = {
        name: int(cluster)
        for name, cluster in zip(lesson.ids, lesson.clusters, strict=True)
        if cluster >= 0
    }
    known = [(at, place[name]) for at, name in enumerate(table.cols) if name in place]
    rows, cols = np.array(known).T
    size = int(lesson.clusters.max(initial=-1)) + 1
    own = sp.csr_array((np.ones(len(rows)), (rows, cols)), shape=(len(table.cols), size))
    names = [f"{lesson.called} {at + 1}" for at in range(size)]
    sums = sp.diags_array(np.asarray(table.counts.sum(axis=0)).ravel().astype(np.float64))
    tables = {
        (links.target, lesson.called): Cooccurrence(
            sp.csr_array(table.counts @ own), table.rows, names
        ),
        (lesson.population, lesson.called): Cooccurrence(
            sp.csr_array(sums @ own), table.cols, names
        ),
    }
    return Links({**links.tables, **tables}, links.target)


def _table(links: Links, population: str) -> Cooccurrence:
    table = links.between(links.target, population)
    if table is None:
        others = ", ".join(name for name in links.populations if name != links.target)
        raise DataError(
            f"There is no table of '{links.target}' and '{population}'; there is one with {others}."
        )
    return table
