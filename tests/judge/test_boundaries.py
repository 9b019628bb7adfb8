"""Measures of cuts against slow twins; matching of segments, tolerance, windows with majority labels, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.core.errors import DataError, ParameterError
from coterie.core.partition import Segmentation
from coterie.judge import (
    boundary_displacement,
    boundary_scores,
    pk,
    segment_matching,
    segmentation_error,
    window_diff,
)
from tests.oracles import segments as slow


def cut(*bounds):
    return Segmentation(np.array(bounds), np.zeros(len(bounds) - 1, dtype=np.int64))


@st.composite
def two_cuts(draw):
    n = draw(st.integers(2, 30))
    sides = [sorted(draw(st.sets(st.integers(1, n - 1), max_size=3))) for _ in range(2)]
    return [np.array([0, *side, n]) for side in sides]


@settings(deadline=None)
@given(two_cuts())
def test_error_is_that_of_the_best_of_all_matchings(cuts):
    assert np.isclose(
        segmentation_error(cut(*cuts[0]), cut(*cuts[1])), slow.segmentation_error(*cuts)
    )


@settings(deadline=None)
@given(two_cuts(), st.integers(1, 8))
def test_window_measures_are_those_of_the_slow_twins(cuts, width):
    width = min(width, int(cuts[0][-1]) - 1)
    steps = [np.repeat(np.arange(len(c) - 1), np.diff(c)) for c in cuts]
    assert np.isclose(pk(cut(*cuts[0]), cut(*cuts[1]), width), slow.pk(*steps, width))
    assert np.isclose(
        window_diff(cut(*cuts[0]), cut(*cuts[1]), width), slow.window_diff(*steps, width)
    )


def test_one_slipped_boundary_costs_its_own_steps_only():
    true = cut(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    missed = cut(0, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100)
    assert np.isclose(segmentation_error(missed, true), 0.15)
    found = segment_matching(missed, true)
    assert len(found.pairs) == 9
    assert found.agreement == 85


def test_labels_per_step_are_cuts_and_a_source_that_comes_back_is_a_new_segment():
    assert segmentation_error(list("aaabbbaaa"), [0, 0, 0, 1, 1, 1, 2, 2, 2]) == 0.0
    assert segmentation_error(list("aaabbbbaa"), list("xxxyyyxxx")) == pytest.approx(1 / 9)


def test_windows_take_the_label_of_most_of_their_steps_and_the_last_partial_one_joins():
    true = cut(0, 4, 14)  # windows of 3: 0-3, 3-6, 6-9, 9-14; the second is mostly segment 1
    assert segmentation_error(cut(0, 3, 14), true, window=3) == 0.0
    assert segmentation_error(cut(0, 6, 14), true, window=3) == 0.25
    assert (
        segmentation_error(cut(0, 12, 14), cut(0, 1, 14), window=3) == 0.0
    )  # both lose their short segment
    assert (
        segmentation_error(cut(0, 2, 4), cut(0, 1, 4), window=2) == 0.0
    )  # a tie goes to the earlier segment


def test_boundaries_within_the_tolerance_are_paired_once_and_as_many_as_can_be():
    true = cut(0, 10, 20, 50)
    scores = boundary_scores(cut(0, 11, 14, 40, 50), true, tolerance=3)
    assert scores.pairs == ((11, 10),)
    assert (scores.precision, scores.recall, scores.f) == (1 / 3, 1 / 2, 2 / 5)
    assert scores.displacement == 1.0
    greedy = boundary_scores(cut(0, 12, 15, 50), cut(0, 9, 13, 50), tolerance=3)
    assert greedy.pairs == ((12, 9), (15, 13))
    assert greedy.f == 1.0
    assert greedy.displacement == 2.5


def test_scores_without_boundaries_on_one_side_or_both():
    whole = cut(0, 10)
    assert boundary_scores(whole, whole).f == 1.0
    assert np.isnan(boundary_scores(whole, whole).displacement)
    assert boundary_scores(whole, cut(0, 5, 10)).f == 0.0
    assert boundary_scores(cut(0, 5, 10), whole, 3).precision == 0.0


def test_displacement_is_the_mean_way_to_the_nearest():
    assert boundary_displacement(cut(0, 12, 18, 30), cut(0, 10, 20, 30)) == 2.0
    assert boundary_displacement(cut(0, 30), cut(0, 4, 30)) == 4.0
    assert boundary_displacement(cut(0, 4, 30), cut(0, 30)) == 0.0


def test_a_perfect_cut_has_no_error_and_the_default_window_is_half_a_segment():
    true = cut(0, 8, 16, 24, 32)
    assert pk(true, true) == window_diff(true, true) == 0.0
    assert pk(cut(0, 32), true) == pk(cut(0, 32), true, 4)
    assert pk(cut(0, 32), true) != pk(cut(0, 32), true, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: segmentation_error(cut(0, 5), cut(0, 6)), "5 steps and the true one 6"),
        (lambda: segmentation_error(cut(0, 5), cut(0, 5), window=6), "from 1 to 5"),
        (lambda: segmentation_error(cut(2, 5), cut(0, 5)), "must begin at step 0"),
        (lambda: pk(cut(0, 5), cut(0, 5), 5), "from 1 to 4"),
        (lambda: window_diff(cut(0, 1), cut(0, 1)), "one step"),
        (lambda: boundary_scores(cut(0, 5), cut(0, 5), -1), "from 0 steps"),
        (lambda: segmentation_error([], cut(0, 5)), "empty"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, words):
    with pytest.raises((DataError, ParameterError), match=words) as caught:
        call()
    assert str(caught.value).count(". ") == 0
