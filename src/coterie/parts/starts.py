"""Groupings to start a mixture from: k-means, Ward and a spectral cut, of points as they are, whitened, and by their ranks."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from coterie.core.random import small_seed, stream
from coterie.core.workplace import steady

WHITE = 12  # directions that are whitened
_NEAR = 10  # neighbors in the graph of a spectral cut
_SCALE = 7  # the neighbor whose distance is a row's own scale (Zelnik-Manor and Perona)
_FINER = (1.25, 1.5, 2.0)  # times as many groups, before they are merged
_ALL_PAIRS = 2500  # rows up to which all pairs are compared, for Ward and the spectral cut


def kmeans(points: np.ndarray, k: int, *, n_init: int = 10, seed: int = 0) -> np.ndarray:
    """The groups of the best of several k-means; fewer than k where there are fewer distinct rows."""
    return np.asarray(fit_kmeans(points, k, n_init=n_init, seed=seed).labels_, dtype=np.int64)


def fit_kmeans(points: np.ndarray, k: int, *, n_init: int = 10, seed: int = 0) -> Any:
    """The best of several k-means, as scikit-learn's object."""
    from sklearn.cluster import KMeans

    with warnings.catch_warnings(), steady():
        warnings.simplefilter("ignore")  # fewer distinct rows than groups: seen by the caller
        return KMeans(k, n_init=n_init, random_state=small_seed(stream(seed, k))).fit(points)


def whitened(points: np.ndarray) -> np.ndarray:
    """The first principal components, each of variance one."""
    centered = points - points.mean(axis=0)
    with steady():
        left, values, _ = np.linalg.svd(centered, full_matrices=False)
    kept = int((values > 1e-6 * values[0]).sum()) if len(values) and values[0] > 0 else 0
    return np.asarray(left[:, : min(kept, WHITE)] * np.sqrt(len(points)))


def ranked(points: np.ndarray) -> np.ndarray:
    """Every column as normal scores of its ranks, with the spread it had."""
    from scipy.stats import norm, rankdata

    scores = norm.ppf((rankdata(points, axis=0) - 0.5) / len(points))
    spread = scores.std(axis=0)
    return np.asarray(
        scores * np.divide(points.std(axis=0), spread, out=np.zeros_like(spread), where=spread > 0)
    )


class Ward:
    """Ward's tree of the rows, cut into any number of groups."""

    def __init__(self, points: np.ndarray) -> None:
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import pdist

        self.merges = linkage(pdist(points), "ward")

    def __call__(self, k: int) -> np.ndarray:
        from scipy.cluster.hierarchy import fcluster

        return np.asarray(fcluster(self.merges, k, "maxclust") - 1, dtype=np.int64)


class SpectralCut:
    """Normalized cuts of a graph of near neighbors with local scales, into any number of groups up to the largest."""

    def __init__(self, points: np.ndarray, most: int) -> None:
        from coterie.parts.spectra import spectrum

        self.spectrum = spectrum(_graph(points), min(most, len(points) - 1))

    def __call__(self, k: int, seed: int = 0) -> np.ndarray:
        return kmeans(self.spectrum.rows(k), k, seed=seed)


def _graph(points: np.ndarray) -> Any:
    """Weights exp(-d^2 / (s_i s_j)) of each row's nearest ones, either way."""
    import scipy.sparse as sp
    from scipy.spatial.distance import cdist

    n = len(points)
    squared = cdist(points, points, "sqeuclidean")
    near = min(_NEAR + 1, n)
    last = min(_SCALE, near - 1)
    order = np.argpartition(squared, (last, near - 1), axis=1)[:, :near]
    scale = np.sqrt(squared[np.arange(n), order[:, last]])
    scale = np.maximum(scale, 1e-2 * np.median(scale) + 1e-12)
    rows = np.repeat(np.arange(n), near)
    columns = order.ravel()
    weights = np.exp(-squared[rows, columns] / (scale[rows] * scale[columns]))
    apart = rows != columns
    graph = sp.csr_array((weights[apart], (rows[apart], columns[apart])), shape=(n, n))
    return sp.csr_array(graph.maximum(graph.T))


def make_starts(points: np.ndarray, k: int, *, seed: int = 0, n_init: int = 10) -> list[np.ndarray]:
    """Groupings into k from which a mixture may start; by all pairs only where there are not too many rows."""
    forms = [points, whitened(points), ranked(points)]
    forms = [form for form in forms if form.shape[1]]
    found = [kmeans(form, k, n_init=n_init, seed=seed) for form in forms]
    if k < len(points) <= _ALL_PAIRS:
        found += [Ward(form)(k) for form in forms]
        found += [SpectralCut(form, k)(k, seed) for form in forms[:1]]
    return found


def merged_starts(points: np.ndarray, k: int, *, seed: int = 0) -> list[np.ndarray]:
    """Finer groupings by k-means, of the points as they are and whitened, whose groups are merged into k."""
    forms = [form for form in (points, whitened(points)) if form.shape[1]]
    finer = sorted({min(int(np.ceil(share * k)), len(points) // 4) for share in _FINER})
    return [
        merge_groups(form, kmeans(form, many, n_init=4, seed=seed), k)
        for many in finer
        if many > k
        for form in forms
    ]


def merge_groups(points: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Groups merged two by two into k, always those that add least to the squares within groups (Ward's criterion)."""
    _, labels = np.unique(labels, return_inverse=True)
    sizes = np.bincount(labels).astype(np.float64)
    means = np.stack([points[labels == g].mean(axis=0) for g in range(len(sizes))])
    while len(sizes) > max(k, 1):
        apart = np.square(means[:, None] - means[None]).sum(axis=2)
        cost = apart * sizes[:, None] * sizes / (sizes[:, None] + sizes)
        np.fill_diagonal(cost, np.inf)
        kept, gone = sorted(np.unravel_index(int(cost.argmin()), cost.shape))
        total = sizes[kept] + sizes[gone]
        means[kept] = (sizes[kept] * means[kept] + sizes[gone] * means[gone]) / total
        sizes[kept] = total
        labels[labels == gone] = kept
        labels[labels > gone] -= 1
        means = np.delete(means, gone, axis=0)
        sizes = np.delete(sizes, gone)
    return np.asarray(labels, dtype=np.int64)
