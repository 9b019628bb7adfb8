"""The pairwise driver against one hand-written NumPy call, and the same tiles on one and on two workers.

    python benchmarks/speed/pairwise.py [members] [columns]

Peer: NumPy/BLAS, the whole 10,000 x 10,000 Euclidean matrix in one expression, one thread both. Medians of five.
"""

from __future__ import annotations

import numpy as np
from timing import race, report, sizes

from coterie.compare import Euclidean, Minkowski
from coterie.core.workplace import cores, using
from coterie.parts.pairwise import dense


def by_hand(rows: np.ndarray) -> np.ndarray:
    """Euclidean distances as one would write them."""
    squares = (rows * rows).sum(axis=1)
    out = rows @ rows.T
    out *= -2.0
    out += squares[:, None]
    out += squares[None, :]
    np.maximum(out, 0.0, out=out)
    return np.sqrt(out, out=out)


def main() -> None:
    n, d = sizes(full=(10_000, 50), small=(3_000, 50))
    rows = np.random.default_rng(0).normal(size=(n, d))
    lazy = Euclidean().fit(rows).affinity_
    gap = float(np.abs(dense(lazy).values[:500] - by_hand(rows)[:500]).max())
    found = race({"coterie": lambda: dense(lazy), "numpy": lambda: by_hand(rows)}, 5)
    note = "one product of matrices; the goal is at most 1.3 times as slow"
    report(
        found.row(
            "pairs",
            "Euclidean distances",
            f"{n} x {d}",
            peer="numpy",
            goal=1 / 1.3,
            error=gap,
            tolerance=1e-6,
            note=note,
        )
    )

    slow = Minkowski(p=3.0).fit(rows[: n // 3]).affinity_

    def tiles(workers: int) -> None:
        with using(n_jobs=workers):
            dense(slow)

    two = race({"coterie": lambda: tiles(2), "one worker": lambda: tiles(1)}, 5, wall=True)
    note = f"{cores()} cores that others use too"
    report(
        two.row(
            "threads",
            "Minkowski tiles, 2 workers",
            f"{n // 3} x {d}",
            peer="one worker",
            goal=1.7,
            note=note,
        )
    )


if __name__ == "__main__":
    main()
