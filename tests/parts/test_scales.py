"""Kernel widths and the weights made with them, dense and sparse, on members and on newcomers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from coterie.core.affinity import Dense, Graph
from coterie.parts.neighbors import (
    Kernel,
    alike,
    member_weights,
    own_widths,
    typical_distance,
    undirected,
    width_grid,
)

POINTS = np.random.default_rng(0).normal(size=(25, 2))
AWAY = cdist(POINTS, POINTS)


def test_grid_surrounds_the_median():
    grid = width_grid(Dense(AWAY, "distance"))
    median = np.median(AWAY[~np.eye(25, dtype=bool)])
    assert len(grid) == 14
    assert (grid[0], grid[-1]) == pytest.approx((0.1 * median, 2.5 * median))
    assert np.diff(np.log(grid)) == pytest.approx(np.full(13, np.log(25) / 13))


def test_mostly_identical_members_have_a_width_all_identical_ones_none():
    away = np.zeros((9, 9))
    away[0, 1:] = away[1:, 0] = 3.0
    assert typical_distance(Dense(away, "distance")) == 3.0
    assert len(width_grid(Dense(np.zeros((4, 4)), "distance"))) == 0
    assert alike(Dense(np.zeros((4, 4)), "distance")).values.tolist() == np.ones((4, 4)).tolist()


def test_local_widths_are_the_seventh_neighbors():
    kernel = Kernel.own_widths(AWAY)
    wanted = np.array([sorted(np.delete(row, i))[6] for i, row in enumerate(AWAY)])
    assert kernel.local == pytest.approx(wanted)
    weights = kernel.members(AWAY)
    assert weights[2, 5] == pytest.approx(np.exp(-(AWAY[2, 5] ** 2) / (wanted[2] * wanted[5])))
    assert not weights.diagonal().any()
    assert own_widths(np.array([[0.0, 0.0], [0.0, 2.0]]), skip_self=False).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("kernel", [Kernel(0.7), Kernel.own_widths(AWAY)])
def test_sparse_weights_are_the_dense_ones(kernel):
    whole = sp.csr_array(AWAY)
    assert kernel.members(whole).toarray() == pytest.approx(kernel.members(AWAY))


def test_a_newcomer_at_a_members_place_gets_its_weights():
    weights = Kernel(0.7).queries(AWAY[:3])
    assert weights[0, 1] == pytest.approx(Kernel(0.7).members(AWAY)[0, 1])
    assert weights.diagonal() == pytest.approx(np.ones(3))


def test_weights_are_symmetric_and_never_negative():
    values = np.array([[9.0, -1.0, 2.0], [0.5, 9.0, 0.0], [4.0, 0.0, 9.0]])
    assert member_weights(Dense(values, "similarity", False)).tolist() == [
        [0, 0, 3],
        [0, 0, 0],
        [3, 0, 0],
    ]
    links = member_weights(Graph(values, "similarity"))
    assert links.toarray().tolist() == [[0, 0.5, 4], [0.5, 0, 0], [4, 0, 0]]
    assert undirected(sp.csr_array(values > 3)).toarray().tolist() == [
        [0, 0, 1],
        [0, 0, 0],
        [1, 0, 0],
    ]
