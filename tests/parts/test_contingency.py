"""Counts and the information they hold, against the definition; whole numbers stay whole, and the caller's arrays untouched."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.moves import aggregated, mutual

from coterie.parts.contingency import Counts, information, log_table, phi, raw_information, united


@given(
    seed=st.integers(0, 5000),
    n=st.integers(1, 20),
    m=st.integers(1, 20),
    rate=st.sampled_from([0.05, 0.5, 20.0]),
    real=st.booleans(),
)
def test_information_is_that_of_the_definition(seed, n, m, rate, real):
    draw = np.random.default_rng(seed)
    table = draw.poisson(rate, (n, m)) * (draw.uniform(0.1, 2.0, (n, m)) if real else 1)
    assert information(table) == pytest.approx(mutual(table), abs=1e-12)
    assert raw_information(Counts.of(sp.csr_array(table))) == pytest.approx(
        mutual(table), abs=1e-12
    )


def test_information_known_by_hand():
    assert information(np.array([[5, 0], [0, 5]])) == pytest.approx(math.log(2), abs=1e-15)
    assert information(np.outer([1, 2, 3], [4, 5])) == pytest.approx(0.0, abs=1e-15)
    assert information(np.zeros((2, 2))) == 0.0
    assert raw_information(Counts.of(sp.csr_array((3, 4)))) == 0.0


@given(seed=st.integers(0, 5000), n=st.integers(1, 15), m=st.integers(1, 15), real=st.booleans())
def test_united_sums_over_the_clusters(seed, n, m, real):
    draw = np.random.default_rng(seed)
    table = draw.poisson(0.5, (n, m)) * (draw.uniform(0.1, 2.0, (n, m)) if real else 1)
    rows = draw.integers(-1, 3, n)
    cols = draw.integers(-1, 4, m)
    found = united(Counts.of(sp.csr_array(table)), rows, 3, cols, 4)
    assert np.allclose(found, aggregated(table, rows, 3, cols, 4), atol=1e-12)
    assert (found.dtype == np.int64) == (not real or not np.any(table))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([[1, 0], [2, 3]]), np.int32),
        (np.array([[1.0, 0.0], [2.0, 3.0]]), np.int32),
        (np.array([[True, False], [True, True]]), np.int32),
        (np.array([[2**31, 0], [1, 1]]), np.int64),
        (np.array([[1e10, 0.0], [1.0, 1.0]]), np.int64),
        (np.array([[0.5, 0.0], [2.0, 3.0]]), np.float64),
        (np.array([[1e16, 0.0], [2.0, 3.0]]), np.float64),
    ],
)
def test_whole_numbers_stay_whole(values, kind):
    counts = Counts.of(sp.csr_array(values))
    assert counts.val.dtype == kind
    assert counts.whole == (kind is not np.float64)
    assert np.array_equal(counts.matrix.toarray(), values)
    assert counts.total == values.sum()


def test_both_sides_hold_the_same():
    table = np.random.default_rng(0).poisson(0.5, (7, 5))
    counts = Counts.of(sp.csr_array(table))
    assert (len(counts), counts.width) == (7, 5)
    assert np.array_equal(counts.flipped().matrix.toarray(), table.T)
    assert (len(counts.flipped()), counts.flipped().width) == (5, 7)
    assert counts.flipped().val.dtype == np.int32


def test_stored_zeros_and_double_entries_are_settled_in_a_copy():
    matrix = sp.csr_array(
        (np.array([1.0, 2.0, 0.0, 4.0]), np.array([1, 1, 0, 2]), np.array([0, 3, 4])), shape=(2, 3)
    )
    before = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
    counts = Counts.of(matrix)
    assert counts.val.tolist() == [3, 4]
    assert counts.ptr.tolist() == [0, 1, 2]
    assert all(
        np.array_equal(a, b)
        for a, b in zip(before, (matrix.data, matrix.indices, matrix.indptr), strict=True)
    )


def test_logarithms_come_from_one_table():
    logs, steps = log_table(10)
    assert len(logs) == 12
    assert logs[0] == logs[1] == 0.0
    assert np.allclose(logs[2:], np.arange(2, 12) * np.log(np.arange(2, 12)), rtol=1e-15)
    assert np.array_equal(steps, logs[1:] - logs[:-1])
    assert len(log_table(1e12)[0]) == (1 << 22) + 2
    assert phi(np.array([0.0, 1.0, math.e])).tolist() == pytest.approx([0.0, 0.0, math.e])
