"""Numbers of experiments as words: thousands, small numbers, errors, p-values, and what stands beside ours."""

from __future__ import annotations

import pytest

from coterie_papers.experiment import Row
from coterie_papers.numbers import number, ours, published


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (32841.0, "32,841"),
        (-1234.5, "-1,234"),
        (999.96, "1,000"),
        (0.43126, "0.4313"),
        (8.8e-05, "0.000088"),
        (0.0, "0"),
        (12.5, "12.5"),
    ],
)
def test_numbers_have_no_powers_of_ten(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (0.4312, 0.0123, "0.4312 ± 0.012"),
        (0.4312, 8.8e-06, "0.4312 ± <0.0001"),
        (32841.0, 134.2, "32,841 ± 134"),
        (32841.0, 0.1, "32,841 ± <1"),
        (2.0, 1.0, "2 ± 1"),
        (0.4312, 0.0, "0.4312"),
    ],
)
def test_errors_are_shown_as_far_as_they_count(value, error, said):
    assert ours(Row("a", "AUC", "toy", value, error)) == said


def test_p_values_have_two_digits():
    assert ours(Row("a against b", "McNemar p", "toy", 0.031415)) == "0.031"
    assert ours(Row("a - b", "accuracy, p (permutation of sentences)", "toy", 3e-9)) == "< 0.001"
    assert ours(Row("a", "P@5", "toy", 0.031416)) == "0.03142"


def test_what_stands_beside_is_said():
    assert published(Row("a", "AUC", "toy", 0.5)) == ""
    assert published(Row("a", "AUC", "toy", 0.5, paper=0.25)) == "0.25"
    assert (
        published(Row("a", "AUC", "toy", 0.5, paper=0.25, beside="reference run"))
        == "0.25 (reference run)"
    )
