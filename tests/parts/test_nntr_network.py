"""Scores of the stored network against the twin that takes one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import nntr as twin

from coterie.core.workplace import using
from coterie.parts import nntr
from coterie.parts.nntr import Network, weighted

COUNTS = twin.counts()
IDF = np.log(len(COUNTS) / (COUNTS > 0).sum(axis=0))
ARRAYS = twin.network(COUNTS.shape[1], 4, 5)
ROWS = weighted(sp.csr_array(COUNTS), IDF)


def _expected():
    return np.array(
        [
            [twin.score(ARRAYS, COUNTS, IDF, w, d) for d in range(len(COUNTS))]
            for w in range(COUNTS.shape[1])
        ]
    )


def test_the_rows_have_length_one():
    np.testing.assert_allclose(np.sqrt((ROWS.toarray() ** 2).sum(axis=1)), 1.0)


def test_scores_of_all_words_in_all_documents():
    found = Network.of(ARRAYS).scores(np.arange(COUNTS.shape[1]), ROWS)
    np.testing.assert_allclose(found, _expected(), atol=2e-5)
    assert (COUNTS > 0).any()
    assert (COUNTS == 0).any()


def test_scores_do_not_depend_on_blocks_or_workers(monkeypatch):
    whole = Network.of(ARRAYS).scores(np.arange(15), ROWS)
    monkeypatch.setattr(nntr, "_BLOCK", 30)
    monkeypatch.setattr(nntr, "_IN_CACHE", 1)
    for jobs in (1, 2):
        with using(n_jobs=jobs):
            np.testing.assert_allclose(
                Network.of(ARRAYS).scores(np.arange(15), ROWS), whole, atol=1e-6
            )


def test_scores_of_pairs():
    words = np.array([3, 0, 14, 7])
    at = np.array([1, 11, 0, 7])
    found = Network.of(ARRAYS).pairs(words, ROWS, at)
    np.testing.assert_allclose(found, _expected()[words, at], atol=1e-12)


def test_a_score_is_the_same_whether_the_word_is_stored_in_the_document_or_not():
    word, row = next((w, d) for d in range(12) for w in range(15) if COUNTS[d, w] > 1)
    without = COUNTS.copy()
    without[row, word] = 0
    rows = weighted(sp.csr_array(without), IDF)
    network = Network.of(ARRAYS)
    stored = network.pairs(np.array([word]), ROWS, np.array([row]))
    np.testing.assert_allclose(
        network.pairs(np.array([word]), rows, np.array([row])), stored, atol=1e-12
    )


def test_taking_a_word_out_leaves_no_trace_in_the_length():
    """8.2: without renormalization the length of what is left would tell that a word was taken out."""
    size = COUNTS.shape[1]
    plain = {
        **twin.network(size, size, size),
        "words": np.zeros((size, size)),
        "documents": np.eye(size),
    }
    plain |= {"from_documents": np.eye(size) * 1e-3, "bias": np.zeros(size), "offset": np.zeros(1)}
    word, row = np.argwhere(COUNTS.T > 0)[0]
    found = np.array(
        [
            Network.of({**plain, "out": np.eye(size)[j]}).pairs(
                np.array([word]), ROWS, np.array([row])
            )[0]
            / 1e-3
            for j in range(size)
        ]
    )
    assert found[word] == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-5)


def test_a_document_of_that_word_alone_is_empty_then():
    alone = sp.csr_array(np.eye(15)[[4]])
    empty = sp.csr_array(np.zeros((1, 15)))
    network = Network.of(ARRAYS)
    word = np.array([4])
    first = np.array([0])
    assert network.pairs(word, weighted(alone, IDF), first) == pytest.approx(
        network.pairs(word, empty, first)
    )


def test_gathered_scores_are_sums_over_the_words_of_a_bag():
    bags = sp.csr_array(np.array([[0.0] * 15, [0.5, 0, 0, 2.0] + [0.0] * 11, [1.0] * 15]))
    found = Network.of(ARRAYS).gathered(bags, ROWS)
    np.testing.assert_allclose(found, bags.toarray() @ _expected(), atol=2e-4)
    np.testing.assert_array_equal(found[0], 0.0)


def test_the_split_layer_is_the_concatenated_one():
    network = Network.of(ARRAYS)
    both = np.hstack([ARRAYS["words"][2], ARRAYS["documents"][9]])
    layer = np.vstack([ARRAYS["from_words"], ARRAYS["from_documents"]])
    np.testing.assert_allclose(
        network.word_part[2] + network.document_part[9], both @ layer + ARRAYS["bias"], atol=1e-12
    )
