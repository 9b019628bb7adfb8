"""Dynamic time warping of all pairs against dtaidistance, and against aeon where a Python that has it is given.

    python benchmarks/speed/dtw.py [--members 120] [--shortest 20] [--longest 100] [--channels 39] [--aeon PYTHON]

Sequences of normal values with lengths drawn evenly. Everybody computes each pair once, in float64, with both kinds of inner
distance that it has (aeon and tslearn: squared only); all results are compared. Ours is a whole `Alignment.fit` with checks and
tiles. aeon needs another numba than coterie, and so runs in a Python of its own, which `benchmarks/run.py --aeon` makes and
names in COTERIE_AEON.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402
import importlib.util  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from timing import OURS, Row, quick, race, report, seconds  # noqa: E402

from coterie.compare.alignment import Alignment  # noqa: E402
from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402

_TIMES = 3
_AEON = """
import sys, time
import numpy as np
from aeon.distances import dtw_pairwise_distance
given = np.load(sys.argv[1])
members = [one.T for one in np.split(given["values"], given["offsets"][1:-1])]  # its columns are read: this is the fast order
dtw_pairwise_distance(members[:3])
found = []
for _ in range(int(sys.argv[3])):
    begun = time.process_time()
    values = dtw_pairwise_distance(members)
    found.append(time.process_time() - begun)
np.savez(sys.argv[2], values=values, seconds=found)
"""


def drawn(n: int, shortest: int, longest: int, d: int, seed: int = 0) -> Ragged:
    random = np.random.default_rng(seed)
    return Ragged.of(
        [
            random.normal(size=(length, d))
            for length in random.integers(shortest, longest + 1, size=n)
        ]
    )


def by_dtaidistance(members: list[np.ndarray], inner: str) -> np.ndarray:
    """Above the diagonal only; the rest is not finite."""
    from dtaidistance import dtw_ndim

    name = {"euclidean": "euclidean", "squared": "squared euclidean"}[inner]
    return np.asarray(
        dtw_ndim.distance_matrix_fast(members, parallel=False, only_triu=True, inner_dist=name)
    )


def by_aeon(python: str, members: Ragged) -> tuple[np.ndarray, list[float]]:
    """Square roots of the sums, and the CPU seconds of every turn in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.npz"
        found = Path(folder) / "found.npz"
        np.savez(given, values=members.values, offsets=members.offsets)
        subprocess.run([python, "-c", _AEON, str(given), str(found), str(_TIMES)], check=True)
        with np.load(found) as kept:
            return np.sqrt(kept["values"]), kept["seconds"].tolist()


def by_tslearn(members: list[np.ndarray]) -> np.ndarray:
    from tslearn.metrics import cdist_dtw
    from tslearn.utils import to_time_series_dataset

    return np.asarray(cdist_dtw(to_time_series_dataset(members), n_jobs=1))


def against_peers(members: Ragged, aeon: str) -> None:
    n = len(members)
    singles = [np.ascontiguousarray(one) for one in members]
    upper = np.triu_indices(n, 1)
    part = n // 2
    lengths = np.diff(members.offsets)
    size = f"{len(upper[0])} pairs of {lengths.min()} to {lengths.max()} steps, d = {members.values.shape[1]}"
    for inner in ("euclidean", "squared"):
        comparer = Alignment(inner=inner, normalize="none")
        works = {
            OURS: lambda c=comparer: c.fit_transform(members),
            "dtaidistance": lambda i=inner: by_dtaidistance(singles, i),
        }
        slow = inner == "squared" and importlib.util.find_spec("tslearn") is not None
        if slow:
            works["tslearn"] = lambda: by_tslearn(singles[:part])
        found = race(works, _TIMES, scale={"tslearn": n * (n - 1) / (part * (part - 1))})
        values = found.results[OURS][upper]
        name = f"{inner} inner distance"

        def said(peer: str, other: np.ndarray, goal: float | None, **more: Any) -> None:
            gap = float(np.abs(values - other).max())
            report(
                found.row(
                    "dtw", name, size, peer=peer, goal=goal, error=gap, tolerance=1e-12, **more
                )
            )

        said("dtaidistance", found.results["dtaidistance"][upper], 4.0)
        if slow:
            few = np.triu_indices(part, 1)
            gap = float(
                np.abs(found.results[OURS][:part, :part][few] - found.results["tslearn"][few]).max()
            )
            report(found.row("dtw", name, size, peer="tslearn", error=gap))
        if inner == "squared" and aeon:
            other, found.turns["aeon"] = by_aeon(aeon, members)
            said("aeon", other[upper], 2.5, note="in a Python of its own")
        elif inner == "squared":
            why = (
                "aeon needs an older numba; `make bench AEON=yes` makes a Python of its own for it"
            )
            report(Row("dtw", name, size, ours=found.taken(), peer="aeon", goal=2.5, failed=why))


def ours_alone(members: Ragged) -> None:
    """What a band, slopes and gaps cost or save."""
    holes = members.values.copy()
    holes[::50, 0] = np.nan
    for name, comparer, view in (
        ("a band of a tenth", Alignment(window=0.1), members),
        ("slopes", Alignment(measure="derivative"), members),
        ("a missing value in every 50th step", Alignment(), members.with_values(holes)),
    ):
        taken = seconds(lambda c=comparer, v=view: c.fit(v))
        report(Row("dtw", f"with {name}", f"{len(members)} sequences", ours=taken))


def main() -> None:
    options = argparse.ArgumentParser()
    for name, default in (
        ("members", 60 if quick() else 120),
        ("shortest", 20),
        ("longest", 100),
        ("channels", 39),
    ):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument(
        "--aeon", default=os.environ.get("COTERIE_AEON", ""), help="a Python that has aeon"
    )
    options.add_argument("--quick", action="store_true")
    given = options.parse_args()
    members = drawn(given.members, given.shortest, given.longest, given.channels)
    with using(n_jobs=1):
        against_peers(members, given.aeon)
        ours_alone(members)


if __name__ == "__main__":
    main()
