"""k-means of an embedding, as the search for the number of groups calls it: beside scikit-learn's KMeans with the same draws.

    python benchmarks/speed/rounding.py [--quick]

Rows of k dimensions around k centers, three starts, until no label changes. Both must find the same groups.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from timing import quick, race, report

from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady
from coterie.parts.spectra import kmeans

_PEER = "scikit-learn KMeans"
_SIZES = ((100, 5), (400, 10), (400, 30), (2000, 10), (20_000, 20))
_STARTS = 3


def embedded(n: int, k: int) -> np.ndarray:
    draw = np.random.default_rng(0)
    return draw.normal(size=(k, k))[np.arange(n) % k] + 0.5 * draw.normal(size=(n, k))


def by_peer(rows: np.ndarray, k: int) -> KMeans:
    with steady():
        return KMeans(
            k, n_init=_STARTS, random_state=small_seed(stream(0, k)), max_iter=300, tol=0.0
        ).fit(rows)


def main() -> None:
    for n, k in _SIZES[:2] if quick() else _SIZES:
        rows = embedded(n, k)
        works = {
            "coterie": lambda: kmeans(rows, k, n_restarts=_STARTS, random_state=0),
            _PEER: lambda: by_peer(rows, k),
        }
        found = race(works, times=7)
        apart = float(np.mean(found.results["coterie"].labels != found.results[_PEER].labels_))
        size = f"{n} rows, {k} groups, {_STARTS} starts"
        note = f"{apart:.0%} of the labels differ"
        report(
            found.row(
                "explore",
                "k-means of an embedding",
                size,
                peer=_PEER,
                error=apart,
                tolerance=0.0,
                note=note,
            )
        )


if __name__ == "__main__":
    main()
