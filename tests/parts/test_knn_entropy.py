"""Entropies from neighbor distances: by hand, against laws with known ones, and with copies."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.parts.knn_entropy import cross_entropy_knn, entropy_knn


@pytest.mark.parametrize("k", [1, 4])
def test_entropies_of_known_laws(k):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4000, 2))
    y = rng.normal(size=(3500, 2)) + 0.6
    assert entropy_knn(x, k) == pytest.approx(np.log(2 * np.pi * np.e), abs=0.08)
    assert cross_entropy_knn(x, y, k) == pytest.approx(np.log(2 * np.pi * np.e) + 0.36, abs=0.1)
    assert entropy_knn(rng.uniform(size=(3000, 1)), k) == pytest.approx(0.0, abs=0.08)


def test_entropy_by_hand():
    x = np.array([[0.0], [1.0], [3.0]])
    mean = (np.log(1.0) + np.log(1.0) + np.log(2.0)) / 3
    euler = 0.5772156649015329
    assert entropy_knn(x) == pytest.approx((1.5 - euler) + euler + np.log(2.0) + mean, abs=1e-12)
    one = np.array([[0.5]])
    assert cross_entropy_knn(one, x) == pytest.approx(
        np.log(3) + euler + np.log(2.0) + np.log(0.5), abs=1e-12
    )


def test_the_deepest_neighbor_there_is():
    x = np.array([[0.0], [1.0], [3.0]])
    far = np.log([3.0, 2.0, 3.0]).mean()
    euler = 0.5772156649015329
    assert entropy_knn(x, 2) == pytest.approx(
        (1.5 - euler) - (1 - euler) + np.log(2.0) + far, abs=1e-12
    )


def test_twins_take_the_next_neighbor():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2000, 1))
    twice = np.concatenate([x[:1000], x[:1000]])
    assert entropy_knn(twice) == pytest.approx(entropy_knn(x), abs=0.9)
    with pytest.raises(DataError, match=r"^entropy_knn: every vector has 5 copies"):
        entropy_knn(np.ones((9, 2)))
    with pytest.raises(DataError, match=r"^here: every vector has 5 copies"):
        cross_entropy_knn(np.ones((9, 2)), np.ones((9, 2)), owner="here")
