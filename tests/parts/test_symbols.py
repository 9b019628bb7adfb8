"""Symbols and counts: codes outside the alphabet, pseudo-counts, rates that never reach zero, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.parts.emissions import Floors
from coterie.parts.symbols import Categorical, Counts, blank_categorical, blank_counts

FLOORS = Floors(np.ones(1), np.ones(1), pseudo=1e-3)


def column(*codes: float) -> np.ndarray:
    return np.array(codes, dtype=float)[:, None]


@pytest.mark.parametrize("code", [3.0, -1.0, 1.5])
def test_a_symbol_outside_the_alphabet_is_named(code):
    laws = Categorical(np.full((1, 2, 3), 1 / 3), (3,))
    frames = column(0, 1, code)
    owners = np.zeros(3, dtype=np.int64)
    for act in (
        lambda: laws.rows(frames),
        lambda: laws.own(frames, owners),
        lambda: laws.sums(frames, owners, np.ones((3, 2))),
    ):
        with pytest.raises(DataError, match=f"Frame 2 has the symbol {code:g}, .* 0 to 2"):
            act()


def test_the_column_of_a_strange_symbol_is_named():
    laws = Categorical(np.full((1, 1, 5), 0.5), (3, 2))
    with pytest.raises(DataError, match="column 1"):
        laws.rows(np.array([[2.0, 1.0], [0.0, 2.0]]))


def test_an_extra_symbol_takes_all_that_are_unknown():
    frames = column(0, 1, 1, 2)
    laws = blank_categorical(1, 1, frames, FLOORS, unknown="extra")
    assert laws.sizes == (4,)
    rows = laws.rows(column(3, 99, -1, 2))
    np.testing.assert_array_equal(rows[:3], rows[0, 0])
    assert rows[0, 0] == pytest.approx(np.log(1e-3 / (4 + 4e-3)))
    assert rows[3, 0] == pytest.approx(np.log(1.001 / (4 + 4e-3)))


def test_pseudo_counts_are_added_once_per_symbol():
    laws = blank_categorical(1, 2, column(0, 1, 2, 1), FLOORS, n_symbols=5)
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    better = laws.maximized(
        laws.sums(column(0, 1, 2, 1), np.zeros(4, dtype=np.int64), shares), FLOORS
    )
    wanted = np.array([[1.0, 1.5, 0.0, 0.0, 0.0], [0.0, 0.5, 1.0, 0.0, 0.0]]) + 1e-3
    np.testing.assert_allclose(
        better.probabilities[0], wanted / wanted.sum(axis=1, keepdims=True), atol=1e-14
    )


def test_a_probability_of_zero_is_a_likelihood_of_zero():
    from coterie.parts.hmm import Bank, forward_scores, viterbi_scores

    laws = Categorical(np.array([[[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]]), (3,))
    bank = Bank(np.full((1, 2), 0.5), np.full((1, 2, 2), 0.5), laws)
    frames = column(0, 2, 0, 0, 1, 0)
    offsets = np.array([0, 3, 6])
    for found in (forward_scores(bank, frames, offsets), viterbi_scores(bank, frames, offsets)):
        assert found[0, 0] == -np.inf
        assert np.isfinite(found[1, 0])


def test_alphabets_may_be_given_per_column():
    frames = np.array([[0.0, 1.0], [1.0, np.nan]])
    laws = blank_categorical(2, 3, frames, Floors(np.ones(2), np.ones(2), 1e-3), n_symbols=[2, 4])
    assert laws.probabilities.shape == (2, 3, 6)
    np.testing.assert_allclose(laws.probabilities[..., :2].sum(axis=2), 1.0)
    np.testing.assert_allclose(laws.probabilities[..., 2:].sum(axis=2), 1.0)
    assert laws.dim == 2


@pytest.mark.parametrize("bad", [-1.0, 0.5])
def test_what_is_no_count_is_refused(bad):
    frames = np.array([[1.0, 2.0], [3.0, bad]])
    with pytest.raises(DataError, match=f"Frame 1 has {bad:g} in column 1"):
        Counts(np.ones((1, 1, 2))).rows(frames)
    with pytest.raises(DataError, match="Gaussian"):
        blank_counts(1, 1, frames, Floors.of(frames, 0.05))


def test_rates_stay_above_their_floor():
    """A share of the mean of all frames; where nothing was ever counted, the pseudo-count."""
    frames = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 0.0], [8.0, 0.0]])
    floors = Floors.of(frames, 0.05)
    laws = blank_counts(1, 2, frames, floors)
    np.testing.assert_allclose(laws.rates[0, 0], [3.0, 1e-3])
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    better = laws.maximized(laws.sums(frames, np.zeros(4, dtype=np.int64), shares), floors)
    np.testing.assert_allclose(better.rates[0], [[0.05 * 3.0, 1e-3], [6.0, 1e-3]])
    assert np.isfinite(better.rows(frames)).all()


def test_large_counts_keep_their_digits():
    from scipy.stats import poisson

    rates = np.array([[[1e6, 2e5]]])
    frames = np.array([[1e6 + 300, 2e5 - 100], [999_000, 2e5]])
    np.testing.assert_allclose(
        Counts(rates).rows(frames)[:, 0], poisson.logpmf(frames, rates[0, 0]).sum(axis=1), atol=1e-6
    )
