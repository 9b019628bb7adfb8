"""k-means against trying every assignment and against scikit-learn; empty groups, duplicates, margins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.oracles.spectra import least_distortion

from coterie._kernels.rounding import _assign, _move
from coterie.core.random import small_seed, stream
from coterie.core.workplace import using
from coterie.parts.spectra import kmeans, nearest_center, squared


@pytest.mark.parametrize("seed", range(4))
def test_restarts_find_the_best_of_all_assignments(seed):
    rows = np.random.default_rng(seed).normal(size=(8, 2))
    found = kmeans(rows, 3, n_restarts=20, random_state=seed)
    assert found.distortion == pytest.approx(least_distortion(rows, 3))


def test_not_worse_than_scikit_learn():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 4)) + 3 * rng.integers(0, 3, size=(400, 4))
    found = kmeans(rows, 8, random_state=0)
    theirs = KMeans(8, n_init=10, random_state=0).fit(rows).inertia_
    assert found.distortion <= 1.02 * theirs
    assert found.distortion == pytest.approx(((rows - found.centers[found.labels]) ** 2).sum())
    assert np.array_equal(found.labels, squared(rows, found.centers).argmin(axis=1))


@pytest.mark.parametrize(
    ("n", "width", "k", "kind"),
    [
        (30, 2, 3, "even"),
        (90, 5, 8, "even"),
        (90, 5, 8, "ball"),
        (240, 8, 12, "blobs"),
        (700, 3, 4, "blobs"),
    ],
)
def test_the_groups_are_those_of_scikit_learn_for_the_same_draws(n, width, k, kind):
    rng = np.random.default_rng(n + k)
    rows = rng.normal(size=(n, width))
    if kind == "ball":
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    if kind == "blobs":
        rows += 4 * rng.integers(0, 2, size=(n, width))
    for seed in range(4):
        found = kmeans(rows, k, n_restarts=3, random_state=seed)
        drawn = small_seed(stream(seed, k))
        theirs = KMeans(k, n_init=3, random_state=drawn, max_iter=300, tol=0.0).fit(rows)
        assert np.array_equal(found.labels, theirs.labels_)
        assert found.centers == pytest.approx(theirs.cluster_centers_)
        assert found.distortion == pytest.approx(theirs.inertia_)


def test_a_group_that_loses_all_its_rows_takes_the_farthest_one():
    rows = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    labels = np.array([0, 0, 1, 1, 1])
    apart = np.array([0.25, 0.25, 49.0, 36.0, 169.0])
    sizes = np.empty(3)
    centers = np.empty((3, 1))
    _move(rows, labels, apart, sizes, centers)
    assert sizes.tolist() == [2, 2, 1]
    assert centers[:, 0].tolist() == [0.5, 10.5, 30.0]


def test_a_tie_goes_to_the_first_center():
    rows = np.ascontiguousarray(np.array([[0.0], [1.0], [2.0]]).T)
    labels = np.full(3, -1)
    apart = np.empty(3)
    assert _assign(rows, np.array([[0.0], [2.0]]), labels, apart)
    assert labels.tolist() == [0, 0, 1]
    assert apart.tolist() == [0, 1, 0]
    assert not _assign(rows, np.array([[0.0], [2.0]]), labels, apart)


def test_same_bits_for_any_number_of_workers():
    rows = np.random.default_rng(1).normal(size=(700, 5))
    before = rows.copy()
    results = []
    for workers in (1, 4):
        with using(n_jobs=workers):
            results.append(kmeans(rows, 6, random_state=5).centers.tobytes())
    assert results[0] == results[1]
    assert np.array_equal(rows, before)


def test_fewer_different_rows_than_groups():
    rows = np.repeat(np.array([[0.0, 1.0], [2.0, 2.0]]), 4, axis=0)
    found = kmeans(rows, 5, random_state=0)
    assert sorted(np.bincount(found.labels).tolist()) == [4, 4]
    assert found.distortion == 0


def test_margin_is_one_at_a_center_and_zero_between():
    labels, margin = nearest_center(
        np.array([[0.0], [1.0], [2.0], [5.0]]), np.array([[0.0], [4.0]])
    )
    assert labels.tolist() == [0, 0, 0, 1]
    assert margin == pytest.approx([1.0, 1 - 1 / 3, 0.0, 1 - 1 / 5])
    assert nearest_center(np.zeros((2, 1)), np.zeros((1, 1)))[1].tolist() == [1, 1]
    assert nearest_center(np.zeros((1, 1)), np.zeros((2, 1)))[1].tolist() == [0]
