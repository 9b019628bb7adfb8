"""Several affinities into one: by mean, product, ranks and network fusion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from coterie import Affinity
from coterie.compare import Euclidean, Gaussian, fuse
from coterie.core.affinity import Dense, Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.pairwise import dense, submatrix


@pytest.fixture
def two() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(4)
    return random.normal(size=(30, 3)), random.normal(size=(30, 2)) * 50


def test_mean_of_distances_ignores_their_scale(two):
    lazy = [Euclidean().fit(rows).affinity_ for rows in two]
    fused = fuse(lazy, weights=[1, 3])
    assert isinstance(fused, Lazy)
    far = [cdist(rows, rows) for rows in two]
    medians = [np.median(d[~np.eye(30, dtype=bool)]) for d in far]
    expected = 0.25 * far[0] / medians[0] + 0.75 * far[1] / medians[1]
    assert np.allclose(dense(fused).values, expected)
    stored = fuse([dense(a) for a in lazy], weights=[1, 3])
    assert isinstance(stored, Dense)
    assert np.allclose(stored.values, expected)
    picked = np.array([7, 2, 20])
    assert np.allclose(submatrix(fused, picked, picked), expected[np.ix_(picked, picked)])


def test_product_is_the_geometric_mean(two):
    alike = [Gaussian().fit(rows).affinity_ for rows in two]
    a, b = (dense(x).values for x in alike)
    assert np.allclose(dense(fuse(alike, how="product")).values, np.sqrt(a * b))
    assert np.allclose(dense(fuse(alike, weights=[1, 0], how="product")).values, a)


def test_mixed_kinds_become_similarities(two):
    far = Euclidean().fit(two[0]).affinity_
    alike = Gaussian().fit(two[0]).affinity_
    fused = fuse([far, alike])
    assert fused.kind == "similarity"
    assert np.allclose(dense(fused).values, dense(alike).values)


def test_ranks_are_free_of_scale(two):
    far = Euclidean().fit(two[0]).affinity_
    cubed = Affinity.of(dense(far).values ** 3, kind="distance")
    fused = fuse([far, cubed], how="rank")
    assert np.allclose(fused.values, fuse([far], how="rank").values)
    assert (np.diagonal(fused.values) == 0).all()
    assert fused.kind == "distance"
    assert np.array_equal(fused.values, fused.values.T)


def test_network_fusion_finds_groups_that_no_single_view_shows_well():
    from sklearn.cluster import SpectralClustering
    from sklearn.metrics import adjusted_rand_score

    random = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 40)
    centers = np.array([[0, 0], [2.2, 0], [0, 2.2]])
    views = [
        Euclidean().fit(centers[truth] + random.normal(size=(120, 2))).affinity_ for _ in range(3)
    ]

    def found(network: np.ndarray) -> float:
        groups = SpectralClustering(3, affinity="precomputed", random_state=0).fit_predict(network)
        return adjusted_rand_score(truth, groups)

    fused = fuse(views, how="network", neighbors=15).values
    alone = [found(fuse([view], how="network", neighbors=15).values) for view in views]
    assert found(fused) > max(alone)
    assert found(fused) > np.mean(alone) + 0.2
    assert np.array_equal(fused, fused.T)
    with using(n_jobs=2):
        assert fuse(views, how="network", neighbors=15).values.tobytes() == fused.tobytes()


def test_network_fusion_against_a_slow_twin():
    random = np.random.default_rng(1)
    mats = []
    for _ in range(3):
        s = random.random((9, 9))
        mats.append((s + s.T) / 2)
    fused = fuse(
        [Affinity.of(m, kind="similarity") for m in mats], how="network", neighbors=3
    ).values

    def balance(w):
        p = np.zeros_like(w)
        for i in range(9):
            for j in range(9):
                p[i, j] = (
                    0.5 if i == j else w[i, j] / (2 * sum(w[i, k] for k in range(9) if k != i))
                )
        return (p + p.T) / 2

    def local(w):
        s = np.zeros_like(w)
        for i in range(9):
            near = [i, *sorted((j for j in range(9) if j != i), key=lambda j: -w[i, j])[:3]]
            for j in near:
                s[i, j] = w[i, j] / sum(w[i, k] for k in near)
        return s

    ps = [balance(m) for m in mats]
    ss = [local(p) for p in ps]
    for _ in range(20):
        ps = [
            balance(ss[v] @ (sum(ps[u] for u in range(3) if u != v) / 2) @ ss[v].T)
            for v in range(3)
        ]
    assert np.allclose(fused, sum(ps) / 3, atol=1e-6)


def test_bad_input_is_named(two):
    a = Euclidean().fit(two[0]).affinity_
    with pytest.raises(ParameterError, match="at least one"):
        fuse([])
    with pytest.raises(ParameterError, match="2 numbers"):
        fuse([a, a], weights=[1])
    with pytest.raises(ParameterError, match="how must be"):
        fuse([a], how="sum")
    with pytest.raises(DataError, match="affinity 1 is 5 x 5"):
        fuse([a, Euclidean().fit(two[0][:5]).affinity_])
    with pytest.raises(DataError, match="item 1"):
        fuse([a, np.eye(30)])
    with pytest.raises(DataError, match="below"):
        fuse([Affinity.of(-np.eye(3), kind="similarity")], how="product")
    with pytest.raises(DataError, match="no positive median"):
        fuse([Affinity.of(np.zeros((3, 3)), kind="distance")])
