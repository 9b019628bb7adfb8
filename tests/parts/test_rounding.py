"""k-means against trying every assignment and against scikit-learn; empty groups, duplicates, margins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.oracles.spectra import least_distortion

from coterie.core.workplace import using
from coterie.parts.rounding import kmeans, nearest_center, squared


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


def test_same_bits_for_any_number_of_workers():
    rows = np.random.default_rng(1).normal(size=(700, 5))
    before, results = rows.copy(), []
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
    labels, margin = nearest_center(np.array([[0.0], [1.0], [2.0], [5.0]]), np.array([[0.0], [4.0]]))
    assert labels.tolist() == [0, 0, 0, 1]
    assert margin == pytest.approx([1.0, 1 - 1 / 3, 0.0, 1 - 1 / 5])
    assert nearest_center(np.zeros((2, 1)), np.zeros((1, 1)))[1].tolist() == [1, 1]
    assert nearest_center(np.zeros((1, 1)), np.zeros((2, 1)))[1].tolist() == [0]
