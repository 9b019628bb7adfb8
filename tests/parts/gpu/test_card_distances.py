"""Distances, kernels and MMD in torch against the tiles of the processor."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Ragged
from coterie.compare import (
    MMD,
    Chord,
    Cosine,
    Euclidean,
    Gaussian,
    Laplacian,
    Linear,
    Mahalanobis,
    Minkowski,
    Polynomial,
)
from coterie.core.affinity import Lazy
from coterie.core.workplace import using
from coterie.parts.likelihood import kl_ll
from coterie.parts.pairwise import condensed, dense, graph

torch = pytest.importorskip("torch")

from coterie.parts.gpu import placed  # noqa: E402

METHODS = [
    Euclidean(),
    Mahalanobis(),
    Cosine(),
    Chord(),
    Linear(),
    Polynomial(degree=3),
    Gaussian(),
    Laplacian(),
    Minkowski(),
    Minkowski(p=3.0),
    Minkowski(p=np.inf),
]


def rows(n=90, d=5):
    found = np.random.default_rng(0).normal(size=(n, d)) + 40.0
    found[7] = found[50]
    found[60] = 0.0
    return found


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_tiles_and_nearest_are_those_of_the_processor(stand_in, method):
    fitted = method.fit(rows())
    new = rows()[40:60] + 0.1
    for affinity in (fitted.affinity_, fitted.compare(new)):
        known = dense(affinity).values
        near = graph(affinity, 4).values
        with using(device="cuda"):
            assert isinstance(placed.placed(affinity), placed.Placed)
            found = dense(affinity).values
            there = graph(affinity, 4).values
        np.testing.assert_allclose(found, known, rtol=1e-11, atol=1e-11 * np.abs(known).max())
        np.testing.assert_allclose(
            np.sort(there.data), np.sort(near.data), rtol=1e-11, atol=1e-11 * np.abs(known).max()
        )
    if fitted.affinity_.kind == "distance":
        assert dense(fitted.affinity_).values[7, 50] == 0.0


def test_ties_of_nearest_go_to_the_lower_position(stand_in):
    same = Euclidean().fit(np.repeat([[0.0, 1.0], [5.0, 5.0]], 6, axis=0)).affinity_
    with using(device="cuda"):
        found = graph(same, 3).values
    np.testing.assert_array_equal(
        found.indices.reshape(12, 3)[[0, 3, 8]], [[1, 2, 3], [0, 1, 2], [6, 7, 9]]
    )


def test_condensed_and_divergences(stand_in):
    affinity = Euclidean().fit(rows()).affinity_
    matrix = -np.random.default_rng(1).random((12, 30))
    known = condensed(affinity).values, kl_ll(matrix)
    with using(device="cuda"):
        found = condensed(affinity).values, kl_ll(matrix)
    for one, other in zip(found, known, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [{"kernel": name} for name in ("gaussian", "laplacian", "linear", "polynomial")]
    + [{"features": 20}],
)
@pytest.mark.parametrize("estimate", ["biased", "unbiased"])
def test_mmd(stand_in, settings, estimate):
    random = np.random.default_rng(0)
    lengths = random.integers(2, 20, 15)
    sets = Ragged(
        random.normal(size=(int(lengths.sum()), 3)), np.concatenate([[0], np.cumsum(lengths)])
    )
    method = MMD(**settings, estimate=estimate, distance="plain", random_state=0)
    known = method.fit(sets).affinity_.values
    with using(device="cuda"):
        found = method.fit(sets).affinity_.values
        new = method.compare(sets[:4]).values
    np.testing.assert_allclose(found, known, rtol=1e-9, atol=1e-12 * known.max())
    np.testing.assert_allclose(
        new, method.compare(sets[:4]).values, rtol=1e-9, atol=1e-12 * known.max()
    )


def test_what_a_card_does_not_do_stays_here(stand_in):
    sparse = Euclidean().fit(sp.csr_array(rows())).affinity_
    own = Lazy(lambda a, b: a[0] @ b[0].T, (rows(),), (rows(),), "similarity")
    with using(device="cuda"):
        assert placed.placed(sparse) is sparse
        assert placed.placed(own) is own
        np.testing.assert_array_equal(dense(own).values, rows() @ rows().T)


def test_a_full_card_makes_a_tile_in_parts_and_then_here(stand_in, monkeypatch):
    affinity = Euclidean().fit(rows()).affinity_
    known = dense(affinity).values
    heights = []
    most = 30
    real = placed.Placed.there

    def small(self, some, cols):
        heights.append(some.stop - some.start)
        if heights[-1] > most:
            raise torch.OutOfMemoryError("full")
        return real(self, some, cols)

    monkeypatch.setattr(placed.Placed, "there", small)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    with using(device="cuda"):
        np.testing.assert_allclose(dense(affinity).values, known, rtol=1e-11, atol=1e-10)
    assert max(heights) == 90
    assert min(heights) <= 30
    most = 0
    with using(device="cuda"), pytest.warns(UserWarning, match="do not fit the memory"):
        np.testing.assert_array_equal(dense(affinity).values, known)
    near = graph(affinity, 3).values
    with using(device="cuda"), pytest.warns(UserWarning, match="do not fit the memory"):
        found = graph(affinity, 3).values
    np.testing.assert_array_equal(found.indices, near.indices)
    np.testing.assert_array_equal(found.data, near.data)
