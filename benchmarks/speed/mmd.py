"""Maximum mean discrepancy of all pairs of sets against scikit-learn's rbf_kernel pair by pair.

    python benchmarks/speed/mmd.py [--quick]

Sets of normal values with sizes drawn evenly. Ours is a whole `MMD.fit` (checks, own means, all pairs) with a width given, since
scikit-learn is given one too. scikit-learn is asked for three kernels of every pair, as a person would write it, on a sample of
the pairs; then once more with the kernel of every set with itself kept, which a careful person would do. Random features are
measured beside it, on sets a hundred times as large.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402
from timing import Row, quick, race, report  # noqa: E402

from coterie.compare.mmd import MMD  # noqa: E402
from coterie.core.ragged import Ragged  # noqa: E402


def drawn(n: int, shortest: int, longest: int, d: int, seed: int = 0) -> Ragged:
    random = np.random.default_rng(seed)
    sizes = random.integers(shortest, longest + 1, size=n)
    return Ragged.of(
        [random.normal(size=(size, d)) + 0.5 * random.normal(size=d) for size in sizes],
        ordered=False,
    )


def by_pairs(sets: list[np.ndarray], pairs: np.ndarray, gamma: float) -> np.ndarray:
    """Three kernels of every pair."""
    out = np.empty(len(pairs))
    for at, (i, j) in enumerate(pairs):
        x = sets[i]
        y = sets[j]
        own = rbf_kernel(x, gamma=gamma).mean() + rbf_kernel(y, gamma=gamma).mean()
        out[at] = own - 2 * rbf_kernel(x, y, gamma=gamma).mean()
    return np.sqrt(np.maximum(out, 0.0))


def by_pairs_kept(sets: list[np.ndarray], pairs: np.ndarray, gamma: float) -> np.ndarray:
    """One kernel of every pair; those of the sets with themselves are given free."""
    return np.array([rbf_kernel(sets[i], sets[j], gamma=gamma).mean() for i, j in pairs])


def against_peer(members: Ragged, sample: int) -> None:
    sets = [np.ascontiguousarray(one) for one in members]
    upper = np.transpose(np.triu_indices(len(members), 1))
    pairs = upper[
        np.sort(np.random.default_rng(1).choice(len(upper), min(sample, len(upper)), replace=False))
    ]
    times = len(upper) / len(pairs)
    width = MMD().fit(members).kernel_.width
    two = ("rbf_kernel, three a pair", "rbf_kernel, one a pair")
    works = {
        "coterie": lambda: MMD(width=width).fit(members),
        two[0]: lambda: by_pairs(sets, pairs, 1 / width**2),
        two[1]: lambda: by_pairs_kept(sets, pairs, 1 / width**2),
    }
    found = race(works, scale=dict.fromkeys(two, times))
    gap = np.abs(
        found.results["coterie"].affinity_.values[pairs[:, 0], pairs[:, 1]] - found.results[two[0]]
    ).max()
    size = f"{len(members)} sets, {len(members.values)} vectors, d = {members.values.shape[1]}"
    report(
        found.row(
            "mmd",
            "all pairs, width given",
            size,
            peer=two[0],
            goal=100.0,
            error=float(gap),
            tolerance=1e-7,
        )
    )
    report(
        found.row(
            "mmd",
            "all pairs, width given",
            size,
            peer=two[1],
            note="the kernels of the sets alone are kept",
        )
    )
    whole = race({"coterie": lambda: MMD().fit(members)})
    report(Row("mmd", "all pairs with the median width", size, ours=whole.taken(), peak=whole.peak))


def by_features(n: int, shortest: int, longest: int, d: int) -> None:
    large = drawn(n, shortest, longest, d)
    width = MMD().fit(drawn(50, 7, 26, d)).kernel_.width
    works = {
        "coterie": lambda: MMD(width=width, features=500, random_state=0).fit(large),
        "exact": lambda: MMD(width=width, features=None).fit(large),
    }
    found = race(works)
    off = ~np.eye(len(large), dtype=bool)
    one, two = (found.results[name].affinity_.values[off] for name in ("exact", "coterie"))
    size = f"{n} sets, {len(large.values)} vectors"
    note = f"mean difference {np.abs(one - two).mean() / one.mean():.1%} of the mean distance"
    report(found.row("mmd", "500 random directions", size, peer="exact", note=note))


def main() -> None:
    against_peer(drawn(100 if quick() else 270, 7, 26, 12), 300 if quick() else 1000)
    if not quick():
        against_peer(drawn(2_000, 7, 26, 12), 1000)
    by_features(10 if quick() else 20, 700, 2_600, 12)


if __name__ == "__main__":
    main()
