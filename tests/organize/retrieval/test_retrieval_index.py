"""Index against the formulas one word at a time, its limits, who is listed, and what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import retrieval as slow

from coterie import Table
from coterie.core.errors import DataError, ParameterError
from coterie.organize.retrieval import Index
from coterie.organize.retrieval.index import SCORERS


def made(seed=0, n=14, m=9):
    """Counts of documents (one empty, one word nobody has, one everybody has) and of three queries."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, size=(n, m)).astype(float)
    counts[:, 0] = rng.integers(1, 4, size=n)
    counts[:, m - 1] = 0
    counts[5] = 0
    queries = np.zeros((3, m))
    queries[0, [0, 2, 3]] = [1, 3, 1]
    queries[1, [4]] = 2
    queries[2] = 1
    return counts, queries


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_scores_are_the_formulas(scorer, seed):
    counts, queries = made(seed)
    index = Index(scorer=scorer, k1=1.7, b=0.6).fit(sp.csr_array(counts))
    formula = {
        "bm25": lambda q, d: slow.okapi(counts, q, d, 1.7, 0.6),
        "inner": lambda q, d: slow.inner(counts, q, d, True),
        "tfidf": lambda q, d: slow.share(counts, q, d),
        "cosine": lambda q, d: slow.cosine(counts, q, d),
    }[scorer]
    wanted = np.array([[formula(q, d) for d in range(len(counts))] for q in queries])
    wanted[:, 5] = -np.inf
    np.testing.assert_allclose(index.scores(queries), wanted, rtol=1e-12, atol=1e-12)


def test_inner_without_normalization():
    counts, queries = made()
    found = Index(scorer="inner", normalize=False).fit(counts).scores(queries)
    for document in (0, 3):
        assert found[0, document] == pytest.approx(slow.inner(counts, queries[0], document, False))


def test_okapi_limits():
    counts, queries = made(3)
    tf = counts
    idf = np.array([slow.idf(counts, word) for word in range(counts.shape[1])])
    inside = queries > 0
    full = counts.sum(axis=1) > 0
    mu = counts.sum(axis=1) / counts.sum(axis=1).mean()

    def scores(**given):
        return Index(**given).fit(counts).scores(queries)[:, full]

    np.testing.assert_allclose(
        scores(k1=0.0), (inside @ (idf * (tf > 0)).T)[:, full], rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(scores(k1=1e12, b=0.0), (inside @ (idf * tf).T)[:, full], rtol=1e-9)
    np.testing.assert_allclose(
        scores(k1=1e12, b=1.0), (inside @ (idf * tf).T)[:, full] / mu[full], rtol=1e-9
    )
    top = (2.2 * inside * idf).sum(axis=1)
    assert (scores() < top[:, None]).all()


def test_terms_outside_the_query_change_nothing():
    counts, queries = made(4)
    fewer = Index(b=0.0).fit(counts[:, :5]).scores(queries[:1, :5])
    more = Index(b=0.0).fit(counts).scores(queries[:1])
    full = counts[:, :5].sum(axis=1) > 0
    np.testing.assert_allclose(fewer[:, full], more[:, full], rtol=1e-14)


def test_a_repeated_word_of_the_query_counts_once():
    counts, queries = made()
    index = Index().fit(counts)
    assert np.array_equal(index.scores(queries * 7), index.scores(np.minimum(queries, 1)))


def test_search_lists_who_matches_best_first():
    counts, queries = made()
    index = Index().fit(counts)
    scores = index.scores(queries)
    found = index.search(queries, most=4)
    for row, ranking, query in zip(scores, found, queries, strict=True):
        matching = np.flatnonzero((counts[:, query > 0] > 0).any(axis=1))
        wanted = sorted(matching, key=lambda d: (-row[d], d))[:4]
        assert ranking.order.tolist() == wanted
        assert np.array_equal(ranking.scores, row[ranking.order])
    every = index.search(queries, most=None)
    assert [len(one) for one in every] == index.matching(queries).tolist()
    assert all(5 not in one.order for one in every)  # the empty one


def test_equal_scores_keep_their_order_at_the_cut():
    counts = np.ones((6, 2))
    counts[:, 1] = [0, 1, 1, 1, 1, 1]
    found = Index(b=0.0).fit(counts).search(np.array([[0.0, 1.0]]), most=3)[0]
    assert found.order.tolist() == [1, 2, 3]


def test_a_query_of_unknown_words_is_empty_and_said():
    counts, queries = made()
    queries[1] = 0
    with pytest.warns(
        UserWarning, match="Index: query 1 matches no member, and the ranking is empty"
    ):
        found = Index().fit(counts).search(queries)
    assert len(found[1]) == 0
    assert len(found[0]) > 0


def test_bad_input_is_one_sentence():
    counts, queries = made()
    with pytest.raises(ParameterError, match="k1 must be at least 0, and was -1"):
        Index(k1=-1).fit(counts)
    with pytest.raises(ParameterError, match="b must be from 0 to 1"):
        Index(b=1.5).fit(counts)
    with pytest.raises(ParameterError, match="scorer must be bm25"):
        Index(scorer="bm26").fit(counts)
    with pytest.raises(DataError, match="none of the 3 members holds a word"):
        Index().fit(np.zeros((3, 2)))
    with pytest.raises(
        DataError, match="Negative values in data: counts are from 0 up, and member 2 has -1"
    ):
        Index().fit(np.array([[1.0], [2.0], [-1.0]]))
    index = Index().fit(counts)
    with pytest.raises(DataError, match="is expecting 9 features"):
        index.scores(queries[:, :4])
    with pytest.raises(DataError, match="counts are from 0 up, and query 0 has -3"):
        index.scores(-queries)
    with pytest.raises(ParameterError, match="most must be a whole number from 1"):
        index.search(queries, most=0)


def test_nothing_given_is_changed_and_pickle_keeps_the_bits():
    counts, queries = made()
    table = Table.of(sp.csr_array(counts))
    asked = sp.csr_array(queries)
    index = Index().fit(table)
    first = index.scores(asked)
    assert np.array_equal(table.values.toarray(), counts)
    assert np.array_equal(asked.toarray(), queries)
    assert np.array_equal(pickle.loads(pickle.dumps(index)).scores(asked), first)
