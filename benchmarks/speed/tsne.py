"""The map of an exploration: exact t-SNE beside scikit-learn's (Barnes-Hut) from the same start, with the same schedule.

    python benchmarks/speed/tsne.py [--quick]

Clouds in ten dimensions that overlap. The quality is scikit-learn's divergence over ours, both over all pairs: at least 0.95,
since which minimum is found is chance. Our times have the affinities in them, and so have theirs.
"""

from __future__ import annotations

import numpy as np
from sklearn.manifold import TSNE
from timing import quick, race, report

from coterie.parts.tsne import affinities, laid_out

_PEER = "scikit-learn TSNE"
_SIZES = (60, 120, 400, 800, 2000)


def clouds(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Members of six clouds, and a start in the plane."""
    draw = np.random.default_rng(0)
    points = 2.0 * draw.normal(size=(6, 10))[np.arange(n) % 6] + draw.normal(size=(n, 10))
    points -= points.mean(axis=0)
    return points, points[:, :2] * 1e-4


def divergence(near: np.ndarray, plane: np.ndarray) -> float:
    """Kullback-Leibler divergence of the affinities in the plane from those that are given."""
    far = (plane[:, None, 0] - plane[None, :, 0]) ** 2 + (
        plane[:, None, 1] - plane[None, :, 1]
    ) ** 2
    close = 1.0 / (1.0 + far)
    np.fill_diagonal(close, 0.0)
    there = near > 0.0
    given = near[there].astype(np.float64)
    return float(given @ np.log(given / (close[there] / close.sum())))


def main() -> None:
    for n in (60, 400) if quick() else _SIZES:
        points, start = clouds(n)
        perplexity = float(min(30, max(2, (n - 1) // 4)))
        single = points.astype(np.float32)
        peer = TSNE(
            perplexity=perplexity,
            init=start,
            max_iter=500,
            learning_rate="auto",
            n_jobs=1,
            random_state=0,
        )
        found = race(
            {
                "coterie": lambda: laid_out(points, start, perplexity),
                _PEER: lambda: peer.fit_transform(single),
            },
            times=5 if n < 1000 else 3,
        )
        near = affinities(points, perplexity)
        ours, theirs = (
            divergence(near, found.results[name].astype(np.float64)) for name in ("coterie", _PEER)
        )
        more = {
            "quality": theirs / ours,
            "quality_of": "scikit-learn's divergence over ours",
            "quality_goal": 0.95,
        }
        note = f"divergence {ours:.3f}, scikit-learn {theirs:.3f}"
        size = f"{n} members, perplexity {perplexity:g}, 500 rounds"
        report(found.row("explore", "the map", size, peer=_PEER, note=note, **more))


if __name__ == "__main__":
    main()
