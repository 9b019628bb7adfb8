"""The consensus of runs of the bottleneck: its numbers against slow twins, planted topics, any order of the rows, samples."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.oracles import consensus as slow
from tests.oracles.bottleneck import grouped, information

from coterie.core.errors import DataError
from coterie.organize import ConsensusIB


def topics(seed=0, n=90, k=3, width=20, own=0.8, other=0.05):
    """Counts of k topics with columns of their own, shuffled rows, and the topics."""
    generator = np.random.default_rng(seed)
    topic = generator.permutation(np.arange(n) % k)
    mean = np.where(topic[:, None] == np.arange(k * width) // width, own, other)
    counts = generator.poisson(mean)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return counts, topic


def test_topics_of_their_own_words_are_found_and_counted():
    counts, topic = topics(other=0.0)
    found = ConsensusIB(random_state=0).fit(counts)
    assert found.partition_.n_groups == 3
    assert adjusted_rand_score(topic, found.labels_) == 1.0
    assert found.agreement_ == pytest.approx(1.0)
    assert found.halves_ == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_words_leave_nothing_beyond_chance(seed):
    generator = np.random.default_rng(seed)
    counts = generator.poisson(0.4, size=(120, 60))
    found = ConsensusIB(random_state=0).fit(counts)
    assert abs(found.excess_) < 0.05
    assert found.halves_ < 0.2


def test_numbers_are_those_of_their_definitions():
    counts, _ = topics(seed=1, n=60, own=0.6)
    found = ConsensusIB(candidates=(2, 3, 5), random_state=2).fit(counts)
    table = slow.damped(counts)
    for at, k in enumerate(found.candidates_.tolist()):
        kept = information(grouped(table, found.path_[at], k))
        assert found.informations_[at] == pytest.approx(kept, rel=1e-9)
    best = int(np.flatnonzero(found.scores_ >= found.scores_.max() - 0.01)[-1])
    assert found.partition_.n_groups == found.candidates_[best]
    shares = np.bincount(found.labels_) / len(counts)
    entropy = -(shares * np.log(shares)).sum()
    excess = (found.informations_[best] - found.shuffled_informations_[best]) / entropy
    assert found.excess_ == pytest.approx(excess)
    # sixty members allow ten groups, the reference for the information of shuffled counts
    assert found.steadying_ > found.shuffled_informations_.max()
    whole = ConsensusIB(candidates=(2, 3, 5, 10), random_state=2).fit(counts)
    assert found.steadying_ == pytest.approx(whole.shuffled_informations_[-1], rel=0.05)
    expected = slow.scores(
        found.informations_,
        found.shuffled_informations_,
        found.steadying_,
        found.agreements_,
    )
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-9)


def test_confidence_is_the_share_of_runs_that_agree():
    from coterie.organize.consensus_ib import _votes

    generator = np.random.default_rng(5)
    labels = generator.integers(3, size=40)
    runs = [np.where(generator.random(40) < 0.3, generator.integers(3, size=40), (labels + 1) % 3)]
    runs.append(generator.permutation(labels))
    np.testing.assert_allclose(_votes(labels, runs, 3), slow.votes(labels, runs, 3))


def test_new_members_go_where_they_keep_most_information():
    counts, topic = topics(seed=3)
    later, truth = topics(seed=4, n=30)
    found = ConsensusIB(n_groups=3, random_state=0).fit(counts)
    placed = found.predict(later)
    table = slow.damped(counts)
    for row, label in zip(slow.damped(later), placed, strict=True):
        assert label == slow.best_group(table, found.labels_, 3, row)
    assert adjusted_rand_score(truth, placed) > 0.8
    assert adjusted_rand_score(topic, found.labels_) > 0.8


@pytest.mark.parametrize("sample_size", [5000, 40])
def test_the_order_of_the_rows_changes_nothing(sample_size):
    counts, _ = topics(seed=6, own=0.4)
    order = np.random.default_rng(1).permutation(len(counts))
    kept = {"candidates": (2, 3, 4, 6), "sample_size": sample_size, "random_state": 1}
    one = ConsensusIB(**kept).fit(counts)
    other = ConsensusIB(**kept).fit(counts[order])
    np.testing.assert_array_equal(one.scores_, other.scores_)
    assert adjusted_rand_score(one.labels_[order], other.labels_) == 1.0
    np.testing.assert_allclose(one.partition_.confidence[order], other.partition_.confidence)


def test_members_beyond_the_sample_are_placed():
    counts, topic = topics(seed=7, n=400)
    found = ConsensusIB(n_groups=3, sample_size=100, random_state=0).fit(counts)
    assert adjusted_rand_score(topic, found.labels_) > 0.9
    assert found.path_.shape == (1, 400)


def test_members_without_counts_are_in_no_group():
    counts, _ = topics(n=30)
    counts[[3, 9]] = 0
    found = ConsensusIB(n_groups=3, random_state=0).fit(counts)
    assert np.flatnonzero(found.labels_ < 0).tolist() == [3, 9]
    assert found.predict(counts[:4]).tolist()[3] == -1
    assert any("2 of 30" in note for note in found.notes_)


def test_labels_of_other_candidates():
    counts, _ = topics()
    found = ConsensusIB(candidates=(2, 3, 4), random_state=0).fit(counts)
    assert len(np.unique(found.at(2))) == 2
    with pytest.raises(DataError, match="9 groups were not looked at; the candidates were 2, 3, 4"):
        found.at(9)


def test_weights_that_are_not_whole_are_taken():
    counts, topic = topics(other=0.0)
    found = ConsensusIB(n_groups=3, random_state=0).fit(counts * 0.37)
    assert adjusted_rand_score(topic, found.labels_) > 0.9


def test_more_groups_than_members_with_counts_are_refused():
    counts = np.zeros((5, 4))
    counts[:2, :] = 1
    with pytest.raises(DataError, match="n_groups is 3 and only 2 members have any count"):
        ConsensusIB(n_groups=3).fit(counts)


def test_the_number_that_was_chosen_gives_the_same_groups_when_it_is_asked_for():
    counts, _ = topics(seed=8, n=120, k=4, own=0.5)
    free = ConsensusIB(random_state=0).fit(counts)
    asked = ConsensusIB(n_groups=free.partition_.n_groups, random_state=0).fit(counts)
    np.testing.assert_array_equal(free.labels_, asked.labels_)
    assert asked.levels_.shape == (1, len(counts))


def test_topics_of_topics_are_levels_of_one_tree():
    generator = np.random.default_rng(0)
    topic = generator.permutation(np.arange(240) % 9)
    theme = topic // 3
    columns = np.arange(360)
    by_theme = np.where(theme[:, None] == columns // 60, 0.25, 0.0)
    by_topic = np.where(topic[:, None] == (columns - 180) // 20, 0.6, 0.02)
    counts = generator.poisson(by_theme + by_topic)
    found = ConsensusIB(candidates=(2, 3, 5, 9, 14), random_state=0).fit(counts)
    numbers = [len(np.unique(labels)) for labels in found.levels_]
    assert numbers == sorted(numbers)
    assert {3, 9} <= set(numbers)
    for k, truth in ((3, theme), (9, topic)):
        assert adjusted_rand_score(truth, found.levels_[numbers.index(k)]) > 0.9
    for coarse, fine in zip(found.levels_[:-1], found.levels_[1:], strict=True):
        for group in np.unique(fine):
            assert len(np.unique(coarse[fine == group])) == 1
    assert any(np.array_equal(labels, found.labels_) for labels in found.levels_)


def test_a_run_makes_the_cheapest_unions():
    from coterie.organize.consensus_ib import _canonical, _rows_of, _unite_down

    counts, topic = topics(seed=9, n=24, k=6, width=6)
    rows = _rows_of(_canonical(counts), "damped")
    table = slow.damped(counts)
    np.testing.assert_array_equal(_unite_down(rows, topic, 6, 3), slow.united(table, topic, 6, 3))


def test_members_are_grouped_anew():
    counts, topic = topics(seed=10)
    found = ConsensusIB(random_state=0).fit(counts)
    part = np.arange(0, len(counts), 2)
    assert adjusted_rand_score(topic[part], found.regroup(counts[part])) > 0.9
