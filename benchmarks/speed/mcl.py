"""MCL beside the program mcl (and markov-clustering where it is installed) on the same neighbor graph in the same run.

    python benchmarks/speed/mcl.py [members] [neighbors]

Beside them the same in plain scipy, with our rule of pruning. Agreement is the adjusted Rand index. The program reads and
writes text; that is part of its time, and is under a second here. Its pruning (scheme 6) drops flow below 1e-4 before inflation
and keeps up to 1400 entries; ours drops below 1e-5 after inflation and keeps as many.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score
from timing import Race, race, report, sizes

from coterie.core.affinity import Graph
from coterie.core.workplace import using
from coterie.organize.mcl import MCL
from coterie.parts.neighbors import nearest_rows

_ROUNDS = 100
_COARSE = "markov-clustering"
_WHY = "it drops flow below 1e-3, a hundred times more than ours, and finds other groups"


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
        graph = Path(place, "graph")
        groups = Path(place, "groups")
        upper = sp.coo_array(sp.triu(links, 1))
        with graph.open("w") as file:
            file.writelines(
                f"{i}\t{j}\t{w!r}\n"
                for i, j, w in zip(upper.row, upper.col, upper.data.tolist(), strict=True)
            )
        subprocess.run(
            ["mcl", str(graph), "--abc", "-I", "2", "-te", "1", "-o", str(groups)],
            check=True,
            capture_output=True,
        )
        labels = np.full(links.shape[0], -1)
        for number, line in enumerate(groups.read_text().splitlines()):
            labels[np.array(line.split(), dtype=int)] = number
    return labels


def markov_clustering(links: Any) -> np.ndarray:
    """The labels of the library markov-clustering."""
    import markov_clustering as peer

    labels = np.full(links.shape[0], -1)
    for number, members in enumerate(
        peer.get_clusters(peer.run_mcl(sp.csc_matrix(links), inflation=2))
    ):
        labels[list(members)] = number
    return labels


def by_scipy(links: Any) -> np.ndarray:
    """Plain products of sparse matrices with our rule of pruning: squared, inflated, and entries below 1e-5 dropped."""
    flow = sp.csc_array(links + sp.diags_array(links.max(axis=0).toarray().ravel()))
    flow = sp.csc_array(flow @ sp.diags_array(1.0 / flow.sum(axis=0)))
    for _ in range(_ROUNDS):
        after = sp.csc_array(flow @ flow)
        after.data **= 2.0
        after = sp.csc_array(after @ sp.diags_array(1.0 / after.sum(axis=0)))
        after.data[after.data < 1e-5] = 0.0
        after.eliminate_zeros()
        after = sp.csc_array(after @ sp.diags_array(1.0 / after.sum(axis=0)))
        moved = abs(after - flow).max()
        flow = after
        if moved < 1e-4:
            break
    return connected_components(flow, directed=False)[1]


def ours(links: Any, prune: float = 1e-5) -> np.ndarray:
    return MCL(prune=prune).fit(Graph(links, "similarity", symmetric=True)).labels_


def main() -> None:
    n, k = sizes(full=(5000, 50), small=(1500, 30))
    links = links_of(n, k)
    size = f"{n} nodes, {links.nnz} links, inflation 2"
    works = {"coterie": lambda: ours(links), "scipy": lambda: by_scipy(links)}
    if shutil.which("mcl"):
        works["mcl"] = lambda: program(links)
    coarse = {"coterie": lambda: ours(links, 1e-3)}
    if importlib.util.find_spec("markov_clustering"):
        works[_COARSE] = coarse[_COARSE] = lambda: markov_clustering(links)
    ours(links_of(200, 10))  # compiled, or loaded from the cache
    found = race(works, warm=False, once=(_COARSE, "scipy"))
    for peer, goal, why in (("mcl", 3.0, ""), (_COARSE, 4.0, _WHY), ("scipy", 1.0, "")):
        said(
            found,
            "labels from links",
            size,
            peer,
            goal,
            why,
            "ours drops flow below 1e-5 after inflation",
        )
    found = race(coarse, warm=False, once=(_COARSE,))
    said(
        found,
        "labels from links, coarse pruning",
        size,
        _COARSE,
        4.0,
        "",
        "both drop flow below 1e-3 after inflation",
    )
    two = race(
        {"coterie": lambda: _workers(2, links), "one worker": lambda: _workers(1, links)},
        warm=False,
        wall=True,
    )
    report(two.row("threads", "MCL, 2 workers", size, peer="one worker"))


def said(found: Race, name: str, size: str, peer: str, goal: float, why: str, rule: str) -> None:
    """The row of one peer, with how far it agrees."""
    if peer not in found.results:
        report(found.row("mcl", name, size, peer=peer, goal=goal))
        return
    labels = found.results[peer]
    own = found.results["coterie"]
    note = f"{len(np.unique(own))} groups, {peer} {len(np.unique(labels))}; {rule}"
    more: dict[str, Any] = {"quality": adjusted_rand_score(labels, own), "quality_of": "Rand index"}
    if peer == "mcl":
        more["quality_goal"] = 0.999
    report(found.row("mcl", name, size, peer=peer, goal=goal, note=note, why=why, **more))


def _workers(workers: int, links: Any) -> np.ndarray:
    with using(n_jobs=workers):
        return ours(links)


if __name__ == "__main__":
    main()
