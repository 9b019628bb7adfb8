"""Pair-wise cluster analysis: the m x m form against scipy's 2m x 2m problem, against cca-zoo, and large sparse views.

    python benchmarks/speed/views.py [--members 500 1000] [--components 10]
    python benchmarks/speed/views.py --large [--members 20000] [--columns 100000] [--exact]

Two gaussian kernels of random views that share a few directions. Ours is one Cholesky factorization a view and the smallest
eigenvalues of the sum of inverses (m x m); scipy's is `eigh` of the generalized problem of 2m x 2m, asked for the same
eigenvalues only, and for all of them. How far eigenvalues differ is printed (bar: 1e-8 of their size). cca-zoo's kernel CCA,
where it is installed, is beside a whole `KCCA.fit`, which computes its kernels too. CPU seconds of one thread, medians of three,
in the same run; on a shared machine only the ratios mean something. Bar: at least 6 times scipy's.

`--large` fits PWCA as it is by default to pairs of sparse documents (a topic each; weighted terms of length one) and measures
seconds, the peak of memory, and how well it finds mates of 1,000 documents held out. Bar: 300 seconds and 6 GB. `--exact` goes by
products with the whole kernels (rank="all") instead of factors.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402
import resource  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from scipy.linalg import eigh  # noqa: E402
from timing import seconds  # noqa: E402

from coterie.parts.mates import mate_ranks  # noqa: E402
from coterie.parts.row_kernels import RowKernel, median_width  # noqa: E402
from coterie.parts.view_forms import Whole  # noqa: E402
from coterie.parts.view_routes import ByInverses, Seats  # noqa: E402
from coterie.represent.kcca import KCCA  # noqa: E402
from coterie.represent.pwca import PWCA  # noqa: E402

_HELD = 1000


def drawn(m: int, seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    common = random.normal(size=(m, 5))
    return {
        name: np.hstack([common + 0.5 * random.normal(size=(m, 5)), random.normal(size=(m, 15))]) for name in ("one", "other")
    }


def kernel_of(rows: np.ndarray) -> np.ndarray:
    kernel = RowKernel("gaussian", median_width(rows, "gaussian", "benchmark"))
    return Whole.of(rows, kernel.block, "benchmark", center=True, scale=True).kernel


def doubled(kernels: list[np.ndarray], tau: float, k: int | None) -> np.ndarray:
    """The smallest eigenvalues above zero of the 2m x 2m problem: m of them are zero; k asks for no more than needed."""
    m = len(kernels[0])
    left, right = np.kron(np.ones((2, 2)), np.eye(m)), np.zeros((2 * m, 2 * m))
    right[:m, :m], right[m:, m:] = kernels[0] + tau * np.eye(m), kernels[1] + tau * np.eye(m)
    if k is None:
        return eigh(left, right)[0][m:]
    return eigh(left, right, subset_by_index=(m, m + k - 1))[0]


def compared(m: int, k: int, tau: float = 0.1) -> None:
    views = drawn(m)
    kernels, seats = [kernel_of(rows) for rows in views.values()], Seats(m, (np.arange(m),) * 2)

    def ours() -> np.ndarray:
        return ByInverses.of(kernels, seats, tau, "benchmark").found(k).energies

    gap = np.max(np.abs(ours() - doubled(kernels, tau, k)) / ours())
    own, few, every = (seconds(work) for work in (ours, lambda: doubled(kernels, tau, k), lambda: doubled(kernels, tau, None)))
    print(f"m = {m}, {k} components: m x m {own:.3f} s; scipy 2m x 2m {few:.3f} s ({few / own:.1f} times), all its eigenvalues "
          f"{every:.3f} s ({every / own:.1f} times); bar 6 times; eigenvalues differ by {gap:.1e} of their size")  # fmt: skip
    fitted = seconds(lambda: PWCA(n_components=k, kernel="gaussian", tau=tau).fit(views), 1)
    kcca = seconds(lambda: KCCA(n_components=k, kernel="gaussian", kappa=tau).fit(views), 1)
    print(f"  whole fits with their kernels: PWCA {fitted:.3f} s (two problems more for what chance shares), KCCA {kcca:.3f} s")
    try:
        from cca_zoo.nonparametric import KCCA as Peer
    except ImportError:
        print("  cca-zoo is not installed here")
        return
    peer = seconds(lambda: Peer(n_components=k, kernel="rbf", shrinkage=0.1).fit(list(views.values())), 1)
    print(f"  cca-zoo KCCA: {peer:.3f} s ({peer / kcca:.1f} times our KCCA, {peer / fitted:.1f} times PWCA)")


def documents(m: int, columns: int, seed: int) -> sp.csr_array:
    """Documents of one topic in 50 each, the same in every language: words by rank, more than half of them the topic's."""
    topic = np.random.default_rng(0).integers(50, size=(m, 2))  # two topics a document, the same for every seed
    random = np.random.default_rng(seed)
    words = 100
    own = random.random((m, words)) < 0.6
    rank = np.minimum(random.zipf(1.3, size=(m, words)), columns) - 1
    which = np.take_along_axis(topic, random.integers(2, size=(m, words)), axis=1)
    step = columns // 50
    places = np.where(own, which * step + rank % step, (rank * 7919) % columns)
    counts = sp.csr_array((np.ones(m * words), places.ravel(), np.arange(0, m * words + 1, words)), shape=(m, columns))
    counts.sum_duplicates()
    idf = np.log((m + 1) / (1 + np.bincount(counts.indices, minlength=columns)))
    counts.data = np.log1p(counts.data) * idf[counts.indices]
    lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.maximum(lengths, 1e-12)) @ counts)


def large(m: int, columns: int, exact: bool) -> None:
    views = {name: documents(m + _HELD, columns, seed) for seed, name in enumerate(("en", "de"), 1)}
    train = {name: rows[:m] for name, rows in views.items()}
    method = PWCA(n_components=20, rank="all") if exact else PWCA()
    begun, wall = time.process_time(), time.perf_counter()
    fitted = method.fit(train)
    spent, waited = time.process_time() - begun, time.perf_counter() - wall
    placed = [fitted.transform_view(name, rows[m:]) for name, rows in views.items()]
    found, peak = mate_ranks(*placed), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    size = f"{m} pairs, {columns} columns, {train['en'].nnz / m:.0f} terms each"
    print(f"{method!r}, {size}: {spent:.0f} s CPU, {waited:.0f} s in all, peak {peak:.1f} GB; {fitted.n_features_out_} "
          f"components, consensus {fitted.consensus_[0]:.3f} to {fitted.consensus_[-1]:.3f}, chance {fitted.chance_:.3f}, kept "
          f"{min(fitted.kept_.values()):.0%}")  # fmt: skip
    print(f"  mates of {_HELD} held out: average precision {found.average_precision:.3f}, chance {found.chance:.4f}; "
          "bar 300 s and 6 GB")  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--members", type=int, nargs="*", default=None)
    options.add_argument("--components", type=int, default=10)
    options.add_argument("--columns", type=int, default=100_000)
    options.add_argument("--large", action="store_true")
    options.add_argument("--exact", action="store_true")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    for m in given.members or ([20_000] if given.large else [500, 1000]):
        if given.large:
            large(m, given.columns, given.exact)
        else:
            compared(m, given.components)


if __name__ == "__main__":
    main()
