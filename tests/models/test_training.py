"""States that explain nothing: begun again at the frame explained worst, then removed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coterie import Ragged
from coterie.models import HMM
from coterie.models.training import masses, rounds_of, settled, without

FAR = 1e6


def idle_state(members, n_states=2):
    """A trained model whose last state lies where no frame is, and the plan it was trained by."""
    model = HMM(n_states=n_states)
    sequences = model.sequences(members)
    plan = model.plan(sequences, model.floors(sequences, 0.01), 1, 1e-6)
    means = [[0.0]] * (n_states - 1) + [[FAR]]
    bank = HMM.of(
        np.full(n_states, 1 / n_states),
        np.full((n_states, n_states), 1 / n_states),
        means,
        [[1.0]] * n_states,
    ).bank_
    bank, outcome = rounds_of(plan, bank, sequences, np.zeros(len(sequences), dtype=np.int64))
    assert masses(bank, sequences)[-1] < 1e-6
    return plan, bank, outcome, sequences


def test_a_state_begins_again_where_frames_are_explained_worst():
    generator = np.random.default_rng(0)
    members = [
        np.concatenate([generator.normal(size=(40, 1)), 30 + generator.normal(size=(10, 1))])
        for _ in range(5)
    ]
    plan, bank, outcome, sequences = idle_state(members)
    found, again = settled(plan, bank, outcome, sequences)
    assert again.value > outcome.value + 100
    np.testing.assert_allclose(
        np.sort(found.emissions.arrays()["means"][0, :, 0]), [0.0, 30.0], atol=0.5
    )
    np.testing.assert_allclose(np.sort(masses(found, sequences)), [50.0, 200.0], atol=0.5)


def test_a_state_that_stays_idle_is_removed():
    members = [np.array([[0.0], [1.0]] * 5)]
    plan, _, outcome, sequences = idle_state(members)
    stuck = HMM.of(
        [1.0, 0.0], [[1.0 - 1e-9, 1e-9], [0.5, 0.5]], [[0.5], [FAR]], [[0.25], [1e-3]]
    ).bank_
    with pytest.warns(UserWarning, match="1 state explains nothing .* removed; the model has 1"):
        found, _ = settled(replace(plan, max_iter=0), stuck, outcome, sequences)
    assert found.n_states == 1
    np.testing.assert_array_equal(found.transition, [[[1.0]]])


def test_what_is_left_sums_to_one():
    bank = HMM.of(
        [0.2, 0.3, 0.5],
        [[0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [0.1, 0.1, 0.8]],
        [[0.0], [1.0], [2.0]],
        np.ones((3, 1)),
    ).bank_
    found = without(bank, np.array([0, 1]), np.ones((3, 3), dtype=bool))
    np.testing.assert_allclose(found.start, [[0.4, 0.6]])
    np.testing.assert_allclose(found.transition[0], [[0.4, 0.6], [0.5, 0.5]])
    np.testing.assert_array_equal(found.emissions.arrays()["means"], [[[0.0], [1.0]]])


def test_steps_ahead_keep_states_that_are_not_reached():
    members = Ragged.of([np.arange(3.0)] * 3)
    found = HMM(n_states=6, topology="skips", random_state=0).fit(members)
    assert found.bank_.n_states == 6
