"""LSA: against an exact decomposition, folding-in, shares of variance, both solvers, tiny tables."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Table
from coterie.core.errors import DataError, ParameterError
from coterie.core.workplace import using
from coterie.represent import LSA


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    low = random.random((120, 4)) @ random.random((4, 90)) * 3
    return sp.csr_array(
        np.where(random.random((120, 90)) < 0.3, low + random.random((120, 90)), 0.0)
    )


@pytest.mark.parametrize("solver", ["randomized", "lanczos"])
def test_against_the_exact_decomposition(table, solver):
    _, values, vectors = np.linalg.svd(table.toarray(), full_matrices=False)
    model = LSA(n_components=3, solver=solver).fit(table)
    tight = 1e-9 if solver == "lanczos" else 2e-2
    assert model.singular_values_ == pytest.approx(values[:3], rel=tight)
    assert abs(model.components_[0] @ vectors[0]) == pytest.approx(1, abs=1e-6)
    assert np.allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-10)
    assert (model.components_[np.arange(3), np.abs(model.components_).argmax(axis=1)] > 0).all()


def test_full_rank_reconstructs_and_error_is_what_was_dropped(table):
    full = LSA(n_components=1000).fit(table)
    assert full.n_components_ == 90
    assert full.variance_share_[-1] == pytest.approx(1)
    assert (np.diff(full.variance_share_) >= -1e-12).all()
    part = LSA(n_components=85).fit(table)
    rebuilt = part.transform(table) @ part.components_
    assert np.square(rebuilt - table.toarray()).sum() == pytest.approx(
        (full.singular_values_[85:] ** 2).sum()
    )
    assert np.allclose(part.transform_words(), part.components_.T * part.singular_values_)


def test_folding_in_is_the_same_for_fitted_and_new_rows(table):
    model = LSA(n_components=5).fit(table)
    assert np.allclose(model.transform(table[3:4])[0], model.fit_transform(table)[3])
    assert np.allclose(model.transform(table.toarray()), model.transform(table))
    unit = LSA(n_components=5, normalize=True).fit(table)
    rows = unit.transform(sp.vstack([table, sp.csr_array((1, 90))]))
    assert np.linalg.norm(rows[:-1], axis=1) == pytest.approx(np.ones(120))
    assert not rows[-1].any()


def test_a_share_gives_the_fewest_components_that_hold_it(table):
    values = np.linalg.svd(table.toarray(), compute_uv=False) ** 2
    share = np.cumsum(values) / values.sum()
    for wanted in (0.5, 0.9, 0.999):
        model = LSA(n_components=wanted).fit(table)
        assert model.n_components_ == pytest.approx(np.flatnonzero(share >= wanted)[0] + 1, abs=1)
        assert model.variance_share_[-1] >= wanted - 1e-9


def test_same_bits_every_time_and_for_any_number_of_workers(table):
    with using(n_jobs=1):
        one = LSA(n_components=7).fit(table).components_.tobytes()
    with using(n_jobs=2):
        assert LSA(n_components=7).fit(table).components_.tobytes() == one


def test_tables_of_zeros_and_bad_parameters():
    nothing = LSA(n_components=2).fit(np.zeros((4, 3)))
    assert not nothing.transform(np.zeros((4, 3))).any()
    assert LSA(n_components=0.5).fit(np.zeros((4, 3))).n_components_ == 1
    with pytest.raises(ParameterError, match="whole number"):
        LSA(n_components=2.5).fit(np.eye(4))
    with pytest.raises(ParameterError, match="n_components"):
        LSA(n_components=0).fit(np.eye(4))


def test_top_words_are_those_of_the_largest_entries():
    table = np.zeros((6, 4))
    table[:3, 1] = 5.0
    table[:3, 2] = 3.0
    table[3:, 0] = 1.0
    model = LSA(n_components=2).fit(Table(table, ("cat", "dog", "puppy", "unused")))
    assert model.top_words(2)[0] == ["dog", "puppy"]
    assert model.top_words(1, words=["a", "b", "c", "d"]) == [["b"], ["a"]]
    with pytest.raises(DataError, match="4 columns and 2 names"):
        model.top_words(1, words=["a", "b"])


def test_the_latent_semantic_kernel_is_that_of_the_leading_directions(table):
    u, values, _ = np.linalg.svd(table.toarray(), full_matrices=False)
    model = LSA(n_components=85).fit(table)
    wanted = (u[:, :85] * values[:85] ** 2) @ u[:, :85].T
    assert np.allclose(model.kernel(table).values, wanted)
    assert np.allclose(model.kernel(table[:3], table).values, wanted[:3])
    assert model.kernel(table).symmetric
