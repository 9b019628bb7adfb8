"""Pairs of words and documents: the law they are drawn by, what is left out, and which negatives occur."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import nntr as twin

from coterie.parts.nets.pairs import NEGATIVES, Alias, Pairs
from coterie.parts.nntr import weighted

COUNTS = twin.counts()
IDF = np.log(len(COUNTS) / (COUNTS > 0).sum(axis=0))
ROWS = weighted(sp.csr_array(COUNTS), IDF)
DF = (COUNTS > 0).sum(axis=0)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_words_are_drawn_by_their_frequency_to_a_power(power):
    pairs = Pairs.of(ROWS, power)
    np.testing.assert_allclose(
        pairs.alias.law(), DF[pairs.words] ** power / (DF[pairs.words] ** power).sum(), atol=1e-12
    )


def test_the_alias_method_has_the_law_given():
    mass = np.array([5.0, 0.1, 1.0, 3.0])
    alias = Alias.of(mass)
    np.testing.assert_allclose(alias.law(), mass / mass.sum(), atol=1e-12)
    drawn = np.bincount(alias.draw(np.random.default_rng(0), 40_000), minlength=4) / 40_000
    np.testing.assert_allclose(drawn, mass / mass.sum(), atol=4 * 0.5 / 200)


def _estimates(power, value, n=60_000):
    words, documents, _ = Pairs.of(ROWS, power).positives(np.random.default_rng(2), n)
    drawn = value[documents, words]
    return drawn.mean(), drawn.std() / np.sqrt(n)


def test_with_power_0_the_mean_of_draws_is_the_second_term_of_5_3():
    value = np.random.default_rng(5).normal(size=COUNTS.shape) * (1 + 3 * DF)
    term = np.mean([value[COUNTS[:, j] > 0, j].mean() for j in range(COUNTS.shape[1])])
    mean, error = _estimates(0.0, value)
    assert abs(mean - term) < 4 * error
    plain, error = _estimates(1.0, value)
    assert abs(plain - value[COUNTS > 0].mean()) < 4 * error


def test_evenly_drawn_pairs_are_no_estimate_of_it_without_weights():
    value = np.broadcast_to(DF**2.0, COUNTS.shape)
    term = (DF**2.0).mean()
    plain, error = _estimates(1.0, value)
    assert plain - term > 10 * error
    words, documents, _ = Pairs.of(ROWS, 1.0).positives(np.random.default_rng(2), 60_000)
    again = value[documents, words] * len(Pairs.of(ROWS, 1.0)) / (COUNTS.shape[1] * DF[words])
    assert again.mean() == pytest.approx(term, abs=4 * again.std() / 245)


def test_positives_occur_and_have_the_weight_of_the_word():
    words, documents, weights = Pairs.of(ROWS, 0.5).positives(np.random.default_rng(0), 500)
    np.testing.assert_array_equal(weights, ROWS.toarray()[documents, words])
    assert (COUNTS[documents, words] > 0).all()


@pytest.mark.parametrize("kind", NEGATIVES)
@pytest.mark.parametrize("kinds", [1, 2, 3, 5])
def test_negative_pairs_and_which_of_them_occur(kind, kinds):
    pairs = Pairs.of(ROWS, 0.5)
    drawn = pairs.draw(np.random.default_rng(1), 64, kind, kinds)
    assert drawn.other_words.shape == drawn.other_documents.shape == (kinds, 64)
    found = pairs.occur(drawn.other_words.ravel(), drawn.other_documents.ravel())
    np.testing.assert_array_equal(
        found, COUNTS[drawn.other_documents.ravel(), drawn.other_words.ravel()] > 0
    )


def test_shuffled_negatives_have_the_words_and_documents_of_the_positives():
    drawn = Pairs.of(ROWS, 1.0).draw(np.random.default_rng(1), 50, "shuffled", 3)
    for words, documents in zip(drawn.other_words, drawn.other_documents, strict=True):
        np.testing.assert_array_equal(words, drawn.words)
        np.testing.assert_array_equal(np.sort(documents), np.sort(drawn.documents))


def test_uniform_negatives_are_the_three_kinds_in_turn():
    drawn = Pairs.of(ROWS, 1.0).draw(np.random.default_rng(1), 50, "uniform", 3)
    np.testing.assert_array_equal(drawn.other_words[0], drawn.words)
    np.testing.assert_array_equal(drawn.other_documents[1], drawn.documents)
    np.testing.assert_array_equal(drawn.other_words[1], drawn.other_words[2])
    np.testing.assert_array_equal(drawn.other_documents[0], drawn.other_documents[2])


def test_a_word_that_stands_alone_and_a_word_of_all_documents_are_not_drawn():
    counts = np.array([[1, 0, 1, 0], [0, 1, 1, 2], [0, 0, 1, 3], [0, 0, 0, 0]])
    idf = np.log(4 / np.maximum((counts > 0).sum(axis=0), 1))
    idf[2] = 0.0
    pairs = Pairs.of(weighted(sp.csr_array(counts), idf), 0.0)
    np.testing.assert_array_equal(pairs.words, [1, 3])
    words, documents, _ = pairs.positives(np.random.default_rng(0), 50)
    assert set(zip(words.tolist(), documents.tolist(), strict=True)) == {(1, 1), (3, 1)}
    assert 3 not in pairs.documents


def test_no_pairs_at_all():
    assert len(Pairs.of(weighted(sp.csr_array(np.ones((3, 2))), np.zeros(2)), 0.5)) == 0
