"""Nearest neighbor risk of all pairs of sets, by complete cross-validation, against scikit-learn pair by pair.

    python benchmarks/speed/risk.py [--pairs 150] [--large 400]

Two collections of normal vectors: 270 sets of about 15 in 12 dimensions, and 400 sets (or `--large`) of 60 in 135, each once with
sets that lie apart and once with sets that overlap, where more ranks matter. The peer is scikit-learn's NearestNeighbors (brute
force, all neighbors) on the vectors of two sets, and the weights of the ranks by numpy; it runs on a sample of the pairs, and
its time for all pairs is extrapolated from them. Both results are checked to be equal on the sample. Ours is a whole
`complete_risks`, one worker; other ways and a whole `NearestRisk.fit` are shown besides (once for the large collection). CPU
seconds of one thread, medians of three, in the same run; on a shared machine only the ratios mean something. About three
minutes. Bars: at least 50 times for small sets and 15 times for sets of 60.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402

import numpy as np  # noqa: E402
from scipy.special import gammaln  # noqa: E402
from sklearn.neighbors import NearestNeighbors  # noqa: E402
from timing import seconds, timed  # noqa: E402

from coterie.compare.nearest_risk import NearestRisk  # noqa: E402
from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402
from coterie.parts.complete_validation import complete_risks  # noqa: E402
from coterie.parts.orders import orders_of  # noqa: E402


def drawn(n: int, shortest: int, longest: int, d: int, spread: float) -> Ragged:
    random = np.random.default_rng(0)
    sizes = random.integers(shortest, longest + 1, size=n)
    return Ragged.of([random.normal(size=(size, d)) + spread * random.normal(size=d) for size in sizes], ordered=False)


def by_peer(one: np.ndarray, other: np.ndarray) -> float:
    """The risk of one pair; neighbors come without the vector itself."""
    both = np.concatenate([one, other])
    n = len(both)
    labels = np.arange(n) >= len(one)
    near = NearestNeighbors(n_neighbors=n - 1, algorithm="brute").fit(both).kneighbors(return_distance=False)
    size, rank = round(n / 2), np.arange(1, n - round(n / 2) + 1)
    logs = gammaln(n - rank) - gammaln(n - rank - size + 1) + np.log(size) + gammaln(n - size) - gammaln(n)
    return float((np.exp(logs) * (labels[near[:, : len(rank)]] != labels[:, None])).sum(axis=1).mean())


def against_peer(name: str, sets: Ragged, pairs: int, bar: float, times: int) -> None:
    risks = complete_risks(sets).means
    upper = np.transpose(np.triu_indices(len(sets), 1))
    sample = upper[np.random.default_rng(1).choice(len(upper), min(pairs, len(upper)), replace=False)]
    theirs = np.array([by_peer(sets[int(i)], sets[int(j)]) for i, j in sample])
    gap = float(np.abs(theirs - risks[sample[:, 0], sample[:, 1]]).max())
    taken = seconds(lambda: [by_peer(sets[int(i)], sets[int(j)]) for i, j in sample]) * len(upper) / len(sample)
    ours = timed(lambda: complete_risks(sets))[0]  # it ran once above
    print(f"{name}: {len(upper)} pairs of {sets!r}, mean risk {risks[upper[:, 0], upper[:, 1]].mean():.3f}")
    print(f"  complete cross-validation: {ours:.3f} s; scikit-learn {taken:.1f} s, extrapolated from {len(sample)} pairs")
    print(f"  {taken / ours:.0f} times (bar: at least {bar:g}), largest difference {gap:.1e}")
    others = {
        "orders_of": lambda: orders_of(sets),
        "leave-one-out": lambda: complete_risks(sets, method="leave-one-out"),
        "stratified": lambda: complete_risks(sets, method="stratified"),
        "NearestRisk.fit": lambda: NearestRisk().fit(sets),
    }
    print("  " + ", ".join(f"{other} {timed(work, times)[0]:.3f} s" for other, work in others.items()))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--pairs", type=int, default=150, help="pairs of the sample that the peer computes")
    options.add_argument("--large", type=int, default=400, help="sets of 60")
    given = options.parse_args()
    with using(n_jobs=1):
        for name, spread in (("apart", 1.0), ("overlapping", 0.1)):
            against_peer(f"small, {name}", drawn(270, 7, 24, 12, spread), given.pairs, 50, 3)
            against_peer(f"large, {name}", drawn(given.large, 60, 60, 135, spread), given.pairs, 15, 1)


if __name__ == "__main__":
    main()
