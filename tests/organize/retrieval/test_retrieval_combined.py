"""Latent spaces, given scores, their combination and its tuning, and query expansion."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity
from tests.oracles import retrieval as slow

from coterie import Affinity
from coterie.core.errors import DataError, ParameterError
from coterie.judge import average_precision
from coterie.organize.retrieval import Combined, Expansion, Given, Index, Latent


def made(seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, size=(30, 12)).astype(float)
    counts[:, 0] = 1
    counts[7] = 0
    space = rng.normal(size=(30, 3))
    space[4] = 0
    return (
        counts,
        space,
        rng.poisson(0.4, size=(8, 12)).astype(float) + np.eye(8, 12),
        rng.normal(size=(8, 3)),
    )


def test_latent_is_the_cosine_and_empty_members_are_last():
    _, space, _, asked = made()
    wanted = cosine_similarity(asked, space)
    wanted[:, 4] = -np.inf
    np.testing.assert_allclose(Latent().fit(space).scores(asked), wanted, atol=1e-12)
    np.testing.assert_allclose(
        Latent().fit(sp.csr_array(space)).scores(sp.csr_array(asked)), wanted, atol=1e-12
    )
    with pytest.warns(UserWarning, match="Latent: query 0 matches no member"):
        assert len(Latent().fit(space).search(np.zeros((1, 3)))[0]) == 0
    ranking = Latent().fit(space).search(asked[:1], most=None)[0]
    assert len(ranking) == 29
    assert (np.diff(ranking.scores) <= 0).all()


def test_given_takes_affinities_and_functions():
    _, space, _, asked = made()
    gaps = np.linalg.norm(asked[:, None] - space[None], axis=2)
    far = Given().fit(space).scores(Affinity.of(gaps, kind="distance", symmetric=False, own=False))
    near = Given(
        relevance=lambda queries, members: -np.linalg.norm(queries[:, None] - members[None], axis=2)
    ).fit(space)
    np.testing.assert_allclose(near.scores(asked), far)
    assert near.search(asked[:1], most=1)[0].order[0] == gaps[0].argmin()
    with pytest.raises(DataError, match="has 29 columns for 30 members"):
        Given().fit(space).scores(Affinity.of(gaps[:, :29], kind="distance"))
    with pytest.raises(DataError, match="must be an Affinity"):
        Given().fit(space).scores(asked)
    with pytest.raises(DataError, match="must be 8 queries x 30 members"):
        Given(relevance=lambda q, m: np.zeros((2, 3))).fit(space).scores(asked)
    with pytest.raises(DataError, match="score of query 1 and member 2 is NaN"):
        Given(
            relevance=lambda q, m: np.where(
                (np.arange(8) == 1)[:, None] & (np.arange(30) == 2), np.nan, 0
            )
        ).fit(space).scores(asked)
    with pytest.raises(ParameterError, match="relevance must be a function"):
        Given(relevance=3).fit(space)


def test_combination_is_the_weighted_sum_on_one_scale():
    counts, space, queries, asked = made()
    both = Combined(weight=0.3).fit((counts, space))
    one = Index().fit(counts).scores(queries)
    other = Latent().fit(space).scores(asked)
    among = np.isfinite(one) & np.isfinite(other)
    found = both.scores((queries, asked))
    for q in range(8):
        a = one[q][among[q]]
        b = other[q][among[q]]
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
    marks = [np.isin(np.arange(30), one) for one in relevant]
    for weight in (0.0, 0.45, 1.0):
        lists = Combined(weight=weight).fit((counts, space)).search((queries, asked), most=None)
        wanted = [_listed_precision(lists[q], marks[q]) for q in range(8) if marks[q].any()]
        assert found[weight] == pytest.approx(np.mean(wanted))
    assert any(
        marks[q].sum() > marks[q][lists[q].order].sum() for q in range(8)
    )  # not all are listed
    again = Combined().fit((counts, space)).tune((queries, asked), np.array(marks))
    assert again.weight_ == both.weight_
    assert both.weight == 0.5


def _listed_precision(ranking, marks):
    return average_precision(ranking.scores, marks[ranking.order], total=int(marks.sum()))


def test_relevant_members_without_a_word_of_the_query_are_not_found_by_words():
    """Nobody can be found by words here, so that ties among all the rest must not count for them."""
    counts = np.array([[1.0, 0.0]] * 2 + [[0.0, 1.0]] * 8)
    space = np.vstack([np.tile([0.0, 1.0], (2, 1)), np.tile([1.0, 0.0], (8, 1))])
    both = (
        Combined()
        .fit((counts, space))
        .tune((np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])), [list(range(2, 10))])
    )
    assert dict(both.tuning_)[1.0] == 0.0
    assert both.weight_ < 0.5


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


def test_marks_of_zero_and_one_are_marks():
    counts, space, queries, asked = made()
    marks = np.random.default_rng(5).random((8, 30)) < 0.2
    wanted = Combined().fit((counts, space)).tune((queries, asked), marks).tuning_
    for given in (
        marks.astype(int),
        marks.astype(int).tolist(),
        marks.astype(np.uint8),
        [np.flatnonzero(one) for one in marks],
    ):
        assert Combined().fit((counts, space)).tune((queries, asked), given).tuning_ == wanted
    for wrong in ([1.0, 2.0], [0.5], ["a"]):
        with pytest.raises(
            DataError, match=r"positions \(whole numbers\) or a mark per member, and were given"
        ):
            Combined().fit((counts, space)).tune((queries, asked), [wrong] * 8)
    two = Combined().fit((np.eye(2), np.eye(2)))
    with pytest.raises(
        DataError,
        match=r"\[0, 1\] may be positions or marks of 2 members; give marks as True and False",
    ):
        two.tune((np.eye(2), np.eye(2)), [[0, 1], [1, 0]])
    assert (
        dict(two.tune((np.eye(2), np.eye(2)), [[False, True], [True, False]]).tuning_)[1.0] == 0.0
    )


@pytest.mark.parametrize("jitter", [0.0, 1e-17, 1e-13])
def test_scores_that_are_all_the_same_move_nobody(jitter):
    rng = np.random.default_rng(0)
    counts, _, queries, _ = made()
    flat = Given(
        relevance=lambda asked, members: 0.1 + jitter * rng.normal(size=(len(asked), len(members)))
    )
    both = Combined(other=flat, weight=0.5).fit((counts, counts))
    words = Index().fit(counts).search(queries, most=5)
    for one, other in zip(both.search((queries, queries), most=5), words, strict=True):
        assert one.order.tolist() == other.order.tolist()


def test_a_query_unknown_to_one_is_ranked_by_the_other():
    counts, _, queries, _ = made()
    nothing = Given(relevance=lambda asked, members: np.full((len(asked), len(members)), -np.inf))
    both = Combined(other=nothing, weight=0.5).fit((counts, counts))
    for one, other in zip(
        both.search((queries, queries), most=5),
        Index().fit(counts).search(queries, most=5),
        strict=True,
    ):
        assert one.order.tolist() == other.order.tolist()
    with pytest.warns(
        UserWarning, match="Combined: query 0 matches no member, and the ranking is empty"
    ):
        assert len(both.search((np.zeros((1, 12)), queries[:1]))[0]) == 0


def test_as_many_queries_for_both():
    counts, space, queries, asked = made()
    both = Combined().fit((counts, space))
    with pytest.raises(
        DataError, match="the first has 2 queries and the second 5; give each query to both"
    ):
        both.scores((queries[:2], asked[:5]))
    with pytest.raises(DataError, match="the first has 8 queries and the second 3"):
        both.tune((queries, asked[:3]), [[0]] * 8)
    five = Given(relevance=lambda queries, members: np.zeros((5, 30)))
    with pytest.raises(
        DataError,
        match=r"Given: scores must be 2 queries x 30 members, and have the shape \(5, 30\)",
    ):
        five.fit(space).search(asked[:2])


def test_expansion_adds_the_most_frequent_words_of_the_best():
    counts, _, queries, _ = made()
    index = Index().fit(counts)
    found = Expansion(members=4, terms=3, beta=0.25).expand(index, queries)
    for q in range(8):
        first = index.search(queries[q : q + 1], most=4)[0].order.tolist()
        np.testing.assert_array_equal(
            found[[q]].toarray()[0], slow.expanded(counts, queries[q], first, 3, 0.25)
        )
    some = np.ones(12, dtype=bool)
    some[0] = False
    assert not Expansion().expand(index, np.eye(12)[1:2], among=some)[:, [0]].nnz
    marked = Expansion(terms=2).expand(index, queries, marked=[[3]] * 8)
    np.testing.assert_array_equal(
        marked[[0]].toarray()[0], slow.expanded(counts, queries[0], [3], 2, 0.5)
    )


def test_added_words_weigh_less_than_those_of_the_query():
    counts, _, _, _ = made()
    index = Index().fit(counts)
    query = np.eye(12)[2:3]
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
