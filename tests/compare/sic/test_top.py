"""The most similar members, found without the whole matrix, against the sorted whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Affinity
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.profiles import Profiles
from coterie.compare.sic.scores import Binary, top
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.pairwise import dense

CASES = {
    "few classes": (40, 60, 6, 0.7),
    "many classes": (40, 60, 400, 0.8),
    "long": (600, 200, 5, 0.6),
    "always": (40, 600, 6, 1.0),
    "hardly": (6, 90, 3, 0.2),
}


def drawn(n: int, d: int, classes: int, tested: float, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    labels = np.minimum(random.geometric(3.0 / classes, (n, d)) - 1, classes - 1)
    labels[random.random((n, d)) > tested] = -1
    return labels


def _values(affinity: Affinity) -> np.ndarray:
    return dense(affinity).values


@pytest.fixture(params=CASES, scope="module")
def labels(request):
    return drawn(*CASES[request.param])


@pytest.mark.parametrize("k", [1, 7, 29, 100])
def test_equals_the_sorted_matrix(labels, k):
    codes = Codes(labels)
    full = _values(Binary().affinity(codes))
    np.fill_diagonal(full, np.inf)
    order = np.argsort(-full, axis=1, kind="stable")[:, 1 : k + 1]
    index, value = top(codes, k)
    assert (index == order).all()
    assert np.array_equal(value, np.take_along_axis(full, order, axis=1), equal_nan=True)


def test_queries(labels):
    members = Codes(labels[:, 8:])
    queries = Codes(np.where(labels[:, :8] == 1, 9000, labels[:, :8]))
    full = _values(Binary().affinity(members, queries))
    order = np.argsort(-full, axis=1, kind="stable")[:, :9]
    index, value = top(members, 9, queries)
    assert (index == order).all()
    assert np.array_equal(value, np.take_along_axis(full, order, axis=1), equal_nan=True)


def test_pairs_never_tested_together_stand_last():
    labels = np.array([[0, -1, 0, 1], [0, -1, 1, 1]])
    index, value = top(Codes(labels), 3)
    assert index.tolist() == [[2, 3, 1], [0, 2, 3], [0, 3, 1], [2, 0, 1]]
    assert np.isnan(value[1]).all()
    assert np.isnan(value[[0, 2, 3], 2]).all()
    assert value[0, 0] == 0.5


def test_same_for_any_number_of_workers():
    codes = Codes(drawn(30, 1200, 6, 0.8))
    with using(n_jobs=1):
        one = top(codes, 10)
    with using(n_jobs=2):
        two = top(codes, 10)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_profiles():
    codes = Codes(drawn(25, 20, 4, 0.3))
    index, value = top(Profiles.of(codes), 6)
    expected = top(codes, 6)
    assert (index == expected[0]).all()
    assert np.allclose(value, expected[1], equal_nan=True)


def test_edges():
    assert top(Codes(np.array([[0]])), 3)[0].shape == (1, 0)
    with pytest.raises(ParameterError, match="k must be from 1"):
        top(Codes(np.array([[0, 1]])), 0)
    with pytest.raises(DataError, match="no iterations"):
        top(Codes(np.zeros((0, 3), dtype=int)), 1)
