"""The pairwise driver against one pair after the other; workers, backends and interruptions change nothing."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from tests.oracles.pairwise import every_pair, nearest

from coterie import Affinity, Ragged
from coterie.core import affinity as tiles
from coterie.core.affinity import Condensed, Dense, Graph, Lazy
from coterie.core.errors import DataError, Interrupted
from coterie.core.workplace import Silent, using
from coterie.parts import workers
from coterie.parts.pairwise import (
    condensed,
    dense,
    distance,
    graph,
    median_distance,
    pairwise,
    reduce_bands,
    similarity,
    submatrix,
)


def city(a, b):
    return np.abs(a[:, None, :] - b[None, :, :]).sum(axis=2)


def lopsided(a, b):
    return np.maximum(a[:, None, 0] - b[None, :, 0], 0.0)


def lengths(a: Ragged, b: Ragged):
    return np.abs(a.lengths[:, None] - b.lengths[None, :]).astype(float)


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", 7)
    monkeypatch.setattr(tiles, "COLS", 11)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 40])
@pytest.mark.parametrize("jobs", [1, 2])
def test_square_equals_every_pair(small_tiles, n, jobs):
    rows = np.random.default_rng(n).normal(size=(n, 3))
    with using(n_jobs=jobs):
        found = pairwise(city, rows, kind="distance")
    assert np.allclose(
        found.values, every_pair(lambda a, b: np.abs(a - b).sum(), rows, rows), atol=1e-12
    )
    assert np.array_equal(found.values, found.values.T)


def test_rectangular_and_unsymmetric(small_tiles):
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(23, 2))
    cols = generator.normal(size=(31, 2))
    assert np.allclose(
        pairwise(city, rows, cols, kind="distance").values,
        every_pair(lambda a, b: np.abs(a - b).sum(), rows, cols),
    )
    assert np.array_equal(
        pairwise(lopsided, rows, kind="distance", symmetric=False).values, lopsided(rows, rows)
    )


def test_ragged_members(small_tiles):
    members = Ragged.of([np.zeros((n, 2)) for n in (3, 1, 4, 1, 5, 9, 2, 6, 5)])
    assert np.array_equal(
        pairwise(lengths, members, kind="distance").values, lengths(members, members)
    )


def test_condensed_equals_dense(small_tiles):
    rows = np.random.default_rng(2).normal(size=(30, 3))
    lazy = Lazy(city, rows, rows, "distance")
    assert np.array_equal(dense(condensed(lazy)).values, dense(lazy).values)
    with pytest.raises(DataError, match="symmetric"):
        condensed(Lazy(city, rows, rows[:3], "distance", symmetric=False))


@pytest.mark.parametrize("kind", ["distance", "similarity"])
def test_graph_keeps_the_nearest_and_ties_go_to_the_lower(small_tiles, kind):
    values = np.random.default_rng(3).integers(0, 4, size=(25, 25)).astype(float)
    values = values + values.T
    found = graph(Dense(values, kind), 4)
    expected = nearest(values, 4, True, largest=kind == "similarity")
    assert np.array_equal(
        np.sort(found.values.indices.reshape(25, 4), axis=1), np.sort(expected, axis=1)
    )
    queries = graph(Dense(values[:5], kind, symmetric=False), 4)
    assert np.array_equal(
        np.sort(queries.values.indices.reshape(5, 4), axis=1),
        np.sort(nearest(values[:5], 4, False, kind == "similarity"), axis=1),
    )


def test_a_graph_of_all_the_others():
    found = graph(Dense(np.ones((3, 3)), "similarity"), 10)
    assert found.values.nnz == 6


def test_reduce_bands_sees_every_row_once(small_tiles):
    rows = np.random.default_rng(4).normal(size=(50, 2))
    sums = np.empty(50)
    for band, total in reduce_bands(
        lambda values, rows, affinity: (values.sum(axis=1),), Lazy(city, rows, rows, "distance")
    ):
        sums[band] = total
    assert np.allclose(sums, city(rows, rows).sum(axis=1))


def test_any_joblib_backend_gives_the_same_bits(small_tiles):
    rows = np.random.default_rng(5).normal(size=(40, 3))
    alone = pairwise(city, rows, kind="distance").values
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend=backend, n_jobs=2), using(n_jobs=2):
            assert np.array_equal(pairwise(city, rows, kind="distance").values, alone)


def test_what_does_not_fit_is_refused_with_its_size():
    rows = np.zeros((40_000, 1))
    with using(memory="1GB"), pytest.raises(DataError, match=r"12\.8 GB and 1\.0 GB are allowed"):
        dense(Lazy(city, rows, rows, "distance"))


class Memory:
    """A keeper in memory that counts."""

    def __init__(self):
        self.pieces = {}
        self.reads = 0

    def get(self, key):
        self.reads += key in self.pieces
        return self.pieces.get(key)

    def put(self, key, arrays):
        self.pieces[key] = dict(arrays)


class StopAfter(Silent):
    """Wants a stop after some steps."""

    def __init__(self, steps):
        self.left = steps

    def wants_stop(self):
        self.left -= 1
        return self.left < 0


def test_interrupted_work_goes_on_where_it_stood(small_tiles, monkeypatch):
    monkeypatch.setattr(workers, "WORTH", -1.0)
    rows = np.random.default_rng(6).normal(size=(40, 3))
    whole = pairwise(city, rows, kind="distance").values
    keeper = Memory()
    with using(keeper=keeper, watch=StopAfter(4), n_jobs=1), pytest.raises(Interrupted):
        pairwise(city, rows, kind="distance")
    kept = len(keeper.pieces)
    assert 0 < kept < 20
    with using(keeper=keeper, n_jobs=2):
        again = pairwise(city, rows, kind="distance").values
    assert keeper.reads == kept
    assert np.array_equal(whole, again)


def test_similarity_and_distance_change_the_kind():
    values = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 4.0], [2.0, 4.0, 0.0]])
    for form in (
        Dense(values, "distance"),
        condensed(Dense(values, "distance")),
        Lazy(lambda a, b: values[np.ix_(a, b)], np.arange(3), np.arange(3), "distance"),
    ):
        assert median_distance(form) == 2.0
        near = similarity(form)
        assert near.kind == "similarity"
        assert np.allclose(dense(near).values, np.exp(-(values**2) / 8))
    assert np.allclose(
        dense(distance(Affinity.of([[1.0, 0.25], [0.25, 1.0]], kind="similarity"))).values,
        [[0, 0.75], [0.75, 0]],
    )
    with pytest.raises(DataError, match="identical"):
        similarity(Dense(np.zeros((3, 3)), "distance"))


def test_submatrix_of_every_form():
    values = np.random.default_rng(7).random((6, 6))
    values = values + values.T
    np.fill_diagonal(values, 0.0)
    rows = np.array([4, 0])
    cols = np.array([1, 5, 2])
    for form in (
        Dense(values, "distance"),
        Condensed(values[np.triu_indices(6, 1)], 6, "distance"),
        Graph(values, "distance"),
    ):
        assert np.allclose(submatrix(form, rows, cols), values[np.ix_(rows, cols)])
