"""NNTR without training: what a fitted network gives, from arrays drawn by hand, and what it says of bad input."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import nntr as twin

from coterie import Table
from coterie.core.errors import DataError, MissingExtra, ParameterError
from coterie.organize.retrieval import Given
from coterie.parts.nntr import weighted
from coterie.represent import NNTR

COUNTS = twin.counts()
WORDS = tuple(f"word{at}" for at in range(COUNTS.shape[1]))


@pytest.fixture
def model():
    """A network as it is after fit, its arrays drawn."""
    found = NNTR(n_units=4, n_hidden=5)
    found.counted(Table(sp.csr_array(COUNTS, dtype=np.float64), WORDS))
    found.document_frequency_ = (COUNTS > 0).sum(axis=0)
    found.idf_ = np.log(len(COUNTS) / found.document_frequency_)
    found.history_ = []
    found._keep(twin.network(COUNTS.shape[1], 4, 5))
    return found


def _scores(model):
    return np.array(
        [
            [twin.score(model.arrays_, COUNTS, model.idf_, w, d) for d in range(len(COUNTS))]
            for w in range(COUNTS.shape[1])
        ]
    )


def test_vectors_of_documents_and_words(model):
    rows = np.array([twin.weights(COUNTS, model.idf_, d) for d in range(len(COUNTS))])
    np.testing.assert_allclose(
        model.transform(COUNTS), rows @ model.arrays_["documents"], atol=1e-12
    )
    np.testing.assert_array_equal(model.transform_words(), model.arrays_["words"])


def test_scores_by_name_and_by_column(model):
    expected = _scores(model)
    np.testing.assert_allclose(
        model.scores(["word3", "word0"], COUNTS), expected[[3, 0]], atol=2e-5
    )
    np.testing.assert_allclose(
        model.scores([3, 0], sp.csr_array(COUNTS)), expected[[3, 0]], atol=2e-5
    )
    np.testing.assert_allclose(
        model.pair_scores([3, "word1"], COUNTS[[7, 2]]), expected[[3, 1], [7, 2]], atol=1e-10
    )


@pytest.mark.parametrize("weight", ["df", "idf", "one"])
def test_relevance_is_the_weighted_sum_over_the_words_of_a_query(model, weight):
    each = {"df": 1 / model.document_frequency_, "idf": model.idf_, "one": np.ones(15)}[weight]
    queries = COUNTS[:4] * (np.arange(15) % 2 == 0)
    expected = ((queries > 0) * each) @ _scores(model)
    np.testing.assert_allclose(model.relevance(queries, COUNTS, weight=weight), expected, atol=2e-4)
    paired = model.paired_relevance(queries, COUNTS[[5, 0, 1, 9]], weight=weight)
    np.testing.assert_allclose(paired, expected[np.arange(4), [5, 0, 1, 9]], atol=1e-9)


def test_the_other_direction_is_the_mean_over_the_words_of_the_document(model):
    queries = COUNTS[:3]
    each = 1 / model.document_frequency_
    bags = (COUNTS > 0) * each
    expected = (bags @ _scores(model)[:, :3]) / bags.sum(axis=1)[:, None]
    np.testing.assert_allclose(
        model.relevance(queries, COUNTS, direction="doc_words"), expected.T, atol=2e-4
    )


def test_empty_queries_match_nothing_and_empty_documents_are_last(model):
    queries = COUNTS[:2].copy()
    documents = COUNTS[:5].copy()
    queries[0] = 0
    documents[3] = 0
    for direction in ("query_words", "doc_words"):
        found = model.relevance(queries, documents, direction=direction)
        assert np.isneginf(found[0]).all()
        assert np.isneginf(found[:, 3]).all()
        assert np.isfinite(found[1, [0, 1, 2, 4]]).all()
    paired = model.paired_relevance(
        [queries[0], queries[1], queries[1]], [COUNTS[0], np.zeros(15), COUNTS[0]]
    )
    assert np.isneginf(paired).tolist() == [True, True, False]


def test_queries_of_words_that_were_not_seen_or_weigh_nothing_match_nothing(model):
    model.seen_ = np.arange(15) != 2
    model.idf_ = np.where(np.arange(15) == 3, 0.0, model.idf_)
    queries = np.eye(15)[2:5]
    found = {
        weight: np.isneginf(model.relevance(queries, COUNTS, weight=weight)).all(axis=1).tolist()
        for weight in ("df", "idf")
    }
    assert found == {"df": [True, False, False], "idf": [True, True, False]}
    with pytest.warns(
        UserWarning, match="Given: query 0 matches no member, and the ranking is empty"
    ):
        ranked = Given(relevance=model.relevance).fit(COUNTS).search(queries)
    assert [len(one) for one in ranked] == [0, 10, 10]


def test_similar_words_by_cosine(model):
    table = model.transform_words()
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    near = unit @ unit[2]
    order = [j for j in np.argsort(-near) if j != 2][:3]
    assert [name for name, _ in model.similar_words("word2", 3)] == [WORDS[j] for j in order]
    assert model.similar_words(2, 1)[0][1] == pytest.approx(near[order[0]])


def test_top_words_of_a_dimension(model):
    first = model.top_words(2)[0]
    assert first == [WORDS[j] for j in np.argsort(-model.arrays_["words"][:, 0])[:2]]


def test_the_mean_rank_of_documents_that_find_themselves(model):
    held = sp.csr_array(COUNTS[:6], dtype=np.float64)
    scores = model.relevance(
        held, held
    )  # what a person gets, so that the round that is kept is best at that
    expected = np.mean([(scores[i] >= scores[i, i] - 1e-9).sum() for i in range(6)])
    assert model._mean_rank(model.arrays_, held) == pytest.approx(expected)
    model.document_frequency_ = 10.0 ** np.arange(15)
    other = ((COUNTS[:6] > 0) / model.document_frequency_) @ _scores(model)[:, :6]
    expected = np.mean([(other[i] >= other[i, i] - 1e-9).sum() for i in range(6)])
    assert model._mean_rank(model.arrays_, held) == pytest.approx(expected)


def test_held_out_documents_are_a_share_and_only_with_early_stopping():
    counts = sp.csr_array(np.ones((400, 3)))
    held = NNTR(validation=0.1)._held_out(counts, 1)
    assert len(np.unique(held)) == 40
    assert len(NNTR(early_stopping=False)._held_out(counts, 1)) == 0
    assert len(NNTR(validation=0.01)._held_out(counts, 1)) == 0


def test_bad_input_is_one_sentence(model):
    with pytest.raises(DataError, match="'nonsense' is not a word of the dictionary"):
        model.scores(["nonsense"], COUNTS)
    with pytest.raises(DataError, match="'15' is not a word"):
        model.scores([15], COUNTS)
    with pytest.raises(DataError, match="2 words for 12 documents"):
        model.pair_scores([0, 1], COUNTS)
    with pytest.raises(DataError, match="1 queries for 12 documents"):
        model.paired_relevance(COUNTS[:1], COUNTS)
    with pytest.raises(ParameterError, match="direction must be query_words"):
        model.relevance(COUNTS, COUNTS, direction="both")
    with pytest.raises(ParameterError, match="weight must be df"):
        model.relevance(COUNTS, COUNTS, weight="tf")
    with pytest.raises(DataError, match="Negative values in data"):
        model.scores([0], -COUNTS)


def test_without_torch_fit_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"coterie\[neural\]"):
        NNTR().fit(twin.topics(n=20))


def test_the_rows_are_weighted_by_what_was_fitted(model):
    np.testing.assert_allclose(
        weighted(sp.csr_array(COUNTS[:1]), model.idf_).toarray()[0],
        twin.weights(COUNTS, model.idf_, 0),
        atol=1e-12,
    )
