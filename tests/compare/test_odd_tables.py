"""What fuzzing found in comparers of tables: rows held another way, very large and very small widths and powers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import Ragged
from coterie.compare import (
    Chord,
    Cosine,
    Divergence,
    Euclidean,
    Gaussian,
    Gower,
    JensenShannon,
    Laplacian,
    Linear,
    Mahalanobis,
    Minkowski,
    OneVersusAll,
    Polynomial,
)
from coterie.core.errors import DataError, ParameterError

ROWS = np.random.default_rng(0).normal(size=(12, 3)) + 5.0


@pytest.mark.parametrize(
    "method", [Euclidean(), Cosine(), Chord(), Linear(), Polynomial(), Gaussian()], ids=repr
)
@pytest.mark.parametrize("sparse_first", [True, False])
def test_new_rows_may_be_held_another_way_than_the_fitted_ones(method, sparse_first) -> None:
    first, later = (
        (sp.csr_array(ROWS), ROWS[:4]) if sparse_first else (ROWS, sp.csr_array(ROWS[:4]))
    )
    same = method.fit(first).transform(first[:4])
    assert np.allclose(method.transform(later), same, atol=1e-12)


def test_sparse_new_members_of_a_dense_run() -> None:
    fitted = OneVersusAll(n_iterations=3, random_state=0).fit(ROWS)
    assert np.array_equal(
        fitted.transform(sp.csr_array(ROWS[:2])), fitted.transform(ROWS[:2]), equal_nan=True
    )


@pytest.mark.parametrize("kind", [Gaussian, Laplacian])
@pytest.mark.parametrize("width", [5e-324, 1e-300, 1e-160])
def test_a_very_small_width_leaves_everyone_alone(kind, width) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(kind(width=width).fit_transform(ROWS), np.eye(12))


@pytest.mark.parametrize("kind", [Gaussian, Laplacian])
def test_a_very_large_width_makes_everyone_alike(kind) -> None:
    assert np.array_equal(kind(width=1e300).fit_transform(ROWS), np.ones((12, 12)))


@pytest.mark.parametrize("told", [{"degree": 300}, {"scale": 1e300}, {"offset": 1e300}])
def test_a_power_that_is_no_number_is_refused(told) -> None:
    with pytest.raises(DataError, match="Polynomial: inner products to the power"):
        Polynomial(**told).fit(ROWS)


def test_new_rows_that_make_a_power_no_number_are_refused() -> None:
    fitted = Polynomial(degree=4).fit(ROWS)
    with pytest.raises(DataError, match="Polynomial: inner products to the power"):
        fitted.compare(ROWS * 1e80)


def test_values_whose_fourth_powers_are_no_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="Mahalanobis: input contains a value above 1e"):
        Mahalanobis().fit(ROWS * 1e90)


def test_a_weight_that_is_no_number_is_refused() -> None:
    with pytest.raises(ParameterError, match="weight of column 'x0'"):
        Gower(weights={"x0": "a"}).fit(ROWS)


def test_a_risk_that_is_an_array_is_refused() -> None:
    with pytest.raises(ParameterError, match="risk must be"):
        Divergence(risk=np.array([1, 2])).fit(Ragged.of([ROWS, ROWS]))


def test_a_share_as_good_as_zero_counts_as_zero() -> None:
    found = JensenShannon().fit_transform([[1e-300, 1.0], [1.0, 1.0], [0.0, 1.0]])
    assert found[0, 1] == found[2, 1] > 0
    assert np.isfinite(found).all()


def test_a_power_beyond_all_takes_the_largest_difference() -> None:
    assert np.array_equal(
        Minkowski(p=10**400).fit_transform(ROWS), Minkowski(p=np.inf).fit_transform(ROWS)
    )
