"""Dense regions against scikit-learn on the points themselves; who is in none; new members within reach; bad input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import DBSCAN, HDBSCAN

from coterie.compare import Euclidean
from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError
from coterie.core.workplace import using
from coterie.organize import Density
from coterie.organize.density import usual_reach
from coterie.parts.pairwise import graph
from coterie.testing import promises

MODELS = [
    Density(),
    Density(method="dbscan"),
    Density(method="dbscan", eps=2.0, min_size=4),
    Density(eps=0.5),
]


def straight(a, b):
    return np.sqrt(np.square(a[:, None, :] - b[None, :, :]).sum(axis=2))


def rings(seed=0):
    """A ring around a cloud, and three members far from both."""
    generator = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    ring = (
        np.column_stack([np.cos(angle), np.sin(angle)]) * 6 + generator.normal(size=(80, 2)) * 0.1
    )
    inner = generator.normal(size=(40, 2)) * 0.4
    return np.vstack([ring, inner, [[20.0, 0.0], [0.0, 25.0], [-30.0, 0.0]]]), np.repeat(
        [0, 1, -1], [80, 40, 3]
    )


def same_groups(a, b):
    return np.array_equal(a[:, None] == a[None, :], b[:, None] == b[None, :]) and np.array_equal(
        a < 0, b < 0
    )


@pytest.mark.parametrize("promise", [p for model in MODELS for p in promises(model)], ids=str)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("size", [2, 5, 9])
def test_groups_are_those_of_the_points(size):
    points, _ = rings(1)
    gaps = Dense(straight(points, points), "distance")
    other = HDBSCAN(min_cluster_size=size, copy=True).fit(points)
    found = Density(min_size=size).fit(gaps)
    assert same_groups(found.labels_, other.labels_)
    assert np.allclose(found.partition_.confidence, other.probabilities_, atol=1e-6)
    assert same_groups(
        Density(method="dbscan", min_size=size, eps=0.9).fit(gaps).labels_,
        DBSCAN(min_samples=size, eps=0.9).fit_predict(points),
    )


@pytest.mark.parametrize("method", ["hdbscan", "dbscan"])
def test_ring_cloud_and_strays(method):
    points, truth = rings()
    found = Density(method=method).fit(Dense(straight(points, points), "distance"))
    assert found.labels_[-3:].tolist() == [-1, -1, -1]
    inside = found.labels_ >= 0
    assert inside.mean() > 0.9
    assert same_groups(found.labels_[inside], truth[inside])
    assert np.all(np.diff(found.partition_.sizes) <= 0)


@pytest.mark.parametrize("method", ["hdbscan", "dbscan"])
def test_new_member_joins_within_reach_only(method):
    points, _ = rings()
    fitted = Density(method=method).fit(Dense(straight(points, points), "distance"))
    queries = np.array([[6.0, 0.05], [0.1, 0.1], [3.2, 0.0], [50.0, 50.0]])
    found = fitted.predict(Lazy(straight, queries, points, "distance", False))
    assert found.tolist() == [fitted.labels_[0], fitted.labels_[80], -1, -1]


def test_members_asked_again_stay_in_their_groups():
    points, _ = rings()
    gaps = Dense(straight(points, points), "distance")
    fitted = Density().fit(gaps)
    again = fitted.predict(gaps)
    inside = fitted.labels_ >= 0
    assert np.array_equal(again[inside], fitted.labels_[inside])
    assert again[-3:].tolist() == [-1, -1, -1]


def test_neighbors_alone_are_enough_for_dbscan():
    points, _ = rings()
    gaps = Dense(straight(points, points), "distance")
    whole = Density(method="dbscan", eps=1.5).fit(gaps)
    near = graph(gaps, 40)
    part = Density(method="dbscan", eps=1.5).fit(near)
    assert part.partition_.sizes.tolist() == [80, 40]
    assert same_groups(whole.labels_, part.labels_)
    assert np.array_equal(part.predict(near)[part.core_], part.labels_[part.core_])


def test_links_count_both_ways_and_of_length_zero():
    copies = np.repeat([[0.0], [5.0]], 6, axis=0)
    near = graph(Dense(straight(copies, copies), "distance"), 3)
    for method in ("hdbscan", "dbscan"):
        assert Density(method=method, min_size=3).fit(near).partition_.sizes.tolist() == [6, 6], (
            method
        )


def test_groups_within_eps_are_one():
    generator = np.random.default_rng(5)
    points = np.concatenate(
        [generator.normal(size=(20, 1)) * 0.1 + center for center in (0.0, 2.0, 20.0)]
    )
    gaps = Dense(straight(points, points), "distance")
    assert Density().fit(gaps).partition_.sizes.tolist() == [20, 20, 20]
    assert Density(eps=3.0).fit(gaps).partition_.sizes.tolist() == [40, 20]
    assert Density(eps=50.0).fit(gaps).partition_.sizes.tolist() == [60]


def test_usual_reach_is_the_fence_of_the_looks():
    points = np.arange(9.0)[:, None]
    gaps = straight(points, points)
    looks = np.sort(gaps, axis=1)[:, 2]
    low, high = np.quantile(looks, [0.25, 0.75])
    assert usual_reach(Dense(gaps, "distance"), 3) == high + 1.5 * (high - low)
    assert usual_reach(Dense(np.zeros((5, 5)), "distance"), 3) > 0
    assert usual_reach(Graph(sp.csr_array((4, 4)), "distance"), 3) == 1.0


@pytest.mark.parametrize("method", ["hdbscan", "dbscan"])
class TestLittleToGoBy:
    def test_fewer_members_than_make_a_region(self, method):
        found = Density(method=method, min_size=5).fit(Dense(np.zeros((4, 4)), "distance"))
        assert found.labels_.tolist() == [-1] * 4
        assert found.predict(Dense(np.zeros((2, 4)), "distance", False)).tolist() == [-1, -1]

    def test_one_member(self, method):
        assert Density(method=method).fit(Dense(np.zeros((1, 1)), "distance")).labels_.tolist() == [
            -1
        ]

    def test_identical_members_are_one_group(self, method):
        found = Density(method=method).fit(Dense(np.zeros((9, 9)), "distance"))
        assert found.labels_.tolist() == [0] * 9
        assert found.predict(Dense(np.zeros((2, 9)), "distance", False)).tolist() == [0, 0]
        assert found.predict(Dense(np.ones((1, 9)), "distance", False)).tolist() == [-1]

    def test_nobody_alike_is_in_no_group(self, method):
        assert set(Density(method=method).fit(Dense(np.eye(9), "similarity")).labels_.tolist()) == {
            -1
        }
        assert set(
            Density(method=method).fit(Graph(sp.csr_array((9, 9)), "similarity")).labels_.tolist()
        ) == {-1}
        assert set(
            Density(method=method).fit(Graph(sp.csr_array((9, 9)), "distance")).labels_.tolist()
        ) == {-1}

    def test_infinitely_far_apart(self, method):
        copies = np.repeat([[0.0], [5.0]], 6, axis=0)
        gaps = straight(copies, copies)
        found = Density(method=method).fit(Dense(np.where(gaps > 1, np.inf, gaps), "distance"))
        assert found.partition_.sizes.tolist() == [6, 6]
        wide = Density(method=method, eps=100.0).fit(
            Dense(np.where(gaps > 1, np.inf, gaps), "distance")
        )
        assert wide.partition_.sizes.tolist() == [6, 6], (
            "no reach is long enough for what is infinitely far"
        )


def test_one_sentence_for_bad_input():
    gaps = Dense(straight(*2 * (np.arange(9.0)[:, None],)), "distance")
    with pytest.raises(DataError, match="fitted on a distance"):
        Density().fit(gaps).predict(Dense(np.ones((1, 9)), "similarity", False))
    with pytest.raises(DataError, match="never below 0"):
        Density().fit(Dense(gaps.values - 1, "distance"))


@pytest.mark.parametrize("linked", [False, True])
def test_newcomers_are_looked_at_in_bands_that_fit_the_memory(linked):
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 2)) + 20.0 * (np.arange(200) % 3)[:, None]
    compare = Euclidean().fit(rows)
    queries = compare.compare(np.tile(rows, (6, 1)))
    asked = graph(queries, 5) if linked else queries
    found = Density(method="dbscan").fit(compare.affinity_)
    places = found.predict(asked)
    assert places.tolist() == found.predict(queries).tolist()
    with (
        using(memory="1MB", n_jobs=1),
        pytest.raises(DataError, match=r"A band of 512 x 200 values takes 2\.5 MB"),
    ):
        found.predict(asked)
    with using(memory="3MB", n_jobs=2):
        assert found.predict(asked).tolist() == places.tolist()
