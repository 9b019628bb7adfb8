"""Members drawn from models: frequencies of states and steps, lengths, streams of their own."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import ParameterError
from coterie.models import HMM
from tests.models.made import RING, three_states


def test_steps_are_those_of_the_model():
    _, states = three_states().sample(200, 100, random_state=0)
    counts = np.zeros((3, 3))
    for path in states:
        np.add.at(counts, (path[:-1], path[1:]), 1)
    np.testing.assert_allclose(counts / counts.sum(axis=1, keepdims=True), RING, atol=0.02)
    first = np.bincount([path[0] for path in states], minlength=3) / 200
    np.testing.assert_allclose(first, [0.5, 0.3, 0.2], atol=0.1)


def test_frames_are_those_of_the_states():
    members, states = three_states().sample(20, 200, random_state=0)
    flat = np.concatenate(states)
    for state in range(3):
        np.testing.assert_allclose(
            members.values[flat == state].mean(axis=0), three_states().means_[state], atol=0.15
        )


def test_a_member_does_not_depend_on_the_others():
    few, _ = three_states().sample(2, 30, random_state=7)
    many, _ = three_states().sample(5, [30, 30, 4, 9, 50], random_state=7)
    np.testing.assert_array_equal(few.values, many.values[:60])


def test_impossible_steps_are_not_taken():
    model = HMM.of(
        [0.0, 1.0, 0.0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.zeros((3, 1)), np.ones((3, 1))
    )
    _, states = model.sample(3, 7, random_state=0)
    assert [path.tolist() for path in states] == [[1, 2, 0, 1, 2, 0, 1]] * 3


@pytest.mark.parametrize(("n", "length"), [(0, 5), (2, 0), (2, [1, 2, 3]), (2, 1.5), (2, [3, 0])])
def test_nonsense_is_refused(n, length):
    with pytest.raises(ParameterError, match="sample takes"):
        three_states().sample(n, length)
