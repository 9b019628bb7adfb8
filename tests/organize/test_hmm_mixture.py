"""Mixtures of hidden Markov models: known dynamics found, soft and hard, new members, the start, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from coterie import Ragged
from coterie.core.errors import DataError, ParameterError
from coterie.judge import clustering_error
from coterie.models import GMM, HMM
from coterie.organize import HMMMixture
from coterie.organize.hmm_mixture import furthest
from coterie.parts.hmm import forward_scores
from coterie.testing import promises


def two_dynamics(n=12, length=150, seed=0):
    """The same two states in both groups; in one they last, in the other they change."""
    lasting, changing = (
        HMM.of([0.5, 0.5], [[stay, 1 - stay], [1 - stay, stay]], [[0.0], [3.0]], [[1.0], [1.0]])
        for stay in (0.8, 0.2)
    )
    parts = [
        *lasting.sample(n, length, random_state=seed)[0],
        *changing.sample(n // 2, length, random_state=seed + 1)[0],
    ]
    return Ragged.of(parts), np.repeat([0, 1], [n, n // 2])


@pytest.mark.parametrize("assign", ["soft", "hard"])
def test_dynamics_are_told_apart(assign):
    members, truth = two_dynamics()
    found = HMMMixture(n_groups=2, assign=assign, random_state=0).fit(members)
    np.testing.assert_array_equal(found.labels_, truth)  # the largest group comes first
    stays = found.bank_.transition[:, [0, 1], [0, 1]].mean(axis=1)
    np.testing.assert_allclose(stays, [0.8, 0.2], atol=0.06)
    np.testing.assert_allclose(found.weights_, [2 / 3, 1 / 3], atol=0.02)
    assert np.diff(found.history_).min() > -1e-6 * abs(found.history_[-1])
    assert found.converged_
    new, expected = two_dynamics(seed=20)
    np.testing.assert_array_equal(found.predict(new), expected)
    np.testing.assert_array_equal(found.predict(members), found.labels_)


def test_a_law_without_order_sees_nothing():
    members, truth = two_dynamics()
    found = HMMMixture(n_groups=2, model=GMM(), random_state=0).fit(members)
    assert clustering_error(found.labels_, truth) > 0.15


def test_memberships_are_posteriors():
    members, _ = two_dynamics(6, 8)
    found = HMMMixture(n_groups=2, random_state=0).fit(members)
    joint = forward_scores(found.bank_, members.values, members.offsets) + np.log(found.weights_)
    shares = found.memberships(members)
    np.testing.assert_allclose(
        shares, np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), atol=1e-12
    )
    np.testing.assert_allclose(found.partition_.confidence, shares.max(axis=1), atol=1e-12)
    hard = HMMMixture(n_groups=2, assign="hard", random_state=0).fit(members)
    assert set(np.unique(hard.memberships(members))) == {0.0, 1.0}


def test_long_members_do_not_underflow():
    members, truth = two_dynamics(4, 6000)
    found = HMMMixture(n_groups=2, max_iter=5, tol=1e-4, random_state=0).fit(members)
    np.testing.assert_array_equal(found.labels_, truth)
    assert np.isfinite(found.history_).all()
    np.testing.assert_allclose(found.memberships(members).sum(axis=1), 1.0)


def test_criterion_prefers_the_true_number():
    members, _ = two_dynamics()
    fits = [HMMMixture(n_groups=k, random_state=0).fit(members) for k in (1, 2)]
    assert fits[1].bic(members) < fits[0].bic(members) - 50
    assert fits[0].labels_.tolist() == [0] * 18
    one = HMM(n_states=2).fit(members)
    assert fits[0].bic(members) == pytest.approx(one.bic(members), rel=1e-3)


def test_furthest_neighbors():
    generator = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 5)
    matrix = np.where(truth[:, None] == truth[None, :], -1.0, -4.0) + 0.1 * generator.normal(
        size=(15, 15)
    )
    assert clustering_error(furthest(matrix, 3), truth) == 0
    np.testing.assert_array_equal(
        furthest(matrix, 3), furthest(matrix + 100.0, 3)
    )  # units of the data do not matter
    assert furthest(np.zeros((1, 1)), 1).tolist() == [0]


def test_number_of_states_may_be_chosen():
    members, truth = two_dynamics()
    found = HMMMixture(n_groups=2, model=HMM(n_states=(1, 2)), random_state=0).fit(members)
    assert found.bank_.n_states == 2
    assert clustering_error(found.labels_, truth) == 0


def test_identical_members_leave_groups_empty():
    with pytest.warns(UserWarning, match=r"only 1 of 2 groups have members"):
        found = HMMMixture(n_groups=2, assign="hard", random_state=0).fit([np.ones((4, 1))] * 5)
    assert found.partition_.n_groups == 1
    assert found.predict([np.ones((2, 1))]).tolist() == [0]


def test_bad_input():
    members, _ = two_dynamics(4, 10)
    with pytest.raises(DataError, match="only 6 members"):
        HMMMixture(n_groups=7).fit(members)
    with pytest.raises(ParameterError, match="assign"):
        HMMMixture(assign="fuzzy").fit(members)
    with pytest.raises(DataError, match=r"sets \(ordered=False\)"):
        HMMMixture().fit(Ragged(members.values, members.offsets, ordered=False))
    with pytest.raises(DataError, match="2 values per step"):
        HMMMixture(random_state=0).fit(members).predict([np.ones((3, 2))])


@pytest.mark.parametrize("promise", promises(HMMMixture(n_groups=3)), ids=str)
def test_promise(promise):
    promise()
