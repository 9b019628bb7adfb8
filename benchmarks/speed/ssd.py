"""State-space dynamics end to end: seconds of the shared models, of the walks in them and of the graph, and peak memory.

    python benchmarks/speed/ssd.py [--quick] [members ...]

Sequences of 100 steps and 12 values are drawn from ten hidden Markov models that share their 30 states. Bar: the graph of
50 neighbors of 10,000 sequences in under 10 minutes and 4 GB on two cores. Every size runs in a process of its own, so
that its peak memory is its own. The models and the walks grow linearly with the sequences; the graph compares all pairs,
so it grows with their square (one matrix product, band by band). There is no peer: no library that is installed here has
this distance. Seconds are those of a machine that others share.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

import numpy as np
from timing import Row, peak_since, quick, report

from coterie.compare.shared_models import train_shared, walks_in
from coterie.compare.ssd import SSD
from coterie.core.ragged import Ragged
from coterie.core.workplace import cores
from coterie.models import HMM
from coterie.parts.pairwise import graph

_STEPS = 100
_VALUES = 12
_SOURCES = 10
_STATES = 30
_NEIGHBORS = 50


def drawn(n: int) -> Ragged:
    """Sequences of sources that differ in how they walk through common states."""
    random = np.random.default_rng(0)
    means = random.normal(size=(_STATES, _VALUES)) * 1.5
    follow = random.dirichlet(np.full(_STATES, 0.1), size=(_SOURCES, _STATES)).cumsum(axis=2)
    source = np.arange(n) % _SOURCES
    states = np.empty((n, _STEPS), dtype=np.int64)
    states[:, 0] = random.integers(_STATES, size=n)
    for t in range(1, _STEPS):
        moved = (random.random(n)[:, None] < follow[source, states[:, t - 1]]).argmax(axis=1)
        states[:, t] = np.where(random.random(n) < 0.5, states[:, t - 1], moved)
    values = means[states.ravel()] + random.normal(size=(n * _STEPS, _VALUES))
    return Ragged(values, np.arange(n + 1) * _STEPS)


def once(n: int) -> None:
    """One size: prints its line."""
    warnings.simplefilter("ignore")
    sequences = drawn(n)
    train_shared(HMM(max_iter=1), sequences[:50], [0], 3)  # so that no compilation is counted
    begun = time.perf_counter()
    fitted = SSD(n_states=40, random_state=0).fit(sequences)
    fit = time.perf_counter() - begun
    begun = time.perf_counter()
    walks_in(fitted.models_[0], sequences)
    walks = 5 * (time.perf_counter() - begun)
    begun = time.perf_counter()
    found = graph(fitted.affinity_, _NEIGHBORS)
    near = time.perf_counter() - begun
    peak = peak_since()
    same = np.mean(
        found.values.indices % _SOURCES
        == np.repeat(np.arange(n), np.diff(found.values.indptr)) % _SOURCES
    )
    goals = {"limit": 600.0, "room": 4e9} if n >= 10_000 else {}
    note = f"models {fit - walks:.1f} s, walks {walks:.1f} s, graph {near:.1f} s; {same:.0%} of the neighbors are of the same source"
    size = f"{n} sequences of {_STEPS} x {_VALUES}, 5 models of 40 states, {cores()} cores"
    report(
        Row(
            "ssd",
            f"graph of {_NEIGHBORS} neighbors",
            size,
            ours=fit + near,
            unit="wall s",
            peak=peak,
            note=note,
            **goals,
        )
    )


def main() -> None:
    given = [int(word) for word in sys.argv[1:] if word.isdigit()]
    if "--one" in sys.argv:
        once(given[0])
        return
    for n in given or ([1_250] if quick() else [2_500, 10_000]):
        subprocess.run([sys.executable, __file__, "--one", str(n)], check=True)


if __name__ == "__main__":
    main()
