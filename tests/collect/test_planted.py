"""Planted populations: counts as promised, groups that are there, two weak populations that need each other, and sizes."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import Collection
from coterie.collect.planted import blocks, corpus, papers, pool, pool_background
from coterie.core.errors import ParameterError
from coterie.judge import adjusted_rand, micro_accuracy
from coterie.organize import MDC, Comraf

WORDS = ("members", "words")
CITED = ("members", "citations")


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
    columns = np.array(
        [int(name[1 : name.index("-")]) for name in made.links["members", "columns"].cols]
    )
    inside = made.truth["group"][:, None] == columns[None]
    assert counts.shape == (200, 300)
    assert counts[inside].mean() == pytest.approx(0.6, abs=0.03)
    assert counts[~inside].mean() == pytest.approx(0.03, abs=0.005)
    with pytest.raises(ParameterError, match="columns must be at least"):
        blocks(20, columns=4)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_are_recovered_exactly(seed: int) -> None:
    made = blocks(random_state=seed)
    assert (
        adjusted_rand(
            MDC(n_groups=5, restarts=2, random_state=seed).fit(made).labels_, made.truth["group"]
        )
        == 1.0
    )


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
        found.append(
            micro_accuracy(
                Comraf(n_groups=4, restarts=2, random_state=0).fit(made).labels_,
                made.truth["group"],
            )
        )
    assert found[0] < 0.6
    assert found[1] > 0.95


def test_papers_are_sparse_sets_with_the_product_as_third_table() -> None:
    made = papers(300)
    words = made.links[WORDS].counts
    cited = made.links[CITED].counts
    both = made.links["words", "citations"].counts
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
        return micro_accuracy(
            Comraf(n_groups=6, graph=graph, restarts=2, random_state=0).fit(made).labels_, truth
        )

    assert accuracy(None) > accuracy("members-words, members-citations") + 0.05


class TestPool:
    def test_one_seed_one_pool(self) -> None:
        first = pool(80, random_state=3)
        assert same(first, pool(80, random_state=3))
        assert not same(first, pool(80, random_state=4))
        assert np.bincount(first.truth["group"]).tolist() == [28, 52]
        assert np.bincount(pool(2).truth["group"]).tolist() == [1, 1]

    def test_others_mix_their_topics_evenly(self) -> None:
        sizes = np.bincount(pool(100, share=0.4, topics=12).truth["group"])
        assert sizes[0] == 40
        assert sizes[1:].tolist() == [5] * 12

    def test_documents_are_counted_and_as_long_as_promised(self) -> None:
        made = pool(60, lengths=(20, 90))
        sizes = [len(document.split()) for document in made.view("text")]
        assert made.links[WORDS].counts.sum(axis=1).tolist() == sizes
        assert min(sizes) >= 20
        assert max(sizes) <= 90

    @pytest.mark.parametrize("topics", [0, 12])
    def test_a_quarter_of_the_words_of_the_core_is_not_general(self, topics: int) -> None:
        made = pool(600, topics=topics, random_state=1)
        link = made.links[WORDS]
        law = pool_background()
        core = made.truth["group"] == 0
        inside = np.asarray(link.counts[np.flatnonzero(core)].sum(axis=0)).ravel()
        share = np.array([law[word] for word in link.cols]) / 1e6
        beyond = (
            (inside / inside.sum() - share).clip(min=0).sum()
        )  # what the law does not explain; chance adds a little
        assert 0.2 < beyond < 0.4
        words = np.asarray(link.counts[np.flatnonzero(~core)].sum(axis=0)).ravel()
        rest = (words / words.sum() - share).clip(min=0).sum()
        assert rest < 0.12 if topics == 0 else 0.15 < rest < 0.4

    def test_the_law_is_that_of_zipf(self) -> None:
        law = list(pool_background(100).values())
        assert law[0] / law[99] == pytest.approx(100)
        assert sum(law) == pytest.approx(1e6)

    def test_sizes_are_checked(self) -> None:
        for form, said in (
            ({"n": 1}, "n must be at least"),
            ({"share": 1.0}, "share must be above 0"),
            ({"topics": -1}, "topics must be from 0"),
            ({"words": 100}, "relevant from 1 to 100"),
            ({"words": 10**6}, "words must be at most 40000"),
        ):
            with pytest.raises(ParameterError, match=said):
                pool(**form)
