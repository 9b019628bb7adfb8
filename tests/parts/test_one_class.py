"""Scores of words and members against slow twins, the number of relevant words and its bounds, and the theorem's simulation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import one_class as slow

from coterie.core.errors import ParameterError
from coterie.core.random import stream
from coterie.parts.one_class import (
    best_words,
    kl,
    min_entropy,
    occc,
    recovered,
    relevant_words,
    required_tokens,
    word_scores,
)


def table(seed: int, n: int = 12, m: int = 15) -> np.ndarray:
    counts = np.random.default_rng(seed).poisson(0.8, size=(n, m)).astype(float)
    counts[0, :] += 1  # every word is somewhere
    counts[3] = 0
    return counts


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_words_are_log_ratios_of_shares(seed: int) -> None:
    counts = table(seed)
    general = np.random.default_rng(seed).integers(0, 50, size=15).astype(float)
    found = word_scores(counts.sum(axis=0), general)
    assert found == pytest.approx(slow.word_scores(counts.sum(axis=0), general), abs=1e-12)


def test_a_word_unknown_in_general_or_not_here_has_a_finite_score() -> None:
    found = word_scores(np.array([4.0, 0.0, 3.0]), np.array([0.0, 10.0, 0.0]))
    assert np.isfinite(found).all()
    assert found[0] > 0 > found[1]


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_members_are_those_of_the_definitions(seed: int) -> None:
    counts = table(seed)
    matrix = sp.csr_array(counts)
    totals = counts.sum(axis=0)
    scores = word_scores(totals, np.random.default_rng(seed).integers(0, 50, size=15).astype(float))
    assert min_entropy(matrix, totals) == pytest.approx(
        slow.min_entropy(counts.tolist()), abs=1e-12
    )
    assert kl(matrix, scores) == pytest.approx(slow.kl(counts.tolist(), scores.tolist()), abs=1e-12)
    for norm in ("relevant", "length", "none"):
        found = occc(matrix, scores, best_words(scores, 4), norm)
        assert found == pytest.approx(
            slow.occc(counts.tolist(), scores.tolist(), 4, norm), abs=1e-12
        )
        assert found[3] == -np.inf


def test_members_without_a_relevant_word_are_last() -> None:
    counts = sp.csr_array(np.array([[1.0, 0, 0], [0, 0, 5.0], [1.0, 1.0, 0]]))
    found = occc(counts, np.array([2.0, 1.0, -1.0]), np.array([True, True, False]), "none")
    assert found.tolist() == [2.0, -np.inf, 3.0]


def test_length_does_not_decide_min_entropy() -> None:
    counts = np.array([[1.0, 1.0, 0.0], [10.0, 10.0, 0.0], [0.0, 1.0, 9.0]])
    found = min_entropy(sp.csr_array(counts), counts.sum(axis=0))
    assert found[0] == pytest.approx(found[1])


class TestRelevant:
    def test_is_what_the_symmetry_of_the_others_leaves(self) -> None:
        scores = np.concatenate(
            [np.linspace(-1, -0.1, 40), np.linspace(0.1, 1, 40), np.linspace(2, 3, 25)]
        )
        assert relevant_words(scores).count == 25
        assert not relevant_words(scores).note

    def test_is_never_below_a_least_and_says_so(self) -> None:
        scores = np.concatenate([-np.ones(3000), np.ones(1000)])
        assert relevant_words(scores).count == 20
        assert "gave -2000 of 4000" in relevant_words(scores).note
        assert relevant_words(np.array([1.0, -1.0, -1.0])).count == 3

    def test_is_the_best_part_where_no_word_is_more_frequent_than_in_general(self) -> None:
        found = relevant_words(-np.ones(200))
        assert found.count == 10
        assert "no word is more frequent" in found.note

    def test_equal_words_are_taken_in_their_order(self) -> None:
        assert best_words(np.array([0.0, 2.0, 2.0, 1.0]), 1).tolist() == [False, True, False, False]
        assert best_words(np.array([0.0, 2.0, 2.0, 1.0]), 3).tolist() == [False, True, True, True]


class TestTheorem:
    def test_the_tokens_it_asks_for(self) -> None:
        assert required_tokens(12_000, 0.2, 0.01) == pytest.approx(13.4e6, rel=0.01)
        assert required_tokens(12_000, 0.2, 0.01, const=2) == pytest.approx(1.68e6, rel=0.01)
        with pytest.raises(ParameterError, match="pi above 0"):
            required_tokens(100, 0.0, 0.1)

    def test_its_simulation_recovers_98_in_100_at_330_000_tokens(self) -> None:
        found = np.mean([recovered(12_000, 2400, 0.2, 330_000, stream(seed)) for seed in range(20)])
        assert found == pytest.approx(0.98, abs=0.01)

    def test_twice_the_constant_recovers_all(self) -> None:
        tokens = required_tokens(12_000, 0.2, 0.01, const=2)
        assert all(recovered(12_000, 2400, 0.2, tokens, stream(seed)) == 1.0 for seed in range(10))

    def test_few_tokens_recover_what_chance_does(self) -> None:
        assert recovered(12_000, 2400, 0.2, 1, stream(0)) == pytest.approx(0.2, abs=0.03)
