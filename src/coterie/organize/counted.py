"""Members grouped by their rows of counts: topics (latent Dirichlet allocation), and k-means through scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie.core.errors import DataError
from coterie.core.params import param
from coterie.core.random import small_seed
from coterie.organize.role import Counted
from coterie.parts import lda
from coterie.parts.iterate import best_of


class Topics(Counted):
    """Topics of the members (latent Dirichlet allocation): each member in the group of its largest topic."""

    n_groups: int = param(8, "How many groups.", ge=1)
    alpha: float | None = param(
        None,
        "Prior weight of a topic in a member; 50 / topics, at most 1, when left out.",
        gt=0,
        le=1,
    )
    eta: float = param(0.01, "Prior weight of every column in a topic.", gt=0, le=1)
    passes: int = param(
        50, "Passes over all members (variational Bayes, all members at once).", ge=1
    )
    restarts: int = param(3, "Random starts, the best of which by the bound is kept.", ge=1)
    random_state: int | None = param(None, "Seed of the starts.")

    topics_: np.ndarray
    model_: lda.Topical

    def learn(self, counts: Any, seed: int) -> tuple[float, np.ndarray]:
        """Topics by batch variational Bayes; the bound on the log-likelihood per count."""
        total = max(float(counts.sum()), 1e-300)
        alpha = min(1.0, 50.0 / self.n_groups) if self.alpha is None else self.alpha

        def attempt(generator: np.random.Generator) -> tuple[float, Any]:
            found = lda.learned(
                counts,
                self.n_groups,
                alpha=alpha,
                eta=self.eta,
                passes=self.passes,
                seed=small_seed(generator),
            )
            return found.bound(counts) / total, found

        value, self.model_ = best_of(
            attempt, self.restarts, random_state=seed, label="Topics", prefer="higher"
        )
        self.topics_ = self.model_.weights / self.model_.weights.sum(axis=1, keepdims=True)
        return value, self.fitting(counts)

    def fitting(self, counts: Any) -> np.ndarray:
        """The share of each topic in each row."""
        return self.model_.shares(counts)


class KMeans(Counted):
    """k-means on rows of counts: raw, or weighted by tf-idf and brought to length one, on all columns or on a few of LSA."""

    n_groups: int = param(8, "How many groups.", ge=1)
    weights: str = param(
        "tfidf", "Counts as they are, or tf-idf with rows of length one.", choices=("raw", "tfidf")
    )
    components: int | None = param(
        None, "Columns of a latent semantic analysis to cluster; all columns when left out.", ge=1
    )
    restarts: int = param(10, "Random starts (k-means++), the best of which is kept.", ge=1)
    passes: int = param(300, "Most passes over the members in one start.", ge=1, advanced=True)
    random_state: int | None = param(None, "Seed of the starts.")

    idf_: np.ndarray | None
    components_: np.ndarray | None
    centers_: np.ndarray

    def learn(self, counts: Any, seed: int) -> tuple[float, np.ndarray]:
        """The best of several starts; minus the sum of squared distances."""
        from sklearn.cluster import KMeans as Means

        rows = self._weigh(counts, seed)

        def attempt(generator: np.random.Generator) -> tuple[float, Any]:
            means = Means(
                self.n_groups, n_init=1, max_iter=self.passes, random_state=small_seed(generator)
            ).fit(rows)
            return -float(means.inertia_), means

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer distinct rows than groups: said in the notes
            value, means = best_of(
                attempt, self.restarts, random_state=seed, label="KMeans", prefer="higher"
            )
        self.centers_ = means.cluster_centers_
        return value, -means.transform(rows)

    def _weigh(self, counts: Any, seed: int) -> Any:
        """The rows that are clustered, and what is learned to weigh new ones alike."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.preprocessing import normalize

        self.idf_ = None
        self.components_ = None
        if self.weights == "tfidf":
            tfidf = TfidfTransformer()
            counts = tfidf.fit_transform(counts)
            self.idf_ = tfidf.idf_
        if self.components is None:
            return counts
        most = min(counts.shape) - 1
        if self.components > most:
            rows, columns = counts.shape
            raise DataError(
                f"components must be at most {most} for {rows} members and {columns} columns.",
                owner="KMeans",
            )
        svd = TruncatedSVD(self.components, random_state=seed % 2**31)
        with np.errstate(divide="ignore", invalid="ignore"):  # shares of a variance of 0, not used
            counts = svd.fit_transform(counts)
        self.components_ = svd.components_
        return normalize(counts, copy=False) if self.weights == "tfidf" else counts

    def fitting(self, counts: Any) -> np.ndarray:
        """Minus the distance of each row to each center."""
        from sklearn.metrics.pairwise import euclidean_distances
        from sklearn.preprocessing import normalize

        rows = counts
        if self.idf_ is not None:
            rows = sp.csr_array(counts, dtype=np.float64, copy=True)
            rows.data *= self.idf_[rows.indices]
            rows = normalize(rows, copy=False)
        if self.components_ is not None:
            rows = np.asarray(rows @ self.components_.T)
            rows = normalize(rows, copy=False) if self.weights == "tfidf" else rows
        return -np.asarray(euclidean_distances(rows, self.centers_))
