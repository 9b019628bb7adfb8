"""The matrix of likelihoods against sums over paths, and the divergence of its columns against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import hmm as paths
from tests.oracles import likelihoods as slow

from coterie import Ragged
from coterie.core.errors import DataError
from coterie.core.workplace import using
from coterie.parts.emissions import Normal
from coterie.parts.hmm import Bank
from coterie.parts.likelihood import (
    between,
    columns,
    deepest,
    finite,
    impossible,
    kl_ll,
    likelihoods,
    own_likelihoods,
    saturation,
)


@pytest.fixture
def bank() -> Bank:
    rng = np.random.default_rng(0)
    links = rng.random((4, 2, 2)) + 0.1
    start = rng.random((4, 2)) + 0.1
    laws = Normal(rng.normal(size=(4, 2, 2)), rng.random((4, 2, 2)) + 0.5)
    return Bank(
        start / start.sum(axis=1, keepdims=True), links / links.sum(axis=2, keepdims=True), laws
    )


@pytest.fixture
def sequences() -> Ragged:
    rng = np.random.default_rng(1)
    return Ragged.of([rng.normal(size=(n, 2)) for n in (1, 3, 5, 2)])


def test_entries_are_mean_log_likelihoods_rows_are_models(bank, sequences):
    found = likelihoods(bank, sequences)
    for m in range(4):
        model = paths.Model(
            bank.start[m], bank.transition[m], bank.emissions.means[m], bank.emissions.spreads[m]
        )
        for n, sequence in enumerate(sequences):
            assert found[m, n] == pytest.approx(
                paths.total(model, sequence) / len(sequence), abs=1e-12
            )
    np.testing.assert_allclose(own_likelihoods(bank, sequences), np.diagonal(found), atol=1e-12)


def test_workers_give_the_same_bits(bank):
    rng = np.random.default_rng(2)
    many = Ragged.of([rng.normal(size=(400, 2)) for _ in range(60)])
    with using(n_jobs=1):
        one = likelihoods(bank, many)
    with using(n_jobs=2):
        assert np.array_equal(likelihoods(bank, many), one)


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_product_form_is_the_definition(temperature):
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(7, 9)) * 3
    found = kl_ll(matrix, temperature)
    expected = np.array(
        [[slow.kl_ll(matrix, i, j, temperature) for j in range(9)] for i in range(9)]
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (np.diagonal(found) == 0).all()
    assert np.array_equal(found, found.T)
    np.testing.assert_allclose(
        between(matrix[:, :4], matrix, temperature), expected[:4], atol=1e-12
    )


def test_adding_a_constant_changes_nothing():
    matrix = np.random.default_rng(4).normal(size=(5, 6)) * 4
    np.testing.assert_allclose(kl_ll(matrix + 1234.5), kl_ll(matrix), atol=1e-9)


def test_saturated_columns_give_half_of_yin_yang():
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(6, 6)) - 80.0
    matrix[np.diag_indices(6)] += 80.0
    expected = np.array([[slow.yin_yang(matrix, i, j) / 2 for j in range(6)] for i in range(6)])
    np.testing.assert_allclose(kl_ll(matrix), expected, atol=1e-9)
    assert saturation(matrix) == pytest.approx(1.0)
    assert saturation(np.zeros((5, 3))) == pytest.approx(0.2)
    assert saturation(matrix, temperature=1e6) < 0.2


def test_columns_sum_to_one():
    matrix = np.random.default_rng(6).normal(size=(5, 4)) * 500
    np.testing.assert_allclose(np.exp(columns(matrix)).sum(axis=0), 1.0)


def test_likelihoods_of_zero_are_far_below_and_counted():
    matrix = np.array([[-1.0, -np.inf, -3.0], [-2.0, -np.inf, -np.inf]])
    assert deepest(matrix).tolist() == [[-53.0], [-52.0]]
    assert impossible(matrix).tolist() == [False, True, False]
    with pytest.warns(UserWarning, match="3 of 6 likelihoods are zero"):
        found = finite(matrix)
    assert found.tolist() == [[-1.0, -53.0, -3.0], [-2.0, -52.0, -52.0]]
    with pytest.warns(UserWarning, match="1 of 2"):
        assert finite(np.array([[-np.inf], [-1.0]]), at=np.array([[-9.0], [-8.0]])).tolist() == [
            [-9.0],
            [-1.0],
        ]
    assert deepest(np.full((2, 2), -np.inf)).tolist() == [[-50.0], [-50.0]]


def test_different_models_are_refused():
    with pytest.raises(DataError, match="3 models and the other 2"):
        between(np.zeros((3, 2)), np.zeros((2, 2)))
