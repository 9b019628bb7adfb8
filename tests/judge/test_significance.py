"""Tests of significance: printed values, SciPy, enumeration, and sizes under no difference."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from coterie.core.errors import DataError, ParameterError
from coterie.judge import significance as judge


def discordant(n01, n10, n=200):
    first = np.ones(n, dtype=bool)
    second = np.ones(n, dtype=bool)
    first[:n01] = False
    second[n01 : n01 + n10] = False
    return first, second


def test_mcnemar_printed_values_and_symmetry():
    a, b = discordant(10, 25)
    asymptotic = judge.mcnemar(a, b)
    exact = judge.mcnemar(a, b, exact=True)
    assert asymptotic.statistic == pytest.approx(5.6)
    assert asymptotic.p_value == pytest.approx(0.0180, abs=5e-5)
    assert exact.p_value == pytest.approx(0.0167, abs=5e-5)
    assert judge.mcnemar(b, a).p_value == asymptotic.p_value
    assert asymptotic.difference == pytest.approx(15 / 200)
    assert judge.mcnemar(a, a).p_value == 1
    assert judge.mcnemar(*discordant(3, 9)).test == "McNemar (exact)"
    assert judge.mcnemar(*discordant(12, 12)).p_value == 1


def test_proportion():
    a, b = discordant(10, 25)
    c = (190 / 200 + 175 / 200) / 2
    z = (15 / 200) / np.sqrt(2 * c * (1 - c) / 200)
    assert judge.proportion_test(a, b).p_value == pytest.approx(2 * stats.norm.sf(z))
    assert judge.proportion_test(a, a).p_value == 1


def test_wilcoxon_and_t_equal_scipy():
    rng = np.random.default_rng(0)
    a = rng.normal(size=40)
    b = a + rng.normal(0.3, 1, size=40)
    assert judge.wilcoxon(a, b).p_value == pytest.approx(stats.wilcoxon(a, b).pvalue)
    ours = judge.paired_t(a, b)
    theirs = stats.ttest_rel(a, b)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    interval = theirs.confidence_interval(0.95)
    assert (ours.lower, ours.upper) == pytest.approx((interval.low, interval.high))
    assert judge.sign_test(a, b).p_value == pytest.approx(
        stats.binomtest(int(np.sum(a > b)), 40).pvalue
    )
    assert (
        judge.wilcoxon(a, a).p_value
        == judge.paired_t(a, a).p_value
        == judge.sign_test(a, a).p_value
        == 1
    )


def test_t_with_equal_differences():
    result = judge.paired_t([0.3, 0.4, 0.5], [0.1, 0.2, 0.3])
    assert result.p_value == 0
    assert "spread" in result.caution


def test_permutation_equals_enumeration_and_its_sample():
    rng = np.random.default_rng(2)
    a = rng.normal(size=9)
    b = a - rng.normal(0.5, 1, size=9)
    gaps = a - b
    sums = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True)))
        for signs in product([1, -1], repeat=9)
    ]
    expected = np.mean([s >= abs(gaps.sum()) - 1e-12 for s in sums])
    assert judge.permutation_test(a, b).p_value == pytest.approx(expected)
    sampled = judge.permutation_test(a, b, replicates=500, random_state=0)
    assert sampled.test == "permutation"
    assert sampled.p_value == pytest.approx(expected, abs=0.06)
    assert judge.permutation_test(a, a).p_value == 1


def test_bootstrap_of_the_mean_covers_the_t_interval_and_is_reproducible():
    rng = np.random.default_rng(3)
    a = rng.normal(size=300)
    b = a + rng.normal(0.2, 0.5, size=300)
    result = judge.paired_bootstrap(a, b, random_state=7)
    student = judge.paired_t(a, b)
    assert (result.lower, result.upper) == pytest.approx((student.lower, student.upper), abs=0.01)
    assert result == judge.paired_bootstrap(a, b, random_state=np.random.default_rng(7))
    assert result.significant()
    assert judge.paired_bootstrap(a, a, random_state=0).p_value == 1


def predictions(seed, n=400, better=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    first = np.where(rng.random(n) < 0.8, truth, ~truth)
    second = np.where(rng.random(n) < 0.8 - better, truth, ~truth)
    return first, second, truth


def f1(said, truth):
    hits = np.sum(said & truth)
    return 2 * hits / (said.sum() + truth.sum())


def test_counted_bootstrap_has_the_quantiles_of_resampling():
    first, second, truth = predictions(0, better=0.1)
    fast = judge.count_bootstrap(
        first, second, truth, measure="f1", replicates=20000, random_state=1
    )
    plain = judge.paired_bootstrap(
        first, second, truth, measure=f1, replicates=4000, random_state=2
    )
    assert fast.difference == pytest.approx(f1_score(truth, first) - f1_score(truth, second))
    assert plain.difference == pytest.approx(fast.difference)
    assert (fast.lower, fast.upper) == pytest.approx((plain.lower, plain.upper), abs=0.006)
    error = judge.count_bootstrap(first, second, truth, measure="error", random_state=1)
    assert error.difference == pytest.approx(np.mean(first != truth) - np.mean(second != truth))
    assert error.discordant == int(np.sum(first != second))


def test_size_of_the_tests_under_no_difference():
    counts = np.zeros(3)
    for seed in range(300):
        first, second, truth = predictions(seed)
        counts += [
            judge.mcnemar(first == truth, second == truth).p_value <= 0.05,
            judge.count_bootstrap(
                first, second, truth, measure="error", replicates=400, random_state=seed
            ).p_value
            <= 0.05,
            judge.proportion_test(first == truth, second == truth).p_value <= 0.05,
        ]
    assert (counts / 300 <= 0.09).all()
    assert counts[1] > 0


def test_holm():
    assert judge.holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert judge.holm([0.9, 0.8]).tolist() == [1, 1]
    assert judge.holm([]).size == 0
    with pytest.raises(DataError, match="from 0 to 1"):
        judge.holm([0.1, float("nan")])


def test_bad_input_and_cautions():
    with pytest.raises(DataError, match="equally many"):
        judge.wilcoxon([1, 2], [1])
    with pytest.raises(DataError, match="nothing to compare"):
        judge.paired_t([], [])
    with pytest.raises(DataError, match="Value 1 of the second method is NaN"):
        judge.sign_test([1, 2], [1, float("nan")])
    with pytest.raises(DataError, match="at least 2 pairs"):
        judge.paired_t([1], [2])
    with pytest.raises(ParameterError, match="replicates"):
        judge.paired_bootstrap([1, 2], [1, 2], replicates=0)
    with pytest.raises(ParameterError, match="level"):
        judge.paired_bootstrap([1, 2], [1, 2], level=1.0)
    with pytest.raises(DataError, match="equally many"):
        judge.paired_bootstrap([1, 2], [1, 2], [1], measure=f1)
    assert "Only 2 examples" in judge.paired_bootstrap([1, 2], [1, 3], random_state=0).caution
    a, b = discordant(2, 3)
    assert "differ on only 5" in judge.mcnemar(a, b, exact=False).caution


def test_a_result_is_printed_in_one_line():
    found = judge.TestResult("paired t", 0.5, 0.0123, 40, 2.6, 0.25, 0.75, 12)
    assert (
        str(found)
        == "paired t: statistic 2.6, difference 0.5 (interval 0.25 to 0.75), p = 0.0123, n = 40."
    )
    plain = judge.TestResult(
        "McNemar", 0.0, 1.0, 3, discordant=0, caution="The methods never differ."
    )
    assert f"{plain}" == "McNemar: difference 0, p = 1, n = 3. The methods never differ."
    assert repr(plain).startswith(
        "TestResult(test='McNemar', difference=0.0, p_value=1.0, n=3, statistic=nan"
    )


PAIRED = ("wilcoxon", "paired_t", "sign_test", "permutation_test", "paired_bootstrap")
YES_NO = ("mcnemar", "proportion_test")


@pytest.mark.parametrize("name", PAIRED + YES_NO)
def test_a_list_and_a_column_are_never_crossed(name):
    a = np.arange(8) % 2
    for one, other in (
        (a, a[:, None]),
        (a[:, None], a),
        (a.reshape(4, 2), a.reshape(4, 2)),
        (1, 1),
    ):
        with pytest.raises(
            DataError, match=r"shapes .* a paired test needs two lists alike, one value per example"
        ):
            getattr(judge, name)(one, other)


@pytest.mark.parametrize("name", PAIRED)
def test_numbers_are_finite_numbers(name):
    for wrong, said in ((np.inf, "infinite"), (np.nan, "NaN")):
        with pytest.raises(DataError, match=f"Value 1 of the first method is {said}"):
            getattr(judge, name)([1.0, wrong, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(
        DataError, match="values of the second method must be numbers, and value 0 is 'a'"
    ):
        getattr(judge, name)([1.0, 2.0], ["a", "b"])


@pytest.mark.parametrize("wrong", [["yes", "no"], ["1", "0"], [1, 2], [0.5, 1.0], [None, True]])
def test_only_yes_and_no_are_yes_and_no(wrong):
    for name in YES_NO:
        with pytest.raises(DataError, match="values of the second method must be yes or no"):
            getattr(judge, name)([1, 0], wrong)
    with pytest.raises(DataError, match="values of the first method must be yes or no"):
        judge.count_bootstrap(wrong, [1, 0], [1, 0])
    with pytest.raises(DataError, match="The truth must be yes or no"):
        judge.count_bootstrap([1, 0], [1, 0], wrong)


def test_wilcoxon_says_when_its_p_value_is_unreliable():
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    assert (
        judge.wilcoxon(a[:29], a[:29] + 1).caution == "Only 29 examples: the p-value is unreliable."
    )
    assert judge.wilcoxon(a[:30], a[:30] + rng.random(30)).caution == ""
    nearly = np.where(np.arange(60) < 9, a + rng.random(60), a)
    assert (
        judge.wilcoxon(a, nearly).caution
        == "The methods differ on only 9 examples: the p-value is unreliable."
    )


def test_levels_and_p_values_are_checked():
    for level in (0.0, 1.0, 2.0, float("nan")):
        with pytest.raises(ParameterError, match="level must lie between 0 and 1"):
            judge.paired_t([1, 2, 3], [1, 2, 4], level=level)
    with pytest.raises(DataError, match="p-values must be numbers, and value 0 is 'a'"):
        judge.holm(["a"])
    with pytest.raises(DataError, match="2 outputs and 1 truths"):
        judge.paired_bootstrap([1, 2], [1, 2], 3, measure=f1)
