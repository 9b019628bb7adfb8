"""Spectral clustering: known groups for every rule, newcomers, sparse graphs, the choice of k, and degenerate input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from tests.oracles.graphs import caves
from tests.oracles.spectra import normalized_pairs

from coterie import Affinity
from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.organize import Spectral
from coterie.parts.neighbors import width_grid


def blobs(n, seed=0, k=3, apart=6.0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    centers = apart * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[:k]
    return centers[truth] + rng.normal(size=(n, 2)), truth


def rings(n, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    angle = rng.random(n) * 2 * np.pi
    radius = np.where(truth, 6.0, 1.5)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1) + 0.15 * rng.normal(
        size=(n, 2)
    ), truth


@pytest.mark.parametrize("variant", ["njw", "ncut"])
@pytest.mark.parametrize("scale", ["two-candidate", "eigengap", "silhouette", "local", 1.5])
@pytest.mark.parametrize("n_groups", [3, None])
def test_known_groups_and_newcomers(scale, variant, n_groups):
    points, truth = blobs(120)
    new, new_truth = blobs(30, seed=1)
    found = Spectral(n_groups=n_groups, scale=scale, variant=variant, random_state=0).fit(
        Dense(cdist(points, points), "distance")
    )
    assert adjusted_rand_score(truth, found.labels_) == 1.0
    assert found.gaps_.argmax() + 2 == 3
    placed = found.predict(Dense(cdist(new, points), "distance", False))
    number = {t: found.labels_[truth == t][0] for t in range(3)}
    assert placed.tolist() == [number[t] for t in new_truth]
    assert ((found.partition_.confidence > 0.5) & (found.partition_.confidence <= 1)).all()


def test_groups_that_are_no_balls():
    points, truth = rings(300)
    away = Dense(cdist(points, points), "distance")
    for scale in (0.5, "local"):  # the eigengap rule prefers a width that joins the rings
        assert (
            adjusted_rand_score(
                truth, Spectral(n_groups=2, scale=scale, random_state=0).fit(away).labels_
            )
            == 1.0
        )


def test_two_candidates_keep_the_better_silhouette():
    from sklearn.metrics import silhouette_score

    points, _ = blobs(90, seed=3, apart=2.0)
    away = cdist(points, points)
    rules = ("eigengap", "two-candidate", "silhouette")
    found = {
        rule: Spectral(n_groups=3, scale=rule, random_state=0).fit(Dense(away, "distance"))
        for rule in rules
    }
    score = {
        rule: silhouette_score(away, f.labels_, metric="precomputed") for rule, f in found.items()
    }
    assert score["eigengap"] <= score["two-candidate"] <= score["silhouette"]
    assert found["two-candidate"].scale_ in width_grid(Dense(away, "distance"))


def test_gap_curve_is_of_each_ks_best_width():
    points, _ = blobs(40)
    away = cdist(points, points)
    found = Spectral(scale="eigengap", max_groups=5, random_state=0).fit(Dense(away, "distance"))
    curves = []
    for width in width_grid(Dense(away, "distance")):
        weights = np.exp(-(away**2) / (2 * width**2))
        np.fill_diagonal(weights, 0)
        values = normalized_pairs(weights + 0)[0]
        curves.append([values[k - 1] - values[k] for k in range(2, 6)])
    assert found.gaps_ == pytest.approx(np.max(curves, axis=0), abs=1e-6)


def test_graph_stays_sparse_and_falls_into_its_pieces():
    links = sp.csr_array(sp.block_diag([caves(1, 700, 0.0, 0)[:700, :700] for _ in range(3)]))
    truth = np.repeat(np.arange(3), 700)
    with using(memory="20MB"):  # a dense matrix of the members would take 35
        found = Spectral(random_state=0).fit(Graph(links, "similarity"))
    assert found.partition_.n_groups == 3
    assert adjusted_rand_score(truth, found.labels_) == 1.0
    new = sp.csr_array(([1.0], ([0], [1500])), shape=(2, 2100))
    assert found.predict(Graph(new, "similarity")).tolist() == [found.labels_[1500], -1]


def test_distance_graph():
    points, truth = blobs(150, apart=12.0)
    away = cdist(points, points)
    near = np.argsort(away, axis=1)[:, 1:11]
    rows = np.repeat(np.arange(150), 10)
    links = Graph(
        sp.csr_array((away[rows, near.ravel()], (rows, near.ravel())), shape=(150, 150)), "distance"
    )
    found = Spectral(n_groups=3, random_state=0).fit(links)
    assert adjusted_rand_score(truth, found.labels_) == 1.0
    with pytest.raises(DataError, match="every distance"):
        Spectral(n_groups=3, scale="local").fit(links)


def test_same_bits_for_any_workers_and_any_form():
    points, _ = blobs(130, seed=5, apart=3.0)
    away = cdist(points, points)
    lazy = Lazy(lambda a, b: cdist(a, b), points, points, "distance")
    results = []
    for workers, affinity in (
        (1, Dense(away, "distance")),
        (3, Dense(away, "distance")),
        (2, lazy),
    ):
        with using(n_jobs=workers):
            found = Spectral(random_state=3).fit(affinity)
        results.append(
            (found.labels_.tobytes(), found.partition_.confidence.tobytes(), found.scale_)
        )
    assert results[0] == results[1] == results[2]


def test_member_like_nobody_is_in_no_group():
    values = np.kron(np.eye(2), np.ones((5, 5)))
    values = np.pad(values, (0, 1))
    with pytest.warns(UserWarning, match="position 10"):
        found = Spectral(n_groups=2, random_state=0).fit(Dense(values, "similarity"))
    assert found.labels_.tolist() == [0] * 5 + [1] * 5 + [-1]
    assert found.isolated_.tolist() == [10]
    assert found.partition_.confidence[10] == 0


def test_no_two_alike_is_one_group_with_a_warning():
    with pytest.warns(UserWarning, match="no two members are alike"):
        found = Spectral(n_groups=2).fit(Dense(np.zeros((4, 4)), "similarity"))
    assert found.labels_.tolist() == [0, 0, 0, 0]


def test_identical_members_are_one_group_with_a_warning():
    with pytest.warns(UserWarning, match="identical"):
        found = Spectral(n_groups=2).fit(Dense(np.zeros((4, 4)), "distance"))
    assert found.labels_.tolist() == [0, 0, 0, 0]
    assert found.predict(Dense(np.zeros((1, 4)), "distance", False)).tolist() == [0]


def test_duplicates_do_not_break_the_width():
    points = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0]]), [20, 3], axis=0)
    found = Spectral(n_groups=2, random_state=0).fit(Dense(cdist(points, points), "distance"))
    assert found.partition_.sizes.tolist() == [20, 3]


@pytest.mark.parametrize("kind", ["distance", "similarity"])
def test_constant_affinity_is_one_group(kind):
    values = np.ones((6, 6)) if kind == "similarity" else np.ones((6, 6)) - np.eye(6)
    assert Spectral().fit(Dense(values, kind)).partition_.n_groups == 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_members(n):
    points, _ = blobs(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = Spectral().fit(Dense(cdist(points, points), "distance"))
        assert len(found.labels_) == n
        assert (
            Spectral(n_groups=n, random_state=0)
            .fit(Dense(cdist(points, points), "distance"))
            .partition_.n_groups
            <= n
        )


def test_one_group_and_all_groups():
    points, _ = blobs(12)
    away = Dense(cdist(points, points), "distance")
    assert Spectral(n_groups=1).fit(away).labels_.tolist() == [0] * 12
    assert Spectral(n_groups=12, random_state=0).fit(away).partition_.n_groups == 12
    with pytest.raises(DataError, match="only 12 members"):
        Spectral(n_groups=13).fit(away)


def test_what_is_refused():
    points, _ = blobs(12)
    away = Dense(cdist(points, points), "distance")
    with pytest.raises(ParameterError, match="scale"):
        Spectral(scale="widest").fit(away)
    with pytest.raises(ParameterError, match="scale"):
        Spectral(scale=0.0).fit(away)
    found = Spectral(n_groups=3, random_state=0).fit(away)
    with pytest.raises(DataError, match="fitted on a distance"):
        found.predict(Affinity.of(np.ones((1, 12)), kind="similarity"))
    with pytest.raises(DataError, match="columns"):
        found.predict(Affinity.of(np.ones((1, 5)), kind="distance"))
