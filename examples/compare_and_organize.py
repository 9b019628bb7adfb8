"""One collection, three ways of comparing, two ways of organizing, all judged against the known groups."""

from __future__ import annotations

import coterie
from coterie.collect.samples import sample
from coterie.compare import Euclidean, Gaussian, Minkowski
from coterie.judge import Scoreboard, adjusted_rand
from coterie.organize import Medoids, Spectral


def main() -> None:
    board = Scoreboard("Adjusted Rand index on generated clouds")
    for seed in range(4):
        clouds = sample("blobs", 150, random_state=seed)
        for compare in (Euclidean(), Minkowski(p=1), Gaussian()):
            for organize in (
                Medoids(n_groups=5, random_state=seed),
                Spectral(n_groups=5, random_state=seed),
            ):
                walk = coterie.Pipeline([compare, organize]).fit(clouds)
                method = f"{type(compare).__name__} + {type(organize).__name__}"
                board.add(
                    method,
                    "ARI",
                    "blobs",
                    adjusted_rand(walk.partition_, clouds.truth["group"]),
                    seeds=[seed],
                )
    print(board.to_text())


if __name__ == "__main__":
    main()
