"""Density: dense regions of members as groups, by HDBSCAN (any density) or DBSCAN (one density everywhere)."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy.sparse.csgraph import connected_components

from coterie.core.affinity import Affinity, Dense, Graph
from coterie.core.estimator import Organizer
from coterie.core.params import param
from coterie.core.partition import numbered
from coterie.core.workplace import fits, steady
from coterie.parts.distances import Distances, links, query_bands, same_kind
from coterie.parts.neighbors import nearest, symmetrized
from coterie.parts.pairwise import reduce_bands

# arrays of all distances that scikit-learn holds beside ours
_HDBSCAN = 2
_DBSCAN = 2


class Density(Organizer):
    """Dense regions as groups, the sparse rest in none.

    `core_` are the positions of the members that new ones can join, `reach_` how far each of them reaches, `eps_` the
    distance used. HDBSCAN gives each member a confidence; DBSCAN gives none. Of a neighbor graph DBSCAN uses the links
    alone, HDBSCAN the shortest paths along them.
    """

    method: Literal["hdbscan", "dbscan"] = param(
        "hdbscan",
        "hdbscan finds groups of different density, dbscan those of one density.",
        choices=("hdbscan", "dbscan"),
    )
    min_size: int = param(
        5, "Members that make a region dense, and the least size of a group of hdbscan.", ge=2
    )
    eps: float | None = param(
        None,
        "dbscan: how near neighbors are (None: read off the distances); hdbscan: groups nearer than this are one.",
        gt=0,
    )

    core_: np.ndarray
    reach_: np.ndarray
    eps_: float
    kind_: str

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the dense regions; -1 for members in none."""
        affinity = self.check_square(X)
        self.kind_ = affinity.kind
        n = len(affinity)
        if n < self.min_size or _nobody_alike(affinity):
            self.partition_, _ = numbered(np.full(n, -1), np.zeros(n))
            self.core_ = np.arange(0)
            self.reach_ = np.empty(0)
            self.eps_ = float(self.eps or 0.0)
        elif self.method == "dbscan":
            self._one_density(affinity)
        else:
            self._any_density(affinity)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The group of the nearest core member that the new one lies within reach of; -1 where there is none.

        dbscan: the reach is `eps_`. hdbscan: it is the largest distance, over the group, to the min_size-th member (itself
        counted), and the new member must have as many members around it, itself counted, within that distance too.
        """
        queries = same_kind(self.check_queries(X), self.kind_, "Density")
        found = np.full(queries.shape[0], -1, dtype=np.int64)
        if not len(self.core_):
            return found
        groups = self.partition_.labels[self.core_]
        looks = self.method == "hdbscan" and not isinstance(queries, Graph)

        def placed(values: np.ndarray) -> np.ndarray:
            near = values[:, self.core_]
            around = (
                np.partition(values, self.min_size - 2, axis=1)[:, self.min_size - 2, None]
                if looks
                else 0.0
            )
            near[~((near <= self.reach_) & (around <= self.reach_))] = np.inf
            return np.where(np.isfinite(near).any(axis=1), groups[near.argmin(axis=1)], -1)

        for rows, places in query_bands(placed, queries, "Density"):
            found[rows] = places
        return found

    def _one_density(self, affinity: Affinity) -> None:
        from sklearn.cluster import DBSCAN

        away: Any
        if isinstance(affinity, Graph):
            away = symmetrized(Graph(links(affinity, "Density"), "distance", False))
        else:
            distances = Distances.of(affinity, "Density")
            _room(distances, _DBSCAN)
            away = Dense(distances.all(), "distance")
            if (
                self.eps is not None and self.eps >= distances.far
            ):  # infinitely far stays out of reach
                away = Dense(
                    np.where(away.values >= distances.far, 2.0 * self.eps, away.values), "distance"
                )
        self.eps_ = float(self.eps) if self.eps is not None else usual_reach(away, self.min_size)
        with steady():
            model = DBSCAN(eps=self.eps_, min_samples=self.min_size, metric="precomputed").fit(
                away.values
            )
        self.partition_, _ = numbered(model.labels_)
        self.core_ = np.asarray(model.core_sample_indices_, dtype=np.int64)
        self.reach_ = np.full(len(self.core_), self.eps_)

    def _any_density(self, affinity: Affinity) -> None:
        from sklearn.cluster import HDBSCAN

        distances = Distances.of(affinity, "Density")
        _room(distances, _HDBSCAN + (2 if self.eps else 0))
        values = distances.all()
        self.eps_ = float(self.eps or 0.0)
        around = nearest(Dense(values, "distance"), self.min_size - 1)[1][:, -1]
        if _constant(values):
            labels = np.zeros(len(values), dtype=np.int64)
            confidence = np.ones(len(values))
        else:
            with steady():
                model = HDBSCAN(
                    min_cluster_size=self.min_size, metric="precomputed", copy=True
                ).fit(values)
            labels = (
                touching(
                    values, around, model.labels_, min(self.eps_, np.nextafter(distances.far, 0))
                )
                if self.eps_
                else model.labels_
            )
            confidence = np.clip(np.nan_to_num(model.probabilities_), 0.0, 1.0)
        self.partition_, _ = numbered(labels, confidence)
        labels = self.partition_.labels
        self.core_ = np.flatnonzero(labels >= 0)
        widest = np.zeros(self.partition_.n_groups)
        np.maximum.at(widest, labels[self.core_], around[self.core_])
        self.reach_ = widest[labels[self.core_]]


def _room(distances: Distances, copies: int) -> None:
    """Refuse what would not fit: the distances, and what scikit-learn makes of them."""
    n = len(distances)
    fits(
        distances.size() + copies * 8 * n * n,
        f"Density of {n} members",
        "keep neighbors first with compare.Neighborhood",
    )


def usual_reach(away: Affinity, min_size: int) -> float:
    """A distance for DBSCAN: the third quartile, and 1.5 times the spread of the quartiles, of how far members must look.

    To see `min_size` members, itself counted; who has to look farther than this is unusual, and lies in no dense region.
    """
    looks = nearest(away, min_size - 1)[1][:, -1]
    looks = looks[np.isfinite(looks)]
    if not looks.size:
        return 1.0
    low, high = np.quantile(looks, [0.25, 0.75])
    return max(float(high + 1.5 * (high - low)), float(np.finfo(np.float64).tiny))


def touching(values: np.ndarray, around: np.ndarray, labels: np.ndarray, eps: float) -> np.ndarray:
    """The groups with those joined that come within eps, a member being no nearer than what it must look to be dense."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    if not len(order):
        return labels
    _, starts = np.unique(labels[order], return_index=True)
    mutual = np.maximum(
        values[np.ix_(order, order)], np.maximum.outer(around[order], around[order])
    )
    nearest_pairs = np.minimum.reduceat(np.minimum.reduceat(mutual, starts, axis=0), starts, axis=1)
    _, joined = connected_components(nearest_pairs <= eps, directed=False)
    return np.where(labels >= 0, joined[labels], -1)


def _nobody_alike(affinity: Affinity) -> bool:
    """Whether no two members are similar at all, or no link is known."""
    if isinstance(affinity, Graph):
        near = links(affinity, "Density").tocoo()
        return not np.any(near.row != near.col)
    return affinity.kind == "similarity" and not any(
        found for _, found in reduce_bands(_any_alike, affinity, label="look")
    )


def _any_alike(values: np.ndarray, rows: slice, _: Affinity) -> tuple[bool]:
    values[np.arange(len(values)), np.arange(rows.start, rows.stop)] = 0.0
    return (bool(values.max() > 0),)


def _constant(values: np.ndarray) -> bool:
    """Whether all members are equally far from each other."""
    one = float(values[0, 1])
    if np.ptp(values[0, 1:]) > 1e-12 * one:
        return False
    return bool(
        np.all(np.isclose(values, one, rtol=1e-12, atol=0.0) | np.eye(len(values), dtype=bool))
    )
