"""Bi-modal MDC: whole runs with ten restarts per iteration, and the plan for a million documents.

    python benchmarks/speed/comraf.py [documents] [words]        a whole run, wall seconds and memory, 1 and 2 workers
    python benchmarks/speed/comraf.py large [most documents]     time per pass and memory from 10^5 documents up

There is no peer for MDC; one pass of its kernel is set against sib-clustering in bottleneck.py. The large table has about 110
nonzero words per document of 100,000, 100 clusters, and is drawn in memory; a million documents have 10^8 nonzero counts.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from tables import topic_counts

from coterie.core.workplace import using
from coterie.organize.comraf.estimator import MDC
from coterie.parts.contingency import Counts
from coterie.parts.moves import Clusters, Rows, dealt


def peak() -> float:
    """Most memory this process had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def whole(n: int = 20_000, m: int = 40_000) -> None:
    """A run of ten restarts per iteration, the same bytes for any number of workers."""
    counts, _ = topic_counts(n, m, 20, seed=0)
    print(f"{n} documents x {m} words, {counts.nnz} nonzero, 20 clusters, 10 restarts per iteration; the machine was shared")
    MDC(n_groups=2, restarts=1).fit(counts[:50])  # compiled, or loaded from the cache
    found = {}
    for workers in (2, 1):
        begun = time.perf_counter()
        with using(n_jobs=workers):
            model = MDC(n_groups=20, runs=1, restarts=10, random_state=0).fit(counts)
        found[workers] = model.labels_.tobytes()
        print(
            f"{workers} workers: {time.perf_counter() - begun:.0f} s, objective {model.objective_:.5f}, peak {peak():.2f} GB",
            flush=True,
        )
    print("same bytes" if found[1] == found[2] else "DIFFERENT BYTES")


def passes(n: int, m: int = 100_000, k: int = 100) -> None:
    """Seconds of drawing, of a pass over the documents and over the words, and of a whole run from a sample."""
    begun = time.perf_counter()
    counts, _ = topic_counts(n, m, k, length=120, seed=0)
    drawn = time.perf_counter() - begun
    generator = np.random.default_rng(0)
    rows = Counts.of(counts)
    words = dealt(m, 1024, generator)
    begun = time.perf_counter()
    documents = Clusters(Rows.of([rows], [words], [1024], [1.0]), dealt(n, k, generator), k)
    stacked = time.perf_counter() - begun
    begun = time.perf_counter()
    documents.sweep(generator)
    one = time.perf_counter() - begun
    turned = Clusters(Rows.of([rows.flipped()], [documents.labels], [k], [1.0]), words, 1024)
    begun = time.perf_counter()
    turned.sweep(generator)
    other = time.perf_counter() - begun
    del documents, turned, rows
    begun = time.perf_counter()
    model = MDC(n_groups=k, runs=1, restarts=2, polish=None, sample=min(20_000, n // 2), random_state=0).fit(counts)
    run = time.perf_counter() - begun
    print(
        f"{n:>9,} documents, {counts.nnz:>11,} nonzero: drawn in {drawn:.0f} s, stacked in {stacked:.1f} s, "
        f"pass over documents {one:.1f} s ({1e9 * one / counts.nnz:.0f} ns per nonzero), over words {other:.1f} s; "
        f"whole run from a sample {run:.0f} s, objective {model.objective_:.4f}, peak {peak():.1f} GB",
        flush=True,
    )


def main(words: list[str]) -> None:
    if words[:1] == ["large"]:
        most = int(words[1]) if len(words) > 1 else 1_000_000
        for n in (100_000, 200_000, 500_000, 1_000_000):
            if n <= most:
                passes(n)
    else:
        whole(*map(int, words))


if __name__ == "__main__":
    main(sys.argv[1:])
