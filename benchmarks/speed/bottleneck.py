"""Sequential information bottleneck beside sib-clustering on the same counts in the same run.

    python benchmarks/speed/bottleneck.py [documents] [words]

Prints CPU seconds of one pass over all documents (one thread; the difference of four passes and one, median over starts), and
the information kept by the best of ten restarts with both, in nats. Needs `pip install sib-clustering` for the peer.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from tables import topic_counts
from timing import timed

from coterie.core.workplace import using
from coterie.organize.bottleneck import SequentialIB
from coterie.parts.contingency import Counts, information, united

_K = 20
_STARTS = 3


def kept(counts: Any, labels: np.ndarray) -> float:
    """Information of the clusters about the words."""
    table = Counts.of(counts)
    return information(united(table, labels, int(labels.max()) + 1, np.arange(table.width), table.width))


def ours(counts: Any, sweeps: int, restarts: int, seed: int) -> np.ndarray:
    return SequentialIB(n_groups=_K, restarts=restarts, sweeps=sweeps, random_state=seed).fit(counts).labels_


def peer(counts: Any, sweeps: int, restarts: int, seed: int) -> np.ndarray:
    from sib import SIB

    model = SIB(_K, random_state=seed, n_jobs=1, n_init=restarts, max_iter=sweeps, tol=0.0, uniform_prior=False)
    table = sp.csr_matrix(counts, dtype=np.int64)  # it takes the older form of sparse matrices, with places of 32 bits
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    return np.asarray(model.fit(table).labels_)


def per_pass(fit: Callable[..., np.ndarray], counts: Any) -> float:
    """CPU seconds of one pass: four passes less one, over three, median over starts."""
    found = []
    for seed in range(_STARTS):
        four, _ = timed(lambda seed=seed: fit(counts, 4, 1, seed), 1)  # type: ignore[misc]
        one, _ = timed(lambda seed=seed: fit(counts, 1, 1, seed), 1)  # type: ignore[misc]
        found.append((four - one) / 3)
    return statistics.median(found)


def main(n: int = 20_000, m: int = 40_000) -> None:
    counts, _ = topic_counts(n, m, _K, seed=0)
    print(f"{n} documents x {m} words, {counts.nnz} nonzero, {_K} clusters; the machine was shared")
    fits: dict[str, Callable[..., np.ndarray]] = {"coterie": ours}
    if importlib.util.find_spec("sib"):
        fits["sib-clustering"] = peer
    with using(n_jobs=1):
        ours(counts[:200], 2, 1, 0)  # compiled, or loaded from the cache
        passes = {name: per_pass(fit, counts) for name, fit in fits.items()}
        for name, fit in fits.items():
            whole, labels = timed(lambda fit=fit: fit(counts, 15, 10, 0), 1)  # type: ignore[misc]
            ratio = f"coterie {passes[name] / passes['coterie']:.1f}x per pass"
            best = f"best of 10 restarts {kept(counts, labels):.5f} nats in {whole:.1f} s"
            print(f"{name:15s} pass {passes[name]:.3f} s   {best}   {ratio}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
