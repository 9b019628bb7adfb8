"""Votes of labelings against every renaming and against ballots counted member by member."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from tests.oracles import voting as slow

from coterie.core.errors import DataError, ParameterError
from coterie.parts.voting import agreements, align_labels, majority_vote, mean_agreement

TWO = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 3)), max_size=25)
FOUR = st.lists(st.tuples(*[st.integers(-1, 3)] * 4), min_size=1, max_size=30)


@given(TWO)
def test_as_many_keep_their_number_as_under_any_renaming(members):
    labels = np.array([a for a, _ in members], dtype=int)
    reference = np.array([b for _, b in members], dtype=int)
    found = align_labels(labels, reference)
    most, _ = slow.renamings(labels.tolist(), reference.tolist())
    assert np.sum((found == reference) & (found >= 0)) == most
    assert np.array_equal(found[:, None] == found[None, :], labels[:, None] == labels[None, :])
    assert np.array_equal(found < 0, labels < 0)
    assert found.max(initial=-1) <= max(labels.max(initial=-1), reference.max(initial=-1))


@given(FOUR)
def test_outcome_is_a_fixed_point_of_the_ballot(members):
    voters = list(np.array(members).T)
    found = majority_vote(voters, max_iter=1000)
    aligned = [align_labels(voter, found.labels).tolist() for voter in voters]
    again = slow.elected(aligned, found.labels.tolist(), [1] * len(voters))
    assert found.labels.tolist() == again
    counts = [
        [
            np.mean([a[i] == g for a in aligned if a[i] >= 0] or [0])
            for g in range(found.shares.shape[1])
        ]
        for i in range(len(members))
    ]
    assert np.allclose(found.shares, counts)
    own = [
        row[max(label, 0)] if label >= 0 else 0 for row, label in zip(counts, again, strict=True)
    ]
    assert np.allclose(found.confidence, own)


@given(FOUR)
def test_agreement_equals_pairs_counted(members):
    voters = list(np.array(members).T)
    assert np.isclose(mean_agreement(voters), slow.mean_agreement([v.tolist() for v in voters]))


def test_agreement_equals_scikit_learn():
    rng = np.random.default_rng(3)
    voters = [rng.integers(4, size=200), rng.integers(3, size=200), rng.integers(7, size=200)]
    theirs = [[adjusted_rand_score(a, b) for b in voters] for a in voters]
    assert np.allclose(agreements(voters), theirs)


def test_majority_is_nearer_the_truth_than_its_voters():
    rng = np.random.default_rng(5)
    truth = rng.integers(5, size=400)
    voters = []
    for _ in range(9):
        wrong = rng.random(400) < 0.3
        names = rng.permutation(5)
        voters.append(names[np.where(wrong, rng.integers(5, size=400), truth)])
    vote = majority_vote(voters)
    best = max(adjusted_rand_score(truth, voter) for voter in voters)
    assert adjusted_rand_score(truth, vote.labels) > best + 0.2
    right = align_labels(vote.labels, truth) == truth
    assert vote.confidence[right].mean() > vote.confidence[~right].mean() + 0.1


def test_names_of_groups_are_those_of_the_reference():
    voters = [np.array([2, 2, 0, 0, 1]), np.array([0, 0, 1, 1, 1]), np.array([1, 1, 0, 0, 2])]
    assert majority_vote(voters, np.array([1, 1, 2, 2, 0])).labels.tolist() == [1, 1, 2, 2, 0]


def test_heavier_votes_win():
    voters = [np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([0, 1, 1, 1])]
    assert majority_vote(voters).labels.tolist() == [0, 1, 1, 1]
    assert majority_vote(voters, weights=[3, 1, 1]).labels.tolist() == [0, 0, 1, 1]


def test_members_whom_nobody_places():
    vote = majority_vote([np.array([0, -1, 1]), np.array([0, -1, -1])])
    assert vote.labels.tolist() == [0, -1, 1]
    assert vote.confidence.tolist() == [1.0, 0.0, 1.0]
    assert align_labels(np.array([-1, -1]), np.array([-1, -1])).tolist() == [-1, -1]
    assert majority_vote([np.array([-1, -1])]).labels.tolist() == [-1, -1]


@pytest.mark.parametrize(
    "labelings", [[], [[0, 1], [0, 1, 1]], [[0.5, 1.0]], [[-2, 0]], [[[0, 1]]]]
)
def test_what_is_no_labeling(labelings):
    with pytest.raises(DataError):
        majority_vote(labelings)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0], [1.0, float("nan")]])
def test_weights_are_looked_at(weights):
    with pytest.raises(ParameterError) as refused:
        majority_vote([[0, 1], [1, 0]], weights=weights)
    assert refused.value.parameter == "weights"
