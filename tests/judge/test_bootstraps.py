"""The bootstrap over documents: drawn patterns are drawn documents, and categories of one document stay together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from coterie.core.errors import DataError, ParameterError
from coterie.judge import count_bootstrap, decisions, document_bootstrap, paired_bootstrap
from coterie.judge.bootstraps import Tables


def systems(seed=0, n=150, k=3, better=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < 0.3
    one = rng.random((n, k)) < np.where(truth, 0.7 + better, 0.15)
    return one, rng.random((n, k)) < np.where(truth, 0.7, 0.15), truth


def test_difference_is_that_of_scikit_learn_and_draws_are_those_of_documents():
    a, b, y = systems(better=0.15)
    found = document_bootstrap(a, b, y, replicates=8000, random_state=0)
    assert found.difference == pytest.approx(
        f1_score(y, a, average="micro") - f1_score(y, b, average="micro")
    )
    plain = paired_bootstrap(
        a,
        b,
        y,
        measure=lambda said, truth: decisions(said, truth).micro_f1,
        replicates=1000,
        random_state=1,
    )
    assert (found.lower, found.upper) == pytest.approx((plain.lower, plain.upper), abs=0.012)
    assert found.discordant == int((a != b).any(axis=1).sum())
    assert found == document_bootstrap(a, b, y, replicates=8000, random_state=0)


def test_one_category_is_the_bootstrap_of_counts():
    a, b, y = systems(2, k=1)
    one = document_bootstrap(a, b, y, replicates=20000, random_state=3)
    other = count_bootstrap(a[:, 0], b[:, 0], y[:, 0], replicates=20000, random_state=4)
    assert one.difference == pytest.approx(other.difference)
    assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=0.006)


def test_copied_categories_do_not_make_the_interval_narrower():
    a, b, y = systems(5, k=1)
    once = document_bootstrap(a, b, y, replicates=5000, random_state=0)
    copied = document_bootstrap(
        *(np.repeat(t, 20, axis=1) for t in (a, b, y)), replicates=5000, random_state=0
    )
    assert copied.upper - copied.lower == pytest.approx(once.upper - once.lower, rel=0.1)


def test_patterns_count_the_documents():
    a, b, y = systems(1, n=40)
    found = Tables.of(y, [a, b])
    assert found.counts.sum() == 40
    assert [one.micro_f1 for one in found.as_they_are()] == pytest.approx(
        [decisions(t, y).micro_f1 for t in (a, b)]
    )
    drawn = next(found.drawn(7, np.random.default_rng(0)))[0]
    assert (drawn.tp + drawn.fp + drawn.fn + drawn.tn == 40).all()


def test_bad_input():
    a, b, y = systems(n=10)
    with pytest.raises(DataError, match="three tables alike"):
        document_bootstrap(a[:, 0], b[:, 0], y[:, 0])
    with pytest.raises(ParameterError, match="measure must be one of micro_f1"):
        document_bootstrap(a, b, y, measure="f1")
    assert "Only 10 examples" in document_bootstrap(a, b, y, replicates=50, random_state=0).caution
    assert document_bootstrap(a, a, y, replicates=50, random_state=0).p_value == 1


def test_tables_of_yes_and_no_only():
    a, b, y = systems(n=10)
    with pytest.raises(
        DataError,
        match=r"values of the first method must be yes or no .* row 0, column 0 is 'False'",
    ):
        document_bootstrap(a.astype(str), b, y)
    with pytest.raises(DataError, match="The truth must be yes or no"):
        document_bootstrap(a, b, y + 1)
    with pytest.raises(DataError, match="a paired test needs two tables alike"):
        document_bootstrap(a, b[:, :1], y)


def test_examples_that_differ_are_counted_once():
    a, b, y = systems(n=40)
    found = paired_bootstrap(
        a,
        b,
        y,
        measure=lambda said, truth: decisions(said, truth).micro_f1,
        replicates=20,
        random_state=0,
    )
    assert found.discordant == int((a != b).any(axis=1).sum()) < int((a != b).sum())
