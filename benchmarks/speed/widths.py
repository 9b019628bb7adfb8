"""The search for a kernel width by eigengaps: ours against all eigenvalues by scipy.linalg.eigh at the same widths.

    python benchmarks/speed/widths.py [members]

Points of nine clouds in the plane; the width is chosen on our grid of 14 by the largest gap after nine eigenvalues. The peer is
given the same normalized weights, is asked for all eigenvalues (or for the ten largest, without a goal), and at many members runs
on two of the widths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from timing import race, report, sizes

from coterie.core.affinity import Dense
from coterie.parts.spectra import largest_gap, spectra_of

_GROUPS = 9
_FEW = 1000


def distances(n: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    points = 6.0 * np.stack(np.divmod(np.arange(n) % _GROUPS, 3), axis=1) + random.normal(
        size=(n, 2)
    )
    return cdist(points, points)


def by_eigh(values: np.ndarray, widths: list[float], most: int | None) -> list[np.ndarray]:
    """The leading eigenvalues at every width; of all that are found, or of as many as are asked for."""
    found = []
    for width in widths:
        weights = np.exp(-(values**2) / (2 * width**2))
        np.fill_diagonal(weights, 0.0)
        root = 1.0 / np.sqrt(weights.sum(axis=1))
        weights *= root[:, None] * root
        n = len(weights)
        asked: dict[str, Any] = {} if most is None else {"subset_by_index": (n - most, n - 1)}
        found.append(eigh(weights, **asked)[0][::-1][: _GROUPS + 1])
    return found


def compared(n: int) -> None:
    values = distances(n)
    affinity = Dense(values, "distance")
    grid = [
        kernel.width
        for kernel, _ in spectra_of(affinity, _GROUPS + 1, "eigengap")
        if kernel is not None
    ]
    chosen = largest_gap(spectra_of(affinity, _GROUPS + 1, "eigengap"), _GROUPS, _GROUPS)[1]
    some = grid if n <= _FEW else [grid[chosen], grid[len(grid) // 2]]
    works = {
        "coterie": lambda: spectra_of(affinity, _GROUPS + 1, "eigengap"),
        "eigh": lambda: by_eigh(values, some, None),
        "eigh of the largest": lambda: by_eigh(values, some, _GROUPS + 1),
    }
    part = len(grid) / len(some)
    found = race(works, scale={"eigh": part, "eigh of the largest": part})
    ours = [found.results["coterie"][grid.index(width)][1].values for width in some]
    gap = max(
        float(np.abs(one - other).max())
        for one, other in zip(ours, found.results["eigh"], strict=True)
    )
    size = f"N = {n}, {len(grid)} widths, {_GROUPS} groups"
    for peer, goal in (("eigh", 8.0 if n > _FEW else None), ("eigh of the largest", None)):
        report(
            found.row(
                "mmd", "width by eigengaps", size, peer=peer, goal=goal, error=gap, tolerance=1e-8
            )
        )


def main() -> None:
    for n in sizes(full=(270, 2_000), small=(270, 1_001)):
        compared(n)


if __name__ == "__main__":
    main()
