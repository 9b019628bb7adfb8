"""Approximate graphs of the 10 nearest against the exact ones: codes of SIC, dense rows, sparse rows, and a peer.

    python benchmarks/speed/neighbors.py [members] [members for the peer] [--quick]

Exact graphs are timed on a share of the rows and multiplied; recall is what the graph itself measures, on 200 members (our
time includes it). The peer, pynndescent, knows no codes with missing ones: it gets them as rows with Hamming distance; it is run
as it comes, and with lists of 20, which bring its recall near ours. CPU seconds of one thread.
Bars: codes of 200,000 members by 200 iterations at recall at 10 of at least 0.95 and at least 3 times faster than exact.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

from collections.abc import Callable  # noqa: E402
from functools import partial  # noqa: E402
from importlib.util import find_spec  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from codes import drawn  # noqa: E402
from timing import race, report, sizes  # noqa: E402

from coterie.compare import Chord, Euclidean  # noqa: E402
from coterie.compare.sic.codes import Codes  # noqa: E402
from coterie.compare.sic.scores import Binary, top  # noqa: E402
from coterie.core.affinity import Lazy  # noqa: E402
from coterie.parts.approximate import looked_up, recall_of  # noqa: E402
from coterie.parts.pairwise import graph  # noqa: E402

K = 10
ITERATIONS = 200
COLUMNS = 50
SHARE = 1024  # rows the exact way is timed on


def dense_rows(n: int, seed: int = 0) -> np.ndarray:
    """Rows around 1,000 middles, with directions of unequal spread, as reduced term vectors have."""
    random = np.random.default_rng(seed)
    middles = 3.0 * random.normal(size=(1000, COLUMNS))
    spread = 1.0 / np.sqrt(np.arange(1, COLUMNS + 1))
    return np.asarray(
        middles[random.integers(1000, size=n)] + random.normal(size=(n, COLUMNS)) * spread
    )


def sparse_rows(
    n: int, seed: int = 0, words: int = 60, width: int = 20_000, topics: int = 200
) -> sp.csr_array:
    """Documents of 60 words: half from one of 200 topics, half common ones, weighted by tf-idf."""
    random = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, width + 1)
    shares /= shares.sum()
    names = np.stack([random.permutation(width) for _ in range(topics)])
    own = names[
        random.integers(topics, size=n)[:, None], random.choice(width, size=(n, words), p=shares)
    ]
    column = np.where(
        random.random((n, words)) < 0.5, own, random.choice(width, size=(n, words), p=shares)
    )
    table = sp.csr_array(
        (np.ones(n * words), column.ravel(), np.arange(0, n * words + 1, words)), shape=(n, width)
    )
    table.sum_duplicates()
    table.data = (1.0 + np.log(table.data)) * np.log(
        n / np.bincount(table.indices, minlength=width)[table.indices]
    )
    return table


def against_exact(
    name: str, size: str, affinity: Lazy, exact: Callable[[], Any], rows: int, **goals: Any
) -> None:
    works = {"coterie": lambda: graph(affinity, K, approximate=True), "exact": exact}
    found = race(works, 1, warm=False, scale={"exact": affinity.n / rows})
    measured = {"quality": found.results["coterie"].recall, "quality_of": "recall at 10"}
    report(found.row("near", name, size, peer="exact", **measured, **goals))


def peer(rows: Any, metric: str, width: int = K) -> Any:
    from pynndescent import NNDescent

    return NNDescent(
        rows, metric=metric, n_neighbors=width + 1, random_state=0, n_jobs=1
    ).neighbor_graph


def against_peer(name: str, size: str, affinity: Lazy, rows: Any, metric: str) -> None:
    """All have a first turn that compiles; the peer, as it comes and with longer lists, is measured on the same members."""
    works = {"coterie": lambda: graph(affinity, K, approximate=True)}
    if find_spec("pynndescent"):
        works["pynndescent"] = lambda: peer(rows, metric)
        works["pynndescent (lists of 20)"] = lambda: peer(rows, metric, 20)
    found = race(works, 1)
    ours = {
        "quality": found.results["coterie"].recall,
        "quality_of": "recall at 10",
        "quality_goal": 0.95,
    }
    for one in ("pynndescent", "pynndescent (lists of 20)"):
        there = found.results.get(one)
        said = (
            ""
            if there is None
            else f"recall at 10 of the peer {peer_recall(affinity, there[0]):.3f}"
        )
        report(found.row("near", name, size, peer=one, note=said, **ours))


def peer_recall(affinity: Lazy, index: np.ndarray) -> float:
    """Measured as ours is: itself left out, ties counted as right."""
    own = np.arange(len(index))[:, None]
    others = np.argsort(index == own, axis=1, kind="stable")[:, :K]
    near = np.ascontiguousarray(np.take_along_axis(index, others, axis=1), dtype=np.int32)
    values = np.empty(near.shape)
    affinity.search().values(near, 0, values)
    return recall_of(affinity, near, values)


def warm() -> None:
    """Compile every kernel on few members."""
    graph(Binary().affinity(Codes(drawn(20, 2000).astype(np.int16))), K, approximate=True)
    graph(Euclidean().fit(dense_rows(2000)).affinity_, K, approximate=True)
    graph(Chord().fit(sparse_rows(2000)).affinity_, K, approximate=True)
    top(Codes(drawn(20, 200).astype(np.int16)), K, Codes(drawn(20, 200).astype(np.int16)))


def by_codes(labels: np.ndarray, what: str = "") -> None:
    n = labels.shape[1]
    codes = Codes(labels)
    some = Codes(labels[:, : min(SHARE, n)])
    goals = {"goal": 3.0, "quality_goal": 0.95} if n >= 200_000 else {"quality_goal": 0.95}
    size = f"{n:,} members, {ITERATIONS} iterations{what}"
    exact = partial(top, codes, K, some)
    against_exact(
        "Graph of 10 nearest by codes",
        size,
        Binary().affinity(codes),
        exact,
        some.n_members,
        **goals,
    )


def by_rows(name: str, affinity: Lazy) -> None:
    rows = np.arange(min(SHARE, affinity.n))
    exact = partial(looked_up, affinity, rows, K)
    against_exact(
        f"Graph of 10 nearest, {name}",
        f"{affinity.n:,} members",
        affinity,
        exact,
        len(rows),
        quality_goal=0.95,
    )


def main() -> None:
    n, few = sizes(full=(200_000, 30_000), small=(20_000, 5_000))
    warm()
    labels = drawn(ITERATIONS, n)
    by_codes(labels)
    untested = np.random.default_rng(1).random(labels.shape, dtype=np.float32) < 0.25
    by_codes(np.where(untested, np.int16(-1), labels), ", a quarter not tested")
    by_rows(f"dense rows, {COLUMNS} columns", Euclidean().fit(dense_rows(n)).affinity_)
    by_rows("sparse rows, 60 words", Chord().fit(sparse_rows(n)).affinity_)
    peers(labels[:, :few], few)


def peers(labels: np.ndarray, n: int) -> None:
    against_peer(
        "Codes",
        f"{n:,} members",
        Binary().affinity(Codes(labels)),
        labels.T.astype(np.float32),
        "hamming",
    )
    dense = dense_rows(n)
    against_peer(
        "Dense rows",
        f"{n:,} members",
        Euclidean().fit(dense).affinity_,
        dense.astype(np.float32),
        "euclidean",
    )
    plain = np.random.default_rng(0).normal(size=(n, 16))
    name = "Dense rows without groups, 16 columns"
    against_peer(
        name,
        f"{n:,} members",
        Euclidean().fit(plain).affinity_,
        plain.astype(np.float32),
        "euclidean",
    )
    sparse = sparse_rows(n)
    against_peer(
        "Sparse rows",
        f"{n:,} members",
        Chord().fit(sparse).affinity_,
        sp.csr_matrix(sparse),
        "cosine",
    )


if __name__ == "__main__":
    main()
