"""MCL beside the program mcl (and markov-clustering where it is installed) on the same neighbor graph in the same run.

    python benchmarks/speed/mcl.py [members] [neighbors]

Prints CPU seconds of one thread, wall seconds, the number of groups, and the adjusted Rand index with the program.
The program reads and writes text; that is part of its time, and is under a second here. Its pruning (scheme 6) drops flow
below 1e-4 before inflation and keeps up to 1400 entries; ours drops below 1e-5 after inflation and keeps as many.
"""

from __future__ import annotations

import importlib.util
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from coterie.core.affinity import Graph
from coterie.core.workplace import using
from coterie.organize.mcl import MCL
from coterie.parts.neighbors import nearest_rows


def links_of(n: int, k: int, seed: int = 0) -> Any:
    """Gaussian weights between near neighbours of overlapping clouds in ten dimensions."""
    rng = np.random.default_rng(seed)
    points = (1.2 * rng.normal(size=(50, 10)))[np.arange(n) % 50] + rng.normal(size=(n, 10))
    index, away = nearest_rows(points, k)
    weights = np.exp(-(away**2) / (2 * np.median(away) ** 2)).ravel()
    links = sp.csr_array((weights, (np.repeat(np.arange(n), k), index.ravel())), shape=(n, n))
    return sp.csr_array(links.maximum(links.T))


def program(links: Any) -> np.ndarray:
    """The labels of the program mcl, one thread."""
    with tempfile.TemporaryDirectory() as place:
        graph, groups = Path(place, "graph"), Path(place, "groups")
        upper = sp.coo_array(sp.triu(links, 1))
        with graph.open("w") as file:
            file.writelines(f"{i}\t{j}\t{w!r}\n" for i, j, w in zip(upper.row, upper.col, upper.data.tolist(), strict=True))
        subprocess.run(["mcl", str(graph), "--abc", "-I", "2", "-te", "1", "-o", str(groups)], check=True, capture_output=True)
        labels = np.full(links.shape[0], -1)
        for number, line in enumerate(groups.read_text().splitlines()):
            labels[np.array(line.split(), dtype=int)] = number
    return labels


def markov_clustering(links: Any) -> np.ndarray:
    """The labels of the library markov-clustering."""
    import markov_clustering as peer

    labels = np.full(links.shape[0], -1)
    for number, members in enumerate(peer.get_clusters(peer.run_mcl(sp.csc_matrix(links), inflation=2))):
        labels[list(members)] = number
    return labels


def ours(workers: int) -> Callable[[Any], np.ndarray]:
    def run(links: Any) -> np.ndarray:
        with using(n_jobs=workers):
            return MCL().fit(Graph(links, "similarity", symmetric=True)).labels_

    return run


def measured(work: Callable[[Any], np.ndarray], links: Any) -> tuple[np.ndarray, float, float]:
    """Labels, CPU seconds (of this process and of what it started) and wall seconds."""

    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(r.ru_utime + r.ru_stime for r in both)

    wall, cpu = time.perf_counter(), used()
    labels = work(links)
    return labels, used() - cpu, time.perf_counter() - wall


def main(n: int = 5000, k: int = 50) -> None:
    links = links_of(n, k)
    print(f"{n} members, {links.nnz} links counted both ways, inflation 2")
    ours(1)(links_of(200, 10))  # compiled, or loaded from the cache
    rows = {"coterie, 1 worker": ours(1), "coterie, 2 workers": ours(2)}
    if shutil.which("mcl"):
        rows["mcl"] = program
    if importlib.util.find_spec("markov_clustering"):
        rows["markov-clustering"] = markov_clustering
    found = {name: measured(work, links) for name, work in rows.items()}
    base = found.get("mcl", next(iter(found.values())))[0]
    own = found["coterie, 1 worker"]
    for name, (labels, cpu, wall) in found.items():
        ratio = f"coterie {cpu / own[1]:.1f}x in CPU, {wall / found['coterie, 2 workers'][2]:.1f}x in wall with 2 workers"
        same = adjusted_rand_score(base, labels)
        print(f"{name:20s} cpu {cpu:6.2f}  wall {wall:6.2f}  groups {len(np.unique(labels)):4d}  agreement {same:.4f}  {ratio}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
