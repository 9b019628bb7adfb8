"""Nearest neighbours against sorting, with ties and in every form; graphs made of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from tests.oracles.spectra import nearest_by_sorting

from coterie.core.affinity import Dense, Graph, Lazy, smallest
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.parts.neighbors import (
    components,
    joined,
    locally_scaled,
    nearest,
    nearest_rows,
    neighbor_graph,
    symmetrized,
)

POINTS = np.random.default_rng(0).normal(size=(40, 3))
AWAY = cdist(POINTS, POINTS)


@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("k", [1, 5, 39, 99])
def test_neighbors_are_those_of_sorting(kind, k):
    values = np.round(AWAY)  # many ties
    lazy = Lazy(lambda a, b: values[np.ix_(a, b)], np.arange(40), np.arange(40), kind)
    wanted = nearest_by_sorting(values, k, kind)
    for affinity in (Dense(values, kind), lazy):
        index, value = nearest(affinity, k)
        assert index.tolist() == wanted
        assert np.array_equal(value, np.take_along_axis(values, index, axis=1))


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=5),
    st.integers(1, 6),
)
def test_smallest_is_a_stable_sort(rows, k):
    keys = np.array(rows, dtype=float)
    assert np.array_equal(smallest(keys, k), np.argsort(keys, axis=1, kind="stable")[:, :k])


def test_queries_keep_their_first_columns():
    index, _ = nearest(Dense(AWAY[:5], "distance", False), 2)
    assert index[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert nearest(Dense(AWAY, "distance"), 1, without_self=False)[0].ravel().tolist() == list(
        range(40)
    )
    with pytest.raises(ParameterError, match="k must be from 1"):
        nearest(Dense(AWAY, "distance"), 0)


@pytest.mark.parametrize(("kind", "filler"), [("distance", np.inf), ("similarity", 0.0)])
def test_graph_rows_are_filled_up(kind, filler):
    values = sp.csr_array(np.array([[5.0, 2, 1], [0, 0, 0], [3, 3, 0]]))
    index, value = nearest(Graph(values, kind), 2)
    assert index.tolist() == (
        [[2, 1], [-1, -1], [0, 1]] if kind == "distance" else [[1, 2], [-1, -1], [0, 1]]
    )
    assert value[1].tolist() == [filler, filler]


def test_rows_of_a_table_far_from_the_origin():
    table = POINTS + 1e6
    index, value = nearest_rows(table, 4)
    assert index.tolist() == nearest_by_sorting(cdist(table, table), 4, "distance")
    assert value[:, 0] == pytest.approx(np.sort(cdist(table, table), axis=1)[:, 1])
    assert nearest_rows(POINTS, 1, queries=POINTS[3:5])[0].ravel().tolist() == [3, 4]


def test_workers_change_nothing():
    points = np.random.default_rng(1).normal(size=(1200, 4))
    results = []
    for workers in (1, 3):
        with using(n_jobs=workers):
            results.append([part.tobytes() for part in nearest_rows(points, 6)])
    assert results[0] == results[1]


def test_union_mutual_and_shared():
    links = Graph(np.array([[0, 2.0, 0], [1, 0, 3], [0, 0, 0]]), "distance", symmetric=False)
    assert symmetrized(links, "union").values.toarray().tolist() == [
        [0, 1, 0],
        [1, 0, 3],
        [0, 3, 0],
    ]
    assert symmetrized(links, "mutual").values.toarray().tolist() == [
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
    ]
    with pytest.raises(ParameterError, match="union"):
        symmetrized(links, "either")
    found = neighbor_graph(Dense(AWAY, "distance"), 5, "shared")
    near = [set(row) for row in nearest_by_sorting(AWAY, 5, "distance")]
    for i in range(40):
        for j in range(40):
            linked = i != j and (j in near[i] or i in near[j])
            assert found.values[i, j] == pytest.approx(
                len(near[i] & near[j]) / 5 if linked else 0.0
            )
    assert found.kind == "similarity"


def test_local_scaling():
    found = locally_scaled(Dense(AWAY, "distance"), 5)
    own = np.sort(AWAY, axis=1)[:, 7]
    near = nearest_by_sorting(AWAY, 5, "distance")
    assert found.values[0, near[0][2]] == pytest.approx(
        np.exp(-(AWAY[0, near[0][2]] ** 2) / (own[0] * own[near[0][2]]))
    )
    assert found.symmetric
    assert abs(found.values - found.values.T).max() == 0
    with pytest.raises(DataError, match="distances"):
        locally_scaled(Dense(AWAY, "similarity"), 5)


def test_components_are_numbered_by_first_member():
    links = np.zeros((5, 5))
    links[1, 4] = links[0, 3] = 1
    n, piece = components(Graph(links, "similarity"))
    assert (n, piece.tolist()) == (3, [0, 1, 2, 0, 1])


def test_lonely_members_are_tied_to_their_nearest():
    line = np.array([0.0, 1.0, 2.0, 10.0])
    away = np.abs(line[:, None] - line[None, :])
    found = neighbor_graph(Dense(away, "distance"), 1, "mutual", connect=True)
    assert found.values[3, 2] == found.values[2, 3] == 8.0
    assert components(found)[0] == 1
    links = joined(Graph(np.zeros((4, 4)), "similarity"), Dense(away, "distance"))
    assert links.values[0, 1] > 0


def test_ties_have_the_length_of_the_affinity_and_links_of_length_zero_stay():
    line = np.array([0.0, 3.0, 7.0, 7.0, 20.0])
    away = np.abs(line[:, None] - line[None, :])
    pairs = joined(Graph(sp.csr_array((5, 5)), "distance", True), Dense(away, "distance"))
    assert pairs.values[0, 1] == pairs.values[1, 0] == 3.0  # each other's nearest: tied once
    assert sorted(zip(*(end.tolist() for end in pairs.values.nonzero()), strict=True)) == [
        (0, 1),
        (1, 0),
        (2, 4),
        (4, 2),
    ]
    assert components(pairs)[1].tolist() == [0, 0, 1, 1, 1]  # 2 and 3 by a link of length zero
    same = Graph(sp.csr_array((np.zeros(2), ([2, 3], [3, 2])), shape=(5, 5)), "distance", True)
    assert components(joined(same, Dense(away, "distance")))[1].tolist() == [0, 0, 1, 1, 1]
