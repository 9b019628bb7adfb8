"""Weights and distances changed by hints: pair by pair, dense and sparse alike, over several steps where pairs are laws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from tests.oracles import constrained as slow

from coterie import Hints
from coterie.parts import tied_weights as module
from coterie.parts.constrained import Ties
from coterie.parts.tied_distances import members_of, tied_distances, true_heights
from coterie.parts.tied_weights import tied_weights, together


def weights(n, seed, density=1.0):
    generator = np.random.default_rng(seed)
    half = np.triu(generator.random((n, n)) * (generator.random((n, n)) < density), 1)
    return half + half.T


@pytest.mark.parametrize("weight", [np.inf, 1.0, 0.3])
@pytest.mark.parametrize("density", [1.0, 0.3])
def test_every_pair_as_it_is_told(weight, density):
    matrix = weights(8, 1, density)
    hints = Hints.of(8, together=[(0, 1), (2, 3)], apart=[(4, 5), (6, 7)], pair_weight=weight)
    ties = Ties.of(hints, "Test")
    expected = slow.weights(matrix, hints)
    assert np.allclose(tied_weights(matrix, ties), expected)
    assert np.allclose(tied_weights(sp.csr_array(matrix), ties).toarray(), expected)


@pytest.mark.parametrize("trust", [None, 0.4, np.inf])
def test_dense_and_sparse_agree_on_labels_and_what_follows(trust):
    matrix = weights(12, 2, 0.5)
    labels = ["a", "a", "a", "b", "b", *[None] * 7]
    scheme = "constrained" if trust == np.inf else "intrinsic"
    hints = Hints.of(
        12, labels, together=[(5, 6), (6, 7)], apart=[(7, 8)], label_weight=trust, scheme=scheme
    )
    ties = Ties.of(hints, "Test")
    found = tied_weights(matrix, ties)
    assert np.allclose(found, tied_weights(sp.csr_array(matrix), ties).toarray())
    assert np.allclose(found, found.T)
    assert not found.diagonal().any()
    assert found[5, 7] >= matrix[5].max() - 1e-12  # 5 and 7 belong together over 6
    assert found[5, 8] == found[6, 8] == 0  # and so both are apart from 8
    assert np.allclose(found[:3, 3:5], matrix[:3, 3:5] * (0.6 if trust == 0.4 else 0.0))


def test_members_without_any_weight_are_linked_by_a_hint():
    ties = Ties.of(Hints.of(3, together=[(0, 2)]), "Test")
    assert tied_weights(np.zeros((3, 3)), ties)[0, 2] == 1.0
    assert tied_weights(sp.csr_array((3, 3)), ties)[0, 2] == 1.0


@pytest.mark.parametrize("weight", [np.inf, 0.3])
def test_what_no_link_joins_stays_as_it_is(weight):
    matrix = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    ties = Ties.of(Hints.of(6, apart=[(0, 5)], pair_weight=weight), "Test")
    assert np.array_equal(tied_weights(sp.csr_array(matrix), ties).toarray(), matrix)
    assert tied_weights(sp.csr_array((6, 6)), ties).nnz == 0
    labels = Ties.of(Hints.of(6, ["a", None, None, None, None, "b"], scheme="constrained"), "Test")
    assert np.array_equal(tied_weights(sp.csr_array(matrix), labels).toarray(), matrix)


def test_large_pieces_are_linked_around(monkeypatch):
    monkeypatch.setattr(module, "_WHOLE", 4)
    pairs, share = together(
        Ties.of(Hints.of(9, ["a"] * 7 + [None] * 2, scheme="constrained"), "Test")
    )
    assert np.bincount(pairs.ravel(), minlength=9).tolist() == [4] * 7 + [0, 0]
    assert (share == 1).all()


def test_a_tree_merges_together_first_and_apart_last():
    points = np.random.default_rng(0).normal(size=(12, 2))
    points[3] = points[4]  # twins that nobody spoke of
    half = pdist(points)
    hints = Hints.of(12, together=[(0, 9), (9, 4)], apart=[(1, 2)])
    ties = Ties.of(hints, "Test")
    changed, limit = tied_distances(half, ties)
    for how, rule in (("average", np.mean), ("complete", np.max)):
        tree = linkage(changed, how)
        assert sorted(members_of(tree, 13, 12).tolist()) == [0, 4, 9]
        assert tree[:2, 2].tolist() == [0.0, 0.0]
        merges, least = true_heights(tree, half, limit, rule)
        assert least == 2
        two = [members_of(merges, int(merges[-1, side]), 12) for side in (0, 1)]
        assert (1 in two[0]) != (2 in two[0])
        assert np.isclose(merges[-1, 2], max(rule(squareform(half)[np.ix_(*two)]), merges[-2, 2]))
        assert np.all(np.diff(merges[:, 2]) >= 0)


def test_soft_distances_go_a_share_of_the_way():
    half = pdist(np.array([[0.0], [1.0], [3.0], [7.0]]))
    ties = Ties.of(Hints.of(4, together=[(0, 1)], apart=[(2, 3)], pair_weight=0.25), "Test")
    away = squareform(tied_distances(half, ties)[0])
    assert np.isclose(away[0, 1], 0.75)
    assert np.isclose(away[2, 3], 4 + 0.25 * (14 - 4))
    assert away[1, 2] == 2
