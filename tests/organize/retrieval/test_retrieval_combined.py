"""Latent spaces, given scores, their combination and its tuning, and query expansion."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity
from tests.oracles import retrieval as slow

from coterie.core.affinity import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.judge.rankings import average_precision
from coterie.organize.retrieval import Combined, Expansion, Given, Index, Latent


def made(seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, size=(30, 12)).astype(float)
    counts[:, 0] = 1
    counts[7] = 0
    space = rng.normal(size=(30, 3))
    space[4] = 0
    return counts, space, rng.poisson(0.4, size=(8, 12)).astype(float) + np.eye(8, 12), rng.normal(size=(8, 3))


def test_latent_is_the_cosine_and_empty_members_are_last():
    _, space, _, asked = made()
    wanted = cosine_similarity(asked, space)
    wanted[:, 4] = -np.inf
    np.testing.assert_allclose(Latent().fit(space).scores(asked), wanted, atol=1e-12)
    np.testing.assert_allclose(Latent().fit(sp.csr_array(space)).scores(sp.csr_array(asked)), wanted, atol=1e-12)
    with pytest.warns(UserWarning, match="Latent: query 0 matches no member"):
        assert len(Latent().fit(space).search(np.zeros((1, 3)))[0]) == 0
    ranking = Latent().fit(space).search(asked[:1], most=None)[0]
    assert len(ranking) == 29
    assert (np.diff(ranking.scores) <= 0).all()


def test_given_takes_affinities_and_functions():
    _, space, _, asked = made()
    gaps = np.linalg.norm(asked[:, None] - space[None], axis=2)
    far = Given().fit(space).scores(Affinity.of(gaps, kind="distance", symmetric=False, own=False))
    near = Given(relevance=lambda queries, members: -np.linalg.norm(queries[:, None] - members[None], axis=2)).fit(space)
    np.testing.assert_allclose(near.scores(asked), far)
    assert near.search(asked[:1], most=1)[0].order[0] == gaps[0].argmin()
    with pytest.raises(DataError, match="has 29 columns for 30 members"):
        Given().fit(space).scores(Affinity.of(gaps[:, :29], kind="distance"))
    with pytest.raises(DataError, match="must be an Affinity"):
        Given().fit(space).scores(asked)
    with pytest.raises(DataError, match="must be queries x 30 members"):
        Given(relevance=lambda q, m: np.zeros((2, 3))).fit(space).scores(asked)
    with pytest.raises(DataError, match="score of query 1 and member 2 is NaN"):
        Given(relevance=lambda q, m: np.where((np.arange(8) == 1)[:, None] & (np.arange(30) == 2), np.nan, 0)).fit(space).scores(
            asked
        )
    with pytest.raises(ParameterError, match="relevance must be a function"):
        Given(relevance=3).fit(space)


def test_combination_is_the_weighted_sum_on_one_scale():
    counts, space, queries, asked = made()
    both = Combined(weight=0.3).fit((counts, space))
    one, other = Index().fit(counts).scores(queries), Latent().fit(space).scores(asked)
    among = np.isfinite(one) & np.isfinite(other)
    found = both.scores((queries, asked))
    for q in range(8):
        a, b = one[q][among[q]], other[q][among[q]]
        np.testing.assert_allclose(found[q][among[q]], 0.3 * a / a.std() + 0.7 * b / b.std())
    assert np.isneginf(found[:, [4, 7]]).all()
    plain = Combined(weight=0.3, rescale=False).fit((counts, space)).scores((queries, asked))
    np.testing.assert_allclose(plain[among], (0.3 * one + 0.7 * other)[among])


def test_the_ends_are_the_parts():
    counts, space, queries, asked = made()
    words = Combined(weight=1.0).fit((counts, space)).search((queries, asked), most=5)
    alone = Index().fit(counts).search(queries, most=6)
    for one, other in zip(words, alone, strict=True):
        assert one.order.tolist() == [at for at in other.order if at != 4][:5]
    latent = Combined(weight=0.0).fit((counts, space)).search((queries, asked), most=5)
    for one, other in zip(latent, Latent().fit(space).search(asked, most=6), strict=True):
        assert one.order.tolist() == [at for at in other.order if at != 7][:5]


def test_tuning_is_at_least_both_ends_and_what_judge_measures():
    counts, space, queries, asked = made()
    rng = np.random.default_rng(5)
    relevant = [rng.choice(30, 4, replace=False) for _ in range(8)]
    relevant[3] = np.zeros(0, dtype=int)
    both = Combined().fit((counts, space)).tune((queries, asked), relevant)
    found = dict(both.tuning_)
    assert len(found) == 21
    assert found[both.weight_] == max(found.values())
    scores = both.scores((queries, asked))
    marks = [np.isin(np.arange(30), one) for one in relevant]
    wanted = np.mean([average_precision(scores[q], marks[q]) for q in range(8) if marks[q].any()])
    assert found[both.weight_] == pytest.approx(wanted)
    again = Combined().fit((counts, space)).tune((queries, asked), np.array(marks))
    assert again.weight_ == both.weight_
    assert both.weight == 0.5


def test_tuning_finds_the_part_that_is_right():
    counts, space, queries, asked = made()
    best = [np.argsort(-row)[:5] for row in Latent().fit(space).scores(asked)]
    both = Combined().fit((counts, space)).tune((queries, asked), best)
    assert both.weight_ < 0.3


def test_combined_refuses():
    counts, space, queries, asked = made()
    with pytest.raises(ParameterError, match="weight must be from 0 to 1"):
        Combined(weight=1.2).fit((counts, space))
    with pytest.raises(DataError, match="the members must be a pair"):
        Combined().fit(counts)
    with pytest.raises(DataError, match="first has 30 members and the second 29"):
        Combined().fit((counts, space[:29]))
    with pytest.raises(ParameterError, match="one must be a retriever"):
        Combined(one="bm25").fit((counts, space))
    both = Combined().fit((counts, space))
    with pytest.raises(DataError, match="no development query has a relevant member"):
        both.tune((queries, asked), [[]] * 8)
    with pytest.raises(DataError, match="8 queries, and relevant members of 2"):
        both.tune((queries, asked), [[1], [2]])
    with pytest.raises(DataError, match="positions from 0 to 29"):
        both.tune((queries, asked), [[30]] * 8)


def test_expansion_adds_the_most_frequent_words_of_the_best():
    counts, _, queries, _ = made()
    index = Index().fit(counts)
    found = Expansion(members=4, terms=3, beta=0.25).expand(index, queries)
    for q in range(8):
        first = index.search(queries[q : q + 1], most=4)[0].order.tolist()
        np.testing.assert_array_equal(found[[q]].toarray()[0], slow.expanded(counts, queries[q], first, 3, 0.25))
    some = np.ones(12, dtype=bool)
    some[0] = False
    assert not Expansion().expand(index, np.eye(12)[1:2], among=some)[:, [0]].nnz
    marked = Expansion(terms=2).expand(index, queries, marked=[[3]] * 8)
    np.testing.assert_array_equal(marked[[0]].toarray()[0], slow.expanded(counts, queries[0], [3], 2, 0.5))


def test_added_words_weigh_less_than_those_of_the_query():
    counts, _, _, _ = made()
    index, query = Index().fit(counts), np.eye(12)[2:3]
    wider = Expansion(terms=1, beta=0.5).expand(index, query)
    added = int(wider.indices[wider.data == 0.5][0])
    full = counts.sum(axis=1) > 0
    wanted = index.scores(query) + 0.5 * index.scores(np.eye(12)[added : added + 1])
    np.testing.assert_allclose(index.scores(wider)[:, full], wanted[:, full])


def test_expansion_refuses():
    counts, _, queries, _ = made()
    index = Index().fit(counts)
    with pytest.raises(ParameterError, match="beta must be above 0 and at most 1"):
        Expansion(beta=2.0).expand(index, queries)
    with pytest.raises(DataError, match="8 queries, and marked members of 1"):
        Expansion().expand(index, queries, marked=[[0]])
    with pytest.raises(DataError, match="positions from 0 to 29"):
        Expansion().expand(index, queries, marked=[[44]] * 8)
