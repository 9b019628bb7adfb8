"""Embedding: members as points whose distances follow an affinity: classical scaling, t-SNE or UMAP."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from coterie.core.affinity import Affinity, Condensed, Dense, Graph
from coterie.core.errors import DataError, need
from coterie.core.estimator import Representer
from coterie.core.params import param
from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady
from coterie.parts.pairwise import dense, distance
from coterie.represent.classical import ClassicalScaling, classical_scaling

_MOST = 8000  # members for which t-SNE and UMAP are given all distances


class Embedding(Representer):
    """A map of the members from an affinity: classical scaling, t-SNE, or UMAP."""

    takes: ClassVar[type] = Affinity

    n_components: int = param(2, "Dimensions of the map.", ge=1)
    method: str = param(
        "classical",
        "classical keeps distances; tsne and umap keep neighbours.",
        choices=("classical", "tsne", "umap"),
    )
    neighbors: int = param(15, "How many neighbours count (the perplexity of t-SNE).", ge=2)
    random_state: int | None = param(0, "Seed of t-SNE and UMAP.", ge=0)

    scaling_: ClassicalScaling | None
    n_members_: int
    embedding_: np.ndarray
    variance_share_: float
    divergence_: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the members and set `embedding_`."""
        affinity = self._checked(X, new=False)
        self.scaling_ = None
        if not affinity.square:
            raise DataError(
                f"fit takes members x members, and the affinity is {affinity.shape[0]} x {affinity.shape[1]}.",
                owner="Embedding",
            )
        self.n_members_ = affinity.n
        start, scaling = classical_scaling(affinity, self.n_components)
        if self.method == "classical" or affinity.n <= 3:
            self.embedding_ = start
            self.scaling_ = scaling
            self.variance_share_ = scaling.share
        else:
            self.embedding_ = self._neighbor_map(affinity, start)
        self.n_features_out_ = self.n_components
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Place new members by how they relate to the fitted ones (queries x members); classical scaling only."""
        queries = self._checked(X, new=True)
        if self.scaling_ is None:
            raise DataError(
                f"{self.method} places only the members it was fitted on; use fit_transform, or method='classical'.",
                owner="Embedding",
            )
        if queries.shape[1] != self.n_members_:
            raise DataError(
                f"transform takes queries x {self.n_members_} members, and there are {queries.shape[1]} columns.",
                owner="Embedding",
            )
        return self.scaling_.placed(queries)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fit, and give the places of the members."""
        return self.fit(X, y).embedding_

    def _checked(self, X: Any, *, new: bool) -> Affinity:
        affinity: Affinity = self.check(X, new=new)
        if isinstance(affinity, Graph):
            raise DataError(
                "Embedding needs the affinity of every pair, and was given a graph of neighbours only."
            )
        if isinstance(affinity, (Dense, Condensed)) and np.isinf(affinity.values).any():
            raise DataError(
                "the affinity has an infinite distance, and no map has room for it; leave that member out.",
                owner="Embedding",
            )
        return affinity

    def _neighbor_map(self, affinity: Affinity, start: np.ndarray) -> np.ndarray:
        n = affinity.n
        if n > _MOST:
            raise DataError(
                f"{self.method} takes up to {_MOST} members, and there are {n}; use method='classical'.",
                owner="Embedding",
            )
        far = dense(distance(affinity)).values
        far = np.maximum((far + far.T) / 2, 0.0)
        np.fill_diagonal(far, 0.0)
        seed = small_seed(stream(self.random_state))
        with steady():
            return self._tsne(far, start, seed) if self.method == "tsne" else self._umap(far, seed)

    def _tsne(self, far: np.ndarray, start: np.ndarray, seed: int) -> np.ndarray:
        from sklearn.manifold import TSNE

        spread = start[:, 0].std()
        first = start / spread * 1e-4 if spread > 0 else start
        model = TSNE(
            self.n_components,
            perplexity=min(float(self.neighbors), (len(far) - 1) / 3),
            metric="precomputed",
            init=first.astype(np.float32),
            method="barnes_hut" if self.n_components < 4 else "exact",
            random_state=seed,
        )
        found = model.fit_transform(far).astype(np.float64)
        self.divergence_ = float(model.kl_divergence_)
        return found

    def _umap(self, far: np.ndarray, seed: int) -> np.ndarray:
        umap = need("umap", extra="maps")
        model = umap.UMAP(
            n_components=self.n_components,
            n_neighbors=min(self.neighbors, len(far) - 1),
            metric="precomputed",
            init="random" if len(far) <= self.n_components + 2 else "spectral",
            random_state=seed,
            n_jobs=1,
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="using precomputed metric")
            return np.asarray(model.fit_transform(far), dtype=np.float64)
