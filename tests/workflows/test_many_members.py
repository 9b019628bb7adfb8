"""A walk over many members searches for neighbors, finds what was planted all the same, and says how many it found."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.collect.samples import sample
from coterie.core import affinity
from coterie.judge import adjusted_rand
from coterie.messages.exploration import describe_steps
from coterie.parts import approximate
from coterie.workflows.choices import Choices
from coterie.workflows.explore import analyse


@pytest.mark.parametrize(("name", "k"), [("blobs", 5), ("topics", 8)])
def test_a_walk_over_many_members_does_not_compare_all_pairs(
    name: str, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = sample(name, 320, random_state=1)
    exact = analyse(collection, Choices(k=k, nulls=0)).findings
    assert not any("searched for" in sentence for sentence in describe_steps(exact.steps))
    monkeypatch.setattr(approximate, "FEW", 200)
    monkeypatch.setattr(affinity, "AUTO", 300)
    found = analyse(collection, Choices(k=k, nulls=0)).findings
    assert describe_steps(found.steps)[-1].startswith(
        "There are too many pairs to compare them all: neighbors were searched for, and "
    )
    assert adjusted_rand(found.labels, collection.truth["group"]) > 0.9
    assert np.mean(found.neighbors == exact.neighbors) > 0.95
