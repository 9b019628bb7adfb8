"""Planted populations: counts as promised, groups that are there, two weak populations that need each other, and sizes."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.collect.planted import blocks, corpus, papers
from coterie.core.collection import Collection
from coterie.core.errors import ParameterError
from coterie.judge import adjusted_rand, micro_accuracy
from coterie.organize.comraf.estimator import MDC, Comraf

WORDS, CITED = ("members", "words"), ("members", "citations")


def same(one: Collection, other: Collection) -> bool:
    pairs = ((one.links[pair].counts, other.links[pair].counts) for pair in one.links)
    return all(a.shape == b.shape and (a != b).nnz == 0 for a, b in pairs)


@pytest.mark.parametrize(("make", "groups"), [(blocks, 5), (corpus, 10), (papers, 10)])
def test_one_seed_one_collection(make, groups) -> None:
    first = make(60, random_state=3)
    assert same(first, make(60, random_state=3))
    assert not same(first, make(60, random_state=4))
    assert np.bincount(first.truth["group"]).tolist() == [60 // groups] * groups
    assert len(make(groups)) == groups
    with pytest.raises(ParameterError, match=f"n must be at least the number of groups, {groups}"):
        make(groups - 1)


def test_blocks_have_their_rates() -> None:
    made = blocks()
    counts = made.links["members", "columns"].counts.toarray()
    columns = np.array([int(name[1 : name.index("-")]) for name in made.links["members", "columns"].cols])
    inside = made.truth["group"][:, None] == columns[None]
    assert counts.shape == (200, 300)
    assert counts[inside].mean() == pytest.approx(0.6, abs=0.03)
    assert counts[~inside].mean() == pytest.approx(0.03, abs=0.005)
    with pytest.raises(ParameterError, match="columns must be at least"):
        blocks(20, columns=4)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_are_recovered_exactly(seed: int) -> None:
    made = blocks(random_state=seed)
    assert adjusted_rand(MDC(n_groups=5, restarts=2, random_state=seed).fit(made).labels_, made.truth["group"]) == 1.0


def test_a_corpus_counts_its_documents() -> None:
    made = corpus(50, lengths=(10, 30), share=0.9)
    link = made.links[WORDS]
    text = made.view("text")
    sizes = [len(document.split()) for document in text]
    assert min(sizes) >= 10
    assert max(sizes) <= 30
    assert link.counts.sum(axis=1).tolist() == sizes
    first = dict.fromkeys(text[0].split())
    assert set(first) == {link.cols[j] for j in link.counts[[0]].indices}


def test_the_share_of_the_topic_tells_it() -> None:
    found = []
    for share in (0.02, 0.6):
        made = corpus(100, topics=4, share=share)
        found.append(micro_accuracy(Comraf(n_groups=4, restarts=2, random_state=0).fit(made).labels_, made.truth["group"]))
    assert found[0] < 0.6
    assert found[1] > 0.95


def test_papers_are_sparse_sets_with_the_product_as_third_table() -> None:
    made = papers(300)
    words, cited, both = made.links[WORDS].counts, made.links[CITED].counts, made.links["words", "citations"].counts
    assert set(np.unique(words.data)) == set(np.unique(cited.data)) == {1.0}
    for table, least, most in ((words, 1, 8), (cited, 0, 13)):
        assert np.bincount(table.indices).min() >= 2
        held = np.diff(table.indptr)
        assert least <= held.max() <= most
    assert np.array_equal(both.toarray(), words.toarray().T @ cited.toarray())


def test_two_weak_populations_need_their_edge() -> None:
    made = papers(600, groups=6, random_state=0)
    truth = made.truth["group"]

    def accuracy(graph: str | None) -> float:
        return micro_accuracy(Comraf(n_groups=6, graph=graph, restarts=2, random_state=0).fit(made).labels_, truth)

    assert accuracy(None) > accuracy("members-words, members-citations") + 0.05
