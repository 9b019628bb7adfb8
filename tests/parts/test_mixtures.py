"""Mixture states: components without weight, responsibilities, and training that finds the components."""

from __future__ import annotations

import numpy as np
from tests.oracles import emissions as slow
from tests.oracles.emissions import no_floors

from coterie.parts.emissions import Floors
from coterie.parts.mixtures import Mixture, blank_mixture


def test_a_component_without_weight_is_as_if_it_were_not_there():
    laws = slow.drawn_laws("mixture", 2, 2, 3)
    weights = laws.weights.copy()
    weights[..., 2] = 0.0
    weights /= weights.sum(axis=2, keepdims=True)
    frames = np.random.default_rng(0).normal(size=(40, 3))
    owners = np.repeat([0, 1], 20)
    shares = np.random.default_rng(1).dirichlet([1.0, 1.0], 40)
    with_it = Mixture(weights, laws.means, laws.spreads)
    without = Mixture(weights[..., :2], laws.means[:, :, :2], laws.spreads[:, :, :2])
    np.testing.assert_allclose(with_it.rows(frames), without.rows(frames), atol=1e-12)
    one = with_it.maximized(with_it.sums(frames, owners, shares), no_floors(3))
    other = without.maximized(without.sums(frames, owners, shares), no_floors(3))
    np.testing.assert_allclose(one.means[:, :, :2], other.means, atol=1e-12)
    np.testing.assert_allclose(one.weights[..., :2], other.weights, atol=1e-12)
    np.testing.assert_array_equal(one.weights[..., 2], 0.0)
    np.testing.assert_array_equal(one.means[:, :, 2], laws.means[:, :, 2])


def test_frames_far_from_all_components_are_shared_out():
    """Densities of 0 in floating point still have responsibilities that sum to one."""
    laws = slow.drawn_laws("mixture", 1, 2, 3)
    frames = np.full((4, 3), 500.0)
    assert (laws.rows(frames) < -1000).all()
    sums = laws.sums(frames, np.zeros(4, dtype=np.int64), np.tile([0.25, 0.75], (4, 1)))
    np.testing.assert_allclose(sums["weight"].reshape(2, 3).sum(axis=1), [1.0, 3.0], atol=1e-12)


def test_components_are_those_of_the_states_one_after_the_other():
    laws = slow.drawn_laws("mixture-full", 2, 3, 4)
    flat = laws.components
    assert (flat.n_states, flat.form) == (9, "full")
    np.testing.assert_array_equal(flat.means[1, 5], laws.means[1, 1, 2])
    np.testing.assert_array_equal(flat.spreads[1, 5], laws.spreads[1, 1, 2])
    assert laws.components is flat


def test_weights_count_frames_that_are_wholly_missing():
    """Such a frame says nothing of the components, so they share it by their weights."""
    laws = slow.drawn_laws("mixture", 1, 1, 2)
    frames = np.full((5, 2), np.nan)
    better = laws.maximized(
        laws.sums(frames, np.zeros(5, dtype=np.int64), np.ones((5, 1))),
        Floors(np.ones(2), np.ones(2)),
    )
    for name, array in better.arrays().items():
        np.testing.assert_allclose(array, laws.arrays()[name], atol=1e-12)


def test_spherical_components_have_one_variance_each():
    frames = np.random.default_rng(0).normal(size=(100, 3)) * [1.0, 2.0, 3.0]
    floors = Floors.of(frames, 0.01)
    blank = blank_mixture(1, 2, frames, floors, n_components=2, form="spherical")
    shares = np.random.default_rng(1).dirichlet([1.0, 1.0], 100)
    laws = blank.maximized(blank.sums(frames, np.zeros(100, dtype=np.int64), shares), floors)
    np.testing.assert_array_equal(laws.spreads, laws.spreads[..., :1] @ np.ones((1, 3)))
    assert laws.n_free == 2 * (2 * (3 + 1) + 1)


def test_laws_survive_being_packed():
    import pickle

    for family in slow.FAMILIES:
        laws = slow.drawn_laws(family, 2, 2, 3)
        frames = laws.drawn(0, np.array([0, 1, 1]), np.random.default_rng(0))
        rows = laws.rows(frames)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(laws)).rows(frames), rows)
