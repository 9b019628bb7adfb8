"""Dynamic time warping of all pairs against dtaidistance, and against aeon where a Python that has it is given.

    python benchmarks/speed/dtw.py [--members 120] [--shortest 20] [--longest 100] [--channels 39] [--aeon PYTHON]

Sequences of normal values with lengths drawn evenly. Everybody computes each pair once, in float64, with both kinds of inner
distance that it has (aeon: squared only); all results are checked to be equal. Ours is a whole `Alignment.fit` with checks
and tiles. aeon needs another numba than coterie, and so runs in a Python of its own (`python3 -m venv`, `pip install aeon`).
CPU seconds of one thread, medians of three, in the same run; on a shared machine only the ratios mean something. Bars: at
least 4 times dtaidistance and 2.5 times aeon.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from timing import seconds  # noqa: E402

from coterie.compare.alignment import Alignment  # noqa: E402
from coterie.core.ragged import Ragged  # noqa: E402
from coterie.core.workplace import using  # noqa: E402

_TIMES = 3  # of aeon; ours and the others as in timing.seconds
_AEON = """
import statistics, sys, time
import numpy as np
from aeon.distances import dtw_pairwise_distance
given = np.load(sys.argv[1])
members = [np.ascontiguousarray(one.T) for one in np.split(given["values"], given["offsets"][1:-1])]
dtw_pairwise_distance(members[:3])
found = []
for _ in range(int(sys.argv[3])):
    begun = time.process_time()
    values = dtw_pairwise_distance(members)
    found.append(time.process_time() - begun)
np.savez(sys.argv[2], values=values, seconds=statistics.median(found))
"""


def drawn(n: int, shortest: int, longest: int, d: int, seed: int = 0) -> Ragged:
    random = np.random.default_rng(seed)
    return Ragged.of([random.normal(size=(length, d)) for length in random.integers(shortest, longest + 1, size=n)])


def by_dtaidistance(members: list[np.ndarray], inner: str) -> np.ndarray:
    """Above the diagonal only; the rest is not finite."""
    from dtaidistance import dtw_ndim

    name = {"euclidean": "euclidean", "squared": "squared euclidean"}[inner]
    return np.asarray(dtw_ndim.distance_matrix_fast(members, parallel=False, only_triu=True, inner_dist=name))


def by_aeon(python: str, members: Ragged) -> tuple[np.ndarray, float]:
    """Sums of squared distances, and the CPU seconds it took in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "found.npz"
        np.savez(given, values=members.values, offsets=members.offsets)
        subprocess.run([python, "-c", _AEON, str(given), str(found), str(_TIMES)], check=True)
        with np.load(found) as kept:
            return np.sqrt(kept["values"]), float(kept["seconds"])


def say(name: str, taken: float, ours: float, gap: float, bar: float) -> None:
    print(f"  {name}: {taken:.3f} s, {taken / ours:.1f} times ours (bar: at least {bar:g}), largest difference {gap:.1e}")


def against_peers(members: Ragged, aeon: str) -> None:
    n, singles = len(members), [np.ascontiguousarray(one) for one in members]
    upper = np.triu_indices(n, 1)
    for inner in ("euclidean", "squared"):
        comparer = Alignment(inner=inner, normalize="none")
        found = comparer.fit_transform(members)[upper]
        ours = seconds(lambda c=comparer: c.fit(members))
        print(f"{len(found)} pairs of {members!r}, {inner}: {ours:.3f} s")
        theirs = by_dtaidistance(singles, inner)[upper]
        taken = seconds(lambda i=inner: by_dtaidistance(singles, i))
        say("dtaidistance", taken, ours, float(np.abs(found - theirs).max()), 4)
        if inner == "squared" and aeon:
            values, taken = by_aeon(aeon, members)
            say("aeon", taken, ours, float(np.abs(found - values[upper]).max()), 2.5)
        elif inner == "squared":
            print("  aeon is left out; give a Python that has it with --aeon.")


def ours_alone(members: Ragged) -> None:
    """What a band, slopes and gaps cost or save."""
    holes = members.values.copy()
    holes[::50, 0] = np.nan
    for name, comparer, view in (
        ("a band of a tenth", Alignment(window=0.1), members),
        ("slopes", Alignment(measure="derivative"), members),
        ("a missing value in every 50th step", Alignment(), members.with_values(holes)),
    ):
        print(f"  ours with {name}: {seconds(lambda c=comparer, v=view: c.fit(v)):.3f} s")


def main() -> None:
    options = argparse.ArgumentParser()
    for name, default in (("members", 120), ("shortest", 20), ("longest", 100), ("channels", 39)):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--aeon", default="", help="a Python that has aeon")
    given = options.parse_args()
    members = drawn(given.members, given.shortest, given.longest, given.channels)
    with using(n_jobs=1):
        against_peers(members, given.aeon)
        ours_alone(members)


if __name__ == "__main__":
    main()
