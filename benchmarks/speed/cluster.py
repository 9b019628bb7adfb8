"""A local Dask cluster of three worker processes against this process alone: the same bytes, bytes moved, and killed workers.

    python benchmarks/speed/cluster.py [seconds between kills]

Three processes on the two cores of one machine cannot be faster than two threads; what is measured is what the way there and
back costs (wall seconds, here with two threads over there), how many bytes are placed on the workers, and that a worker
killed with SIGKILL every few seconds changes no byte. Quality 1 means the same bytes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import Row, quick, report, sizes

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.run.workers import Farm, farm

from coterie import using
from coterie.collect.samples import sample
from coterie.compare import Likelihood
from coterie.compare.sic import SIC
from coterie.organize import MDC
from coterie.run.cluster import Cluster


def sic() -> bytes:
    """Iterations of SIC with hidden Markov models."""
    view = sample("traces", 60 if quick() else 120).view()
    return (
        SIC(diverter="hmm", n_iterations=200 if quick() else 1_000, stop=None, random_state=0)
        .fit(view)
        .codes_.labels.tobytes()
    )


def likelihoods() -> bytes:
    """One model per sequence, and all sequences under all models."""
    return np.asarray(
        Likelihood(random_state=0)
        .fit(sample("traces", 300 if quick() else 1_500).view())
        .affinity_.values
    ).tobytes()


def restarts() -> bytes:
    """Restarts of MDC."""
    counts = np.random.default_rng(0).poisson(0.3, (300, 200) if quick() else (1_500, 800))
    return MDC(n_groups=8, restarts=6, random_state=0).fit(counts).labels_.tobytes()


WORKS: dict[str, Callable[[], bytes]] = {
    "SIC iterations": sic,
    "likelihood matrix": likelihoods,
    "restarts of MDC": restarts,
}


def measured(
    name: str, work: Callable[[], bytes], place: Farm, cluster: Cluster, every: float
) -> None:
    """One kind of work here, there, and there while workers are killed."""
    begun = time.perf_counter()
    with using(n_jobs=2):
        here = work()
    alone = time.perf_counter() - begun
    before = (cluster.bytes_placed, cluster.n_sent)
    begun = time.perf_counter()
    with using(cluster=cluster):
        same = work() == here
    taken = time.perf_counter() - begun
    told = f"{(cluster.bytes_placed - before[0]) / 1e6:.1f} MB placed, {cluster.n_sent - before[1]} tasks"
    given = {
        "quality": float(same),
        "quality_of": "same bytes",
        "quality_goal": 1.0,
        "unit": "wall s",
    }
    report(
        Row(
            "cluster",
            name,
            "3 workers",
            ours=taken,
            peer="two threads here",
            theirs=alone,
            note=told,
            **given,
        )
    )
    lost = cluster.n_lost
    kills = 0
    runs = 0
    begun = time.perf_counter()
    with place.disturbed(cluster.client, every) as moments, using(cluster=cluster):
        while runs == 0 or (len(moments) < 5 and runs < 6):
            same = same and work() == here
            runs = runs + 1
        kills = len(moments)
    taken = (time.perf_counter() - begun) / runs
    told = f"{kills} workers killed over {runs} runs, {cluster.n_lost - lost} tasks sent again"
    report(
        Row(
            "cluster",
            f"{name}, a worker killed every {every:g} s",
            "3 workers",
            ours=taken,
            note=told,
            **given,
        )
    )
    cluster.client.wait_for_workers(3, timeout=120)


def main() -> None:
    (every,) = sizes(full=(4,), small=(3,))
    with tempfile.TemporaryDirectory() as folder, farm(Path(folder), 3) as place:
        cluster = Cluster.at(place.address)
        cluster.client.wait_for_workers(3, timeout=120)
        for name, work in WORKS.items():
            work()  # compiled here
            measured(name, work, place, cluster, float(every))
        cluster.close()


if __name__ == "__main__":
    main()
