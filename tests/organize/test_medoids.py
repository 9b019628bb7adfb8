"""k-medoids against every choice of medoids and against slow PAM; samples, paths of a graph, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import medoids as slow

from coterie._kernels.medoids import build
from coterie.core.affinity import Dense, Graph, Lazy
from coterie.core.errors import DataError
from coterie.core.workplace import using
from coterie.organize import Medoids
from coterie.organize import medoids as module
from coterie.parts.pairwise import condensed, graph
from coterie.testing import promises


def straight(a, b):
    return np.sqrt(np.square(a[:, None, :] - b[None, :, :]).sum(axis=2))


def cloud(n, seed, k=3, spread=0.4):
    generator = np.random.default_rng(seed)
    truth = np.arange(n) % k
    return np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])[truth] + generator.normal(
        size=(n, 2)
    ) * spread, truth


def same_groups(a, b):
    return np.array_equal(a[:, None] == a[None, :], b[:, None] == b[None, :])


@pytest.mark.parametrize("promise", [*promises(Medoids()), *promises(Medoids(n_init=3))], ids=str)
def test_promise(promise):
    promise()


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 4))
def test_start_is_the_greedy_one(seed, n, k):
    gaps = straight(*2 * (np.random.default_rng(seed).normal(size=(n, 2)),))
    medoids = np.empty(min(k, n), dtype=np.int64)
    build(gaps, medoids)
    assert medoids.tolist() == slow.greedy(gaps, min(k, n))


@pytest.mark.parametrize("seed", range(12))
def test_ends_where_no_exchange_helps_and_no_worse_than_pam(seed):
    points = np.random.default_rng(seed).normal(size=(18, 2))
    gaps = straight(points, points)
    k = 2 + seed % 4
    found = Medoids(n_groups=k).fit(Dense(gaps, "distance"))
    assert np.isclose(found.inertia_, slow.total(gaps, found.medoids_), atol=1e-9)
    assert not slow.improvable(gaps, found.medoids_)
    assert found.inertia_ <= slow.pam(gaps, k) * 1.1


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_many_starts_find_the_best_of_all_choices(k):
    points = np.random.default_rng(k).normal(size=(10, 2))
    gaps = straight(points, points)
    found = Medoids(n_groups=k, n_init=30, random_state=0).fit(Dense(gaps, "distance"))
    assert np.isclose(found.inertia_, slow.exhaustive(gaps, k), atol=1e-9)


def test_groups_are_numbered_from_the_largest_and_hold_their_medoids():
    points, _ = cloud(40, 0)
    found = Medoids(n_groups=3).fit(Dense(straight(points, points)[:35, :35], "distance"))
    assert np.all(np.diff(found.partition_.sizes) <= 0)
    assert found.labels_[found.medoids_].tolist() == [0, 1, 2]
    assert np.allclose(found.partition_.confidence[found.medoids_], 1.0)
    assert found.partition_.confidence.min() >= 0


def test_confidence_is_the_margin():
    gaps = straight(*2 * (np.array([[0.0], [0.0], [0.0], [1.0], [4.0], [4.0], [4.0]]),))
    found = Medoids(n_groups=2).fit(Dense(gaps, "distance"))
    assert np.isclose(found.partition_.confidence[3], 1 - 1 / 3)


def test_all_forms_of_one_affinity_agree():
    points, _ = cloud(30, 1)
    gaps = Dense(straight(points, points), "distance")
    forms = [gaps, condensed(gaps), Lazy(straight, points, points, "distance")]
    assert len({Medoids(n_groups=3).fit(form).labels_.tobytes() for form in forms}) == 1
    alike = Dense(np.exp(-gaps.values), "similarity")
    assert same_groups(
        Medoids(n_groups=3).fit(alike).labels_, Medoids(n_groups=3).fit(gaps).labels_
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_samples_find_the_groups_and_hold_no_square(monkeypatch, jobs):
    monkeypatch.setattr(module, "_WHOLE", 200)
    monkeypatch.setattr(module, "_SAMPLE", 80)
    points, truth = cloud(3000, 2)
    largest = 0

    def tile(a, b):
        nonlocal largest
        largest = max(largest, len(a) * len(b))
        return straight(a, b)

    with using(n_jobs=jobs):
        found = Medoids(n_groups=3, random_state=1).fit(Lazy(tile, points, points, "distance"))
    assert same_groups(found.labels_, truth)
    assert largest <= 1000 * 1000
    assert np.array_equal(
        found.labels_[::7], found.predict(Lazy(straight, points[::7], points, "distance", False))
    )
    assert (
        found.medoids_.tolist()
        == Medoids(n_groups=3, random_state=1)
        .fit(Lazy(straight, points, points, "distance"))
        .medoids_.tolist()
    )


def test_samples_of_a_graph_follow_its_paths(monkeypatch):
    monkeypatch.setattr(module, "_WHOLE", 100)
    monkeypatch.setattr(module, "_SAMPLE", 60)
    points, truth = cloud(300, 3)
    near = graph(Dense(straight(points, points), "distance"), 10)
    found = Medoids(n_groups=3, random_state=0).fit(near)
    assert same_groups(found.labels_, truth)
    assert np.array_equal(found.predict(near), found.labels_)


def test_path_of_a_graph_bends_round_a_corner():
    chain = sp.diags_array([np.ones(9)], offsets=[1], shape=(10, 10))
    found = Medoids(n_groups=2).fit(Graph(chain, "distance"))
    assert sorted(found.partition_.sizes.tolist()) == [5, 5]
    assert found.inertia_ == 12.0
    queries = sp.csr_array(([0.5, 0.5], ([0, 1], [0, 9])), shape=(3, 10))
    ends = found.predict(Graph(queries, "distance"))
    assert ends.tolist() == [found.labels_[0], found.labels_[9], -1]


def test_member_without_a_path_is_in_no_group():
    links = sp.csr_array(([1.0, 1.0, 1.0], ([0, 1, 3], [1, 2, 4])), shape=(5, 5))
    found = Medoids(n_groups=1).fit(Graph(links, "distance"))
    assert found.labels_.tolist() == [0, 0, 0, -1, -1]
    assert found.partition_.confidence[3:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "values", [np.zeros((6, 6)), np.ones((6, 6)) - np.eye(6)], ids=["identical", "equally far"]
)
@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("k", [1, 3, 6])
def test_as_many_groups_as_asked_though_nothing_tells_members_apart(values, kind, k):
    found = Medoids(n_groups=k, n_init=2, random_state=0).fit(Dense(values, kind))
    assert found.partition_.n_groups == k
    assert sorted(set(found.labels_.tolist())) == list(range(k))
    assert np.isfinite(found.partition_.confidence).all()


def test_one_member():
    found = Medoids(n_groups=1).fit(Dense(np.zeros((1, 1)), "distance"))
    assert found.labels_.tolist() == [0]
    assert found.inertia_ == 0.0


def test_one_sentence_for_bad_input():
    gaps = Dense(straight(*2 * (np.arange(5.0)[:, None],)), "distance")
    with pytest.raises(DataError, match="only 5 members"):
        Medoids(n_groups=6).fit(gaps)
    with pytest.raises(DataError, match="never below 0"):
        Medoids(n_groups=2).fit(Dense(gaps.values - 1, "distance"))
    with pytest.raises(DataError, match="goes up to 4"):
        Medoids(n_groups=2).fit(Dense(gaps.values, "similarity"))
    fitted = Medoids(n_groups=2).fit(gaps)
    with pytest.raises(DataError, match="fitted on a distance"):
        fitted.predict(Dense(np.ones((2, 5)), "similarity", False))
    with pytest.raises(DataError, match="3 columns"):
        fitted.predict(Dense(np.ones((2, 3)), "distance", False))
