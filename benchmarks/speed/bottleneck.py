"""Sequential information bottleneck beside sib-clustering on the same counts in the same run.

    python benchmarks/speed/bottleneck.py [documents] [words]

CPU seconds of one pass over all documents (the difference of four passes and one, a turn per start), and the information kept by
the best of ten restarts with both, in nats.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from tables import topic_counts
from timing import OURS, Race, race, report, sizes, timed

from coterie.core.workplace import using
from coterie.organize.bottleneck import SequentialIB
from coterie.parts.moves import Counts, information, united

_K = 20
_STARTS = 3
_RESTARTS = 10
_PEER = "sib-clustering"


def kept(counts: Any, labels: np.ndarray) -> float:
    """Information of the clusters about the words."""
    table = Counts.of(counts)
    return information(
        united(table, labels, int(labels.max()) + 1, np.arange(table.width), table.width)
    )


def ours(counts: Any, sweeps: int, restarts: int, seed: int) -> np.ndarray:
    return (
        SequentialIB(n_groups=_K, restarts=restarts, sweeps=sweeps, random_state=seed)
        .fit(counts)
        .labels_
    )


def peer(counts: Any, sweeps: int, restarts: int, seed: int) -> np.ndarray:
    from sib import SIB

    model = SIB(
        _K,
        random_state=seed,
        n_jobs=1,
        n_init=restarts,
        max_iter=sweeps,
        tol=0.0,
        uniform_prior=False,
    )
    table = sp.csr_matrix(
        counts, dtype=np.int64
    )  # it takes the older form of sparse matrices, with places of 32 bits
    table.indices = table.indices.astype(np.int32)
    table.indptr = table.indptr.astype(np.int32)
    return np.asarray(model.fit(table).labels_)


def per_pass(fits: dict[str, Callable[..., np.ndarray]], counts: Any) -> tuple[Race, Race]:
    """CPU seconds of four passes with what comes before, and of one pass: four less one, over three; a turn per start."""
    whole = Race()
    one = Race()
    for seed in range(_STARTS):
        for name, fit in fits.items():
            four, _ = timed(lambda fit=fit, seed=seed: fit(counts, 4, 1, seed), 1)
            first, _ = timed(lambda fit=fit, seed=seed: fit(counts, 1, 1, seed), 1)
            whole.turns.setdefault(name, []).append(four)
            one.turns.setdefault(name, []).append((four - first) / 3)
    return whole, one


def best(fits: dict[str, Callable[..., np.ndarray]], counts: Any, size: str) -> None:
    """The information kept by the best of ten restarts: ours is to be not less than the peer's."""
    found = race(
        {name: lambda fit=fit: fit(counts, 15, _RESTARTS, 0) for name, fit in fits.items()},
        1,
        warm=False,
    )
    nats = {name: kept(counts, labels) for name, labels in found.results.items()}
    said = ", ".join(f"{name} keeps {value:.6f} nats" for name, value in nats.items())
    more: dict[str, Any] = {}
    if _PEER in nats:
        more = {
            "quality": nats[OURS] / nats[_PEER],
            "quality_of": "information kept, over the peer's",
            "quality_goal": 1.0,
        }
    report(
        found.row(
            "bottleneck", f"the best of {_RESTARTS} restarts", size, peer=_PEER, note=said, **more
        )
    )


def main() -> None:
    n, m = sizes(full=(20_000, 40_000), small=(3_000, 6_000))
    counts, _ = topic_counts(n, m, _K, seed=0)
    size = f"{n} x {m}, {counts.nnz} nonzero, {_K} clusters"
    fits: dict[str, Callable[..., np.ndarray]] = {OURS: ours}
    if importlib.util.find_spec("sib"):
        fits[_PEER] = peer
    with using(n_jobs=1):
        ours(counts[:200], 2, 1, 0)  # compiled, or loaded from the cache
        whole, one = per_pass(fits, counts)
        report(one.row("bottleneck", "one pass", size, peer=_PEER, goal=6.0))
        report(whole.row("bottleneck", "four passes with what comes before", size, peer=_PEER))
        best(fits, counts, size)


if __name__ == "__main__":
    main()
