"""Sizes and powers of tests: the vectorized tests are the tests, tables have the rates they are named for, orders hold."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.core.errors import ParameterError
from coterie.judge import mcnemar, proportion_test
from coterie_papers.measures.sizes import (
    DIFFERENCE,
    NO_DIFFERENCE,
    TESTS,
    Joint,
    benchmark_tests,
    mcnemar_of,
    power_order,
    proportion_of,
)


def test_tables_have_the_rates_they_are_named_for():
    for case in (*NO_DIFFERENCE, *DIFFERENCE):
        table = case.table().reshape(2, 2, 2)  # truth, first, second
        assert table.sum() == pytest.approx(1)
        assert table[1].sum() == pytest.approx(case.prevalence)
        assert table[1, 1].sum() / case.prevalence == pytest.approx(case.recall[0])
        assert table[1, :, 1].sum() / case.prevalence == pytest.approx(case.recall[1])
        assert table[0, 1].sum() / (1 - case.prevalence) == pytest.approx(case.false_positives[0])
    assert all(abs(case.f1_difference) < 1e-12 for case in NO_DIFFERENCE)
    assert all(case.f1_difference > 0.01 for case in DIFFERENCE)
    assert NO_DIFFERENCE[1].table()[5] / 0.5 == pytest.approx(
        0.08
    )  # only the second finds it, of the positives
    with pytest.raises(ParameterError, match="cannot disagree that much"):
        Joint("x", 0.5, (0.1, 0.1), (0.1, 0.1), (0.2, 0.2)).table()


def test_tests_of_counts_are_the_tests():
    rng = np.random.default_rng(0)
    counts = np.array(
        [rng.multinomial(200, case.table()) for case in (*NO_DIFFERENCE, *DIFFERENCE)]
    )
    first_right = (np.arange(8) >> 1 & 1) == np.arange(8) >> 2
    second_right = (np.arange(8) & 1) == np.arange(8) >> 2
    for row, p, q in zip(counts, mcnemar_of(counts), proportion_of(counts), strict=True):
        a = np.repeat(first_right, row)
        b = np.repeat(second_right, row)
        assert p == pytest.approx(mcnemar(a, b).p_value)
        assert q == pytest.approx(proportion_test(a, b).p_value)


def test_sizes_and_power():
    null = benchmark_tests(NO_DIFFERENCE[1], 500, samples=400, replicates=400)
    assert set(null.rates) == set(TESTS)
    assert all(rate - 2 * null.error(test) <= 0.068 for test, rate in null.rates.items())
    assert null.rates["bootstrap F1"] > 0.01
    power = benchmark_tests(DIFFERENCE[0], 500, samples=400, replicates=400)
    assert power_order([power])
    assert power.rates["bootstrap F1"] > power.rates["McNemar"] + 0.05
    assert power.rates == benchmark_tests(DIFFERENCE[0], 500, samples=400, replicates=400).rates
    assert null.error("bootstrap F1") == pytest.approx(np.sqrt(0.05 * 0.95 / 400), abs=0.004)


def test_bad_input():
    with pytest.raises(ParameterError, match="n and samples"):
        benchmark_tests(NO_DIFFERENCE[0], 0)
    with pytest.raises(ParameterError, match="level"):
        benchmark_tests(NO_DIFFERENCE[0], 10, level=1.5)
