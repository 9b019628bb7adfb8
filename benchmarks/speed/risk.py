"""Nearest neighbor risk of all pairs of sets, by complete cross-validation, against scikit-learn pair by pair.

    python benchmarks/speed/risk.py [--quick]

Collections of normal vectors: 270 sets of about 15 in 12 dimensions, and 100 and 400 sets of 60 in 135, each once with sets that
lie apart and once with sets that overlap, where more ranks matter. The peer is scikit-learn's NearestNeighbors (brute force, all
neighbors) on the vectors of two sets, and the weights of the ranks by numpy; it runs on a sample of the pairs. Ours is a whole
`complete_risks`; other ways and a whole `NearestRisk.fit` are shown besides. Goals: at least 50 times for small sets and 15 times
for sets of 60.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
from scipy.special import gammaln  # noqa: E402
from sklearn.neighbors import NearestNeighbors  # noqa: E402
from timing import Row, quick, race, report, timed  # noqa: E402

from coterie.compare.nearest_risk import NearestRisk  # noqa: E402
from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402
from coterie.parts.complete_validation import complete_risks  # noqa: E402
from coterie.parts.orders import orders_of  # noqa: E402

_PAIRS = 150  # of the sample that the peer computes


def drawn(n: int, shortest: int, longest: int, d: int, spread: float) -> Ragged:
    random = np.random.default_rng(0)
    sizes = random.integers(shortest, longest + 1, size=n)
    return Ragged.of(
        [random.normal(size=(size, d)) + spread * random.normal(size=d) for size in sizes],
        ordered=False,
    )


def by_peer(one: np.ndarray, other: np.ndarray) -> float:
    """The risk of one pair; neighbors come without the vector itself."""
    both = np.concatenate([one, other])
    n = len(both)
    labels = np.arange(n) >= len(one)
    near = (
        NearestNeighbors(n_neighbors=n - 1, algorithm="brute")
        .fit(both)
        .kneighbors(return_distance=False)
    )
    size = round(n / 2)
    rank = np.arange(1, n - round(n / 2) + 1)
    logs = (
        gammaln(n - rank)
        - gammaln(n - rank - size + 1)
        + np.log(size)
        + gammaln(n - size)
        - gammaln(n)
    )
    return float(
        (np.exp(logs) * (labels[near[:, : len(rank)]] != labels[:, None])).sum(axis=1).mean()
    )


def against_peer(name: str, sets: Ragged, goal: float, *, others: bool, times: int = 3) -> None:
    upper = np.transpose(np.triu_indices(len(sets), 1))
    sample = upper[
        np.random.default_rng(1).choice(len(upper), min(_PAIRS, len(upper)), replace=False)
    ]
    part = [(sets[int(i)], sets[int(j)]) for i, j in sample]
    works = {
        "coterie": lambda: complete_risks(sets),
        "NearestNeighbors": lambda: [by_peer(*pair) for pair in part],
    }
    found = race(works, times, scale={"NearestNeighbors": len(upper) / len(sample)})
    risks = found.results["coterie"].means
    gap = float(
        np.abs(
            np.array(found.results["NearestNeighbors"]) - risks[sample[:, 0], sample[:, 1]]
        ).max()
    )
    size = f"{len(sets)} sets, {len(sets.values)} vectors, d = {sets.values.shape[1]}, {name}"
    note = f"mean risk {risks[upper[:, 0], upper[:, 1]].mean():.3f}"
    what = "complete cross-validation"
    report(
        found.row(
            "risk",
            what,
            size,
            peer="NearestNeighbors",
            goal=goal,
            error=gap,
            tolerance=1e-12,
            note=note,
        )
    )
    if others:
        ways = {
            "the orders alone": lambda: orders_of(sets),
            "leave-one-out": lambda: complete_risks(sets, method="leave-one-out"),
            "stratified": lambda: complete_risks(sets, method="stratified"),
            "NearestRisk.fit": lambda: NearestRisk().fit(sets),
        }
        for way, work in ways.items():
            report(Row("risk", way, size, ours=timed(work, 1)[0]))


def main() -> None:
    with using(n_jobs=1):
        for name, spread in (("apart", 1.0), ("overlapping", 0.1)):
            against_peer(
                name,
                drawn(100 if quick() else 270, 7, 24, 12, spread),
                50.0,
                others=name == "apart",
            )
            against_peer(
                name,
                drawn(40 if quick() else 100, 60, 60, 135, spread),
                15.0,
                others=name == "apart",
            )
        if not quick():
            against_peer("apart", drawn(400, 60, 60, 135, 1.0), 15.0, others=False, times=1)


if __name__ == "__main__":
    main()
