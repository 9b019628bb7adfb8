"""Topics and k-means of counts: planted blocks, tables side by side, the same as scikit-learn by itself, new members, edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans as Means
from sklearn.decomposition import LatentDirichletAllocation

from coterie import Cooccurrence
from coterie.core.errors import DataError, ParameterError
from coterie.core.links import Links
from coterie.core.random import small_seed, streams
from coterie.organize import KMeans, Topics
from coterie.organize.role import margin, side_by_side


def blocks(seed, off=0.03):
    """120 x 90, three co-clusters."""
    generator = np.random.default_rng(seed)
    rows = np.repeat(np.arange(3), 40)
    cols = np.repeat(np.arange(3), 30)
    return generator.poisson(np.where(rows[:, None] == cols[None, :], 0.8, off)), rows


def sets(labels):
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels) if g >= 0}


METHODS = [
    Topics(restarts=5, passes=20),
    KMeans(),
    KMeans(components=5),
    KMeans(components=5, weights="raw"),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_planted_blocks_are_found_and_new_members_placed(method):
    table, rows = blocks(0)
    found = type(method)(**{**method.get_params(), "n_groups": 3, "random_state": 0}).fit(table)
    assert sets(found.labels_) == sets(rows)
    assert np.array_equal(found.predict(table), found.labels_)
    fresh, _ = blocks(1)
    assert np.mean(found.predict(fresh) == found.labels_) > 0.95
    assert found.partitions_["members"] is found.partition_
    assert found.history_ == [("members", 3, found.objective_)]


def test_k_means_is_that_of_the_library():
    table, _ = blocks(2)
    found = KMeans(n_groups=4, weights="raw", restarts=1, random_state=5).fit(table)
    seed = small_seed(streams(5, 1)[0])
    theirs = Means(4, n_init=1, random_state=seed).fit(sp.csr_array(table.astype(float)))
    assert sets(found.labels_) == sets(theirs.labels_)
    assert found.objective_ == pytest.approx(-theirs.inertia_, rel=1e-12)


def test_rows_of_tfidf_have_length_one():
    table, _ = blocks(2)
    ours = KMeans(n_groups=3, random_state=0).fit(table)
    doubled = KMeans(n_groups=3, random_state=0).fit(table * 2)
    assert np.array_equal(ours.labels_, doubled.labels_)
    assert ours.objective_ == pytest.approx(doubled.objective_, rel=1e-9)
    idf = np.log((1 + len(table)) / (1 + (table > 0).sum(axis=0))) + 1
    rows = table * idf
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    centers = np.array([rows[ours.labels_ == g].mean(axis=0) for g in range(3)])
    assert ours.objective_ == pytest.approx(-((rows - centers[ours.labels_]) ** 2).sum(), rel=1e-9)


def test_topics_are_those_of_the_library():
    table, _ = blocks(3)
    found = Topics(n_groups=3, alpha=0.4, eta=0.05, passes=20, restarts=1, random_state=7).fit(
        table
    )
    seed = small_seed(streams(7, 1)[0])
    theirs = LatentDirichletAllocation(
        3, doc_topic_prior=0.4, topic_word_prior=0.05, max_iter=20, random_state=seed
    ).fit(table)
    assert sets(found.labels_) == sets(theirs.transform(table).argmax(axis=1))
    assert found.objective_ == pytest.approx(
        theirs.score(table) / table.sum(), rel=1e-6
    )  # the library's psi is a little off
    assert found.topics_.shape == (3, 90)
    assert found.topics_.sum(axis=1) == pytest.approx(1.0)


def test_the_best_start_is_kept():
    table, _ = blocks(4, off=0.3)
    for method, few in ((Topics, 5), (KMeans, 300)):
        one, more = (
            method(n_groups=6, restarts=r, passes=few, random_state=0).fit(table) for r in (1, 4)
        )
        assert more.objective_ >= one.objective_


def test_tables_of_the_members_stand_side_by_side():
    one, rows = blocks(0)
    other, _ = blocks(1)
    links = Links.of(
        {("members", "a"): one, ("b", "members"): other.T, ("a", "c"): np.ones((90, 4))}
    )
    found = KMeans(n_groups=3, random_state=0).fit(links)
    assert found.columns_[:1] + found.columns_[-1:] == [
        ("a", links.ids["a"][0]),
        ("b", links.ids["b"][-1]),
    ]
    assert np.array_equal(side_by_side(links, found.columns_).toarray(), np.hstack([one, other]))
    assert sets(found.labels_) == sets(rows)
    assert any("a-c" in note for note in found.notes_)


def test_columns_of_new_members_are_found_by_name():
    table, _ = blocks(0)
    words = [f"w{j}" for j in range(90)]
    found = KMeans(n_groups=3, random_state=0).fit(
        Links.of({("members", "words"): Cooccurrence(table, list(map(str, range(120))), words)})
    )
    shuffled = np.random.default_rng(0).permutation(90)
    extra = np.column_stack([table[:, shuffled], np.full(120, 7)])
    new = Cooccurrence(
        extra, list(map(str, range(120))), [*(words[j] for j in shuffled), "unknown"]
    )
    assert np.array_equal(found.predict(Links.of({("members", "words"): new})), found.labels_)
    strange = Cooccurrence(extra, list(map(str, range(120))), [f"v{j}" for j in range(91)])
    with pytest.raises(DataError, match="share no column"):
        found.predict(Links.of({("members", "words"): strange}))


@pytest.mark.parametrize("method", [Topics, KMeans])
class TestEdges:
    def test_members_without_counts_are_in_no_group(self, method):
        table, _ = blocks(0)
        table[[2, 50]] = 0
        found = method(n_groups=3, restarts=1, random_state=0).fit(table)
        assert np.flatnonzero(found.labels_ < 0).tolist() == [2, 50]
        assert found.partition_.confidence[[2, 50]].tolist() == [0, 0]
        assert any("2 of 120 members have no count" in note for note in found.notes_)
        assert found.predict(table)[2] == -1

    def test_more_groups_than_members_with_counts(self, method):
        table = np.eye(5)
        table[0] = 0
        with pytest.raises(DataError, match="only 4 members have any count"):
            method(n_groups=5).fit(table)
        with pytest.raises(DataError, match="only 5 members"):
            method(n_groups=6).fit(table)

    def test_one_group(self, method):
        table, _ = blocks(0)
        found = method(n_groups=1, random_state=0).fit(table)
        assert set(found.labels_.tolist()) == {0}
        assert found.partition_.confidence.tolist() == [1.0] * 120


def test_fewer_kinds_of_rows_than_groups_is_a_note():
    found = KMeans(n_groups=4, random_state=0).fit(np.repeat(np.eye(2), 5, axis=0))
    assert found.partition_.n_groups == 2
    assert any("2 of 4 groups have no member" in note for note in found.notes_)


def test_too_many_components_are_refused():
    with pytest.raises(DataError, match="components must be at most 89"):
        KMeans(n_groups=2, components=90).fit(blocks(0)[0])


def test_a_prior_above_one_is_refused():
    with pytest.raises(ParameterError, match="alpha"):
        Topics(alpha=2.5).fit(blocks(0)[0])


def test_confidence_is_one_where_one_group_fits_and_none_where_two_do():
    assert margin(
        np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.5, 0.0], [2.0, 2.0, 2.0]])
    ).tolist() == [1, 0, 0.5, 0]
