"""Leiden beside leidenalg and igraph, and Propagation beside igraph, on the same graphs; MCL beside the program mcl at 50,000.

    python benchmarks/speed/communities.py [members ...]

The graphs have planted groups of about 150 members and ten links drawn for each member, three in ten of them anywhere. Leiden,
leidenalg and igraph raise the same modularity; the peers make the two rounds that are their default, ours as many as it takes.
The quality is our modularity less the peer's. A million members are measured in one turn. The graph is given in each one's own
form before the clock starts. MCL runs on a graph of ten near neighbors in three dimensions; a million members have no peer there.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from mcl import program
from scipy.spatial import cKDTree
from sklearn.metrics import adjusted_rand_score
from timing import OURS, Row, alone, quick, race, report, timed

from coterie.core.affinity import Graph
from coterie.core.hints import Hints
from coterie.core.workplace import using
from coterie.organize.leiden import Leiden, Valued
from coterie.organize.mcl import MCL
from coterie.organize.propagation import Propagation

_LARGE = 500_000  # members from which a peer has one turn


def planted(n: int, each: int = 10, astray: float = 0.3, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Links of groups of about 150 members, and the groups."""
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(max(n // 150, 2), size=n))
    starts = np.searchsorted(group, np.arange(group.max() + 2))
    one = np.repeat(np.arange(n), each)
    near = starts[group[one]] + (rng.random(len(one)) * np.diff(starts)[group[one]]).astype(
        np.int64
    )
    other = np.where(rng.random(len(one)) < astray, rng.integers(n, size=len(one)), near)
    place = rng.permutation(n)  # members of a group do not stand side by side
    apart = one != other
    links = sp.coo_array(
        (np.ones(apart.sum()), (place[one[apart]], place[other[apart]])), shape=(n, n)
    ).tocsr()
    links.data[:] = 1.0
    found = np.empty(n, dtype=np.int64)
    found[place] = group
    return sp.csr_array(links.maximum(links.T)), found


def near_neighbors(n: int, k: int = 10, seed: int = 0) -> Any:
    """Ten near neighbors each, of clouds of a thousand members in three dimensions."""
    rng = np.random.default_rng(seed)
    clouds = max(n // 1000, 2)
    points = (rng.random((clouds, 3)) * 4 * clouds ** (1 / 3))[np.arange(n) % clouds] + rng.normal(
        size=(n, 3)
    )
    away, index = (found[:, 1:] for found in cKDTree(points).query(points, k + 1))
    weights = np.exp(-np.square(away / away[:, -1:])).ravel()
    links = sp.csr_array((weights, (np.repeat(np.arange(n), k), index.ravel())), shape=(n, n))
    return sp.csr_array(links.maximum(links.T))


def leiden(links: Any) -> np.ndarray:
    return Leiden(random_state=0).fit(Graph(links, "similarity", symmetric=True)).labels_


def peers(links: Any) -> dict[str, Callable[[], np.ndarray]]:
    """leidenalg and igraph, where they are installed."""
    if not importlib.util.find_spec("igraph"):
        return {}
    import igraph

    upper = sp.coo_array(sp.triu(links, 1))
    graph = igraph.Graph(n=links.shape[0], edges=np.stack([upper.row, upper.col], axis=1))
    found = {
        "igraph": lambda: np.array(graph.community_leiden("modularity", n_iterations=2).membership)
    }
    if importlib.util.find_spec("leidenalg"):
        import leidenalg

        kind = leidenalg.ModularityVertexPartition
        found["leidenalg"] = lambda: np.array(
            leidenalg.find_partition(graph, kind, n_iterations=2, seed=0).membership
        )
    found["label propagation"] = lambda: np.array(graph.community_label_propagation().membership)
    return found


def leiden_rows(n: int) -> None:
    links, truth = planted(n)
    size = f"{n:,} members, {links.nnz // 2:,} links"
    large = n >= _LARGE
    others = peers(links)
    simple = others.pop("label propagation", None)
    if large:
        others.pop(
            "leidenalg", None
        )  # some ten minutes, and the ratio is known from the smaller ones
    given = Graph(links, "similarity", symmetric=True)
    works = {OURS: lambda: leiden(links), **others}
    found = race(works, 1 if large else 3, warm=not large)
    values = Valued.of(links, "modularity")
    scores = {
        name: values.quality(labels.astype(np.int32), 1.0) for name, labels in found.results.items()
    }
    for peer in ("igraph",) if large else ("leidenalg", "igraph"):
        ahead = scores[OURS] - scores[peer] if peer in scores else None
        goals = {"goal": 1.0, "quality_goal": 0.0} if peer == "leidenalg" else {}
        same = adjusted_rand_score(truth, found.results[OURS])
        note = f"modularity {scores[OURS]:.5f}, agreement with the planted groups {same:.3f}"
        report(
            found.row(
                "communities",
                "Leiden",
                size,
                peer=peer,
                quality=ahead,
                quality_of="modularity ahead by",
                note=note,
                **goals,
            )
        )
    free = race(
        {OURS: lambda: Propagation(random_state=0).fit(given).labels_}
        | ({"igraph": simple} if simple else {}),
        1 if large else 3,
    )
    score = adjusted_rand_score(truth, free.results[OURS])
    note = "agreement with the planted groups"
    if "igraph" in free.results:
        note += f" {score:.3f}, igraph's {adjusted_rand_score(truth, free.results['igraph']):.3f}"
    report(
        free.row("communities", "label propagation, nothing known", size, peer="igraph", note=note)
    )
    told = np.full(n, -1)
    known = np.random.default_rng(1).choice(n, n // 20, replace=False)
    told[known] = truth[known] % 8
    hints = Hints.of(n, told.tolist())
    with using(n_jobs=1):
        taken, spread = timed(lambda: Propagation().fit(given, hints=hints), 1 if large else 3)
    right = np.mean(
        np.array([int(name) for name in spread.partition_.names])[spread.labels_] == truth % 8
    )
    note = f"{right:.3f} of the members right"
    report(
        Row(
            "communities",
            "eight labels of one member in twenty spread",
            size,
            ours=taken,
            note=note,
        )
    )


def mcl_row(n: int) -> None:
    links = near_neighbors(n)
    size = f"{n:,} members, {links.nnz // 2:,} links, inflation 2"
    works: dict[str, Callable[[], Any]] = {
        OURS: lambda: MCL().fit(Graph(links, "similarity", symmetric=True)).labels_
    }
    if shutil.which("mcl"):
        works["mcl"] = lambda: program(links)
    found = race(works, 1)
    same = (
        adjusted_rand_score(found.results["mcl"], found.results[OURS])
        if "mcl" in found.results
        else None
    )
    note = "ours prunes below 1e-5 after inflation, mcl below 1e-4 before it"
    more = {
        "goal": 3.0,
        "quality": same,
        "quality_of": "agreement",
        "quality_goal": 0.999,
        "note": note,
    }
    report(found.row("mcl", "near neighbors in three dimensions", size, peer="mcl", **more))


def mcl_large(n: int) -> tuple[float, int, int]:
    """Seconds, groups and links of one fit; in a process of its own, for its memory."""
    links = near_neighbors(n)
    with using(n_jobs=1):
        taken, found = timed(lambda: MCL().fit(Graph(links, "similarity", symmetric=True)), 1)
    return taken, found.partition_.n_groups, links.nnz


def main() -> None:
    given = [int(word) for word in sys.argv[1:] if word.isdigit()]
    for n in given or ([2_000, 5_000] if quick() else [5_000, 50_000, 1_000_000]):
        leiden_rows(n)
    if not given:
        mcl_row(5_000 if quick() else 50_000)
        n = 20_000 if quick() else 1_000_000
        (taken, groups, links), peak = alone(mcl_large, n)
        size = f"{n:,} members, {links // 2:,} links"
        report(
            Row(
                "mcl",
                "near neighbors in three dimensions",
                size,
                ours=taken,
                peak=peak,
                room=24e9,
                note=f"{groups:,} groups",
            )
        )


if __name__ == "__main__":
    main()
