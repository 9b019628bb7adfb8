"""The pairwise driver against one hand-written NumPy call, and the same tiles on one and on two workers.

    python benchmarks/speed/pairwise.py [members] [columns]

Peer: NumPy/BLAS, the whole 10,000 x 10,000 Euclidean matrix in one expression. Medians of five, both in the same run, on
a machine that others share; only the ratios mean something.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from coterie.compare import Euclidean, Minkowski
from coterie.core.workplace import cores, using
from coterie.parts.pairwise import dense

_TIMES = 5


def by_hand(rows: np.ndarray) -> np.ndarray:
    """Euclidean distances as one would write them."""
    squares = (rows * rows).sum(axis=1)
    out = rows @ rows.T
    out *= -2.0
    out += squares[:, None]
    out += squares[None, :]
    np.maximum(out, 0.0, out=out)
    return np.sqrt(out, out=out)


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    n, d = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 50
    rows = np.random.default_rng(0).normal(size=(n, d))
    lazy = Euclidean().fit(rows).affinity_
    assert np.allclose(dense(lazy).values[:500], by_hand(rows)[:500], atol=1e-6)
    hand, ours = [], []
    for _ in range(_TIMES):
        hand.append(seconds(lambda: by_hand(rows)))
        ours.append(seconds(lambda: dense(lazy)))
    print(f"Euclidean, {n} x {d}: numpy {statistics.median(hand):.2f} s, driver {statistics.median(ours):.2f} s, ", end="")
    print(f"driver / numpy = {statistics.median(ours) / statistics.median(hand):.2f} (bar: at most 1.3)")

    part = rows[: n // 3]
    slow = Minkowski(p=3.0).fit(part).affinity_
    dense(slow)
    one, two = [], []
    for _ in range(_TIMES):
        with using(n_jobs=1):
            one.append(seconds(lambda: dense(slow)))
        with using(n_jobs=2):
            two.append(seconds(lambda: dense(slow)))
    print(
        f"Minkowski tiles, {len(part)} x {d}: 1 worker {statistics.median(one):.2f} s, "
        f"2 workers {statistics.median(two):.2f} s, ",
        end="",
    )
    print(f"speed-up {statistics.median(one) / statistics.median(two):.2f} (bar: at least 1.7; {cores()} cores, shared)")


if __name__ == "__main__":
    main()
