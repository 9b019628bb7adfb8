"""A million members from codes to groups: an approximate graph of the 10 nearest, then Leiden and label propagation on it.

    python benchmarks/speed/million.py [members] [iterations] [--quick]

Codes are given: labels of random linear classifiers of points in 16 dimensions around planted middles (2,000 of them for a
million members). Seconds on the clock with the workers of the workplace (one per core), the peak memory of a fresh process, and
how far the groups are the planted ones (adjusted Rand index). Bar: two cores and 24 GB.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import Row, alone, report, sizes

from coterie.compare.sic.codes import Codes
from coterie.compare.sic.scores import Binary
from coterie.core.workplace import cores, using
from coterie.judge import adjusted_rand
from coterie.organize import Leiden, Propagation
from coterie.parts.pairwise import graph

K = 10
PER_GROUP = 500
ROOM = 24e9


def planted(n: int, iterations: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Codes (iterations, members) of points around middles, made some members at a time, and the middle of every member."""
    random = np.random.default_rng(seed)
    groups = max(2, n // PER_GROUP)
    truth = random.integers(groups, size=n)
    middles = random.normal(size=(groups, 16)).astype(np.float32)
    points = middles[truth] + 0.25 * random.normal(size=(n, 16)).astype(np.float32)
    labels = np.empty((iterations, n), dtype=np.uint8)
    for i in range(iterations):
        weights = random.normal(size=(16, int(random.integers(60, 201)))).astype(np.float32)
        for a in range(0, n, 50_000):
            labels[i, a : a + 50_000] = np.argmax(points[a : a + 50_000] @ weights, axis=1)
    return labels, truth


def whole(n: int, iterations: int) -> dict[str, Any]:
    """All of it in one process: seconds of each step, what was found, and how good it is."""
    found: dict[str, Any] = {}

    def step(name: str, work: Callable[[], Any]) -> Any:
        begun = time.perf_counter()
        cpu = time.process_time()
        result = work()
        found[name] = time.perf_counter() - begun
        found[f"{name} cpu"] = time.process_time() - cpu
        print(
            f"  {name}: {found[name]:.1f} s on the clock, {found[f'{name} cpu']:.1f} CPU s",
            flush=True,
        )
        return result

    labels, truth = step("codes", lambda: planted(n, iterations))
    small = Binary().affinity(Codes(labels[:, :2000]))
    Leiden(random_state=0).fit(graph(small, K, approximate=True))  # compiles
    Propagation(random_state=0).fit(graph(small, K, approximate=True))
    affinity = Binary().affinity(Codes(labels))
    near = step("graph", lambda: graph(affinity, K, approximate=True))
    found["recall"] = near.recall
    for name, organizer in (
        ("leiden", Leiden(random_state=0)),
        ("propagation", Propagation(random_state=0)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            groups = step(name, lambda one=organizer: one.fit(near).partition_)
        found[f"{name} groups"] = groups.n_groups
        found[f"{name} ari"] = float(adjusted_rand(truth, groups.labels))
    return found


def measured(n: int, iterations: int) -> dict[str, Any]:
    with using(memory=int(ROOM)):
        return whole(n, iterations)


def main() -> None:
    n, iterations = sizes(full=(1_000_000, 200), small=(50_000, 100))
    found, peak = alone(measured, n, iterations)
    size = f"{n:,} members, {iterations} iterations, {cores()} cores"
    given = {"unit": "wall s", "peak": peak, "room": ROOM}
    recall = {"quality": found["recall"], "quality_of": "recall at 10", "quality_goal": 0.95}
    report(
        Row(
            "million",
            "Graph of the 10 nearest",
            size,
            ours=found["graph"],
            note=f"{found['graph cpu']:.0f} CPU s",
            **given,
            **recall,
        )
    )
    for name in ("leiden", "propagation"):
        note = f"{found[f'{name} cpu']:.0f} CPU s, {found[f'{name} groups']:,} groups of {max(2, n // PER_GROUP):,} planted"
        ari = {"quality": found[f"{name} ari"], "quality_of": "adjusted Rand index"}
        report(
            Row(
                "million",
                f"{name.title()} on that graph",
                size,
                ours=found[name],
                note=note,
                **given,
                **ari,
            )
        )
    total = found["graph"] + found["leiden"]
    report(Row("million", "From codes to groups (graph and Leiden)", size, ours=total, **given))


if __name__ == "__main__":
    main()
