"""Accuracies in one call, what they are called, precision along unions, and the lines of a breakdown per class."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import DataError
from coterie.judge import contingency
from coterie_papers.measures.accuracy import accuracies, breakdown_lines, precision_along
from tests.oracles import judge_partitions as slow

TRUTH = ["a", "a", "a", "b", "b", "c"]


def test_all_numbers_of_one_call_are_those_of_the_definitions():
    labels = [0, 0, 1, 1, 1, 2]
    found = accuracies(labels, TRUTH)
    assert (found.micro, found.macro) == pytest.approx(slow.accuracies(labels, TRUTH))
    assert (found.micro, found.macro) == pytest.approx((5 / 6, (1 + 2 / 3 + 1) / 3))
    assert found.well_balanced
    assert (found.clusters, found.classes, found.called) == (3, 3, "accuracy")
    assert accuracies(contingency(labels, TRUTH)) == found
    assert "micro 0.833" in str(found)
    assert "well balanced" in str(found)


def test_with_another_number_of_clusters_it_is_a_precision():
    apart = accuracies(range(6), TRUTH)
    assert apart.micro == apart.macro == 1.0
    assert apart.called == "precision"
    assert not apart.well_balanced
    assert "precision" in str(apart)
    assert "not well balanced" in str(apart)


def test_unassigned_members_stay_below_and_empty_clusters_are_no_part_of_the_mean():
    found = accuracies([0, 0, 5, -1, -1, -1], TRUTH)  # clusters 1 to 4 are empty
    assert found.micro == 0.5
    assert found.macro == 1.0
    assert found.clusters == 2


def test_precision_along_unions_never_rises_where_clusters_only_unite():
    levels = [
        np.array([0, 1, 2, 3, 4, 5]),
        np.array([0, 0, 1, 2, 2, 3]),
        np.array([0, 0, 0, 0, 1, 1]),
    ]
    assert precision_along(levels, TRUTH) == [(6, 1.0), (4, 1.0), (2, pytest.approx(4 / 6))]
    assert precision_along([], TRUTH) == []


def test_lines_are_as_in_the_printed_table():
    labels = [0, 0, 1, 1, 1, -1]
    assert breakdown_lines(labels, ["aa", "aa", "aa", "b", "b", "b"]) == [
        "aa 2* 1",
        "b  2* (1 unassigned)",
    ]


def test_bad_input_is_one_sentence():
    with pytest.raises(DataError, match="equally many"):
        accuracies([0, 1], TRUTH)
