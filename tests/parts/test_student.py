"""EM for t mixtures against loops over the rows, scipy's density, and what it must do with outliers and categories."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_t
from tests.oracles import student as slow

from coterie.core.table import Table
from coterie.parts import student
from coterie.parts.student import EM, Coding, Margins, MixedRows, Products

SIZES = (3, 2)


@pytest.fixture
def rows() -> MixedRows:
    rng = np.random.default_rng(4)
    numbers = rng.standard_t(5, size=(40, 3)) + np.repeat([[0, 0, 0], [3, -2, 1]], 20, axis=0)
    codes = np.column_stack([rng.integers(-1, 3, size=40), rng.integers(-1, 2, size=40)])
    return MixedRows(numbers, codes, SIZES)


def _start(rows: MixedRows, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(np.ones(k), size=len(rows))
    return shares, rng.uniform(0.2, 2.0, size=shares.shape)


@pytest.mark.parametrize("form", ["tied", "shrunk"])
def test_a_round_equals_loops_over_the_rows(rows, form):
    k, df, shrinkage = 3, 4.0, 6.5
    shares, counts = _start(rows, k)
    products, indicators = Products(rows.numbers), rows.indicators()
    margins = Margins.of(rows, indicators)
    fast = student.m_step(
        shares, counts, products, indicators, margins, df=df, form=form, shrinkage=shrinkage
    )
    weights, means, covariances, probabilities = slow.m_step(
        rows.numbers, rows.codes.tolist(), SIZES, shares, counts, form, shrinkage
    )
    assert np.allclose(fast.weights, weights)
    assert np.allclose(fast.means, means)
    assert np.allclose(fast.covariances, covariances)
    assert np.allclose(fast.probabilities, np.hstack([np.array(p) for p in probabilities]))
    found = student.e_step(fast, products, indicators)
    slowly = slow.e_step(
        rows.numbers, rows.codes.tolist(), weights, means, covariances, probabilities, df
    )
    for one, other in zip(found, slowly, strict=True):
        assert np.allclose(one, other)


def test_density_equals_scipy():
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(30, 4))
    root = rng.normal(size=(4, 4))
    covariance = root @ root.T + np.eye(4)
    mean = rng.normal(size=4)
    one = student.StudentComponents(
        np.ones(1), mean[None], covariance[None], np.empty((1, 0)), df=6.0
    )
    log, _ = one.log_densities(Products(numbers), np.empty((30, 0)))
    assert np.allclose(log[:, 0], multivariate_t(mean, covariance, df=6.0).logpdf(numbers))


def test_blocks_change_nothing_but_rounding(rows, monkeypatch):
    whole = EM(4.0, "shrunk").best(rows, [np.arange(40) % 2], 2)
    monkeypatch.setattr(student, "_CELLS", 70)
    parts = EM(4.0, "shrunk").best(rows, [np.arange(40) % 2], 2)
    assert len(Products(rows.numbers).blocks) > 5
    assert np.allclose(whole.responsibilities, parts.responsibilities, atol=1e-6)


def test_groups_and_their_shapes_are_found_again():
    rng = np.random.default_rng(7)
    truth = np.repeat([0, 1], [150, 350])
    shapes = np.array([[[1.0, 0.9], [0.9, 1.0]], [[1.0, -0.9], [-0.9, 1.0]]])
    centers = np.array([[0.0, 0.0], [1.5, 1.5]])
    numbers = np.stack([rng.multivariate_normal(centers[g], shapes[g]) for g in truth])
    rows = MixedRows(numbers, np.empty((500, 0), dtype=np.int64), ())
    start = (numbers[:, 0] > 1).astype(np.int64)
    fitted = EM(30.0, "shrunk").best(rows, [start], 2)
    labels = fitted.responsibilities.argmax(axis=1)
    assert max(np.mean(labels == truth), np.mean(labels != truth)) > 0.93
    slopes = sorted(cov[0, 1] for cov in fitted.components.covariances)
    assert slopes[0] < -0.6
    assert slopes[1] > 0.6


def test_far_rows_hardly_move_a_group():
    rng = np.random.default_rng(8)
    numbers = np.concatenate([rng.normal(size=(200, 2)), np.full((10, 2), 40.0)])
    rows = MixedRows(numbers, np.empty((210, 0), dtype=np.int64), ())
    start = np.zeros(210, dtype=np.int64)
    heavy = EM(4.0, "tied").best(rows, [start], 1).components.means[0]
    light = EM(1e6, "tied").best(rows, [start], 1).components.means[0]
    assert np.abs(heavy).max() < 0.3 < 1.5 < np.abs(light).max()


def test_categories_alone_make_groups():
    rng = np.random.default_rng(9)
    truth = np.repeat([0, 1], 100)
    codes = np.where(rng.random((200, 6)) < 0.9, truth[:, None], rng.integers(3, size=(200, 6)))
    rows = MixedRows(np.empty((200, 0)), codes, (3,) * 6)
    start = (codes[:, 0] == 1).astype(np.int64)
    labels = EM(4.0, "shrunk").best(rows, [start], 2).responsibilities.argmax(axis=1)
    assert max(np.mean(labels == truth), np.mean(labels != truth)) > 0.97


def test_more_parameters_where_groups_have_covariances_of_their_own(rows):
    start = np.arange(40) % 2
    tied = EM(4.0, "tied").best(rows, [start], 2)
    shrunk = EM(4.0, "shrunk").best(rows, [start], 2)
    free = student.count_parameters(tied, SIZES, "tied")
    assert free == 1 + 2 * 3 + 2 * (2 + 1) + 6
    assert free < student.count_parameters(shrunk, SIZES, "shrunk") < free + 6


def test_coding_takes_missing_values_as_it_says():
    values = np.array([[1.0, 0], [3.0, 1], [np.nan, np.nan], [5.0, 7]])
    table = Table(values[:, :2], ("size", "color"), {1: tuple("abcdefgh")})
    coding = Coding.of(table, "test")
    rows = coding.rows(table, "test")
    assert rows.numbers[2, 0] == 0.0
    assert coding.own_level == (True,)
    assert rows.codes[:, 0].tolist() == [0, 1, 8, 7]
    later = Table(np.array([[1.0, 0.0]]), ("size", "color"), {1: ("new",)})
    assert coding.rows(later, "test").codes.tolist() == [[-1]]
    many = np.vstack([values[:, :2]] * 10)[[0, 1, 3] * 10 + [2]]
    rare = Coding.of(Table(many, ("size", "color"), {1: tuple("abcdefgh")}), "test")
    assert rare.own_level == (False,)


def test_points_weigh_a_category_like_a_column():
    rng = np.random.default_rng(2)
    codes = rng.integers(4, size=500).astype(float)
    table = Table(np.column_stack([rng.normal(size=500), codes]), ("a", "b"), {1: tuple("wxyz")})
    coding = Coding.of(table, "test")
    points = coding.points(coding.rows(table, "test"))
    assert points.shape == (500, 5)
    assert np.isclose(points[:, 1:].var(axis=0).sum(), 1.0)
    assert np.allclose(points.mean(axis=0), 0)
