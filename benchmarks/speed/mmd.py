"""Maximum mean discrepancy of all pairs of sets against scikit-learn's rbf_kernel pair by pair.

    python benchmarks/speed/mmd.py [--members 270] [--shortest 7] [--longest 26] [--channels 12] [--sample 1000]

Sets of normal values with sizes drawn evenly. Ours is a whole `MMD.fit` (checks, median width, own means, all pairs), and a
second time with a width given, since scikit-learn is given one too. scikit-learn is asked for three kernels of every pair, as
a person would write it, on a sample of the pairs, and its time is multiplied up to all of them; then once more with the kernel
of every set with itself kept, which a careful person would do. Results are checked to be equal on the sample. Random features
are measured beside it, on sets a hundred times as large. CPU seconds of one thread, medians of three, in the same run; on a
shared machine only the ratios mean something. Bar: at least 100 times.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402

import numpy as np  # noqa: E402
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402
from timing import seconds  # noqa: E402

from coterie.compare.mmd import MMD  # noqa: E402
from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402


def drawn(n: int, shortest: int, longest: int, d: int, seed: int = 0) -> Ragged:
    random = np.random.default_rng(seed)
    sizes = random.integers(shortest, longest + 1, size=n)
    return Ragged.of([random.normal(size=(size, d)) + 0.5 * random.normal(size=d) for size in sizes], ordered=False)


def by_pairs(sets: list[np.ndarray], pairs: np.ndarray, gamma: float) -> np.ndarray:
    """Three kernels of every pair."""
    out = np.empty(len(pairs))
    for at, (i, j) in enumerate(pairs):
        x, y = sets[i], sets[j]
        own = rbf_kernel(x, gamma=gamma).mean() + rbf_kernel(y, gamma=gamma).mean()
        out[at] = own - 2 * rbf_kernel(x, y, gamma=gamma).mean()
    return np.sqrt(np.maximum(out, 0.0))


def by_pairs_kept(sets: list[np.ndarray], pairs: np.ndarray, gamma: float) -> np.ndarray:
    """One kernel of every pair; those of the sets with themselves are given free."""
    return np.array([rbf_kernel(sets[i], sets[j], gamma=gamma).mean() for i, j in pairs])


def main() -> None:
    options = argparse.ArgumentParser()
    for name, default in (("members", 270), ("shortest", 7), ("longest", 26), ("channels", 12), ("sample", 1000)):
        options.add_argument(f"--{name}", type=int, default=default)
    given = options.parse_args()
    members = drawn(given.members, given.shortest, given.longest, given.channels)
    sets, upper = [np.ascontiguousarray(one) for one in members], np.transpose(np.triu_indices(len(members), 1))
    pairs = upper[np.sort(np.random.default_rng(1).choice(len(upper), min(given.sample, len(upper)), replace=False))]
    times = len(upper) / len(pairs)
    with using(n_jobs=1):
        fitted = MMD().fit(members)
        width = fitted.kernel_.width
        whole, ours = seconds(lambda: MMD().fit(members)), seconds(lambda: MMD(width=width).fit(members))
        gap = np.abs(fitted.affinity_.values[pairs[:, 0], pairs[:, 1]] - by_pairs(sets, pairs, 1 / width**2)).max()
        print(f"{len(upper)} pairs of {members!r}, {len(members.values)} vectors: {ours:.3f} s ({whole:.3f} s with the width)")
        for name, work in (("three kernels a pair", by_pairs), ("one kernel a pair", by_pairs_kept)):
            theirs = times * seconds(lambda w=work: w(sets, pairs, 1 / width**2))
            print(f"  scikit-learn, {name}: {theirs:.1f} s (a sample times {times:.1f}), {theirs / ours:.0f} times ours")
        print(f"  bar: at least 100 times for three kernels a pair; largest difference {gap:.1e}")
        large = drawn(20, 100 * given.shortest, 100 * given.longest, given.channels)
        exact, quick = (seconds(lambda f=f: MMD(width=width, features=f, random_state=0).fit(large)) for f in (None, 500))
        off = ~np.eye(len(large), dtype=bool)
        one, two = (MMD(width=width, features=f, random_state=0).fit(large).affinity_.values[off] for f in (None, 500))
        print(f"{large!r}: exact {exact:.2f} s, 500 random directions {quick:.2f} s ({exact / quick:.0f} times faster), "
              f"mean difference {np.abs(one - two).mean() / one.mean():.1%} of the mean distance")  # fmt: skip


if __name__ == "__main__":
    main()
