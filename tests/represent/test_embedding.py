"""Embedding: exact recovery of points, landmarks, later members, neighbour maps, and bad input."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from coterie import Affinity
from coterie.core.affinity import Graph, Lazy
from coterie.core.errors import DataError, MissingExtra
from coterie.core.workplace import using
from coterie.represent import Embedding, classical


def distances(a: np.ndarray, b: np.ndarray | None = None) -> Affinity:
    return Affinity.of(cdist(a, a if b is None else b), kind="distance")


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, 3)) * [5, 2, 1]


def test_classical_scaling_recovers_distances_and_places_new_members(points):
    model = Embedding(n_components=3).fit(distances(points))
    assert np.allclose(cdist(model.embedding_, model.embedding_), cdist(points, points), atol=1e-8)
    assert model.variance_share_ == pytest.approx(1)
    new = points[:5] + 0.3
    placed = model.transform(distances(new, points))
    assert np.allclose(cdist(placed, model.embedding_), cdist(new, points), atol=1e-8)
    assert np.allclose(model.transform(distances(points)), model.embedding_)


def test_a_similarity_is_read_as_inner_products(points):
    centered = points - points.mean(axis=0)
    found = Embedding(n_components=3).fit_transform(
        Affinity.of(points @ points.T, kind="similarity")
    )
    assert np.allclose(found @ found.T, centered @ centered.T, atol=1e-8)


def test_landmarks_give_the_same_picture(points, monkeypatch):
    whole = Embedding().fit(distances(points)).embedding_
    monkeypatch.setattr(classical, "_ALL", 100)
    monkeypatch.setattr(classical, "_LANDMARKS", 60)
    flat = points * [1, 1, 0]
    lazy = Lazy(cdist, flat, flat, "distance")
    model = Embedding().fit(lazy)
    assert len(model.scaling_.landmarks) == 60
    assert np.allclose(cdist(model.embedding_, model.embedding_), cdist(flat, flat), atol=1e-8)
    assert whole.shape == model.embedding_.shape
    assert np.allclose(model.transform(distances(flat[:4], flat)), model.embedding_[:4], atol=1e-8)
    with using(n_jobs=1):
        assert Embedding().fit(lazy).embedding_.tobytes() == model.embedding_.tobytes()


def test_tsne_keeps_neighbors_and_is_repeatable():
    random = np.random.default_rng(1)
    groups = np.repeat([0, 1, 2], 20)
    affinity = distances(random.normal(size=(60, 6)) + 12 * np.eye(6)[groups])
    model = Embedding(method="tsne", neighbors=8)
    found = model.fit_transform(affinity)
    near = np.argsort(cdist(found, found), axis=1)[:, 1:6]
    assert (groups[near] == groups[:, None]).mean() > 0.95
    assert np.array_equal(found, Embedding(method="tsne", neighbors=8).fit_transform(affinity))
    with pytest.raises(DataError, match="fit_transform"):
        model.transform(affinity)


def test_a_missing_library_is_named(points, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtra, match="maps"):
        Embedding(method="umap").fit(distances(points[:20]))


def test_few_or_identical_members():
    assert Embedding(n_components=4).fit_transform(distances(np.eye(3))).shape == (3, 4)
    assert not Embedding(method="tsne").fit_transform(distances(np.ones((3, 2)))).any()
    assert not Embedding().fit_transform(distances(np.ones((9, 2)))).any()


def test_bad_input_is_named(points):
    with pytest.raises(DataError, match="takes an Affinity"):
        Embedding().fit(points)
    with pytest.raises(DataError, match="members x members"):
        Embedding().fit(distances(points[:4], points))
    with pytest.raises(DataError, match="neighbours only"):
        Embedding().fit(Graph(np.eye(3), "similarity"))
    with pytest.raises(DataError, match="300 members"):
        Embedding().fit(distances(points)).transform(distances(points[:9]))
