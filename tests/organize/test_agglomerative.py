"""The tree against SciPy and scikit-learn, the rule of every linkage for new members, the cut in the largest gap."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError
from coterie.organize import Agglomerative
from coterie.organize.agglomerative import relative_gaps
from coterie.parts.pairwise import condensed, graph
from coterie.testing import promises

LINKAGES = ("single", "complete", "average", "weighted", "ward", "centroid", "median")


def straight(a, b):
    return np.sqrt(np.square(a[:, None, :] - b[None, :, :]).sum(axis=2))


def cloud(n, seed, centers=((0, 0), (7, 0), (0, 7))):
    generator = np.random.default_rng(seed)
    truth = np.arange(n) % len(centers)
    return np.array(centers, dtype=float)[truth] + generator.normal(size=(n, 2)) * 0.5, truth


def same_groups(a, b):
    return np.array_equal(a[:, None] == a[None, :], b[:, None] == b[None, :])


@pytest.mark.parametrize(
    "promise", [p for how in LINKAGES for p in promises(Agglomerative(linkage=how))], ids=str
)
def test_promise(promise):
    promise()


@pytest.mark.parametrize("how", LINKAGES)
def test_tree_is_that_of_the_points(how):
    points, _ = cloud(25, 0)
    found = Agglomerative(n_groups=3, linkage=how).fit(Dense(straight(points, points), "distance"))
    assert np.allclose(found.hierarchy_.merges, linkage(points, how), atol=1e-8)


@pytest.mark.parametrize("how", ["single", "complete", "average", "ward"])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_groups_equal_another_library(how, k):
    from sklearn.cluster import AgglomerativeClustering

    points = np.random.default_rng(k).normal(size=(40, 3))
    other = AgglomerativeClustering(n_clusters=k, linkage=how).fit_predict(points)
    assert same_groups(
        Agglomerative(n_groups=k, linkage=how)
        .fit(Dense(squareform(pdist(points)), "distance"))
        .labels_,
        other,
    )


@pytest.mark.parametrize("how", LINKAGES)
def test_new_member_joins_by_the_rule_of_the_linkage(how):
    generator = np.random.default_rng(4)
    points = generator.normal(size=(30, 2)) * [3.0, 1.0]
    fitted = Agglomerative(n_groups=4, linkage=how).fit(Dense(straight(points, points), "distance"))
    queries = generator.normal(size=(50, 2)) * 3
    expected = []
    for query in queries:
        scores = []
        for group in range(4):
            inside = points[fitted.labels_ == group]
            away = np.linalg.norm(inside - query, axis=1)
            center = np.square(inside.mean(axis=0) - query).sum()
            rule = {
                "single": away.min(),
                "complete": away.max(),
                "average": away.mean(),
                "weighted": away.mean(),
            }
            rule |= {
                "centroid": center,
                "median": center,
                "ward": center * len(inside) / (len(inside) + 1),
            }
            scores.append(rule[how])
        expected.append(int(np.argmin(scores)))
    assert fitted.predict(Lazy(straight, queries, points, "distance", False)).tolist() == expected


@pytest.mark.parametrize("how", LINKAGES)
def test_largest_gap_finds_the_number_of_groups(how):
    points, truth = cloud(60, 1)
    found = Agglomerative(linkage=how).fit(Dense(straight(points, points), "distance"))
    assert same_groups(found.labels_, truth)
    assert max(found.gaps_, key=found.gaps_.get) == 3
    assert list(found.gaps_) == list(range(2, 9))


def test_gaps_are_shares_of_the_upper_height():
    gaps = relative_gaps(np.array([1.0, 2.0, 4.0, 4.0, 5.0, 10.0, 10.0, 20.0]))
    assert gaps == {2: 0.5, 3: 0.0}
    assert relative_gaps(np.empty(0)) == {}
    assert relative_gaps(np.array([3.0])) == {}
    assert relative_gaps(np.zeros(5)) == {2: 0.0, 3: 0.0}


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_to_tell_are_one_group(n):
    found = Agglomerative().fit(Dense(1.0 - np.eye(n), "distance"))
    assert found.labels_.tolist() == [0] * n
    assert found.gaps_ == {}


@pytest.mark.parametrize(
    "values", [np.zeros((6, 6)), np.ones((6, 6)) - np.eye(6)], ids=["identical", "equally far"]
)
@pytest.mark.parametrize("kind", ["distance", "similarity"])
def test_members_that_nothing_tells_apart_are_one_group(values, kind):
    assert Agglomerative().fit(Dense(values, kind)).partition_.n_groups == 1
    assert Agglomerative(n_groups=4).fit(Dense(values, kind)).partition_.n_groups == 4


def test_copies_are_found_as_groups():
    points = np.repeat([[0.0], [4.0], [9.0]], 5, axis=0)
    assert Agglomerative().fit(
        Dense(straight(points, points), "distance")
    ).partition_.sizes.tolist() == [5, 5, 5]


def test_all_forms_of_one_affinity_agree():
    points, _ = cloud(30, 2)
    gaps = Dense(straight(points, points), "distance")
    forms = [gaps, condensed(gaps), Lazy(straight, points, points, "distance")]
    assert len({Agglomerative(n_groups=5).fit(form).labels_.tobytes() for form in forms}) == 1


def test_pieces_of_a_graph_are_merged_last():
    points, truth = cloud(45, 3)
    near = graph(Dense(straight(points, points), "distance"), 6)
    for how in LINKAGES:
        found = Agglomerative(n_groups=3, linkage=how).fit(near)
        assert same_groups(found.labels_, truth), how
        assert np.isfinite(found.hierarchy_.heights).all()
        assert np.array_equal(found.predict(near), found.labels_), how
    assert found.predict(Graph(sp.csr_array((2, 45)), "distance")).tolist() == [-1, -1]


def test_unsymmetric_distance_counts_both_ways():
    points, truth = cloud(30, 4)
    lopsided = straight(points, points) + np.random.default_rng(0).random((30, 30)) * 0.1
    assert same_groups(
        Agglomerative(n_groups=3).fit(Dense(lopsided, "distance", False)).labels_, truth
    )


def test_one_sentence_for_bad_input():
    gaps = Dense(straight(*2 * (np.arange(4.0)[:, None],)), "distance")
    with pytest.raises(DataError, match="only 4 members"):
        Agglomerative(n_groups=5).fit(gaps)
    with pytest.raises(DataError, match="members x members"):
        Agglomerative().fit(Dense(np.ones((2, 3)), "distance", False))
    with pytest.raises(DataError, match="fitted on a distance"):
        Agglomerative(n_groups=2).fit(gaps).predict(Dense(np.ones((1, 4)), "similarity", False))
