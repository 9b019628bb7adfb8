"""Where a stored run is unsure: its groups found several times, halves of a group, and the next best group of a member."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.core.affinity import Graph
from coterie.core.findings import Findings
from coterie.core.random import stream
from coterie.organize.asking import Questions, coarser_of
from coterie.organize.spectral import Spectral

if TYPE_CHECKING:
    from coterie.run.engine import Exploration

_TIMES = 6  # groups are found again from parts of the neighbors
_STEPS = 3  # from neighbor to neighbor, in the search for the nearest other group
_SHARE = 0.6  # of its nearest neighbors that a member keeps each time


def runs_of(found: Exploration) -> tuple[np.ndarray, np.ndarray | None]:
    """The independent runs that the organizer of a run made, and coarser ones; else groups found from parts of the neighbors."""
    n = len(found.collection)
    findings = found.findings
    organizer = found.analysis.pipeline.steps_[-1]
    runs = getattr(organizer, "runs_", None)
    if runs is None or len(runs) < 2 or runs.shape[1] != n:
        return found_again(findings, n), None
    return np.asarray(runs), coarser_of(organizer.hierarchy_, len(findings.groups))


def questions_of(
    found: Exploration,
    runs: tuple[np.ndarray, np.ndarray | None] | None = None,
    groups: np.ndarray | None = None,
) -> Questions:
    """Questions on a run, by what `runs_of` gave; `groups` are those of its members now, as they were found when left out."""
    n = len(found.collection)
    (several, coarser) = runs_of(found) if runs is None else runs
    sure = found.findings.confidence[:n]
    now = found.findings.labels[:n] if groups is None else groups
    asking = Questions(
        several, ids=list(found.collection.ids), coarser=coarser, confidence=sure, groups=now
    )
    asking.changed_from(found.findings.labels[:n])
    return asking


def found_again(findings: Findings, n: int, times: int = _TIMES) -> np.ndarray:
    """Groups of the first n members, so many as there are, found several times from random parts of their neighbors."""
    k = len(findings.groups)
    found = [np.asarray(findings.labels[:n], dtype=np.int64)]
    if k > 1:
        for at in range(times):
            kept = stream(0, 1 << 21, at).random(findings.neighbors[:n].shape) < _SHARE
            found.append(_cut(_graph(findings, np.arange(n), kept), k, at))
    return np.array(found)


def halves(findings: Findings, inside: np.ndarray) -> np.ndarray:
    """The smaller of the two parts of these members that are least tied to each other by their nearest neighbors."""
    graph = _graph(
        findings, inside, np.ones((len(inside), findings.neighbors.shape[1]), dtype=bool)
    )
    labels = (
        _cut(graph, 2, 0)
        if len(inside) > 2 and graph.nnz
        else np.zeros(len(inside), dtype=np.int64)
    )
    part = inside[labels == 1]
    if (
        not 0 < len(part) < len(inside)
    ):  # nothing ties them: along the longer side of their place on the map
        places = findings.map[inside]
        side = places[:, int(np.argmax(np.ptp(places, axis=0)))]
        part = inside[np.argsort(side, kind="stable")[: len(inside) // 2]]
    return part if 2 * len(part) <= len(inside) else np.setdiff1d(inside, part)


def next_group(findings: Findings, labels: np.ndarray, member: int) -> int:
    """The group most of a member's nearest neighbors are in besides its own; -1 where all are in its own or in none."""
    near = findings.neighbors[member]
    known = near >= 0
    groups = labels[near[known]]
    weight = np.maximum(findings.nearness[member][known], 1e-12)
    other = (groups >= 0) & (groups != labels[member])
    return int(np.bincount(groups[other], weights=weight[other]).argmax()) if other.any() else -1


def nearest_group(findings: Findings, labels: np.ndarray, member: int) -> int:
    """The next group of a member; where all its neighbors are in its own, that of their neighbors, or the nearest on the map.

    -1 only where there is no other group.
    """
    found = next_group(findings, labels, member)
    own = int(labels[member])
    near = np.array([member])
    for _ in range(_STEPS):
        if found >= 0:
            return found
        near = np.unique(findings.neighbors[near])
        near = near[near >= 0]
        other = labels[near][(labels[near] >= 0) & (labels[near] != own)]
        found = int(np.bincount(other).argmax()) if len(other) else -1
    groups = [g for g in np.unique(labels[labels >= 0]).tolist() if g != own]
    if found >= 0 or not groups:
        return found
    places = np.nan_to_num(np.asarray(findings.map, dtype=np.float64))
    gaps = [
        float(np.linalg.norm(places[labels == g].mean(axis=0) - places[member])) for g in groups
    ]
    return int(groups[int(np.argmin(gaps))])


def _graph(findings: Findings, members: np.ndarray, kept: np.ndarray) -> Any:
    """How near members are that are neighbors of each other, where kept (members x neighbors); a sparse symmetric matrix."""
    import scipy.sparse as sp

    place = np.full(len(findings), -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    near = findings.neighbors[members]
    to = np.where(near >= 0, place[np.maximum(near, 0)], -1)
    used = kept & (to >= 0)
    rows = np.nonzero(used)[0]
    cols = to[used]
    weight = np.maximum(findings.nearness[members][used], 1e-6)
    graph = sp.csr_array((weight, (rows, cols)), shape=(len(members), len(members)))
    return sp.csr_array(graph.maximum(graph.T))


def _cut(graph: Any, k: int, seed: int) -> np.ndarray:
    """The groups of a graph; everyone in the first where it cannot be cut."""
    n = graph.shape[0]
    if n <= k:
        return np.arange(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Spectral(n_groups=k, random_state=seed).fit(
            Graph(graph, kind="similarity", symmetric=True)
        )
    return np.maximum(found.labels_, 0)
