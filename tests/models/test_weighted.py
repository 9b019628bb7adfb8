"""A weighted round: weights of whole numbers are members that come several times; impossible members count nothing."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.workplace import using
from coterie.models import HMM
from coterie.models.weighted import weighted_round
from coterie.parts.emissions import Floors
from coterie.parts.hmm import forward_scores, joined
from coterie.parts.hmm_training import train_bank
from tests.models.made import three_state_members, three_states


def pair():
    other = HMM.of(
        [0.2, 0.2, 0.6],
        np.full((3, 3), 1 / 3),
        [[1.0, 1.0], [4.0, 1.0], [1.0, 4.0]],
        np.full((3, 2), 2.0),
    )
    return joined([three_states().bank_, other.bank_])


@pytest.mark.parametrize("workers", [1, 2])
def test_whole_weights_are_repeated_members(workers):
    members, _ = three_state_members(6, 30)
    weights = np.array([[1, 2], [0, 1], [3, 0], [1, 1], [2, 0], [0, 2]])
    at = iter([weights])
    floors = Floors.of(members.values, 0.01)
    with using(n_jobs=workers):
        found, values = weighted_round(
            pair(), members, lambda _: next(at).astype(float), floors, 1e-3
        )
    np.testing.assert_allclose(
        values, forward_scores(pair(), members.values, members.offsets), rtol=1e-10
    )
    for m in range(2):
        again = members.take(np.repeat(np.arange(6), weights[:, m]))
        owners = np.zeros(len(again), dtype=np.int64)
        one = pair().take(np.array([m]))
        options = {"rounds": 1, "training": "baum-welch", "prior": 1e-3, "floors": floors}
        expected, _ = train_bank(one, again.values, again.offsets, owners, **options)
        for name, array in expected.arrays().items():
            np.testing.assert_allclose(found.arrays()[name][[m]], array, rtol=1e-8, atol=1e-10)


def test_what_a_model_cannot_make_counts_nothing():
    swap = [[0.0, 1.0], [1.0, 0.0]]
    stay = [[0.5, 0.5], [0.5, 0.5]]
    symbols = [[1.0, 0.0], [0.0, 1.0]]
    bank = joined(
        [HMM.of([0.5, 0.5], links, probabilities=symbols).bank_ for links in (swap, stay)]
    )
    members = HMM.of([0.5, 0.5], stay, probabilities=symbols).sample(6, 12, random_state=1)[0]
    found, values = weighted_round(
        bank, members, lambda part: np.ones_like(part), Floors.of(members.values, 0.01), 1e-3
    )
    assert np.isinf(values[:, 0]).all()
    np.testing.assert_array_equal(found.transition[0] > 0, np.array(swap) > 0)
    assert np.isfinite(found.arrays()["probabilities"]).all()
