"""The two-task network in numpy against its slow twin; psi_2 changes its sign, and the losses bound the errors they are for."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import siamese as slow

from coterie.parts import siamese


@pytest.fixture
def net():
    arrays = siamese.start(7, 5, 4, 3, np.random.default_rng(0))
    generator = np.random.default_rng(1)
    return {name: generator.normal(scale=0.8, size=array.shape) for name, array in arrays.items()}


def _rows(n=8, seed=2):
    return sp.csr_array(sp.random(n, 7, density=0.5, random_state=seed, format="csr"))


def _truth(n=8, k=3, seed=3):
    indicator = np.random.default_rng(seed).random((n, k)) < 0.4
    indicator[0] = True
    indicator[1] = False
    return indicator


def test_map_and_scores_are_those_of_the_slow_twin(net):
    rows = _rows()
    vectors = siamese.mapped(net, rows)
    np.testing.assert_allclose(vectors, [slow.phi(net, row) for row in rows.toarray()], atol=1e-12)
    np.testing.assert_allclose(siamese.mapped(net, rows.toarray()), vectors, atol=1e-14)
    found = siamese.category_scores(net, vectors)
    np.testing.assert_allclose(
        found, [[slow.psi_1(net, row, k) for k in range(3)] for row in rows.toarray()], atol=1e-12
    )


def test_triplet_scores_change_their_sign_with_the_two_others(net):
    x, near, far = siamese.mapped(net, _rows(9))[np.arange(9).reshape(3, 3)]
    found = siamese.triplet_scores(x, near, far)
    assert (found == -siamese.triplet_scores(x, far, near)).all()  # to the bit
    assert np.abs(found).min() > 0
    assert (siamese.triplet_scores(x, near, near) == 0).all()
    rows = _rows(9).toarray()
    np.testing.assert_allclose(
        found, [slow.psi_2(net, *rows[[i, 3 + i, 6 + i]]) for i in range(3)], atol=1e-12
    )


def test_losses_are_those_of_the_slow_twin(net):
    rows = _rows()
    truth = _truth()
    found = siamese.category_scores(net, siamese.mapped(net, rows))
    for name, twin in (("plain", slow.plain), ("balanced", slow.balanced)):
        ours = siamese.labeled_loss(found, truth, siamese.pair_weights(truth, name))
        assert ours == pytest.approx(twin(net, rows.toarray(), truth), abs=1e-12)
    drawn = np.random.default_rng(0).integers(8, size=(3, 12))
    ours = siamese.judged_triplets(rows, drawn, net)
    assert ours == pytest.approx(slow.triplets(net, rows.toarray(), drawn), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_losses_bound_the_errors_they_stand_for(seed):
    generator = np.random.default_rng(seed)
    truth = _truth(40, 5, seed)
    scores = generator.normal(size=truth.shape) + np.where(truth, 0.7, -0.7)
    wrong = (scores > 0) != truth
    assert siamese.labeled_loss(scores, truth, siamese.pair_weights(truth, "plain")) >= wrong.mean()
    rates = [(wrong[truth[:, k], k].mean() + wrong[~truth[:, k], k].mean()) / 2 for k in range(5)]
    assert siamese.labeled_loss(scores, truth, siamese.pair_weights(truth, "balanced")) >= np.mean(
        rates
    )
    exact = np.where(truth, 1.0, -1.0) * np.where(
        wrong, -1.0, 1.0
    )  # where scores are -1 and 1 a wrong pair costs 2
    assert siamese.labeled_loss(
        exact, truth, siamese.pair_weights(truth, "balanced")
    ) == pytest.approx(2 * np.mean(rates))


def test_a_category_without_a_member_weighs_nothing():
    truth = np.array([[True, False, True], [False, False, True]])
    for loss in ("plain", "balanced"):
        weights = siamese.pair_weights(truth, loss)
        assert (weights[:, 1:] == 0).all()
        assert weights[:, 0].sum() == pytest.approx(1.0)


def test_without_categories_the_start_is_the_same():
    alone = siamese.start(7, 5, 4, 0, np.random.default_rng(0))
    both = siamese.start(7, 5, 4, 3, np.random.default_rng(0))
    assert set(both) - set(alone) == set(siamese.HEAD)
    for name, array in alone.items():
        np.testing.assert_array_equal(array, both[name])


def test_break_even_is_the_share_of_true_pairs_among_as_many_best():
    truth = np.array([[True, False], [False, True]])
    assert siamese.micro_break_even(np.array([[4.0, 3.0], [1.0, 2.0]]), truth) == 0.5
    assert siamese.micro_break_even(np.array([[4.0, 1.0], [1.0, 4.0]]), truth) == 1.0
    assert siamese.micro_break_even(np.zeros((2, 2)), truth) == 0.5  # all tied: what chance gives
    assert siamese.micro_break_even(np.zeros((2, 2)), np.zeros((2, 2), dtype=bool)) == 0.0
