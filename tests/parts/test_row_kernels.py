"""Kernels between vectors against their formulas, and what is refused of kernels of one's own."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from tests.oracles import mmd as slow

import coterie.parts.row_kernels as module
from coterie import Ragged
from coterie.compare import Cosine, Euclidean
from coterie.compare import Gaussian as GaussianRows
from coterie.compare import Laplacian as LaplacianRows
from coterie.core.errors import DataError, ParameterError
from coterie.parts.row_kernels import (
    RowKernel,
    kernel_of,
    median_width,
    sample_of,
    stretch,
    sums_down,
)
from coterie.parts.sequences import whole_sets


def blocks(seed: int = 0, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(7, d)), rng.normal(size=(5, d))


def formula(name: str, width: float, x: np.ndarray, y: np.ndarray) -> float:
    if name in ("gaussian", "laplacian"):
        return getattr(slow, name)(x, y, width)
    return float(x @ y) if name == "linear" else (1 + float(x @ y) / width**2) ** 2


@pytest.mark.parametrize("name", module.NAMES)
def test_named_kernels_are_their_formulas(name):
    a, b = blocks()
    kernel = kernel_of(name, "median" if name == "linear" else 1.7, np.concatenate([a, b]), "Here")
    expected = np.array([[formula(name, 1.7, x, y) for y in b] for x in a])
    np.testing.assert_allclose(kernel.block(a, b), expected, rtol=1e-12)
    np.testing.assert_allclose(
        kernel.diagonal(a), [formula(name, 1.7, x, x) for x in a], rtol=1e-12
    )


@pytest.mark.parametrize(
    "kernel", ["gaussian", "laplacian", GaussianRows(width=0.5), LaplacianRows(width=0.5)]
)
def test_far_from_the_origin_nothing_is_lost(kernel):
    a, b = (np.round(part, 3) for part in blocks(1))
    far = np.array([1e7, -3e7, 2e6])
    width = 0.5 if isinstance(kernel, str) else "median"
    near, moved = (
        kernel_of(kernel, width, np.concatenate([a + s, b + s]), "Here").block(a + s, b + s)
        for s in (0.0, far)
    )
    np.testing.assert_allclose(moved, near, rtol=1e-6, atol=1e-12)
    found = kernel_of(kernel, width, a + far, "Here").block(a + far, a + far)
    assert (np.diagonal(found) == 1.0).all()


def test_two_distant_crowds_keep_their_inner_distances():
    a, _ = blocks(2)
    rows = np.concatenate([a - 1e8, a + 1e8])
    found = kernel_of("gaussian", 1.0, rows, "Here").block(rows, rows)
    exact = np.array([[slow.gaussian(x, y, 1.0) for y in rows] for x in rows])
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-300)


def test_median_is_that_of_all_pairs_or_of_a_fixed_sample(monkeypatch):
    rows = np.random.default_rng(3).normal(size=(40, 2))
    assert kernel_of("gaussian", "median", rows, "Here").width == pytest.approx(
        slow.median_width(rows), rel=1e-12
    )
    monkeypatch.setattr(module, "_SAMPLE", 11)
    some = sample_of(rows, 11)
    assert len(some) == 11
    assert median_width(rows, "gaussian", "Here") == pytest.approx(
        slow.median_width(some), rel=1e-12
    )
    assert median_width(rows, "laplacian", "Here") > median_width(rows, "gaussian", "Here")


def test_where_most_vectors_are_identical_the_width_is_the_mean_positive_distance():
    rows = np.zeros((10, 1))
    rows[0] = 4.0
    assert median_width(rows, "gaussian", "Here") == 4.0
    with pytest.raises(
        DataError, match="identical, so no kernel width can be read off; give a width"
    ):
        median_width(np.ones((4, 2)), "gaussian", "Here")


@pytest.mark.parametrize(
    ("comparer", "name"),
    [(GaussianRows(width=0.8), "gaussian"), (LaplacianRows(width=0.8), "laplacian")],
)
def test_comparers_of_tables_are_kernels(comparer, name):
    a, b = blocks(4)
    rows = np.concatenate([a, b])
    kernel = kernel_of(comparer, "median", rows, "Here")
    width = 0.8 * np.sqrt(2) if name == "gaussian" else 0.8  # the kernel of tables has a factor 2
    np.testing.assert_allclose(kernel.block(a, b), RowKernel(name, width).block(a, b), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(rows), 1.0)
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(again.block(a, b), kernel.block(a, b))
    assert not hasattr(comparer, "affinity_")


def test_a_comparer_learns_its_width_once():
    a, b = blocks(5)
    kernel = kernel_of(GaussianRows(), "median", np.concatenate([a, b]), "Here")
    np.testing.assert_allclose(kernel.block(a, b)[:2, :2], kernel.block(a[:2], b[:2]), rtol=1e-12)
    same = kernel_of(Cosine(), "median", a, "Here").block(a, a)
    np.testing.assert_allclose(same, np.corrcoef(np.hstack([a, -a])), atol=1e-12)


def test_functions_are_kernels_and_their_diagonal_is_found_in_parts(monkeypatch):
    a, b = blocks(6)
    kernel = kernel_of(lambda x, y: x @ y.T, "median", a, "Here")
    np.testing.assert_allclose(kernel.block(a, b), a @ b.T)
    monkeypatch.setattr(module, "_TRIED", 3)
    np.testing.assert_allclose(kernel.diagonal(a), (a**2).sum(axis=1))


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("cosine", "kernel must be gaussian | laplacian | linear | polynomial"),
        (GaussianRows, "kernel must be"),
        (7, "kernel must be"),
        (Euclidean(), "kernel must be a similarity, and Euclidean() is a distance"),
        (lambda x, y: x @ y.T + x[:, :1], "the kernel is not symmetric"),
        (lambda x, y: np.full((len(x), len(y)), np.nan), "not a finite number"),
        (lambda x, y: np.full((len(x), len(y)), 1e305), "not a finite number below 1e+300"),
        (lambda x, y: np.exp(1e4 + x @ y.T), "not a finite number"),
        (
            lambda x, y: float(x[0] @ y[0]),
            "must give one value per pair of rows, 7 x 7, and gave ()",
        ),
        (lambda x, y: np.abs(x[:, None] - y).sum(axis=2), "not positive semidefinite"),
        (lambda x, y: x @ y, "the kernel function failed"),
    ],
)
def test_what_is_no_kernel_is_refused_in_a_sentence(kernel, sentence):
    with pytest.raises(ParameterError) as caught:
        kernel_of(kernel, "median", blocks()[0], "Here")
    assert str(caught.value).startswith("Here: ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("linear", "Here: width = 0.5 has no meaning for kernel 'linear'; leave it out."),
        (
            GaussianRows(),
            "Here: width = 0.5 is for kernels by name, and Gaussian() has its own settings; write kernel=Gaussian(width=...).",
        ),
        (
            Cosine(),
            "Here: width = 0.5 is for kernels by name, and Cosine() has its own settings; leave it out.",
        ),
        (
            lambda x, y: x @ y.T,
            "Here: width = 0.5 is for kernels by name, and a kernel function takes none; leave it out.",
        ),
    ],
)
def test_a_width_that_would_be_ignored_is_refused(kernel, sentence):
    with pytest.raises(ParameterError) as caught:
        kernel_of(kernel, 0.5, blocks()[0], "Here")
    assert str(caught.value) == sentence


@pytest.mark.parametrize("width", [1e-200, 1e200])
@pytest.mark.parametrize("name", ["gaussian", "laplacian", "polynomial"])
def test_widths_that_have_no_square_are_refused(name, width):
    with pytest.raises(ParameterError, match="Here: width must lie between 1e-150 and"):
        kernel_of(name, width, blocks()[0], "Here")


@pytest.mark.parametrize("sizes", [(128, 2048), (3, 4), (1, 1), (5, 2)])
def test_sums_over_sets_do_not_depend_on_the_blocks(sizes, monkeypatch):
    monkeypatch.setattr(module, "_TALL", sizes[0])
    monkeypatch.setattr(module, "_WIDE", sizes[1])
    rng = np.random.default_rng(7)
    x, y = (
        Ragged.of([rng.normal(size=(n, 2)) for n in lengths])
        for lengths in ((1, 6, 2), (3, 1, 1, 9))
    )
    pair = partial(slow.gaussian, width=1.3)
    expected = [[sum(pair(a, b) for a in one for b in two) for two in y] for one in x]
    np.testing.assert_allclose(RowKernel("gaussian", 1.3).sums(x, y), expected, rtol=1e-12)


def test_stretches_name_the_sets_and_where_they_begin():
    offsets = np.array([0, 2, 3, 9])
    assert [
        (s.start, s.stop, at.tolist())
        for s, at in (stretch(offsets, lo, lo + 3) for lo in (0, 3, 6))
    ] == [
        (0, 2, [0, 2]),
        (2, 3, [0]),
        (2, 3, [0]),
    ]
    block = np.arange(12.0).reshape(6, 2)
    np.testing.assert_array_equal(
        sums_down(block, np.array([0, 1, 4])), np.add.reduceat(block, [0, 1, 4], axis=0)
    )


def test_sets_with_missing_or_enormous_values_are_named():
    whole = [np.ones((2, 2)), np.ones((3, 2))]
    assert whole_sets(Ragged.of(whole), "Here").values.dtype == np.float64
    for value, sentence in (
        (np.nan, "new member 1 has a missing value"),
        (1e120, "new member 1 has a value above 1e100"),
    ):
        bad = [whole[0], np.where(np.eye(3, 2, -1) > 0, value, 1.0)]
        with pytest.raises(DataError, match=f"Here: {sentence}"):
            whole_sets(Ragged.of(bad), "Here", new=True)
    with pytest.raises(DataError, match="2 values per step where the fitted ones have 3"):
        whole_sets(Ragged.of(whole), "Here", dim=3)
