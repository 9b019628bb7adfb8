"""Spectral cuts: members cut into every number of groups at once, which the search for the number of groups asks for."""

from __future__ import annotations

import numpy as np

from coterie.compare.neighborhood import Neighborhood
from coterie.core.affinity import Affinity
from coterie.parts.neighbors import member_weights
from coterie.parts.spectra import kmeans, spectrum
from coterie.workflows.prepared import Graph

_RESTARTS = 3  # of k-means


class SpectralCuts:
    """Cuts of one neighborhood graph into every number of groups: one set of eigenvectors, many roundings."""

    def __init__(self, distances: Affinity, most: int, graph: Graph, seed: int) -> None:
        n = distances.shape[0]
        neighbors = min(graph.neighbors(n), n - 1)
        near = Neighborhood(neighbors=neighbors, scale=graph.scale).fit(distances).affinity_
        self._spectrum = spectrum(member_weights(near), most + 1)
        self._seed = seed

    @property
    def eigenvalues(self) -> np.ndarray:
        """The eigenvalues of the graph."""
        return self._spectrum.values

    def at(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The coordinates in which the members are cut into k groups, and their groups."""
        rows = self._spectrum.rows(k)
        return rows, kmeans(rows, k, n_restarts=_RESTARTS, random_state=self._seed).labels
