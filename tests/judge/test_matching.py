"""Best matching, breakdown per class in the manner of a printed table, and scores of a core."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.judge import breakdown, core_scores, match


def test_matching_names_the_pairs_and_who_has_no_partner():
    result = match(["p", "p", "q", "q", "r", -1], ["x", "x", "x", "y", "y", "y"])
    assert ("p", "x", 2) in result.pairs
    assert set(result.pairs) - {("p", "x", 2)} <= {("q", "y", 1), ("r", "y", 1)}
    assert len(result.pairs) == 2
    assert result.error == pytest.approx(0.5)
    assert len(result.unmatched_clusters) == 1
    wide = match([0, 0, 0], ["x", "y", "z"])
    assert wide.agreement == 1
    assert len(wide.unmatched_classes) == 2


def test_greedy_would_be_wrong():
    labels = [0] * 10 + [1] * 8
    truth = ["x"] * 6 + ["y"] * 4 + ["x"] * 8
    assert (
        match(labels, truth).agreement == 12
    )  # 4 in (0, y) and 8 in (1, x); greedy on cluster 0 gives 6


def test_breakdown_sorts_and_stars():
    rows = breakdown([0, 0, 0, 1, 1, 1, -1], ["a", "a", "b", "a", "b", "b", "b"])
    assert [str(row) for row in rows] == ["a: 2* 1", "b: 2* 1 (1 unassigned)"]
    assert rows[1].parts == ((1, 2, True), (0, 1, False))
    assert rows[1].size == 4
    tied = breakdown([0, 0], ["a", "b"])
    assert all(row.parts[0][2] for row in tied)


def test_core():
    by_id = core_scores(["m1", "m2", "m3"], ["m2", "m3", "m4"])
    assert by_id.precision == by_id.recall == by_id.f == pytest.approx(2 / 3)
    mask = core_scores(np.array([True, True, False, False]), np.array([True, False, False, False]))
    assert (mask.precision, mask.recall, mask.f) == pytest.approx((0.5, 1, 2 / 3))
    none = core_scores([], ["m1"])
    assert math.isnan(none.precision)
    assert none.recall == none.f == 0
    with pytest.raises(DataError, match="core is empty"):
        core_scores(["m1"], [])
    with pytest.raises(DataError, match="equally many"):
        core_scores([True], [True, False])
    with pytest.raises(DataError, match="same way"):
        core_scores([1, 2], [True, False])
