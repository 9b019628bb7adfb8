"""Codes themselves: what is read off them, and the compiled counts under them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import codes as slow

from coterie._kernels.codes import both_counts, equal_counts, equal_sums
from coterie.compare.sic.codes import Codes
from coterie.compare.sic.tiles import packed
from coterie.core.errors import DataError


def drawn(n: int, d: int, classes: int, tested: float, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, (n, d))
    labels[random.random((n, d)) > tested] = -1
    return labels


def test_codes_are_whole_numbers_from_minus_one():
    with pytest.raises(DataError, match="one was -3"):
        Codes(np.array([[0, -3]]))
    with pytest.raises(DataError, match="whole numbers"):
        Codes(np.array([[0.0, 1.0]]))
    with pytest.raises(DataError, match="one row per iteration"):
        Codes(np.array([0, 1]))


def test_smallest_type_that_holds_the_codes():
    assert Codes(np.array([[0, 2**15 - 1]])).labels.dtype == np.int16
    assert Codes(np.array([[0, 2**15]])).labels.dtype == np.int32


def test_who_was_tested():
    codes = Codes(np.array([[0, -1, 1], [-1, -1, -1]]))
    assert codes.tested.tolist() == [[True, False, True], [False] * 3]
    assert codes.n_tested.tolist() == [2, 0]
    assert [sizes.tolist() for sizes in codes.sizes()] == [[1, 1], []]


def test_rates_against_slow_twin():
    labels = drawn(40, 30, 4, 0.7, 0)
    labels[3] = -1
    labels[4] = np.arange(30)
    labels[5, 1:] = -1
    found = Codes(labels).rates()
    assert np.allclose(found, slow.rates(labels), atol=1e-15, equal_nan=True)
    assert np.isnan(found[3])
    assert found[4] == 0


def test_rate_with_replacement_is_a_fixed_function_of_the_rate():
    labels = drawn(25, 50, 5, 0.8, 1)
    codes = Codes(labels)
    with_replacement = np.array([((sizes / sizes.sum()) ** 2).sum() for sizes in codes.sizes()])
    n = codes.n_tested
    assert np.allclose(with_replacement, ((n - 1) * codes.rates() + 1) / n, atol=1e-14)


def test_some_iterations_as_codes_of_their_own():
    labels = drawn(6, 9, 3, 0.8, 2)
    names = [np.array([str(i)]) for i in range(6)]
    codes = Codes(labels, names, np.arange(6) % 2 == 0, [{"i": i} for i in range(6)])
    part = codes.take(np.array([4, 1]))
    assert (part.labels == labels[[4, 1]]).all()
    assert part.control.tolist() == [True, False]
    assert [record["i"] for record in part.records] == [4, 1]
    assert [kind[0] for kind in part.classes] == ["4", "1"]
    assert codes.take(slice(2)).n_iterations == 2


def test_pairs_one_by_one():
    labels = drawn(12, 10, 3, 0.7, 3)
    first, second = np.triu_indices(10, 1)
    same, both = Codes(labels).pairs(first, second)
    for at, (p, q) in enumerate(zip(first, second, strict=True)):
        for i in range(12):
            assert both[at, i] == (labels[i, p] >= 0 and labels[i, q] >= 0)
            assert same[at, i] == (both[at, i] and labels[i, p] == labels[i, q])


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize(
    ("n", "b", "m"), [(1, 1, 1), (40, 6, 63), (255, 5, 64), (256, 4, 65), (700, 9, 131)]
)
def test_equal_counts(kind, n, b, m):
    random = np.random.default_rng(n)
    rows = random.integers(0, 2, (n, b)).astype(kind)
    cols = random.integers(0, 2, (n, m)).astype(kind)
    # equal everywhere: counters run full
    rows[:, 0] = 1
    cols[:, 0] = 1
    out = np.empty((b, m), dtype=np.int32)
    equal_counts(rows, cols, out)
    assert (out == (rows[:, :, None] == cols[:, None, :]).sum(axis=0)).all()
    assert out[0, 0] == n


@pytest.mark.parametrize("n", [1, 7, 64, 65, 300])
def test_both_counts_from_packed_bits(n):
    tested = np.random.default_rng(n).random((n, 21)) < 0.6
    bits = packed(tested)
    assert bits.shape == (21, -(-n // 64))
    out = np.empty((8, 21), dtype=np.int32)
    both_counts(bits[:8], np.ascontiguousarray(bits.T), out)
    assert (out == tested[:, :8].T.astype(int) @ tested.astype(int)).all()


def test_weighted_sums_are_in_the_order_of_the_iterations():
    random = np.random.default_rng(5)
    rows = random.integers(0, 4, (150, 7)).astype(np.uint8)
    cols = random.integers(0, 5, (150, 33)).astype(np.uint8)
    weight = random.normal(size=150) * 10.0 ** random.integers(-6, 6, 150)
    out = np.zeros((7, 33))
    equal_sums(rows, cols, 4, weight, out)
    expected = np.zeros((7, 33))
    for i in range(150):
        expected += np.where((rows[i][:, None] == cols[i]) & (cols[i] < 4), weight[i], 0.0)
    assert (out == expected).all()
