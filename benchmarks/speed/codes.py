"""Counts of common codes against NumPy and scipy.sparse, and the nearest members of a large collection.

    python benchmarks/speed/codes.py [--quick]

All pairs p <= q, the counts of a band of members at a time. Peers: NumPy, one member against those from it on; NumPy with
blocks of 64 members, iteration by iteration (about the best that can be done in it); and the product of the sparse one-hot
matrix with its transpose, which has no symmetric form and so gives all pairs twice; they run on a part of the members. Goals:
counts at least 15 times faster than plain NumPy and than scipy.sparse; the 50 nearest of 13,500 members by 2,000 iterations in
less than 15 s of one core and 1 GB, that is, never a matrix of all pairs.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from timing import Row, peak_since, quick, race, report, timed  # noqa: E402

from coterie._kernels.codes import equal_counts  # noqa: E402
from coterie.compare.sic.codes import Codes  # noqa: E402
from coterie.compare.sic.scores import Binary, Posterior, Weighted, top  # noqa: E402
from coterie.core.affinity import COLS, ROWS  # noqa: E402
from coterie.core.workplace import using  # noqa: E402
from coterie.parts.pairwise import dense  # noqa: E402


def drawn(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Labels given by random linear classifiers to random points: 60 to 200 classes, of unequal sizes."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(d, 16)).astype(np.float32)
    labels = np.empty((n, d), dtype=np.uint8)
    for i in range(n):
        weights = random.normal(size=(16, int(random.integers(60, 201)))).astype(np.float32)
        labels[i] = np.argmax(points @ weights, axis=1)
    return labels


def by_numpy(labels: np.ndarray, members: np.ndarray) -> list[np.ndarray]:
    """One member against those from it on."""
    rows = np.ascontiguousarray(labels.T)
    return [(rows[p:] == rows[p]).sum(axis=1, dtype=np.uint16) for p in members]


def by_blocks(labels: np.ndarray, starts: np.ndarray) -> list[np.ndarray]:
    """Blocks of 64 members against those from them on, iteration by iteration."""
    found = []
    for a in starts:
        out = np.zeros((min(64, labels.shape[1] - a), labels.shape[1] - a), dtype=np.uint16)
        for row in labels:
            out += row[a : a + 64, None] == row[None, a:]
        found.append(out)
    return found


def one_hot(labels: np.ndarray) -> sp.csr_array:
    n, d = labels.shape
    columns = (labels.astype(np.int32) + 256 * np.arange(n, dtype=np.int32)[:, None]).T.ravel()
    return sp.csr_array(
        (np.ones(n * d, dtype=np.uint16), columns, np.arange(0, n * d + 1, n)), shape=(d, 256 * n)
    )


def by_tiles(labels: np.ndarray) -> list[np.ndarray]:
    """Tiles on and right of the diagonal, as the driver asks for them."""
    found = []
    d = labels.shape[1]
    for a in range(0, d, ROWS):
        rows = np.ascontiguousarray(labels[:, a : a + ROWS])
        for c in range(a, d, COLS):
            tile = np.empty((rows.shape[1], min(COLS, d - c)), dtype=np.uint16)
            equal_counts(rows, np.ascontiguousarray(labels[:, c : c + COLS]), tile)
            found.append(tile)
    return found


def check(labels: np.ndarray, hot: sp.csr_array, other: sp.csr_array) -> None:
    """All give the same counts."""
    ours = by_tiles(labels[:, :COLS])[0][:64]
    assert np.array_equal(ours[0], by_numpy(labels[:, :COLS], np.array([0]))[0])
    assert np.array_equal(ours, by_blocks(labels[:, :COLS], np.array([0]))[0])
    assert np.array_equal(ours, (hot[:64] @ other).toarray()[:, :COLS])


def against_peers(d: int, n: int, step: int, sparse: bool) -> None:
    """All pairs; the peers take every so many members or blocks."""
    labels = drawn(n, d)
    members = np.arange(0, d, step)
    starts = np.arange(0, d, 64 * step)
    works = {
        "coterie": lambda: by_tiles(labels),
        "numpy": lambda: by_numpy(labels, members),
        "numpy in blocks": lambda: by_blocks(labels, starts),
    }
    pairs = d * (d + 1) / 2
    scale = {
        "numpy": pairs / (d - members).sum(),
        "numpy in blocks": pairs / np.minimum(64, d - starts).dot(d - starts),
    }
    goals = {"numpy": 15.0, "numpy in blocks": None}
    if sparse:
        hot = one_hot(labels)
        other = hot.T.tocsr()
        chosen = hot[::step]
        check(labels, hot, other)
        works["scipy.sparse"] = lambda: chosen @ other
        scale["scipy.sparse"] = d / chosen.shape[0]
        goals["scipy.sparse"] = 15.0
    found = race(works, scale=scale)
    for name, goal in goals.items():
        note = "all counts equal" if sparse else ""
        report(
            found.row(
                "codes", "counts of all pairs", f"D = {d}, N = {n}", peer=name, goal=goal, note=note
            )
        )


def scores(d: int, n: int) -> None:
    """From codes to a dense matrix of scores: no peer."""
    codes = Codes(drawn(n, d).astype(np.int16))
    for score in (Binary(), Weighted(), Posterior()):
        affinity = score.affinity(codes)
        affinity.block(slice(0, 8), slice(0, 8))
        taken = timed(lambda a=affinity: dense(a))[0]
        report(Row("codes", f"{score!r} of all pairs, dense", f"D = {d}, N = {n}", ours=taken))


def large(d: int, n: int) -> None:
    labels = drawn(n, d).astype(np.int16)
    top(Codes(labels[:3, :200]), 5)
    for name in ("everybody tested", "a quarter not tested"):
        codes = Codes(labels)
        peak_since(begin=True)
        taken = timed(lambda c=codes: top(c, 50), 1)[0]
        size = f"D = {d}, N = {n}, {name}"
        report(
            Row(
                "codes", "the 50 nearest", size, ours=taken, limit=15.0, peak=peak_since(), room=1e9
            )
        )
        labels[np.random.default_rng(1).random(labels.shape, dtype=np.float32) < 0.25] = -1


def main() -> None:
    with using(n_jobs=1):
        large(*((4_000, 500) if quick() else (13_500, 2_000)))
        against_peers(*((2_000, 150) if quick() else (5_000, 150)), 10, sparse=True)
        if not quick():
            against_peers(5_000, 2_000, 50, sparse=False)
            against_peers(13_500, 150, 50, sparse=True)
        scores(2_000 if quick() else 5_000, 150)


if __name__ == "__main__":
    main()
