"""Spectra at several kernel widths: the grid, one width, local widths, similarities, and which gap is the largest."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.affinity import Dense, Graph
from coterie.core.errors import DataError
from coterie.parts.neighbors import GRID, width_grid
from coterie.parts.spectra import largest_gap, spectra_of, widest


@pytest.fixture
def far() -> Dense:
    points = np.concatenate(
        [np.random.default_rng(g).normal(size=(12, 2)) * 0.2 + 5 * g for g in range(3)]
    )
    return Dense(np.linalg.norm(points[:, None] - points[None], axis=2), "distance")


def test_a_grid_one_width_or_widths_of_ones_own(far):
    grid = spectra_of(far, 4, "eigengap")
    assert len(grid) == GRID
    assert [kernel.width for kernel, _ in grid] == pytest.approx(width_grid(far))
    one = spectra_of(far, 4, float(width_grid(far)[3]))
    np.testing.assert_allclose(one[0][1].values, grid[3][1].values)
    assert spectra_of(far, 4, "local")[0][0].local is not None


def test_similarities_and_equal_members_have_one_spectrum(far):
    near = Dense(np.exp(-far.values), "similarity")
    assert [kernel for kernel, _ in spectra_of(near, 4, "eigengap")] == [None]
    same = Dense(np.zeros((5, 5)), "distance")
    assert [kernel for kernel, _ in spectra_of(same, 2, "eigengap")] == [None]


def test_the_largest_gap_is_that_of_the_three_groups(far):
    found = spectra_of(far, 9, "eigengap")
    k, at, gaps = largest_gap(found, 8, None)
    assert k == 3
    assert gaps[1] == gaps.max() == found[at][1].gaps(8)[1]
    assert largest_gap(found, 8, 5)[0] == 5
    assert widest(found, 3) == sorted(widest(found, 3))
    assert all(found[i][1].values[2] > 0 for i in widest(found, 3))


def test_local_widths_of_a_graph_are_refused(far):
    with pytest.raises(DataError, match="every distance"):
        spectra_of(Graph(far.values, "distance"), 3, "local")
