"""Pairs that groups do not keep: found, counted, and told in one sentence that names the first."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from coterie import Hints
from coterie.parts.constrained import Ties
from coterie.parts.kept import broken, tell_unkept


def test_broken_names_pairs_and_labels():
    hints = Hints.of(6, ["a", "a", "b", None, None, None], together=[(3, 4)], apart=[(4, 5)])
    ties = Ties.of(hints, "Test")
    assert broken(ties, np.array([0, 0, 1, 2, 2, 0])).tolist() == []
    assert broken(ties, np.array([0, 1, 1, 2, 0, 0])).tolist() == [[3, 4], [4, 5], [0, 1]]
    assert broken(ties, np.array([0, 0, 0, 1, 1, 2])).tolist() == [[0, 2]]


def test_what_is_not_kept_is_one_warning():
    ties = Ties.of(
        Hints.of(["x", "y", "z"], together=[("x", "y")], apart=[("y", "z")], pair_weight=0.2),
        "Test",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tell_unkept(ties, np.array([0, 0, 1]), "so it is")
    with pytest.warns(
        UserWarning,
        match="^Test: 1 pair of the hints was not kept, such as 'x' and 'y'; so it is.$",
    ):
        tell_unkept(ties, np.array([0, 1, 2]), "so it is")
    with pytest.warns(
        UserWarning,
        match="^Test: 2 pairs of the hints were not kept, such as 'x' and 'y'; so it is.$",
    ):
        tell_unkept(ties, np.array([0, 1, 1]), "so it is")
