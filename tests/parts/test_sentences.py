"""Sentences as numbers: counts by hand, windows and information against slow twins, cosines of pairs, columns of words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import substitution as oracle

from coterie.core.errors import DataError
from coterie.parts.term_weights import Sentences
from coterie_papers.substitution.word_contexts import beside, pair_cosines, positive_information


def drawn(seed: int, n: int = 30, words: int = 7) -> tuple[list[list[int]], Sentences]:
    rng = np.random.default_rng(seed)
    rows = [rng.integers(-1, words, size=rng.integers(0, 9)).tolist() for _ in range(n)]
    tokens = np.array([word for row in rows for word in row], dtype=np.int64)
    return rows, Sentences(tokens, np.cumsum([len(row) for row in rows]), words)


def test_counts_leave_out_what_has_no_column():
    rows, sentences = drawn(0)
    expected = np.array([[row.count(word) for word in range(7)] for row in rows])
    assert np.array_equal(sentences.counts().toarray(), expected)
    assert len(sentences) == 30
    assert sentences.owners().tolist() == [i for i, row in enumerate(rows) for _ in row]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_windows_equal_the_slow_twin(width):
    rows, sentences = drawn(1)
    assert np.array_equal(beside(sentences, width).toarray(), oracle.beside(rows, 7, width))


@pytest.mark.parametrize("smoothing", [1.0, 0.75])
def test_information_equals_the_slow_twin(smoothing):
    rows, _ = drawn(2)
    counts = oracle.beside(rows, 7, 2)
    counts[3] = 0
    counts[:, 4] = 0
    found = positive_information(sp.csr_array(counts), smoothing)
    assert np.allclose(found.toarray(), oracle.positive_information(counts, smoothing), atol=1e-12)
    assert found.data.min() > 0


def test_cosines_of_pairs():
    rows = np.random.default_rng(3).random((5, 4)) * (np.random.default_rng(4).random((5, 4)) < 0.7)
    rows[4] = 0
    first = np.array([0, 1, 0, -1, 2, 4, 3])
    second = np.array([1, 0, 1, 2, -1, 4, 3])
    found = pair_cosines(sp.csr_array(rows), first, second)
    lengths = np.linalg.norm(rows, axis=1)
    expected = rows[0] @ rows[1] / lengths[0] / lengths[1]
    assert found == pytest.approx([expected, expected, expected, 0, 0, 0, 1])
    assert pair_cosines(sp.csr_array(rows), np.array([-1]), np.array([0])).tolist() == [0.0]


def test_bad_sentences_are_one_sentence():
    with pytest.raises(DataError, match="no sentences"):
        Sentences(np.array([]), np.array([]), 3)
    with pytest.raises(DataError, match="must rise to the number of words, 2"):
        Sentences(np.array([0, 1]), np.array([1]), 3)
    with pytest.raises(DataError, match="column 3, and the dictionary has 3"):
        Sentences(np.array([3]), np.array([1]), 3)
