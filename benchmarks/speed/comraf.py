"""Bi-modal MDC: whole runs with several restarts per iteration, and the plan for a million documents.

    python benchmarks/speed/comraf.py [documents] [words]        whole runs, and 1 and 2 workers
    python benchmarks/speed/comraf.py large [most documents]     time per pass and memory from 10^5 documents up

There is no peer for MDC; one pass of its kernel is set against sib-clustering in bottleneck.py. The large table has about 110
nonzero words per document of 100,000, 100 clusters, and is drawn in memory; a million documents have 10^8 nonzero counts.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from tables import topic_counts
from timing import Row, peak_since, quick, race, report, sizes, timed

from coterie.core.workplace import using
from coterie.organize.comraf.estimator import MDC
from coterie.parts.moves import Clusters, Counts, Rows, dealt


def whole(n: int, m: int) -> None:
    """A run of one restart on one worker; then several restarts per iteration, the same bytes for any number of workers."""
    counts, _ = topic_counts(n, m, 20, seed=0)
    size = f"{n} x {m}, {counts.nnz} nonzero, 20 clusters"
    MDC(n_groups=2, restarts=1).fit(counts[:50])  # compiled, or loaded from the cache
    found = race(
        {"coterie": lambda: MDC(n_groups=20, runs=1, restarts=1, random_state=0).fit(counts)},
        1,
        warm=False,
    )
    said = f"objective {found.results['coterie'].objective_:.5f}; no peer is known"
    report(
        Row(
            "bottleneck",
            "a whole MDC, one restart",
            size,
            ours=found.taken(),
            limit=60.0,
            peak=found.peak,
            note=said,
        )
    )
    labels = dict[int, bytes]()
    taken = dict[int, float]()
    peak = 0.0
    restarts = 2 if quick() else 4
    for workers in (2, 1):
        peak_since(begin=True)
        begun = time.perf_counter()
        with using(n_jobs=workers):
            model = MDC(n_groups=20, runs=1, restarts=restarts, random_state=0).fit(counts)
        taken[workers] = time.perf_counter() - begun
        labels[workers] = model.labels_.tobytes()
        peak = max(peak, peak_since())
    same = "the same bytes" if labels[1] == labels[2] else "DIFFERENT BYTES"
    report(
        Row(
            "threads",
            f"a whole MDC, {restarts} restarts per iteration",
            size,
            ours=taken[2],
            peer="one worker",
            theirs=taken[1],
            unit="wall s",
            peak=peak,
            note=f"2 workers; {same}; objective {model.objective_:.5f}",
        )
    )


def passes(n: int, m: int = 100_000, k: int = 100) -> None:
    """Seconds of a pass over the documents and over the words, and of a whole run from a sample."""
    counts, _ = topic_counts(n, m, k, length=120, seed=0)
    generator = np.random.default_rng(0)
    rows = Counts.of(counts)
    words = dealt(m, 1024, generator)
    size = f"{n} x {m}, {counts.nnz} nonzero, {k} clusters"
    documents = Clusters(Rows.of([rows], [words], [1024], [1.0]), dealt(n, k, generator), k)
    report(
        Row(
            "bottleneck",
            "MDC: a pass over the documents",
            size,
            ours=timed(lambda d=documents: d.sweep(generator), 1)[0],
        )
    )
    turned = Clusters(Rows.of([rows.flipped()], [documents.labels], [k], [1.0]), words, 1024)
    report(
        Row(
            "bottleneck",
            "MDC: a pass over the words",
            size,
            ours=timed(lambda t=turned: t.sweep(generator), 1)[0],
        )
    )
    del documents, turned, rows
    peak_since(begin=True)
    begun = time.perf_counter()
    model = MDC(
        n_groups=k, runs=1, restarts=2, polish=None, sample=min(20_000, n // 2), random_state=0
    ).fit(counts)
    run = time.perf_counter() - begun
    said = f"objective {model.objective_:.4f}"
    report(
        Row(
            "bottleneck",
            "a whole MDC from a sample",
            size,
            ours=run,
            unit="wall s",
            peak=peak_since(),
            note=said,
        )
    )


def main() -> None:
    if "large" in sys.argv:
        (most,) = sizes(full=(1_000_000,), small=(100_000,))
        for n in (100_000, 200_000, 500_000, 1_000_000):
            if n <= most:
                passes(n)
    else:
        whole(*sizes(full=(20_000, 40_000), small=(1_500, 3_000)))


if __name__ == "__main__":
    main()
