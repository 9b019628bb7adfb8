"""The cut of the walk for every number of groups at once: one neighborhood, one set of eigenvectors, many roundings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from coterie.compare.neighborhood import Neighborhood
from coterie.core.affinity import Affinity
from coterie.parts.rounding import kmeans
from coterie.parts.scales import member_weights
from coterie.parts.spectra import spectrum

_RESTARTS = 3  # of k-means, while the number of groups is looked for


def spectral_cut(
    distances: Affinity, top: int, *, neighbors: int, scale: int, seed: int
) -> tuple[np.ndarray, Callable[[int], tuple[np.ndarray, np.ndarray]]]:
    """Eigenvalues, and a function of k giving the coordinates and the groups of the cut into k."""
    near = Neighborhood(neighbors=neighbors, scale=scale).fit(distances).affinity_
    found = spectrum(member_weights(near), top + 1)

    def cut(k: int) -> tuple[np.ndarray, np.ndarray]:
        rows = found.rows(k)
        return rows, kmeans(rows, k, n_restarts=_RESTARTS, random_state=seed).labels

    return found.values, cut
